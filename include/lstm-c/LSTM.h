//===- LSTM.h - C API -*- C -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of the dialect and its passes for users of MLIR's C API, and one
// call that runs a pipeline on a module given as text. None of these functions
// touches process-wide command-line options, and each may be called repeatedly.
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_C_LSTM_H
#define LSTM_C_LSTM_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// mlirGetDialectHandle__lstm__(): the dialect alone, without the models that
/// bufferization and the transform dialect need.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(LSTM, lstm);

/// Adds the dialect, its bufferization models and its transform operations.
MLIR_CAPI_EXPORTED void lstmRegisterDialect(MlirDialectRegistry registry);

/// `lstmRegisterDialect`, and all dialects and extensions of upstream MLIR.
MLIR_CAPI_EXPORTED void lstmRegisterAllDialects(MlirDialectRegistry registry);

/// Registers this project's passes and pipelines by their names.
MLIR_CAPI_EXPORTED void lstmRegisterPasses(void);

/// `lstmRegisterPasses`, and all passes of upstream MLIR.
MLIR_CAPI_EXPORTED void lstmRegisterAllPasses(void);

/// Parses `module`, runs `pipeline` on it and hands the resulting text to
/// `output`, all of it in one or more calls. The pipeline is written as for
/// mlir-opt's --pass-pipeline, with its anchor: "builtin.module(lstm-to-llvm)".
///
/// On failure (a module that does not parse or verify, an unknown pass, a pass
/// that fails) nothing is written to `output`, and `errors` gets the diagnostics
/// as text. Warnings and remarks of a run that succeeds go to `errors`, too.
/// Every dialect and pass of upstream MLIR is available beside this project's.
MLIR_CAPI_EXPORTED MlirLogicalResult lstmRunPipeline(MlirStringRef module, MlirStringRef pipeline,
                                                     MlirStringCallback output,
                                                     MlirStringCallback errors, void *userData);

#ifdef __cplusplus
}
#endif

#endif // LSTM_C_LSTM_H
