//===- ByteSize.h - Sizes of memory -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_CONVERSION_BYTESIZE_H
#define LSTM_LIB_CONVERSION_BYTESIZE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::lstm {

/// The bytes of an element in memory.
int64_t getByteWidth(Type element);

/// The bytes of a memref of this type in row-major order, sizes that are not known counted
/// as 1.
int64_t getKnownByteSize(MemRefType type);

/// The bytes of a memref of this type in row-major order, an index.
Value getByteSize(OpBuilder &b, Location loc, MemRefType type, ValueRange dynamicSizes);

} // namespace mlir::lstm

#endif // LSTM_LIB_CONVERSION_BYTESIZE_H
