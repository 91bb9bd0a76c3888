//===- Session.cpp - The run-time library of programs for GPUs -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "CFunction.h"

#include "lstm/Target/Installation.h"

#include <dlfcn.h>

using namespace mlir;
using namespace mlir::lstm;
using namespace mlir::lstm::run;

struct Session::Functions {
  decltype(&lstm_cuda_create) create;
  decltype(&lstm_cuda_destroy) destroy;
  decltype(&lstm_cuda_last_error) lastError;
  decltype(&lstm_cuda_wait) wait;
  decltype(&lstm_cuda_allocate) allocate;
  decltype(&lstm_cuda_free) free;
  decltype(&lstm_cuda_copy) copy;
  decltype(&lstm_cuda_free_tensor) freeTensor;
};

llvm::Error Session::findFunctions() {
  llvm::Expected<std::string> beside = findCUDARuntime();
  std::string path = beside ? *beside : "liblstm_cuda_runtime.so";
  llvm::consumeError(beside.takeError());
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return llvm::createStringError(dlerror());
  functions = std::make_unique<Functions>();
  std::string missing;
  auto find = [&](const char *name, auto &function) {
    void *address = dlsym(library, name);
    if (!address && missing.empty())
      missing = path + ": it has no function '" + name + "'";
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
  };
  find("lstm_cuda_create", functions->create);
  find("lstm_cuda_destroy", functions->destroy);
  find("lstm_cuda_last_error", functions->lastError);
  find("lstm_cuda_wait", functions->wait);
  find("lstm_cuda_allocate", functions->allocate);
  find("lstm_cuda_free", functions->free);
  find("lstm_cuda_copy", functions->copy);
  find("lstm_cuda_free_tensor", functions->freeTensor);
  return missing.empty() ? llvm::Error::success() : llvm::createStringError(missing);
}

llvm::Expected<std::unique_ptr<Session>> Session::create() {
  std::unique_ptr<Session> made(new Session());
  if (llvm::Error error = made->findFunctions())
    return error;
  if (llvm::Error error = made->check(made->functions->create(&made->session)))
    return error;
  return made;
}

Session::~Session() {
  if (session)
    functions->destroy(session);
}

llvm::Error Session::check(int32_t status) { return toError(status, functions->lastError(session)); }

llvm::Expected<void *> Session::allocate(int64_t bytes) {
  void *data = nullptr;
  if (llvm::Error error = check(functions->allocate(session, bytes, &data)))
    return error;
  return data;
}

llvm::Error Session::copy(void *target, const void *source, int64_t bytes) {
  return check(functions->copy(session, /*stream=*/nullptr, target, source, bytes));
}

llvm::Error Session::wait() { return check(functions->wait(session, /*stream=*/nullptr)); }

void Session::free(void *data) { functions->free(session, data); }

void Session::freeTensor(lstm_tensor *tensor) { functions->freeTensor(session, tensor); }
