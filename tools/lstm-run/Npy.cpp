//===- Npy.cpp - The .npy format -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace mlir::lstm;
using namespace mlir::lstm::run;

static constexpr StringRef magic("\x93NUMPY", 6);
/// NumPy itself writes headers of 128 bytes and reads ones of 10000.
static constexpr uint32_t maxHeaderLength = 65536;
/// NumPy's limit.
static constexpr size_t maxRank = 64;

llvm::Error ByteStream::read(void *memory, uint64_t bytes) {
  char *position = static_cast<char *>(memory);
  while (bytes != 0) {
    llvm::Expected<uint64_t> count = readSome(position, bytes);
    if (!count)
      return count.takeError();
    if (*count == 0)
      return llvm::createStringError("the data ends " + llvm::Twine(bytes) + " bytes early");
    position += *count;
    bytes -= *count;
    remaining -= std::min(remaining, *count);
  }
  return llvm::Error::success();
}

llvm::Error ByteStream::finish() {
  char byte;
  llvm::Expected<uint64_t> count = readSome(&byte, 1);
  if (!count)
    return count.takeError();
  if (*count != 0 || remaining != 0)
    return llvm::createStringError("there are bytes behind the array");
  return llvm::Error::success();
}

namespace {
/// Reads the header: a Python dictionary with three known keys.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : text(text) {}

  llvm::Expected<NpyHeader> parse();

private:
  bool consume(StringRef token) {
    text = text.ltrim();
    return text.consume_front(token);
  }
  bool parseString(StringRef &value);
  bool parseBool(bool &value);
  bool parseShape(SmallVectorImpl<int64_t> &shape);

  llvm::Error fail(StringRef what) {
    return llvm::createStringError("the header is malformed: expected " + what + " before " +
                                   quote(text.take_front(20)));
  }

  StringRef text;
};
} // namespace

bool HeaderParser::parseString(StringRef &value) {
  text = text.ltrim();
  if (text.empty() || (text[0] != '\'' && text[0] != '"'))
    return false;
  size_t end = text.find(text[0], 1);
  if (end == StringRef::npos)
    return false;
  value = text.slice(1, end);
  text = text.drop_front(end + 1);
  return true;
}

bool HeaderParser::parseBool(bool &value) {
  value = consume("True");
  return value || consume("False");
}

bool HeaderParser::parseShape(SmallVectorImpl<int64_t> &shape) {
  if (!consume("("))
    return false;
  while (!consume(")")) {
    text = text.ltrim();
    uint64_t size;
    if (text.empty() || !llvm::isDigit(text[0]) || text.consumeInteger(10, size) ||
        size > uint64_t(std::numeric_limits<int64_t>::max()) || shape.size() == maxRank)
      return false;
    // Python 2 wrote long integers so.
    (void)text.consume_front("L");
    shape.push_back(size);
    if (!consume(",")) {
      // One size in parentheses is a number in Python, no tuple.
      if (shape.size() == 1 || !consume(")"))
        return false;
      break;
    }
  }
  return true;
}

llvm::Expected<NpyHeader> HeaderParser::parse() {
  NpyHeader header;
  bool hasDescr = false, hasOrder = false, hasShape = false;
  if (!consume("{"))
    return fail("'{'");
  while (!consume("}")) {
    StringRef key;
    if (!parseString(key) || !consume(":"))
      return fail("a key");
    if (key == "descr" && !hasDescr) {
      hasDescr = true;
      StringRef descr;
      text = text.ltrim();
      if (text.starts_with("["))
        return llvm::createStringError("arrays of structures are not supported");
      if (!parseString(descr))
        return fail("an element type");
      header.descr = descr.str();
    } else if (key == "fortran_order" && !hasOrder) {
      hasOrder = true;
      if (!parseBool(header.fortranOrder))
        return fail("True or False");
    } else if (key == "shape" && !hasShape) {
      hasShape = true;
      if (!parseShape(header.shape))
        return fail("a shape");
    } else {
      return llvm::createStringError("the header has an unknown or repeated key " + quote(key));
    }
    if (!consume(",") && !text.ltrim().starts_with("}"))
      return fail("',' or '}'");
  }
  if (!text.trim().empty())
    return fail("the end");
  if (!hasDescr || !hasOrder || !hasShape)
    return llvm::createStringError("the header lacks 'descr', 'fortran_order' or 'shape'");
  return header;
}

llvm::Expected<NpyHeader> lstm::run::readNpyHeader(ByteStream &stream) {
  unsigned char start[8];
  if (stream.getRemaining() < sizeof(start))
    return llvm::createStringError("too short for a .npy array");
  if (llvm::Error error = stream.read(start, sizeof(start)))
    return error;
  if (StringRef(reinterpret_cast<char *>(start), magic.size()) != magic)
    return llvm::createStringError("not a .npy array (wrong magic bytes)");
  unsigned major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    return llvm::createStringError("unknown .npy version " + llvm::Twine(major) + "." +
                                   llvm::Twine(minor));

  unsigned char lengthBytes[4] = {};
  unsigned lengthSize = major == 1 ? 2 : 4;
  if (stream.getRemaining() < lengthSize)
    return llvm::createStringError("too short for a .npy array");
  if (llvm::Error error = stream.read(lengthBytes, lengthSize))
    return error;
  uint32_t length = llvm::support::endian::read32le(lengthBytes);
  if (length > maxHeaderLength || length > stream.getRemaining())
    return llvm::createStringError("the header's length is " + llvm::Twine(length) +
                                   ", but there are " + llvm::Twine(stream.getRemaining()) +
                                   " bytes left (and at most " + llvm::Twine(maxHeaderLength) +
                                   " are read)");
  std::string text(length, '\0');
  if (llvm::Error error = stream.read(text.data(), length))
    return error;
  return HeaderParser(text).parse();
}

