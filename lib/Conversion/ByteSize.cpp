//===- ByteSize.cpp - Sizes of memory ---===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::lstm;

int64_t lstm::getByteWidth(Type element) {
  return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

int64_t lstm::getKnownByteSize(MemRefType type) {
  int64_t bytes = getByteWidth(type.getElementType());
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      bytes *= size;
  return bytes;
}

Value lstm::getByteSize(OpBuilder &b, Location loc, MemRefType type, ValueRange dynamicSizes) {
  Value bytes = arith::ConstantIndexOp::create(b, loc, getKnownByteSize(type));
  for (Value size : dynamicSizes)
    bytes = b.createOrFold<arith::MulIOp>(loc, bytes, size);
  return bytes;
}
