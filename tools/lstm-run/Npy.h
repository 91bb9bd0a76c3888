//===- Npy.h - The .npy format -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_NPY_H
#define LSTM_TOOLS_LSTM_RUN_NPY_H

#include "Array.h"

namespace mlir::lstm::run {

/// Bytes whose number is known before they are read.
class ByteStream {
public:
  virtual ~ByteStream() = default;

  /// The number of bytes that its container says are still there.
  uint64_t getRemaining() const { return remaining; }

  /// Reads so many bytes or fails.
  llvm::Error read(void *memory, uint64_t bytes);

  /// Fails unless all bytes are read and the container agrees that there are no
  /// more (an archive compares its checksum here).
  llvm::Error finish();

protected:
  explicit ByteStream(uint64_t size) : remaining(size) {}

  /// Reads up to so many bytes; 0 at the end.
  virtual llvm::Expected<uint64_t> readSome(char *memory, uint64_t bytes) = 0;

private:
  uint64_t remaining;
};

/// What stands before an array's bytes.
struct NpyHeader {
  /// The element type as NumPy writes it, such as "<f4".
  std::string descr;
  bool fortranOrder = false;
  SmallVector<int64_t, 4> shape;
};

/// Reads magic, version (1 to 3) and header.
llvm::Expected<NpyHeader> readNpyHeader(ByteStream &stream);

/// Whether elements of `descr` can be taken as `kind` without a conversion.
bool matches(StringRef descr, ElementKind kind);

/// The kind that `descr` stands for, `preferred` where it leaves a choice. Fails
/// with a reason if there is none.
llvm::Expected<ElementKind> getKind(StringRef descr, ElementKind preferred);

/// Reads the bytes behind the header and brings them into row-major order.
/// Fails if their number is not what shape and kind say.
llvm::Expected<Array> readNpyData(ByteStream &stream, const NpyHeader &header, ElementKind kind);

/// Magic, version and header of an array.
std::string makeNpyHeader(const Array &array);

} // namespace mlir::lstm::run

#endif // LSTM_TOOLS_LSTM_RUN_NPY_H
