//===- LSTM.h - The lstm dialect -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_IR_LSTM_H
#define LSTM_DIALECT_LSTM_IR_LSTM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::lstm {

/// The axes that an `ins` operand of a phase has, as a bit set; they stand in
/// the order row, gate, unit.
enum Axes : int32_t { kRow = 4, kGate = 2, kUnit = 1, kRowUnit = 5 };

/// Number of axes in a bit set.
inline int64_t rankOfAxes(int32_t axes) {
  return llvm::popcount(static_cast<unsigned>(axes));
}

/// How the weights of a phase lie in memory: plain `[k, G, units]`, or packed
/// `[ceil(units / u), G / g, k, g, u]` as `linalg.pack` makes it, with zeros
/// beyond the last unit.
struct WeightLayout {
  static WeightLayout get(ShapedType type);
  bool isPacked() const { return blockUnits != 0; }

  /// The dimension over which a product sums.
  int64_t depthDim;
  /// Its size; that of the units is kDynamic if packed.
  int64_t depth, gates, units;
  /// Gates and units of a block, and the number of blocks of units; 0 if plain.
  int64_t blockGates = 0, blockUnits = 0, numBlocks = 0;
};

} // namespace mlir::lstm

#include "lstm/Dialect/LSTM/IR/LSTMDialect.h.inc"
#include "lstm/Dialect/LSTM/IR/LSTMEnums.h.inc"
#include "lstm/Dialect/LSTM/IR/LSTMInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "lstm/Dialect/LSTM/IR/LSTMAttrs.h.inc"

#define GET_OP_CLASSES
#include "lstm/Dialect/LSTM/IR/LSTMOps.h.inc"

#endif // LSTM_DIALECT_LSTM_IR_LSTM_H
