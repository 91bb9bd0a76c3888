//===- Passes.h - Conversions from the lstm dialect -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_CONVERSION_PASSES_H
#define LSTM_CONVERSION_PASSES_H

#include "lstm/Conversion/Float32Mode.h"
#include "lstm/Conversion/ExpandMath.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace mlir::lstm {

#define GEN_PASS_DECL
#include "lstm/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lstm/Conversion/Passes.h.inc"

} // namespace mlir::lstm

#endif // LSTM_CONVERSION_PASSES_H
