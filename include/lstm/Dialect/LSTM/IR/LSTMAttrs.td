//===- LSTMAttrs.td - Attributes of the lstm dialect -------*- tablegen -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_IR_LSTMATTRS_TD
#define LSTM_DIALECT_LSTM_IR_LSTMATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "lstm/Dialect/LSTM/IR/LSTMDialect.td"

def LSTM_ActivationKind : I32EnumAttr<"ActivationKind", "activation function", [
    I32EnumAttrCase<"Identity", 0, "identity">,
    I32EnumAttrCase<"Sigmoid", 1, "sigmoid">,
    I32EnumAttrCase<"Tanh", 2, "tanh">,
    I32EnumAttrCase<"Relu", 3, "relu">,
    I32EnumAttrCase<"HardSigmoid", 4, "hard_sigmoid">,
    I32EnumAttrCase<"LeakyRelu", 5, "leaky_relu">,
    I32EnumAttrCase<"Elu", 6, "elu">,
    I32EnumAttrCase<"Softsign", 7, "softsign">,
    I32EnumAttrCase<"Softplus", 8, "softplus">,
    I32EnumAttrCase<"Affine", 9, "affine">,
    I32EnumAttrCase<"ThresholdedRelu", 10, "thresholded_relu">,
    I32EnumAttrCase<"ScaledTanh", 11, "scaled_tanh">,
    I32EnumAttrCase<"Gelu", 12, "gelu">,
    I32EnumAttrCase<"Exp", 13, "exp">]> {
  let cppNamespace = "::mlir::lstm";
  let genSpecializedAttr = 0;
}

def LSTM_ActivationAttr : AttrDef<LSTM_Dialect, "Activation"> {
  let mnemonic = "act";
  let summary = "An activation function with its parameters";
  let description = [{
    | name | value | parameters (default) |
    |---|---|---|
    | `identity` | x | |
    | `sigmoid` | 1 / (1 + e^-x) | |
    | `tanh` | tanh x | |
    | `relu` | max(0, x) | |
    | `hard_sigmoid` | max(0, min(1, alpha x + beta)) | alpha (0.2), beta (0.5) |
    | `leaky_relu` | x if x >= 0, else alpha x | alpha (0.01) |
    | `elu` | x if x >= 0, else alpha (e^x - 1) | alpha (1) |
    | `softsign` | x / (1 + abs x) | |
    | `softplus` | log(1 + e^x) | |
    | `affine` | alpha x + beta | alpha (1), beta (0) |
    | `thresholded_relu` | x if x >= alpha, else 0 | alpha (1) |
    | `scaled_tanh` | alpha tanh(beta x) | alpha (1), beta (1) |
    | `gelu` | x (1 + erf(x / sqrt 2)) / 2 | |
    | `exp` | e^x | |

    The parameters stand in parentheses, alpha first: `leaky_relu(0.1)`. One that
    has its default is not printed unless one behind it is. Source: the ONNX
    operator specification of LSTM, GRU and RNN (activation_alpha, activation_beta)
    and of the operators of these names.

    Inside an operation only the name is written; alone the attribute reads
    `#lstm.act<sigmoid>`.
  }];
  let parameters = (ins "::mlir::lstm::ActivationKind":$kind,
                        APFloatParameter<"first parameter">:$alpha,
                        APFloatParameter<"second parameter">:$beta);
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// With the default parameters of `kind`.
    AttrBuilder<(ins "::mlir::lstm::ActivationKind":$kind)>,
    AttrBuilder<(ins "::mlir::lstm::ActivationKind":$kind, "double":$alpha, "double":$beta)>];
  let extraClassDeclaration = [{
    /// How many parameters a kind takes: 0, 1 (alpha) or 2 (alpha, beta).
    static unsigned getNumParameters(::mlir::lstm::ActivationKind kind);
    static double getDefaultAlpha(::mlir::lstm::ActivationKind kind);
    static double getDefaultBeta(::mlir::lstm::ActivationKind kind);
    double getAlphaValue() const { return getAlpha().convertToDouble(); }
    double getBetaValue() const { return getBeta().convertToDouble(); }
    bool isIdentity() const { return getKind() == ::mlir::lstm::ActivationKind::Identity; }
    /// Parses and prints `name` or `name(alpha, beta)`, as inside an operation.
    static ::mlir::FailureOr<ActivationAttr> parseBare(::mlir::AsmParser &parser);
    void printBare(::mlir::AsmPrinter &printer) const;
  }];
}

def LSTM_ActivationArrayAttr
    : TypedArrayAttrBase<LSTM_ActivationAttr, "activation functions"> {
  let constBuilderCall = ?;
}

#endif // LSTM_DIALECT_LSTM_IR_LSTMATTRS_TD
