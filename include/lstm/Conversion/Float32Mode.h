//===- Float32Mode.h - How tensor cores multiply f32 ------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_CONVERSION_FLOAT32MODE_H
#define LSTM_CONVERSION_FLOAT32MODE_H

namespace mlir::lstm {

/// How tensor cores multiply f32: as products of two bf16 or two TF32 parts each (relative
/// errors about 2^-16 and 2^-22, the latter as exact as f32), or rounded to TF32 (2^-11).
enum class Float32Mode { BF16x3, Exact, TF32 };

} // namespace mlir::lstm

#endif // LSTM_CONVERSION_FLOAT32MODE_H
