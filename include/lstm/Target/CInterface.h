//===- CInterface.h - Functions that C calls -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TARGET_CINTERFACE_H
#define LSTM_TARGET_CINTERFACE_H

#include "lstm/Target/Lowering.h"
#include "lstm/Target/Signature.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mlir::lstm {

/// What C sees of a module. The names of all functions begin with `prefix`, and
/// `@f` becomes `prefix_f`; what begins with `prefix` already keeps its name.
struct CInterface {
  std::string prefix;
  std::vector<Signature> entries;
  /// Where the tensors are: the functions of a program for GPUs take a session and a
  /// stream first, and the run-time library is a shared one, lstm-runtime/cuda.h.
  Platform platform = Platform::CPU;

  /// The C function of an entry, or of an auxiliary such as "free".
  std::string getSymbol(StringRef name) const;

  /// Fails if two functions would have one name, or if C has no way to pass an argument.
  LogicalResult verify(ModuleOp module) const;
};

/// The interface of functions on tensors, which are not lowered yet. Fails as `getSignature`
/// and `verify` do.
FailureOr<CInterface> getCInterface(ModuleOp module, ArrayRef<func::FuncOp> functions,
                                    StringRef prefix, Platform platform, llvm::SourceMgr &source);

/// A text as a C identifier: what C does not allow becomes '_'.
std::string getCIdentifier(StringRef text);

/// An element type's number in lstm-runtime/tensor.h.
int64_t getDType(ElementKind kind);

/// Adds the C functions to a module in the LLVM dialect whose entries had these
/// signatures on tensors. They call the runtime (lstm-runtime/cpu.h, cuda.h); nothing but
/// them and the program's table remains visible from outside.
LogicalResult addCInterface(ModuleOp module, const CInterface &interface);

/// Writes the header that declares them; it includes standard headers only.
void writeCHeader(const CInterface &interface, raw_ostream &os);

/// Writes what a loader without the header needs, as JSON:
///   {"target": "cpu", "prefix": "m", "entries": [{"name": "main", "symbol": "m_main",
///     "arguments": [{"name": "x", "dtype": "f32", "shape": [-1, -1, 80]},
///                   {"name": "n", "dtype": "i64", "shape": null}], "results": [...]}]}
/// A size of -1 is any; a scalar has no shape.
void writeProgramTable(const CInterface &interface, raw_ostream &os);

/// Adds that text, ended by a zero, to a module in the LLVM dialect, as the character
/// array `lstm_program`.
void addProgramTable(ModuleOp module, const CInterface &interface);

/// What a program's table says.
struct ProgramTable {
  struct Entry {
    Signature signature;
    /// The C function.
    std::string symbol;
  };

  Platform platform;
  std::string prefix;
  std::vector<Entry> entries;
};

/// Reads such a text. An `index` has become i64. Fails, with what is wrong, if it is none.
llvm::Expected<ProgramTable> readProgramTable(StringRef text, MLIRContext *context);

} // namespace mlir::lstm

#endif // LSTM_TARGET_CINTERFACE_H
