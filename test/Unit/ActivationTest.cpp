//===- ActivationTest.cpp - Unit tests of ActivationAttr -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitTest.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace mlir::lstm;

namespace {
using ActivationTest = LSTMTest;

std::string print(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

TEST_F(ActivationTest, HasDefaultParameters) {
  ActivationAttr hard = activation(ActivationKind::HardSigmoid);
  EXPECT_EQ(hard.getAlphaValue(), 0.2);
  EXPECT_EQ(hard.getBetaValue(), 0.5);
  EXPECT_EQ(activation(ActivationKind::LeakyRelu).getAlphaValue(), 0.01);
  EXPECT_EQ(activation(ActivationKind::Elu).getAlphaValue(), 1.0);
  EXPECT_EQ(activation(ActivationKind::ThresholdedRelu).getAlphaValue(), 1.0);
  EXPECT_EQ(activation(ActivationKind::Affine).getAlphaValue(), 1.0);
  EXPECT_EQ(activation(ActivationKind::Affine).getBetaValue(), 0.0);
  EXPECT_EQ(activation(ActivationKind::ScaledTanh).getAlphaValue(), 1.0);
  EXPECT_EQ(activation(ActivationKind::ScaledTanh).getBetaValue(), 1.0);
}

TEST_F(ActivationTest, IsUniqued) {
  auto kind = ActivationKind::HardSigmoid;
  EXPECT_EQ(ActivationAttr::get(&context, kind), ActivationAttr::get(&context, kind, 0.2, 0.5));
  EXPECT_NE(ActivationAttr::get(&context, kind), ActivationAttr::get(&context, kind, 0.2, 0.25));
}

TEST_F(ActivationTest, KnowsIdentity) {
  EXPECT_TRUE(activation(ActivationKind::Identity).isIdentity());
  EXPECT_FALSE(activation(ActivationKind::Relu).isIdentity());
}

TEST_F(ActivationTest, PrintsOnlyWhatIsNeeded) {
  EXPECT_EQ(print(activation(ActivationKind::Sigmoid)), "#lstm.act<sigmoid>");
  EXPECT_EQ(print(activation(ActivationKind::HardSigmoid)), "#lstm.act<hard_sigmoid>");
  auto get = [&](ActivationKind kind, double alpha, double beta) {
    return print(ActivationAttr::get(&context, kind, alpha, beta));
  };
  EXPECT_EQ(get(ActivationKind::HardSigmoid, 0.25, 0.5), "#lstm.act<hard_sigmoid(2.500000e-01)>");
  // A parameter in front of one that is printed is printed too.
  EXPECT_EQ(get(ActivationKind::HardSigmoid, 0.2, 0.25),
            "#lstm.act<hard_sigmoid(2.000000e-01, 2.500000e-01)>");
}

TEST_F(ActivationTest, RoundTripsEveryKind) {
  for (uint32_t value = 0; value <= getMaxEnumValForActivationKind(); ++value) {
    auto kind = static_cast<ActivationKind>(value);
    unsigned parameters = ActivationAttr::getNumParameters(kind);
    for (auto [alpha, beta] : {std::pair(0.1, 0.7), std::pair(-1.5, 1e-30)}) {
      ActivationAttr attr = ActivationAttr::get(
          &context, kind, parameters > 0 ? alpha : ActivationAttr::getDefaultAlpha(kind),
          parameters > 1 ? beta : ActivationAttr::getDefaultBeta(kind));
      EXPECT_EQ(parseAttribute(print(attr), &context), attr) << print(attr);
    }
  }
}

TEST_F(ActivationTest, RejectsWhatIsWrong) {
  auto messageFor = [&](StringRef text) {
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
      message = diag.str();
      return success();
    });
    EXPECT_FALSE(parseAttribute(text, &context)) << text.str();
    return message;
  };
  EXPECT_NE(messageFor("#lstm.act<swishy>").find("swishy"), std::string::npos);
  EXPECT_NE(messageFor("#lstm.act<tanh(1.0)>").find("at most 0"), std::string::npos);
  EXPECT_NE(messageFor("#lstm.act<elu(1.0, 2.0)>").find("at most 1"), std::string::npos);
}
} // namespace
