//===- Session.h - The run-time library of programs for GPUs -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_SESSION_H
#define LSTM_TOOLS_LSTM_RUN_SESSION_H

#include "lstm-runtime/session.h"

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace mlir::lstm::run {

/// A session of liblstm_cuda_runtime.so on the legacy stream. The library is opened for
/// it, so that programs loaded and compiled later find its functions.
class Session {
public:
  /// Fails if there is no such library beside the tool or where the loader looks, no driver
  /// or no device.
  static llvm::Expected<std::unique_ptr<Session>> create();
  ~Session();

  lstm_cuda_session *get() const { return session; }

  /// The error of a call of a program with this session.
  llvm::Error check(int32_t status);

  llvm::Expected<void *> allocate(int64_t bytes);
  llvm::Error copy(void *target, const void *source, int64_t bytes);
  llvm::Error wait();
  void free(void *data);
  void freeTensor(lstm_tensor *tensor);

private:
  Session() = default;

  struct Functions;
  llvm::Error findFunctions();

  std::unique_ptr<Functions> functions;
  lstm_cuda_session *session = nullptr;
};

} // namespace mlir::lstm::run

#endif // LSTM_TOOLS_LSTM_RUN_SESSION_H
