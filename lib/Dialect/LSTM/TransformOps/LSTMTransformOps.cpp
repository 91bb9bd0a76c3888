//===- LSTMTransformOps.cpp - transform.lstm operations -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/TransformOps/LSTMTransformOps.h"

#include "lstm/Dialect/LSTM/IR/LSTM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define GET_OP_CLASSES
#include "lstm/Dialect/LSTM/TransformOps/LSTMTransformOps.cpp.inc"

using namespace mlir;

DiagnosedSilenceableFailure transform::DecomposePhaseOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                                                                    ApplyToEachResultList &results,
                                                                    TransformState &) {
  auto phase = dyn_cast<lstm::PhaseOp>(target);
  if (!phase)
    return emitSilenceableFailure(target) << "expects lstm.phase, but got " << target->getName();
  rewriter.setInsertionPoint(phase);
  FailureOr<SmallVector<Value>> values = phase.decomposeOperation(rewriter);
  if (failed(values))
    return emitDefaultSilenceableFailure(target);
  // On memrefs there is no result, and what frees the products stands in between.
  Operation *generic = phase->getPrevNode();
  while (!isa<linalg::GenericOp>(generic))
    generic = generic->getPrevNode();
  results.push_back(generic);
  rewriter.replaceOp(phase, *values);
  return DiagnosedSilenceableFailure::success();
}

namespace {
class LSTMTransformDialectExtension
    : public transform::TransformDialectExtension<LSTMTransformDialectExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LSTMTransformDialectExtension)

  using Base::Base;

  void init() {
    declareDependentDialect<lstm::LSTMDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<bufferization::BufferizationDialect>();
    declareGeneratedDialect<linalg::LinalgDialect>();
    declareGeneratedDialect<memref::MemRefDialect>();
    declareGeneratedDialect<tensor::TensorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "lstm/Dialect/LSTM/TransformOps/LSTMTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void mlir::lstm::registerTransformDialectExtension(DialectRegistry &registry) {
  registry.addExtensions<LSTMTransformDialectExtension>();
}
