//===- CHeader.cpp - The header of a C interface -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Target/CInterface.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::lstm;

/// The text of lstm-runtime/tensor.h.
static constexpr StringRef tensorHeader =
#include "TensorHeader.inc"
    ;

/// The text of lstm-runtime/session.h.
static constexpr StringRef sessionHeader =
#include "SessionHeader.inc"
    ;

static bool isKeyword(StringRef name) {
  static const llvm::StringSet<> keywords = {
      "alignas",   "alignof",  "and",      "asm",      "auto",     "bool",     "break",    "case",
      "catch",     "char",     "class",    "const",    "continue", "default",  "delete",   "do",
      "double",    "else",     "enum",     "explicit", "export",   "extern",   "false",    "float",
      "for",       "friend",   "goto",     "if",       "inline",   "int",      "long",     "mutable",
      "namespace", "new",      "not",      "operator", "or",       "private",  "protected", "public",
      "register",  "requires", "restrict", "return",   "short",    "signed",   "sizeof",   "static",
      "struct",    "switch",   "template", "this",     "throw",    "true",     "try",      "typedef",
      "typeid",    "typename", "union",    "unsigned", "using",    "virtual",  "void",     "volatile",
      "while",     "xor",      "concept",  "int64_t",  "int32_t",  "uint16_t", "lstm_tensor"};
  return keywords.contains(name);
}

static StringRef getScalarType(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
    return "double";
  case ElementKind::F32:
    return "float";
  case ElementKind::F16:
  case ElementKind::BF16:
    return "uint16_t";
  case ElementKind::I64:
  case ElementKind::Index:
    return "int64_t";
  case ElementKind::I32:
    return "int32_t";
  case ElementKind::I1:
    return "bool";
  }
  llvm_unreachable("unknown element kind");
}

namespace {
/// Declares one entry.
class EntryWriter {
public:
  EntryWriter(const Signature &entry, StringRef symbol, Platform platform, raw_ostream &os)
      : entry(entry), symbol(symbol), platform(platform), os(os) {}

  void write();

private:
  void describe(const Port &port);
  std::string getParameter(const Port &port);

  const Signature &entry;
  StringRef symbol;
  Platform platform;
  raw_ostream &os;
  unsigned numSizes = 0;
  llvm::StringSet<> used;
};
} // namespace

/// "x: f32 a x b x 24". A size that is not known has a letter of its own.
void EntryWriter::describe(const Port &port) {
  StringRef kind = port.kind == ElementKind::Index ? "i64" : getName(port.kind);
  os << "     " << port.name << ": " << (port.kind == ElementKind::I1 ? "bool" : kind);
  for (auto [i, size] : llvm::enumerate(port.getShape())) {
    os << (i ? " x " : " ");
    if (!ShapedType::isDynamic(size)) {
      os << size;
      continue;
    }
    os << static_cast<char>('a' + numSizes % 26);
    if (numSizes >= 26)
      os << numSizes / 26;
    ++numSizes;
  }
  if (!port.isTensor())
    os << ", a scalar";
  os << '\n';
}

std::string EntryWriter::getParameter(const Port &port) {
  std::string name = getCIdentifier(port.name);
  while (isKeyword(name) || !used.insert(name).second)
    name += '_';
  return name;
}

void EntryWriter::write() {
  os << "\n/* @" << entry.name << "\n";
  if (!entry.arguments.empty()) {
    os << "   Arguments:\n";
    for (const Port &port : entry.arguments)
      describe(port);
  }
  if (!entry.results.empty()) {
    os << "   Results:\n";
    for (const Port &port : entry.results)
      describe(port);
  }
  SmallVector<std::string> parameters;
  if (platform == Platform::CUDA) {
    parameters = {"lstm_cuda_session *session", "void *stream"};
    used.insert_range(ArrayRef<StringRef>{"session", "stream"});
  }
  for (const Port &port : entry.arguments)
    parameters.push_back((port.isTensor() ? "const lstm_tensor *"
                                          : getScalarType(port.kind).str() + " ") +
                         getParameter(port));
  for (const Port &port : entry.results)
    parameters.push_back((port.isTensor() ? "lstm_tensor *"
                                          : getScalarType(port.kind).str() + " *") +
                         getParameter(port));
  os << "*/\nint32_t " << symbol << '(';
  std::string separator = ",\n" + std::string(symbol.size() + 9, ' ');
  llvm::interleave(parameters, os, separator);
  os << (parameters.empty() ? "void);\n" : ");\n");
}

/// How calls work where tensors are in the host's memory.
static void writeHostRules(StringRef prefix, raw_ostream &os) {
  os << R"(/* All functions with a status return an lstm_status. Arguments are read only, in any
   strides. A result whose data is null gets memory of its own, which )"
     << prefix << R"(_free
   frees; else type and shape must be the result's, and it is copied there, also over
   an argument. A null pointer instead of a result drops it. A letter stands for a size
   that is known in the call only.
*/
)";
}

static void writeHostFunctions(StringRef prefix, raw_ostream &os) {
  os << "\n/* Frees what a call has allocated for a result; leaves other tensors alone. */\nvoid "
     << prefix << "_free(lstm_tensor *tensor);\n"
     << "\n/* Says what was wrong with the last call on this thread that did not return LSTM_OK. */\n"
     << "const char *" << prefix << "_last_error(void);\n"
     << R"(
/* The number of threads from the next call on. By default, and again with 0, it is that of
   LSTM_NUM_THREADS, else OMP_NUM_THREADS, else the number of CPUs that the process may use. */
)" << "void "
     << prefix << "_set_num_threads(int64_t count);\n";
}

/// How they work where tensors are on a GPU.
static constexpr StringRef deviceRules =
    R"(/* All functions return an lstm_status and enqueue their work on `stream`, a CUstream or
   cudaStream_t (null: the legacy default stream); they do not wait for it. Tensors are on the
   session's device. Arguments are read only, in any strides. A result whose data is null
   gets memory of its own, which lstm_cuda_free_tensor frees; else type and shape must
   be the result's, and it is written there, also over an argument. A null pointer instead
   of a result drops it. A scalar result is the host's. A letter stands for a size that is
   known in the call only. Link with -llstm_cuda_runtime.
*/
)";

void lstm::writeCHeader(const CInterface &interface, raw_ostream &os) {
  const std::string &prefix = interface.prefix;
  bool isHost = interface.platform == Platform::CPU;
  std::string guard = StringRef("LSTM_MODEL_" + prefix + "_H").upper();
  os << "/* " << prefix << ": a program compiled by lstm-compile. */\n\n#ifndef " << guard
     << "\n#define " << guard << "\n\n"
     << tensorHeader;
  if (!isHost)
    os << '\n' << sessionHeader;
  os << R"(
#ifdef __cplusplus
extern "C" {
#endif

)";
  if (isHost)
    writeHostRules(prefix, os);
  else
    os << deviceRules;
  for (const Signature &entry : interface.entries)
    EntryWriter(entry, interface.getSymbol(entry.name), interface.platform, os).write();
  if (isHost)
    writeHostFunctions(prefix, os);
  os << R"(
#ifdef __cplusplus
}
#endif

#endif /* )"
     << guard << " */\n";
}
