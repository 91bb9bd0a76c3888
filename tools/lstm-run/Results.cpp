//===- Results.cpp - Printing and comparing results -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"

#include "Npz.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mlir::lstm;
using namespace mlir::lstm::run;

/// Larger arrays are summarized: so many elements at both ends of a dimension.
static constexpr int64_t maxPrinted = 1000;
static constexpr int64_t edge = 3;

static void printDim(const Array &array, int64_t dim, int64_t position, raw_ostream &os) {
  if (dim == array.getRank()) {
    os << array.format(position);
    return;
  }
  int64_t size = array.getShape()[dim];
  int64_t inner = 1;
  for (int64_t other : array.getShape().drop_front(dim + 1))
    inner *= other;
  bool summarize = array.getNumElements() > maxPrinted && size > 2 * edge;
  bool isRow = dim == array.getRank() - 1;
  os << '[';
  for (int64_t i = 0; i < size; ++i) {
    if (i != 0) {
      os << ',';
      if (isRow)
        os << ' ';
      else
        os << '\n' << std::string(dim + 1, ' ');
    }
    if (summarize && i == edge) {
      os << "...";
      i = size - edge - 1;
      continue;
    }
    printDim(array, dim + 1, position + i * inner, os);
  }
  os << ']';
}

void lstm::run::printArrays(ArrayRef<NamedArray> arrays, raw_ostream &os) {
  for (const auto &[name, array] : arrays) {
    os << name << ": ";
    for (int64_t size : array.getShape())
      os << size << 'x';
    os << getName(array.getKind()) << '\n';
    // Empty inner dimensions would print rows without end.
    if (array.getNumElements() == 0)
      os << "[]";
    else
      printDim(array, 0, 0, os);
    os << '\n';
  }
}

static bool isEqual(double actual, double expected, double tolerance) {
  if (std::isnan(actual) || std::isnan(expected))
    return std::isnan(actual) && std::isnan(expected);
  // Equal infinities have no difference; unequal ones no finite one.
  if (actual == expected)
    return true;
  if (std::isinf(actual) || std::isinf(expected))
    return false;
  return std::abs(actual - expected) <= tolerance * (1 + std::abs(expected));
}

static llvm::Error compare(const NamedArray &result, const Array &expected, StringRef path,
                           double tolerance) {
  const Array &actual = result.array;
  if (actual.getShape() != expected.getShape())
    return llvm::createStringError("result " + quote(result.name) + " has shape " +
                                   formatShape(actual.getShape()) + ", but " + quote(path) +
                                   " has " + formatShape(expected.getShape()));
  bool exact = !isFloat(actual.getKind()) && !isFloat(expected.getKind());
  int64_t first = -1, count = 0;
  double largest = 0;
  for (int64_t i = 0, e = actual.getNumElements(); i < e; ++i) {
    if (exact ? actual.getInt(i) == expected.getInt(i)
              : isEqual(actual.getFloat(i), expected.getFloat(i), tolerance))
      continue;
    if (count++ == 0)
      first = i;
    largest = std::max(largest, std::abs(actual.getFloat(i) - expected.getFloat(i)));
  }
  if (count == 0)
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream(text) << "result " << quote(result.name) << " at "
                                 << actual.formatIndex(first) << " is " << actual.format(first)
                                 << ", but " << quote(path) << " has " << expected.format(first)
                                 << " (tolerance " << llvm::format("%g", tolerance) << "; " << count
                                 << " of " << actual.getNumElements() << " elements differ, by "
                                 << llvm::format("%g", largest) << " at most)";
  return llvm::createStringError(text);
}

static llvm::Expected<Array> readExpected(ArrayFile &file, size_t member, ElementKind preferred) {
  llvm::Expected<std::unique_ptr<ByteStream>> stream = file.openMember(member);
  if (!stream)
    return stream.takeError();
  llvm::Expected<NpyHeader> header = readNpyHeader(**stream);
  if (!header)
    return header.takeError();
  llvm::Expected<ElementKind> kind = getKind(header->descr, preferred);
  if (!kind)
    return kind.takeError();
  return readNpyData(**stream, *header, *kind);
}

llvm::Error lstm::run::compareWithFile(ArrayRef<NamedArray> results, StringRef path,
                                       double tolerance) {
  llvm::Expected<std::unique_ptr<ArrayFile>> file = ArrayFile::open(path);
  if (!file)
    return file.takeError();
  if ((*file)->getNames().empty())
    return llvm::createStringError(quote(path) + ": holds no array to compare with");
  if (!(*file)->isArchive() && results.size() != 1)
    return llvm::createStringError(quote(path) +
                                   ": a .npy file is for a function with one "
                                   "result; this one has " +
                                   llvm::Twine(results.size()));
  llvm::Error errors = llvm::Error::success();
  for (auto [i, name] : llvm::enumerate((*file)->getNames())) {
    const NamedArray *result =
        (*file)->isArchive()
            ? llvm::find_if(results, [&](const NamedArray &r) { return r.name == name; })
            : results.begin();
    auto compareMember = [&]() -> llvm::Error {
      if (result == results.end())
        return llvm::createStringError(quote(path) + " has an array " + quote(name) +
                                       ", but the function has no such result");
      llvm::Expected<Array> expected = readExpected(**file, i, result->array.getKind());
      if (!expected)
        return llvm::createStringError(quote(path) + ": array " + quote(name) + ": " +
                                       llvm::toString(expected.takeError()));
      return compare(*result, *expected, path, tolerance);
    };
    errors = llvm::joinErrors(std::move(errors), compareMember());
  }
  return errors;
}
