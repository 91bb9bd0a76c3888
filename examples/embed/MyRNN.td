//===- MyRNN.td - A dialect with a cell of its own -*- tablegen -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYRNN_TD
#define MYRNN_TD

include "lstm/Dialect/LSTM/IR/LSTMInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def MyRNN_Dialect : Dialect {
  let name = "myrnn";
  let cppNamespace = "::myrnn";
  let summary = "A dialect that brings its own recurrent cell";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::lstm::LSTMDialect"];
}

def MyRNN_LightGRUOp : Op<MyRNN_Dialect, "light_gru", [Pure,
    AllTypesMatch<["state", "nextState"]>,
    DeclareOpInterfaceMethods<RecurrentCellOpInterface>]> {
  let summary = "One step of a light gated recurrent unit";
  let description = [{
        z  = sigmoid(x W_z + h U_z)
        n  = relu(x W_n + h U_n)
        h1 = z * h + (1 - z) * n

    Source: Ravanelli et al., "Light gated recurrent units for speech recognition"
    (2018), without its batch normalization.
  }];
  let arguments = (ins 2DTensorOf<[AnyFloat]>:$input, 2DTensorOf<[AnyFloat]>:$updateWeight,
                       2DTensorOf<[AnyFloat]>:$candidateWeight, 2DTensorOf<[AnyFloat]>:$state,
                       2DTensorOf<[AnyFloat]>:$updateStateWeight,
                       2DTensorOf<[AnyFloat]>:$candidateStateWeight);
  let results = (outs 2DTensorOf<[AnyFloat]>:$nextState);
  let assemblyFormat = [{
    $input `,` $state `update` `(` $updateWeight `,` $updateStateWeight `)`
    `candidate` `(` $candidateWeight `,` $candidateStateWeight `)` attr-dict
    `:` type($input) `,` type($state) `,` type($updateWeight) `,` type($updateStateWeight) `,`
    type($candidateWeight) `,` type($candidateStateWeight)
  }];
}

#endif // MYRNN_TD
