//===- LSTMInterfaces.td - Interfaces of the lstm dialect --*- tablegen -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_IR_LSTMINTERFACES_TD
#define LSTM_DIALECT_LSTM_IR_LSTMINTERFACES_TD

include "mlir/IR/OpBase.td"

def RecurrentCellOpInterface : OpInterface<"RecurrentCellOpInterface"> {
  let cppNamespace = "::mlir::lstm";
  let description = [{
    One step of a recurrent cell on tensors. Its single obligation is to say what
    it computes, in terms of `lstm.gate` and arith, math, linalg or tensor
    operations on tensors. A compiler that embeds this dialect brings its own cell
    by implementing this interface; no pass asks which cell it is.
  }];
  let methods = [InterfaceMethod<[{
      Builds the equivalent of this operation at the builder's insertion point and
      returns one value for each result, of the same type. Must not change or
      erase the operation. On failure nothing is left behind and a diagnostic has
      been emitted.
    }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>",
    "decomposeCell", (ins "::mlir::OpBuilder &":$builder)>];
}

#endif // LSTM_DIALECT_LSTM_IR_LSTMINTERFACES_TD
