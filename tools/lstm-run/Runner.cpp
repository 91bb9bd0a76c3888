//===- Runner.cpp - Compiles and calls a function -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"

#include "Engine.h"
#include "Times.h"

#include "lstm-runtime/cpu.h"
#include "lstm/Target/Lowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cstring>

using namespace mlir;
using namespace mlir::lstm;
using namespace mlir::lstm::run;

//===----------------------------------------------------------------------===//
// What generated code calls
//===----------------------------------------------------------------------===//

/// A check failed at run time. {0}, {1}, {2} in the message stand for the values.
[[noreturn]] static void checkFailed(const char *message, int64_t v0, int64_t v1, int64_t v2) {
  const int64_t values[] = {v0, v1, v2};
  for (StringRef rest = message; !rest.empty();) {
    if (rest.size() >= 3 && rest[0] == '{' && rest[1] >= '0' && rest[1] <= '2' && rest[2] == '}') {
      llvm::errs() << values[rest[1] - '0'];
      rest = rest.drop_front(3);
      continue;
    }
    llvm::errs() << rest.front();
    rest = rest.drop_front();
  }
  llvm::errs() << '\n';
  stop();
}

static llvm::orc::SymbolMap getSymbols(llvm::orc::MangleAndInterner interner) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                               llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  add("lstmCheckFailed", &checkFailed);
  add("memrefCopy", &memrefCopy);
  add("lstmParallel", &lstmParallel);
  add("lstmBarrier", &lstmBarrier);
  return symbols;
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

/// A position in the result structure, after alignment.
static size_t placeInStruct(const Port &port, size_t &size) {
  size_t align = port.isTensor() ? 8 : getByteWidth(port.kind);
  size_t offset = llvm::alignTo(size, align);
  size = offset + (port.isTensor() ? 8 * getDescriptorWords(port) : align);
  return offset;
}

/// Fails unless the function can be called as `CompiledFunction::call` does.
static llvm::Error checkInterface(ModuleOp module, StringRef name, const Signature &signature) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function || !module.lookupSymbol<LLVM::LLVMFuncOp>(("_mlir_ciface_" + name).str()))
    return llvm::createStringError("the pass pipeline leaves no function @" + name +
                                   " in the LLVM dialect with a C interface");
  LLVM::LLVMFunctionType expected = getLoweredType(signature, module.getContext());
  if (function.getFunctionType() != expected) {
    std::string text;
    llvm::raw_string_ostream(text) << "the pass pipeline gives @" << name << " the type "
                                   << function.getFunctionType() << "; expected " << expected;
    return llvm::createStringError(text);
  }
  return llvm::Error::success();
}

/// Copies what a descriptor describes.
static llvm::Expected<Array> readResult(const uint64_t *words, const Port &port) {
  size_t rank = port.getShape().size();
  SmallVector<int64_t, 4> shape(words + 3, words + 3 + rank);
  SmallVector<int64_t, 4> strides(words + 3 + rank, words + 3 + 2 * rank);
  const char *source =
      reinterpret_cast<const char *>(words[1]) + int64_t(words[2]) * getByteWidth(port.kind);
  llvm::Expected<Array> array = Array::copy(port.kind, source, shape, strides);
  if (!array)
    return llvm::createStringError("result " + quote(port.name) + ": " +
                                   llvm::toString(array.takeError()));
  return array;
}

namespace {
/// The memory through which a call passes arguments and results.
class Frame {
public:
  Frame(const Signature &signature, ArrayRef<const Array *> arguments);

  /// The pointers for the packed call.
  void **getPointers() { return pointers.data(); }

  llvm::Expected<std::vector<NamedArray>> readResults() const;

  /// Frees what the callee allocated for its results.
  void freeResults();

private:
  const uint64_t *getWords(size_t result) const {
    return reinterpret_cast<const uint64_t *>(getResult(result));
  }
  const char *getResult(size_t result) const {
    return reinterpret_cast<const char *>(results.data()) + offsets[result];
  }

  const Signature &signature;
  ArrayRef<const Array *> arguments;
  std::vector<std::vector<uint64_t>> descriptors;
  std::vector<void *> descriptorPointers;
  std::vector<uint64_t> results;
  std::vector<size_t> offsets;
  void *resultPointer = nullptr;
  std::vector<void *> pointers;
};
} // namespace

