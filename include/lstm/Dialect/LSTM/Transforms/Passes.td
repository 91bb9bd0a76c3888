//===- Passes.td - Passes on the lstm dialect -*- tablegen -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_TRANSFORMS_PASSES_TD
#define LSTM_DIALECT_LSTM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LSTMDecomposeCellsPass : Pass<"lstm-decompose-cells"> {
  let summary = "Decompose recurrent cells into gates (L0 to L1)";
  let description = [{
    Replaces every operation that implements `RecurrentCellOpInterface` by what it
    computes, in terms of gates and elementwise operations on tensors.

    ```mlir
    %h1 = lstm.rnn_cell input(%x, %W : …) state(%h, %U : …) bias(%b : …)
    // becomes
    %h1 = lstm.gate tanh dot(%x, %W : …) dot(%h, %U : …) add(%b : …) : tensor<?x128xf32>
    ```
  }];
  let statistics = [Statistic<"numDecomposed", "cells-decomposed", "Cells decomposed">];
  let dependentDialects = ["arith::ArithDialect", "tensor::TensorDialect"];
}

def LSTMFuseGatesPass : Pass<"lstm-fuse-gates"> {
  let summary = "Make one product of products that are independent of each other (L1)";
  let description = [{
    Finds products that share an operand and do not depend on each other, lays
    their weights in one `[K, G, H]` buffer and makes one product of them. Weights
    that are slices of one tensor are not copied; others are packed once, outside
    the loop.

    Products are found in `lstm.gate` and in `linalg` operations: a `linalg.matmul`,
    `linalg.contract` or matmul-shaped `linalg.generic` on matrices becomes a gate
    first (raising), and sums of such products become one gate. What depends on another product, as
    the candidate of a GRU with reset before the product, stays apart; a remark
    says so.
  }];
  let statistics = [
    Statistic<"numRaised", "products-raised", "linalg products turned into gates">,
    Statistic<"numFused", "products-fused", "Products that became part of a fused one">,
    Statistic<"numGroups", "products-made", "Fused products made">];
  let dependentDialects = ["arith::ArithDialect", "tensor::TensorDialect", "linalg::LinalgDialect"];
}

def LSTMHoistInputProjectionsPass : Pass<"lstm-hoist-input-projections"> {
  let summary = "Move what does not depend on the state out of the time loop (L1)";
  let description = [{
    A computation on sequence elements alone, as the product of the input with its
    weights, is done for all steps at once in front of the loop; its result becomes
    a sequence. A gate that mixes both is split. Products become one product over
    `[T * B]` rows. A row looked up in an embedding table and then projected
    becomes a row looked up in the projected table, also where the index is a
    state, if the table is at most `max-table-rows` long (0: any).

    A product over fewer than `min-depth` elements stays in the step: it costs less
    than storing its result for all steps and loading it again.
  }];
  let options = [
    Option<"maxTableRows", "max-table-rows", "int64_t", "65536",
           "Project embedding tables of at most this static number of rows (0: any)">,
    Option<"minDepth", "min-depth", "int64_t", "4",
           "Hoist products over at least this many elements">,
    Option<"addends", "addends", "bool", "true",
           "Hoist biases with the products; without it they stay with the cell's work, which "
           "pays where each pass over all steps is a kernel of its own">,
    Option<"reductions", "reductions", "bool", "false",
           "Hoist what is reduced otherwise than by a product, as a mean of the projected input; "
           "without it the step does its own, from a cache, and the projection is not kept for all "
           "steps. Pays where each reduction is a kernel of its own">,
    Option<"lookups", "lookups", "bool", "false",
           "Look up rows of tables for all steps at once, which keeps them all; pays where looking up "
           "is a kernel of its own, or keeps the step from becoming one">];
  let statistics = [
    Statistic<"numHoisted", "operations-hoisted", "Operations hoisted out of time loops">,
    Statistic<"numLookups", "lookups-projected", "Embedding lookups moved behind a projection">];
  let dependentDialects = ["arith::ArithDialect", "tensor::TensorDialect", "linalg::LinalgDialect"];
}

def LSTMFormPhasesPass : Pass<"lstm-form-phases"> {
  let summary = "Form phases from gates and elementwise operations (L1 to L2)";
  let description = [{
    In the body of each recurrence, every product takes along all elementwise work
    that depends on it and on what is already there, until another product is
    needed: LSTM, GRU with reset after and peephole LSTM become one phase, GRU with
    reset before two. The number of phases is minimal. A gate outside of a
    recurrence becomes a phase of its own. What no phase can hold, as a reduction
    over the units, stays where it is.
  }];
  let options = [
    Option<"includeFunctions", "include-functions", "bool", "true",
           "Also turn gates outside of recurrences into phases">];
  let statistics = [Statistic<"numPhases", "phases-formed", "Phases formed">];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect", "tensor::TensorDialect"];
}

