//===- LSTMDialect.td - The lstm dialect -------------------*- tablegen -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_IR_LSTMDIALECT_TD
#define LSTM_DIALECT_LSTM_IR_LSTMDIALECT_TD

include "mlir/IR/OpBase.td"

def LSTM_Dialect : Dialect {
  let name = "lstm";
  let cppNamespace = "::mlir::lstm";
  let summary = "Recurrent networks: cells, gates, recurrences, phases";
  let description = [{
    A cell is whatever the user writes down; this dialect carries it from there to
    code, rung by rung: cells (L0), gates (L1), phases (L2), scans (L3).

    Values are tensors. The time axis comes first (`[T, B, ...]`), the batch is
    dimension 0 of every state, and gates are an axis of their own (`[B, G, H]`,
    weights `[K, G, H]`). There is one gate order: LSTM `i f g o`, GRU `r z n`.

    The meaning of every operation, constraint by constraint, is in `docs/Spec.md`;
    each verifier message quotes the label of the constraint it checks.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

class LSTM_Op<string mnemonic, list<Trait> traits = []>
    : Op<LSTM_Dialect, mnemonic, traits>;

#endif // LSTM_DIALECT_LSTM_IR_LSTMDIALECT_TD
