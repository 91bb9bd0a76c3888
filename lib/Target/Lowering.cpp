//===- Lowering.cpp - Functions to the LLVM dialect -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Target/Lowering.h"

#include "lstm/Pipelines/Pipelines.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::lstm;

/// Leaves `functions` alone visible from outside, and drops what serves none of them.
static LogicalResult isolate(ModuleOp module, ArrayRef<func::FuncOp> functions) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration())
      function.setPrivate();
  for (func::FuncOp function : functions)
    function.setPublic();
  PassManager pm(module.getContext(), module.getOperationName());
  pm.addPass(createSymbolDCEPass());
  return pm.run(module);
}

/// Drops the attributes that mean nothing to the passes and to the translation.
static void dropInterfaceAttributes(ModuleOp module) {
  Builder builder(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      function.removeArgAttr(i, "lstm.name");
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      function.removeResultAttr(i, builder.getStringAttr("lstm.name"));
    function->removeAttr("lstm.arguments");
  }
}

/// Between passes, verifying takes a fifth of their time; what they make is verified where assertions are.
static LogicalResult run(PassManager &pm, ModuleOp module) {
#ifdef NDEBUG
  pm.enableVerifier(false);
#endif
  return success(succeeded(pm.run(module)) && succeeded(verify(module)));
}

LogicalResult lstm::optimizeFunctions(ModuleOp module, ArrayRef<func::FuncOp> functions,
                                      const LSTMToLLVMOptions &options) {
  if (failed(isolate(module, functions)))
    return failure();
  PassManager pm(module.getContext(), module.getOperationName());
  buildLSTMOptimizePipeline(pm, options);
  return run(pm, module);
}

LogicalResult lstm::lowerFunctions(ModuleOp module, const LSTMToLLVMOptions &options) {
  dropInterfaceAttributes(module);
  PassManager pm(module.getContext(), module.getOperationName());
  buildLSTMLowerPipeline(pm, options);
  return run(pm, module);
}

LogicalResult lstm::lowerFunctionsForGPU(ModuleOp module, ArrayRef<func::FuncOp> functions,
                                         const LSTMToNVVMOptions &options) {
  if (failed(isolate(module, functions)))
    return failure();
  dropInterfaceAttributes(module);
  PassManager pm(module.getContext(), module.getOperationName());
  buildLSTMToNVVMPipeline(pm, options);
  return run(pm, module);
}

LogicalResult lstm::runPipeline(ModuleOp module, ArrayRef<func::FuncOp> functions,
                                StringRef pipeline) {
  PassManager pm(module.getContext(), module.getOperationName());
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline);
  if (failed(parsed))
    return failure();
  if (parsed->getOpAnchorName() != pm.getOpAnchorName())
    return module.emitError() << "the pass pipeline must be one of 'builtin.module(...)'";
  static_cast<OpPassManager &>(pm) = std::move(*parsed);
  if (failed(isolate(module, functions)))
    return failure();
  dropInterfaceAttributes(module);
  StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
  for (func::FuncOp function : functions)
    for (BlockArgument argument : function.getArguments())
      if (isa<TensorType>(argument.getType()))
        function.setArgAttr(argument.getArgNumber(), writable, BoolAttr::get(module.getContext(), false));
  return pm.run(module);
}

size_t lstm::getDescriptorWords(const Port &port) { return 3 + 2 * port.getShape().size(); }

LLVM::LLVMFunctionType lstm::getLoweredType(const Signature &signature, MLIRContext *context,
                                            Platform platform) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type word = IntegerType::get(context, 64);
  auto getScalar = [&](const Port &port) { return port.type.isIndex() ? word : port.type; };
  SmallVector<Type> arguments, results;
  for (const Port &port : signature.arguments) {
    if (!port.isTensor()) {
      arguments.push_back(getScalar(port));
      continue;
    }
    arguments.append({pointer, pointer});
    arguments.append(getDescriptorWords(port) - 2, word);
  }
  if (platform == Platform::CUDA) {
    for (const Port &port : signature.results)
      if (!port.isTensor())
        arguments.push_back(pointer);
    return LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), arguments);
  }
  for (const Port &port : signature.results) {
    if (!port.isTensor()) {
      results.push_back(getScalar(port));
      continue;
    }
    SmallVector<Type> fields = {pointer, pointer, word};
    if (size_t rank = port.getShape().size())
      fields.append(2, LLVM::LLVMArrayType::get(word, rank));
    results.push_back(LLVM::LLVMStructType::getLiteral(context, fields));
  }
  Type result = LLVM::LLVMVoidType::get(context);
  if (results.size() == 1)
    result = results.front();
  else if (!results.empty())
    result = LLVM::LLVMStructType::getLiteral(context, results);
  return LLVM::LLVMFunctionType::get(result, arguments);
}
