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

//===----------------------------------------------------------------------===//
// What the passes do
//===----------------------------------------------------------------------===//

/// Works in its target, as the pass of the same name. The handle stays valid.
class InTargetOp<string name> : Op<Transform_Dialect, "lstm." # name,
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TransformOpInterface, TransformEachOpTrait,
     ReportTrackingListenerFailuresOpTrait]> {
  let assemblyFormat = "$target attr-dict `:` type($target)";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(::mlir::transform::TransformRewriter &rewriter,
      ::mlir::Operation *target, ::mlir::transform::ApplyToEachResultList &results,
      ::mlir::transform::TransformState &state);
  }];
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::mlir::transform::onlyReadsHandle(getTargetMutable(), effects);
      ::mlir::transform::modifiesPayload(effects);
    }
  }];
}

def DecomposeCellsOp : InTargetOp<"decompose_cells"> {
  let summary = "Cells to gates (L0 to L1)";
  let description = [{
    As `lstm-decompose-cells`, on all cells in each target.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
}

def FuseGatesOp : InTargetOp<"fuse_gates"> {
  let summary = "One product of independent ones (L1)";
  let description = [{
    As `lstm-fuse-gates`, in each target, which is isolated from above (a function or
    module).
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
}

def HoistInputProjectionsOp : InTargetOp<"hoist_input_projections"> {
  let summary = "What does not depend on the state out of the time loop (L1)";
  let description = [{
    As `lstm-hoist-input-projections`, on all recurrences in each target; a target that
    is one itself stays in the handle. `max_table_rows` and `min_depth` are the pass's
    options.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DefaultValuedAttr<I64Attr, "65536">:$max_table_rows,
                       DefaultValuedAttr<I64Attr, "4">:$min_depth);
}

def FuseRecurrencesOp : InTargetOp<"fuse_recurrences"> {
  let summary = "One recurrence of independent ones over the same steps (L1, L2)";
  let description = [{
    As `lstm-fuse-recurrences`, in each block of each target. Handles to recurrences
    that were fused hold the fused one no longer: match it again.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
}

def FormPhasesOp : InTargetOp<"form_phases"> {
  let summary = "Gates and elementwise operations to phases (L1 to L2)";
  let description = [{
    As `lstm-form-phases`, on all recurrences in each target and, unless
    `include_functions` is false, on the gates outside of recurrences.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DefaultValuedAttr<BoolAttr, "true">:$include_functions);
}

def PackWeightsOp : InTargetOp<"pack_weights"> {
  let summary = "Weights of phases in the order in which tiles read them (L2 to L3)";
  let description = [{
    As `lstm-pack-weights`, for all phases in each target. `vector_bits` is the pass's
    option: the width of a vector register, 0 for that of this machine.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DefaultValuedAttr<I64Attr, "0">:$vector_bits);
}

def LowerRecurrenceOp : Op<Transform_Dialect, "lstm.lower_recurrence",
    [FunctionalStyleTransformOpTrait, MemoryEffectsOpInterface, TransformOpInterface,
     TransformEachOpTrait, ReportTrackingListenerFailuresOpTrait]> {
  let summary = "Chooses the destinations of a recurrence: makes a scan (L2 to L3)";
  let description = [{
    Replaces each `lstm.recurrence` by an `lstm.scan`, as `lstm-lower-recurrence` does, and
    returns the scans.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$scan);
  let assemblyFormat = "$target attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(::mlir::transform::TransformRewriter &rewriter,
      ::mlir::Operation *target, ::mlir::transform::ApplyToEachResultList &results,
      ::mlir::transform::TransformState &state);
  }];
}

#endif // LSTM_DIALECT_LSTM_TRANSFORMOPS_LSTMTRANSFORMOPS_TD
