// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default schedule on the dialect: what `lstm-to-phases`, `lstm-pack-weights` and
// `lstm-lower-recurrence` do, step by step (see docs/Scheduling.md).
//
//   lstm-opt cell.mlir --transform-preload-library=transform-library-paths=schedules/cpu/default.mlir \
//     --transform-interpreter

module attributes {transform.with_named_sequence} {

transform.named_sequence private @cleanup(%module: !transform.any_op {transform.consumed}) -> !transform.any_op {
  %0 = transform.apply_registered_pass "canonicalize" to %module : (!transform.any_op) -> !transform.any_op
  %1 = transform.apply_registered_pass "cse" to %0 : (!transform.any_op) -> !transform.any_op
  transform.yield %1 : !transform.any_op
}

transform.named_sequence @__transform_main(%module: !transform.any_op {transform.consumed}) {
  // L0 to L1: functions and cells into the recurrences' bodies.
  %0 = transform.apply_registered_pass "inline" to %module : (!transform.any_op) -> !transform.any_op
  %1 = transform.apply_registered_pass "symbol-dce" to %0 : (!transform.any_op) -> !transform.any_op
  transform.lstm.decompose_cells %1 : !transform.any_op
  %2 = transform.include @cleanup failures(propagate) (%1) : (!transform.any_op) -> !transform.any_op

  // Few large products, and in the loop only those that need the state.
  %3 = transform.apply_registered_pass "loop-invariant-code-motion" to %2 : (!transform.any_op) -> !transform.any_op
  transform.lstm.fuse_gates %3 : !transform.any_op
  %4 = transform.include @cleanup failures(propagate) (%3) : (!transform.any_op) -> !transform.any_op
  transform.lstm.hoist_input_projections %4 {max_table_rows = 65536, min_depth = 4} : !transform.any_op
  transform.lstm.fuse_gates %4 : !transform.any_op
  transform.lstm.fuse_recurrences %4 : !transform.any_op
  %5 = transform.include @cleanup failures(propagate) (%4) : (!transform.any_op) -> !transform.any_op

  // L1 to L2.
  transform.lstm.form_phases %5 : !transform.any_op
  %6 = transform.include @cleanup failures(propagate) (%5) : (!transform.any_op) -> !transform.any_op

  // Projected tables, out of loops that the author wrote around recurrences.
  %7 = transform.apply_registered_pass "loop-invariant-code-motion" to %6 : (!transform.any_op) -> !transform.any_op

  // L2 to L3: weights packed before the loop, destinations chosen.
  transform.lstm.pack_weights %7 : !transform.any_op
  %recurrences = transform.structured.match ops{["lstm.recurrence"]} in %7 : (!transform.any_op) -> !transform.any_op
  %scans = transform.lstm.lower_recurrence %recurrences : (!transform.any_op) -> !transform.any_op
  transform.yield
}

}
