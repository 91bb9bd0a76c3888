//===- CProgram.cpp - Calls programs through their C interface -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CProgram.h"

#include "CFunction.h"
#include "Times.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::lstm;
using namespace mlir::lstm::run;

namespace {
/// The addresses of all entries.
class CProgram : public Program {
public:
  llvm::Error findEntries(std::unique_ptr<Code> from, const ProgramTable &table) {
    code = std::move(from);
    for (const ProgramTable::Entry &entry : table.entries) {
      llvm::Expected<void *> address = code->lookup(entry.symbol);
      if (!address)
        return address.takeError();
      functions.push_back(*address);
      signatures.push_back(entry.signature);
    }
    return llvm::Error::success();
  }

protected:
  std::unique_ptr<Code> code;
  std::vector<void *> functions;
  std::vector<Signature> signatures;
};
} // namespace

//===----------------------------------------------------------------------===//
// CPU
//===----------------------------------------------------------------------===//

namespace {
class CPUProgram : public CProgram {
public:
  llvm::Error findRuntime(StringRef prefix, int64_t threads);

  llvm::Expected<std::vector<NamedArray>> call(size_t number, ArrayRef<const Array *> arguments,
                                               int64_t repeat, std::vector<double> &times) override;

private:
  const char *(*getLastError)() = nullptr;
  void (*freeTensor)(lstm_tensor *) = nullptr;
};
} // namespace

llvm::Error CPUProgram::findRuntime(StringRef prefix, int64_t threads) {
  void (*setThreads)(int64_t) = nullptr;
  auto find = [&](StringRef name, auto *&function) -> llvm::Error {
    llvm::Expected<void *> address = code->lookup((prefix + name).str());
    if (!address)
      return address.takeError();
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(*address);
    return llvm::Error::success();
  };
  if (llvm::Error error = find("_last_error", getLastError))
    return error;
  if (llvm::Error error = find("_free", freeTensor))
    return error;
  if (llvm::Error error = find("_set_num_threads", setThreads))
    return error;
  setThreads(threads);
  return llvm::Error::success();
}

llvm::Expected<std::vector<NamedArray>> CPUProgram::call(size_t number,
                                                         ArrayRef<const Array *> arguments,
                                                         int64_t repeat,
                                                         std::vector<double> &times) {
  CCall call(functions[number], signatures[number], arguments);
  auto freeResults = [&] {
    for (lstm_tensor &tensor : call.getResults()) {
      freeTensor(&tensor);
      tensor = {};
    }
  };
  for (int64_t i = 0; i < repeat; ++i) {
    freeResults();
    double start = now();
    int32_t status = call.run();
    times.push_back(now() - start);
    if (llvm::Error error = toError(status, getLastError()))
      return error;
  }
  llvm::scope_exit release(freeResults);
  std::vector<NamedArray> results;
  for (size_t i = 0; i < signatures[number].results.size(); ++i) {
    llvm::Expected<NamedArray> result = call.readResult(i);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  return results;
}

llvm::Expected<std::unique_ptr<Program>> lstm::run::createCPUProgram(std::unique_ptr<Code> code,
                                                                     const ProgramTable &table,
                                                                     int64_t threads) {
  auto program = std::make_unique<CPUProgram>();
  if (llvm::Error error = program->findEntries(std::move(code), table))
    return error;
  if (llvm::Error error = program->findRuntime(table.prefix, threads))
    return error;
  return program;
}

//===----------------------------------------------------------------------===//
// GPU
//===----------------------------------------------------------------------===//

namespace {
class GPUProgram : public CProgram {
public:
  explicit GPUProgram(std::unique_ptr<Session> session) : session(std::move(session)) {}

  llvm::Expected<std::vector<NamedArray>> call(size_t number, ArrayRef<const Array *> arguments,
                                               int64_t repeat, std::vector<double> &times) override;

private:
  /// Memory for the arguments, and these in it.
  llvm::Error copyArguments(CCall &call, ArrayRef<const Array *> arguments,
                            const Signature &signature);
  llvm::Error runBatches(CCall &call, int64_t repeat, std::vector<double> &times);
  llvm::Expected<NamedArray> readResult(CCall &call, const Signature &signature, size_t number);

  /// Destroyed before the code, whose kernels it may hold.
  std::unique_ptr<Session> session;
};
} // namespace

llvm::Error GPUProgram::copyArguments(CCall &call, ArrayRef<const Array *> arguments,
                                      const Signature &signature) {
  for (auto [i, port] : llvm::enumerate(signature.arguments)) {
    if (!port.isTensor())
      continue;
    lstm_tensor &tensor = call.getArguments()[i];
    tensor.data = nullptr;
    llvm::Expected<void *> memory = session->allocate(arguments[i]->getNumBytes());
    if (!memory)
      return memory.takeError();
    tensor.data = *memory;
    if (llvm::Error error =
            session->copy(tensor.data, arguments[i]->getData(), arguments[i]->getNumBytes()))
      return error;
  }
  return session->wait();
}

llvm::Error GPUProgram::runBatches(CCall &call, int64_t repeat, std::vector<double> &times) {
  const int64_t numBatches = std::min<int64_t>(repeat, 10);
  for (int64_t batch = 0; batch < numBatches; ++batch) {
    int64_t size = repeat / numBatches + (batch < repeat % numBatches);
    double start = now();
    for (int64_t i = 0; i < size; ++i)
      if (llvm::Error error = session->check(call.run()))
        return error;
    if (llvm::Error error = session->wait())
      return error;
    times.insert(times.end(), size, (now() - start) / size);
  }
  return llvm::Error::success();
}

llvm::Expected<NamedArray> GPUProgram::readResult(CCall &call, const Signature &signature,
                                                  size_t number) {
  const Port &port = signature.results[number];
  if (!port.isTensor())
    return call.readResult(number);
  // What a call allocates is in row-major order.
  const lstm_tensor &tensor = call.getResults()[number];
  auto array = Array::create(port.kind, ArrayRef(tensor.shape, tensor.rank));
  if (!array)
    return llvm::createStringError("result " + quote(port.name) + ": " +
                                   llvm::toString(array.takeError()));
  if (llvm::Error error = session->copy(array->getData(), tensor.data, array->getNumBytes()))
    return error;
  return NamedArray{port.name, std::move(*array)};
}

llvm::Expected<std::vector<NamedArray>> GPUProgram::call(size_t number,
                                                         ArrayRef<const Array *> arguments,
                                                         int64_t repeat,
                                                         std::vector<double> &times) {
  const Signature &signature = signatures[number];
  CCall call(functions[number], signature, arguments, {session->get(), /*stream=*/nullptr});
  if (llvm::Error error = copyArguments(call, arguments, signature))
    return error;
  if (llvm::Error error = runBatches(call, repeat, times))
    return error;
  std::vector<NamedArray> results;
  for (size_t i = 0; i < signature.results.size(); ++i) {
    llvm::Expected<NamedArray> result = readResult(call, signature, i);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  if (llvm::Error error = session->wait())
    return error;
  for (lstm_tensor &tensor : call.getArguments())
    session->free(tensor.data);
  for (lstm_tensor &tensor : call.getResults())
    session->freeTensor(&tensor);
  return results;
}

llvm::Expected<std::unique_ptr<Program>>
lstm::run::createGPUProgram(std::unique_ptr<Code> code, const ProgramTable &table,
                            std::unique_ptr<Session> session) {
  auto program = std::make_unique<GPUProgram>(std::move(session));
  if (llvm::Error error = program->findEntries(std::move(code), table))
    return error;
  return program;
}
