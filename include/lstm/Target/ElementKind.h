//===- ElementKind.h - What arrays consist of -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TARGET_ELEMENTKIND_H
#define LSTM_TARGET_ELEMENTKIND_H

#include "mlir/Support/LLVM.h"

#include <optional>

namespace mlir {
class Type;
namespace lstm {

/// The element types that go in and out of compiled functions.
enum class ElementKind { F64, F32, F16, BF16, I64, I32, I1, Index };

/// The kind of a builtin type; none if it cannot be passed.
std::optional<ElementKind> getElementKind(Type type);

/// The name in MLIR, such as "bf16".
StringRef getName(ElementKind kind);

/// The size of one element in memory and in a file.
unsigned getByteWidth(ElementKind kind);

bool isFloat(ElementKind kind);

} // namespace lstm
} // namespace mlir

#endif // LSTM_TARGET_ELEMENTKIND_H
