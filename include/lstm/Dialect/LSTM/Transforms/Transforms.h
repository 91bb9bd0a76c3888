//===- Transforms.h - Transformations of the lstm dialect -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_TRANSFORMS_TRANSFORMS_H
#define LSTM_DIALECT_LSTM_TRANSFORMS_TRANSFORMS_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::lstm {

/// Replaces a cell by its decomposition. Fails, with a diagnostic, if the cell's
/// own decomposition does.
LogicalResult decomposeCell(RewriterBase &rewriter, RecurrentCellOpInterface cell);

/// Replaces all cells in `root` and returns their number.
FailureOr<unsigned> decomposeCells(RewriterBase &rewriter, Operation *root);

/// Adds the pattern that decomposes every cell.
void populateDecomposeCellsPatterns(RewritePatternSet &patterns);

/// Counts of what `fuseGates` did.
struct FuseGatesResult {
  unsigned raised = 0, fused = 0, groups = 0;
};

/// Turns linalg products on matrices into gates, and sums of gates into one gate.
void populateRaiseToGatesPatterns(RewritePatternSet &patterns);

/// Fuses the independent products of gates in `block`.
FuseGatesResult fuseGates(RewriterBase &rewriter, Block &block);

/// Raises products to gates and fuses them in all blocks in `root`, which is isolated
/// from above.
FailureOr<FuseGatesResult> fuseGates(RewriterBase &rewriter, Operation *root);

/// Counts of what `hoistInputProjections` did.
struct HoistResult {
  unsigned hoisted = 0, lookups = 0;
};

/// Moves what depends on sequence elements alone in front of the recurrence, which
/// may be replaced. Products over fewer than `minDepth` elements stay, and so do biases
/// without `addends`, what is reduced otherwise than by a product without `reductions`, and rows
/// looked up in a table without `lookups`.
FailureOr<HoistResult> hoistInputProjections(RewriterBase &rewriter, RecurrenceOp op, int64_t maxTableRows,
                                             int64_t minDepth, bool addends = true, bool reductions = false,
                                             bool lookups = false);

/// The same for all recurrences in `root`.
FailureOr<HoistResult> hoistInputProjections(RewriterBase &rewriter, Operation *root, int64_t maxTableRows,
                                             int64_t minDepth, bool addends = true, bool reductions = false,
                                             bool lookups = false);

/// In the body of `op`: a row looked up in a table and then projected becomes a row looked up in the
/// projected table, if the table has at most `maxTableRows` rows (0: any). Returns the number of lookups.
unsigned projectLookups(RewriterBase &rewriter, RecurrenceOp op, int64_t maxTableRows);

/// Forms phases in the body of `op` and returns their number.
FailureOr<unsigned> formPhases(RewriterBase &rewriter, RecurrenceOp op);

/// Forms phases in all recurrences in `root` and, with `includeFunctions`, of the gates outside of
/// recurrences. Returns their number.
FailureOr<unsigned> formPhases(RewriterBase &rewriter, Operation *root, bool includeFunctions);

/// Turns a gate outside of a recurrence into a phase.
FailureOr<PhaseOp> gateToPhase(RewriterBase &rewriter, GateOp op);

/// Fuses `second` into `first` and returns the fused recurrence. Fails if one depends on the other, or
/// if they do not have the same number of steps and the same lengths.
/// With `stacked`, `second` has to read step by step what the outputs of `first` are, as a layer what the one before
/// gives, and may not depend on it otherwise.
FailureOr<RecurrenceOp> fuseRecurrences(RewriterBase &rewriter, RecurrenceOp first, RecurrenceOp second,
                                        bool stacked = false);

/// Fuses what can be fused in each block in `root`; returns how many recurrences became part of another.
unsigned fuseRecurrences(RewriterBase &rewriter, Operation *root);

/// Which layers become one recurrence.
struct StackingLimits {
  /// Of weights that the bodies read.
  int64_t maxBytes;
  /// Where the number of rows is known.
  int64_t maxRows;
  /// Also those with products of f32, else of 16 bits alone.
  bool float32;
};

/// The same for recurrences that read what others give step by step, within `limits`.
unsigned stackRecurrences(RewriterBase &rewriter, Operation *root, const StackingLimits &limits);

/// Turns a recurrence into a scan.
FailureOr<ScanOp> lowerRecurrence(RewriterBase &rewriter, RecurrenceOp op);

/// Inserts run-time checks for `op` and its body; returns their number.
unsigned generateChecks(RewriterBase &rewriter, RecurrenceOp op);

/// Registers the bufferization models of the dialect's operations.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::lstm

#endif // LSTM_DIALECT_LSTM_TRANSFORMS_TRANSFORMS_H
