//===- LSTM.cpp - C API -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm-c/LSTM.h"

#include "lstm/Dialect/LSTM/IR/LSTM.h"
#include "lstm/InitAll.h"

#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(LSTM, lstm, mlir::lstm::LSTMDialect)

void lstmRegisterDialect(MlirDialectRegistry registry) { lstm::registerDialect(*unwrap(registry)); }

void lstmRegisterAllDialects(MlirDialectRegistry registry) {
  lstm::registerAllDialects(*unwrap(registry));
}

void lstmRegisterPasses() { lstm::registerPasses(); }

void lstmRegisterAllPasses() { lstm::registerAllPasses(); }

static LogicalResult runPipeline(StringRef module, StringRef pipeline, std::string &output,
                                 raw_ostream &errors) {
  DialectRegistry registry;
  lstm::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);

  // The text may not be terminated by a null character: copy it.
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(module, "module"), SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context, errors);

  OwningOpRef<ModuleOp> op = parseSourceFile<ModuleOp>(sources, &context);
  if (!op)
    return failure();

  FailureOr<OpPassManager> passes = parsePassPipeline(pipeline, errors);
  if (failed(passes))
    return failure();
  if (passes->getOpAnchorName() != ModuleOp::getOperationName() &&
      passes->getOpAnchorName() != OpPassManager::getAnyOpAnchorName()) {
    errors << "expects a pipeline on 'builtin.module', but got one on '"
           << passes->getOpAnchorName() << "'\n";
    return failure();
  }
  PassManager manager(&context);
  static_cast<OpPassManager &>(manager) = std::move(*passes);
  if (failed(manager.run(*op)))
    return failure();

  llvm::raw_string_ostream stream(output);
  op->print(stream);
  stream << '\n';
  return success();
}

MlirLogicalResult lstmRunPipeline(MlirStringRef module, MlirStringRef pipeline,
                                  MlirStringCallback output, MlirStringCallback errors,
                                  void *userData) {
  lstm::registerAllPasses();
  std::string text, messages;
  llvm::raw_string_ostream messageStream(messages);
  LogicalResult result = runPipeline(unwrap(module), unwrap(pipeline), text, messageStream);
  if (!messages.empty())
    errors(wrap(StringRef(messages)), userData);
  if (succeeded(result))
    output(wrap(StringRef(text)), userData);
  return wrap(result);
}