Frame::Frame(const Signature &signature, ArrayRef<const Array *> arguments)
    : signature(signature), arguments(arguments) {
  size_t size = 0;
  for (const Port &port : signature.results)
    offsets.push_back(placeInStruct(port, size));
  results.resize(llvm::divideCeil(size, 8) + 1);
  resultPointer = results.data();

  // A structure is returned through a pointer, the first argument; a scalar
  // is stored where the last pointer points.
  bool returnsScalar = signature.results.size() == 1 && !signature.results[0].isTensor();
  if (!signature.results.empty() && !returnsScalar)
    pointers.push_back(&resultPointer);
  // Its elements' addresses are taken below.
  descriptorPointers.resize(arguments.size());
  for (auto [i, port] : llvm::enumerate(signature.arguments)) {
    const Array &array = *arguments[i];
    if (!port.isTensor()) {
      pointers.push_back(array.getData());
      continue;
    }
    size_t rank = array.getRank();
    std::vector<uint64_t> words(getDescriptorWords(port));
    words[0] = words[1] = reinterpret_cast<uintptr_t>(array.getData());
    int64_t stride = 1;
    for (size_t dim = rank; dim-- > 0;) {
      words[3 + dim] = array.getShape()[dim];
      words[3 + rank + dim] = stride;
      stride *= array.getShape()[dim];
    }
    descriptors.push_back(std::move(words));
    descriptorPointers[i] = descriptors.back().data();
    pointers.push_back(&descriptorPointers[i]);
  }
  if (returnsScalar)
    pointers.push_back(resultPointer);
}

llvm::Expected<std::vector<NamedArray>> Frame::readResults() const {
  std::vector<NamedArray> arrays;
  for (auto [i, port] : llvm::enumerate(signature.results)) {
    llvm::Expected<Array> array =
        port.isTensor() ? readResult(getWords(i), port) : Array::create(port.kind, {});
    if (!array)
      return array.takeError();
    if (!port.isTensor())
      std::memcpy(array->getData(), getResult(i), getByteWidth(port.kind));
    arrays.push_back({port.name, std::move(*array)});
  }
  return arrays;
}

void Frame::freeResults() {
  llvm::SmallPtrSet<void *, 8> kept;
  for (const Array *array : arguments)
    kept.insert(array->getData());
  // What MLIR gives a global constant instead of an allocation's address.
  kept.insert(reinterpret_cast<void *>(0xdeadbeef));
  for (auto [i, port] : llvm::enumerate(signature.results)) {
    if (!port.isTensor())
      continue;
    void *allocation = reinterpret_cast<void *>(getWords(i)[0]);
    if (kept.insert(allocation).second)
      std::free(allocation);
  }
}

//===----------------------------------------------------------------------===//
// Compiling and calling
//===----------------------------------------------------------------------===//

CompiledModule::~CompiledModule() = default;

llvm::Expected<std::unique_ptr<CompiledModule>>
CompiledModule::compile(ModuleOp module, ArrayRef<Signature> functions, bool optimize) {
  for (const Signature &function : functions)
    if (llvm::Error error = checkInterface(module, function.name, function))
      return error;
  auto engine = createEngine(module, optimize);
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols(getSymbols);
  std::unique_ptr<CompiledModule> compiled(new CompiledModule());
  compiled->functions = functions;
  compiled->engine = std::move(*engine);
  for (const Signature &function : functions) {
    auto entry = compiled->engine->lookupPacked("_mlir_ciface_" + function.name);
    if (!entry)
      return entry.takeError();
    compiled->entries.push_back(*entry);
  }
  return compiled;
}

llvm::Expected<std::vector<NamedArray>>
CompiledModule::call(size_t number, ArrayRef<const Array *> arguments, int64_t repeat,
                     std::vector<double> &times) {
  Frame frame(functions[number], arguments);
  for (int64_t i = 0; i < repeat; ++i) {
    if (i != 0)
      frame.freeResults();
    double start = now();
    entries[number](frame.getPointers());
    times.push_back(now() - start);
  }
  llvm::Expected<std::vector<NamedArray>> results = frame.readResults();
  frame.freeResults();
  return results;
}
