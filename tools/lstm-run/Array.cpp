//===- Array.cpp - Arrays that go in and out -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace mlir::lstm;
using namespace mlir::lstm::run;

static constexpr uint64_t alignment = 64;

std::string mlir::lstm::run::formatShape(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "()";
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  return text;
}

std::string mlir::lstm::run::quote(StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream os(quoted);
  os << '\'';
  llvm::printEscapedString(text, os);
  os << '\'';
  return quoted;
}

std::optional<uint64_t> mlir::lstm::run::getNumBytes(ElementKind kind, ArrayRef<int64_t> shape) {
  // The product of all sizes but zeros bounds the strides, too.
  uint64_t bytes = getByteWidth(kind);
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    empty |= size == 0;
    bool overflow = false;
    bytes = llvm::SaturatingMultiply<uint64_t>(bytes, std::max<int64_t>(size, 1), &overflow);
    if (overflow || bytes > uint64_t(std::numeric_limits<int64_t>::max()))
      return std::nullopt;
  }
  return empty ? 0 : bytes;
}

llvm::Expected<Array> Array::create(ElementKind kind, ArrayRef<int64_t> shape) {
  std::optional<uint64_t> bytes = lstm::run::getNumBytes(kind, shape);
  if (!bytes)
    return llvm::createStringError("the size of shape " + formatShape(shape) + " overflows");
  Array array;
  array.kind = kind;
  array.shape.assign(shape.begin(), shape.end());
  array.numElements = *bytes / getByteWidth(kind);
  // One byte at least: an empty array has an address, too.
  uint64_t allocated = llvm::alignTo(std::max<uint64_t>(*bytes, 1), alignment);
  array.data.reset(static_cast<char *>(std::aligned_alloc(alignment, allocated)));
  if (!array.data)
    return llvm::createStringError("no memory for " + llvm::Twine(*bytes) + " bytes");
  return array;
}

template <typename T> static T load(const char *data, int64_t position) {
  T value;
  std::memcpy(&value, data + position * sizeof(T), sizeof(T));
  return value;
}

llvm::Expected<Array> Array::copy(ElementKind kind, const char *source, ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> strides) {
  llvm::Expected<Array> array = Array::create(kind, shape);
  if (!array || array->getNumElements() == 0)
    return array;
  unsigned width = getByteWidth(kind);
  // Whole runs at once: the inner dimensions that lie in memory as in the array.
  int64_t run = 1;
  size_t outer = shape.size();
  while (outer > 0 && (shape[outer - 1] == 1 || strides[outer - 1] == run))
    run *= shape[--outer];
  SmallVector<int64_t, 4> index(outer, 0);
  for (int64_t i = 0, e = array->getNumElements(); i < e; i += run) {
    std::memcpy(array->getData() + i * width, source, run * width);
    for (int64_t dim = int64_t(outer) - 1; dim >= 0; --dim) {
      source += strides[dim] * int64_t(width);
      if (++index[dim] < shape[dim])
        break;
      source -= strides[dim] * shape[dim] * int64_t(width);
      index[dim] = 0;
    }
  }
  return array;
}

double Array::getFloat(int64_t position) const {
  switch (kind) {
  case ElementKind::F64:
    return load<double>(data.get(), position);
  case ElementKind::F32:
    return load<float>(data.get(), position);
  case ElementKind::F16:
  case ElementKind::BF16: {
    llvm::APInt bits(16, load<uint16_t>(data.get(), position));
    const llvm::fltSemantics &semantics =
        kind == ElementKind::F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
    return llvm::APFloat(semantics, bits).convertToDouble();
  }
  default:
    return static_cast<double>(getInt(position));
  }
}

int64_t Array::getInt(int64_t position) const {
  switch (kind) {
  case ElementKind::I64:
  case ElementKind::Index:
    return load<int64_t>(data.get(), position);
  case ElementKind::I32:
    return load<int32_t>(data.get(), position);
  case ElementKind::I1:
    return load<uint8_t>(data.get(), position);
  default:
    llvm_unreachable("not an integer kind");
  }
}

std::string Array::format(int64_t position) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isFloat(kind))
    os << llvm::format(kind == ElementKind::F64 ? "%.12g" : "%.7g", getFloat(position));
  else
    os << getInt(position);
  return text;
}

std::string Array::formatIndex(int64_t position) const {
  SmallVector<int64_t> index(shape.size());
  for (int64_t dim = getRank() - 1; dim >= 0; --dim) {
    index[dim] = position % shape[dim];
    position /= shape[dim];
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(index, os);
  os << ']';
  return text;
}
