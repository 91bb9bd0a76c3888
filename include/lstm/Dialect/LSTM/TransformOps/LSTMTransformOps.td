//===- LSTMTransformOps.td - transform.lstm operations -*- tablegen -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_TRANSFORMOPS_LSTMTRANSFORMOPS_TD
#define LSTM_DIALECT_LSTM_TRANSFORMOPS_LSTMTRANSFORMOPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def DecomposePhaseOp : Op<Transform_Dialect, "lstm.decompose_phase",
    [FunctionalStyleTransformOpTrait, MemoryEffectsOpInterface, TransformOpInterface,
     TransformEachOpTrait, ReportTrackingListenerFailuresOpTrait]> {
  let summary = "Turns phases into linalg operations";
  let description = [{
    Replaces each `lstm.phase` by a fill and contractions and one elementwise
    `linalg.generic`, and returns the latter; the contractions are its producers.
    (`transform.structured.decompose_interface` does not take an operation with
    more than one result.)

    On memrefs the products go to a buffer that is allocated and freed around the
    operations that use it. Upstream's buffer hoisting does not look at what frees
    a buffer, so it has to run before.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$generic);
  let assemblyFormat = "$target attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(::mlir::transform::TransformRewriter &rewriter,
      ::mlir::Operation *target, ::mlir::transform::ApplyToEachResultList &results,
      ::mlir::transform::TransformState &state);
  }];
}

#endif // LSTM_DIALECT_LSTM_TRANSFORMOPS_LSTMTRANSFORMOPS_TD
