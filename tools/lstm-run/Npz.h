//===- Npz.h - Files of arrays -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_TOOLS_LSTM_RUN_NPZ_H
#define LSTM_TOOLS_LSTM_RUN_NPZ_H

#include "Npy.h"

namespace mlir::lstm::run {

/// A .npz archive or a .npy file, opened for reading. The content says which it
/// is, not the name.
class ArrayFile {
public:
  /// Opens a file, reads the names of what it holds and checks that their sizes
  /// can be true.
  static llvm::Expected<std::unique_ptr<ArrayFile>> open(StringRef path);

  virtual ~ArrayFile() = default;

  StringRef getPath() const { return path; }
  /// Whether it is an archive; a .npy file has one member without a name.
  virtual bool isArchive() const = 0;
  /// The arrays' names.
  ArrayRef<std::string> getNames() const { return names; }

  /// The bytes of an array.
  virtual llvm::Expected<std::unique_ptr<ByteStream>> openMember(size_t position) = 0;

protected:
  explicit ArrayFile(StringRef path) : path(path.str()) {}

  std::string path;
  std::vector<std::string> names;
};

/// Writes an archive that `numpy.load` reads. The same arrays make the same file.
llvm::Error writeNpz(StringRef path, ArrayRef<NamedArray> arrays);

} // namespace mlir::lstm::run

#endif // LSTM_TOOLS_LSTM_RUN_NPZ_H
