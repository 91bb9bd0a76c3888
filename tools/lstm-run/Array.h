//===- Array.h - Arrays that go in and out -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_ARRAY_H
#define LSTM_TOOLS_LSTM_RUN_ARRAY_H

#include "lstm/Target/ElementKind.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdlib>
#include <memory>
#include <optional>

namespace mlir::lstm::run {

/// "2x3", or "()" for rank 0.
std::string formatShape(ArrayRef<int64_t> shape);

/// A user's text in quotes, fit for a message.
std::string quote(StringRef text);

/// The bytes that an array takes; none if that overflows, also when a size of 0
/// hides an overflow (its strides would overflow).
std::optional<uint64_t> getNumBytes(ElementKind kind, ArrayRef<int64_t> shape);

/// An array in row-major order.
class Array {
public:
  /// Fails if the size overflows or there is no memory for it. The elements are
  /// not initialized.
  static llvm::Expected<Array> create(ElementKind kind, ArrayRef<int64_t> shape);

  /// A copy of elements with any strides, which count elements.
  static llvm::Expected<Array> copy(ElementKind kind, const char *source, ArrayRef<int64_t> shape,
                                    ArrayRef<int64_t> strides);

  ElementKind getKind() const { return kind; }
  ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const { return numElements; }
  uint64_t getNumBytes() const { return numElements * getByteWidth(kind); }

  /// Aligned for any vector; never null.
  char *getData() const { return data.get(); }

  /// The element at a row-major position, converted.
  double getFloat(int64_t position) const;
  /// The same of an integer kind, exactly.
  int64_t getInt(int64_t position) const;

  /// The element in a short readable form.
  std::string format(int64_t position) const;
  /// A row-major position as "[i, j]".
  std::string formatIndex(int64_t position) const;

private:
  Array() = default;

  struct Free {
    void operator()(char *memory) const { std::free(memory); }
  };

  ElementKind kind = ElementKind::F32;
  SmallVector<int64_t, 4> shape;
  int64_t numElements = 0;
  std::unique_ptr<char, Free> data;
};

struct NamedArray {
  std::string name;
  Array array;
};

} // namespace mlir::lstm::run

#endif // LSTM_TOOLS_LSTM_RUN_ARRAY_H