def LSTMFuseRecurrencesPass : Pass<"lstm-fuse-recurrences"> {
  let summary = "Make one recurrence of independent ones over the same steps (L1, L2)";
  let description = [{
    Two recurrences in a block over the same number of steps and with the same
    lengths, neither of which depends on the other, become one whose body holds
    both: a bidirectional layer is then one loop.
  }];
  let statistics = [Statistic<"numFused", "recurrences-fused", "Recurrences fused into another">];
  let dependentDialects = ["arith::ArithDialect", "tensor::TensorDialect"];
}

def LSTMStackRecurrencesPass : Pass<"lstm-stack-recurrences"> {
  let summary = "Make one recurrence of layers (L1, L2)";
  let description = [{
    A recurrence and one that reads step by step what the first one gives, as a layer and the one
    behind it, become one whose body holds both. They have to run in the same direction and have the
    same lengths, the second may not depend on the first otherwise, as by its last state, and, with
    lengths, may have no `unmasked` state. Layers that reduce rows, as by a norm, stay
    apart, as all units wait for each other there anyway, and so do those that multiply no state, whose products are for
    all steps at once. What the first gives is no sequence any
    more, so that its product with weights stays in the loop: for machines where a step is bound by
    latency, and where one layer does a step while the next one does the step before. It has to run
    before projections are hoisted.

    ```mlir
    %y = lstm.recurrence over(%x = %xs) init(%h = %h0) outs(%y0) { ... out(%h1) }
    %z = lstm.recurrence over(%v = %y) init(%k = %k0) outs(%z0) { f(%v, %k) ... }
    ```

    becomes

    ```mlir
    %z = lstm.recurrence over(%x = %xs) init(%h = %h0, %k = %k0) outs(%z0) { ... f(%h1, %k) ... }
    ```
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", "16777216",
                        "Most bytes of weights that both bodies read">,
                 Option<"maxRows", "max-rows", "int64_t", "64", "Most rows, where their number is known">,
                 Option<"float32", "float32", "bool", "true", "Also layers with products of f32, else of 16 bits alone">];
  let statistics = [Statistic<"numStacked", "recurrences-stacked", "Recurrences fused into the one before">];
  let dependentDialects = ["arith::ArithDialect", "tensor::TensorDialect"];
}

def LSTMGenerateChecksPass : Pass<"lstm-generate-checks"> {
  let summary = "Check at run time what the verifier could not check";
  let description = [{
    Inserts `lstm.check` for the batch of every sequence, state and output, for
    0 <= length <= T, for T of every sequence and output, and for the sizes that
    the operands of gates, cells and phases must share, wherever these are not
    known statically. The checks stand in front of the recurrence, before any work.
  }];
  let statistics = [Statistic<"numChecks", "checks-generated", "Checks generated">];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect", "tensor::TensorDialect"];
}

def LSTMLowerRecurrencePass : Pass<"lstm-lower-recurrence"> {
  let summary = "Choose the destinations of a recurrence: make an lstm.scan (L2 to L3)";
  let description = [{
    Turns `lstm.recurrence` into `lstm.scan`. A state gets two buffers if something
    reads it after, or not elementwise while, it is written; else it is updated in
    place. Masks of `lengths` become part of the phases that make the values. A
    value that leaves twice (state and output) becomes two `outs` of its phase.

    With `separate`, no two results of phases are computed into, or put together in, the same
    `tensor.empty`, which CSE makes of those of one size: bufferization would let a phase write over
    what an earlier one has made and nothing needs any more. That is less memory, but one kernel that
    runs all steps knows a value by the memory that it is in.
  }];
  let options = [Option<"separate", "separate", "bool", "false",
                        "Keep what a step makes apart, for kernels of all steps">];
  let statistics = [
    Statistic<"numInPlace", "states-in-place", "States updated in place">,
    Statistic<"numTwoSlots", "states-in-two-slots", "States in two buffers">];
  let dependentDialects = ["arith::ArithDialect", "affine::AffineDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

def LSTMProtectArgumentsPass : Pass<"lstm-protect-arguments", "ModuleOp"> {
  let summary = "Keep bufferization from writing to the arguments of public functions";
  let description = [{
    One-shot bufferization may update a function's tensor argument in place, as an
    initial state; its caller would find its array changed. This marks the tensor
    arguments of public functions `bufferization.writable = false`, unless they
    say something about it already.
  }];
  let dependentDialects = ["bufferization::BufferizationDialect"];
}

def LSTMVerifyRungPass : Pass<"lstm-verify-rung"> {
  let summary = "Fail at the first operation that does not belong on a rung";
  let description = [{
    The rungs, as normal forms:

    * `L0`: any operation of the dialect but `lstm.phase` and `lstm.scan`.
    * `L1`: no operation implements `RecurrentCellOpInterface`, no `lstm.phase`, no
      `lstm.scan`; recurrence bodies are on tensors and call no function.
    * `L2`: no cell, no `lstm.gate`, no `lstm.scan`.
    * `L3`: no cell, no gate, no `lstm.recurrence`.
    * `L4`: no operation of this dialect.
  }];
  let options = [Option<"rung", "rung", "std::string", "\"L2\"", "L0, L1, L2, L3 or L4">];
}

#endif // LSTM_DIALECT_LSTM_TRANSFORMS_PASSES_TD
