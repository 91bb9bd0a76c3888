//===- LSTMTransformOps.cpp - transform.lstm operations -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/TransformOps/LSTMTransformOps.h"

#include "lstm/Conversion/PackWeights.h"
#include "lstm/Dialect/LSTM/IR/LSTM.h"
#include "lstm/Dialect/LSTM/Transforms/Transforms.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

//===----------------------------------------------------------------------===//
// What the passes do
//===----------------------------------------------------------------------===//

static DiagnosedSilenceableFailure refuseTarget(transform::TransformOpInterface op, Operation *target,
                                                StringRef expected) {
  DiagnosedSilenceableFailure failure = op.emitSilenceableError()
                                        << "expects " << expected << ", but got " << target->getName();
  failure.attachNote(target->getLoc()) << "target op";
  return failure;
}

/// A failure, unless `target` holds operations to work on.
static DiagnosedSilenceableFailure checkTarget(transform::TransformOpInterface op, Operation *target,
                                               bool mustBeIsolated = false) {
  if (target->getNumRegions() == 0)
    return refuseTarget(op, target, "a target that holds operations, as func.func");
  if (mustBeIsolated && !target->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return refuseTarget(op, target, "a target isolated from above, as func.func");
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transform::DecomposeCellsOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                                                                    ApplyToEachResultList &, TransformState &) {
  if (auto failure = checkTarget(*this, target); !failure.succeeded())
    return failure;
  // It has said why.
  if (failed(lstm::decomposeCells(rewriter, target)))
    return DiagnosedSilenceableFailure::definiteFailure();
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transform::FuseGatesOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                                                               ApplyToEachResultList &, TransformState &) {
  if (auto failure = checkTarget(*this, target, /*mustBeIsolated=*/true); !failure.succeeded())
    return failure;
  if (failed(lstm::fuseGates(rewriter, target)))
    return DiagnosedSilenceableFailure::definiteFailure();
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transform::HoistInputProjectionsOp::applyToOne(TransformRewriter &rewriter,
                                                                           Operation *target,
                                                                           ApplyToEachResultList &,
                                                                           TransformState &) {
  if (auto failure = checkTarget(*this, target); !failure.succeeded())
    return failure;
  if (failed(lstm::hoistInputProjections(rewriter, target, getMaxTableRows(), getMinDepth())))
    return emitDefaultDefiniteFailure(target);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transform::PackWeightsOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                                                                 ApplyToEachResultList &, TransformState &) {
  if (auto failure = checkTarget(*this, target); !failure.succeeded())
    return failure;
  lstm::packWeights(rewriter, target, getVectorBits());
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transform::FuseRecurrencesOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                                                                     ApplyToEachResultList &, TransformState &) {
  if (auto failure = checkTarget(*this, target); !failure.succeeded())
    return failure;
  lstm::fuseRecurrences(rewriter, target);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transform::FormPhasesOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                                                                ApplyToEachResultList &, TransformState &) {
  if (auto failure = checkTarget(*this, target); !failure.succeeded())
    return failure;
  if (failed(lstm::formPhases(rewriter, target, getIncludeFunctions())))
    return emitDefaultDefiniteFailure(target);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transform::LowerRecurrenceOp::applyToOne(TransformRewriter &rewriter, Operation *target,
                                                                     ApplyToEachResultList &results,
                                                                     TransformState &) {
  auto recurrence = dyn_cast<lstm::RecurrenceOp>(target);
  if (!recurrence)
    return refuseTarget(*this, target, "lstm.recurrence");
  FailureOr<lstm::ScanOp> scan = lstm::lowerRecurrence(rewriter, recurrence);
  if (failed(scan))
    return emitDefaultDefiniteFailure(target);
  results.push_back(*scan);
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
    declareGeneratedDialect<affine::AffineDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<bufferization::BufferizationDialect>();
    declareGeneratedDialect<linalg::LinalgDialect>();
    declareGeneratedDialect<math::MathDialect>();
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