bool lstm::run::matches(StringRef descr, ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
    return descr == "<f8";
  case ElementKind::F32:
    return descr == "<f4";
  case ElementKind::F16:
    return descr == "<f2";
  case ElementKind::BF16:
    // NumPy has no such type: two opaque bytes, or the bits as an integer.
    return descr == "|V2" || descr == "<V2" || descr == "<u2";
  case ElementKind::I64:
  case ElementKind::Index:
    return descr == "<i8";
  case ElementKind::I32:
    return descr == "<i4";
  case ElementKind::I1:
    return descr == "|b1";
  }
  llvm_unreachable("unknown element kind");
}

llvm::Expected<ElementKind> lstm::run::getKind(StringRef descr, ElementKind preferred) {
  if (matches(descr, preferred))
    return preferred;
  for (ElementKind kind : {ElementKind::F64, ElementKind::F32, ElementKind::F16, ElementKind::BF16,
                           ElementKind::I64, ElementKind::I32, ElementKind::I1})
    if (matches(descr, kind))
      return kind;
  if (descr.starts_with(">"))
    return llvm::createStringError("big-endian elements (" + quote(descr) + ") are not supported");
  if (descr.contains('O'))
    return llvm::createStringError("arrays of Python objects (" + quote(descr) +
                                   ") are not supported");
  return llvm::createStringError("elements of type " + quote(descr) + " are not supported");
}

/// Puts column-major elements into row-major order.
static void transpose(const char *from, const Array &to) {
  unsigned width = getByteWidth(to.getKind());
  ArrayRef<int64_t> shape = to.getShape();
  SmallVector<int64_t> strides(shape.size()), index(shape.size(), 0);
  int64_t stride = width;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    strides[dim] = stride;
    stride *= size;
  }
  const char *source = from;
  for (int64_t i = 0, e = to.getNumElements(); i < e; ++i) {
    std::memcpy(to.getData() + i * width, source, width);
    for (int64_t dim = to.getRank() - 1; dim >= 0; --dim) {
      source += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      source -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
  }
}

llvm::Expected<Array> lstm::run::readNpyData(ByteStream &stream, const NpyHeader &header,
                                             ElementKind kind) {
  std::optional<uint64_t> bytes = getNumBytes(kind, header.shape);
  if (!bytes)
    return llvm::createStringError("the size of shape " + formatShape(header.shape) + " overflows");
  if (*bytes != stream.getRemaining())
    return llvm::createStringError("shape " + formatShape(header.shape) + " of " +
                                   quote(header.descr) + " takes " + llvm::Twine(*bytes) +
                                   " bytes, but there are " + llvm::Twine(stream.getRemaining()));

  llvm::Expected<Array> array = Array::create(kind, header.shape);
  if (!array)
    return array.takeError();
  if (llvm::Error error = stream.read(array->getData(), *bytes))
    return error;
  if (llvm::Error error = stream.finish())
    return error;
  if (kind == ElementKind::I1)
    for (int64_t i = 0, e = array->getNumElements(); i < e; ++i)
      if (array->getInt(i) > 1)
        return llvm::createStringError("expected booleans to be 0 or 1, but byte " +
                                       llvm::Twine(i) + " is " + llvm::Twine(array->getInt(i)));
  if (header.fortranOrder && array->getRank() > 1) {
    llvm::Expected<Array> ordered = Array::create(kind, header.shape);
    if (!ordered)
      return ordered.takeError();
    transpose(array->getData(), *ordered);
    return ordered;
  }
  return array;
}

static StringRef getDescr(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
    return "<f8";
  case ElementKind::F32:
    return "<f4";
  case ElementKind::F16:
    return "<f2";
  case ElementKind::BF16:
    return "|V2";
  case ElementKind::I64:
  case ElementKind::Index:
    return "<i8";
  case ElementKind::I32:
    return "<i4";
  case ElementKind::I1:
    return "|b1";
  }
  llvm_unreachable("unknown element kind");
}

std::string lstm::run::makeNpyHeader(const Array &array) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{'descr': '" << getDescr(array.getKind()) << "', 'fortran_order': False, 'shape': (";
  for (int64_t size : array.getShape())
    os << size << ", ";
  os << "), }";
  // The array starts at a multiple of 64; the header ends in a newline.
  size_t start = magic.size() + 4;
  text.resize(llvm::alignTo(start + text.size() + 1, 64) - start - 1, ' ');
  text += '\n';

  std::string header = magic.str();
  header += {1, 0, static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}
