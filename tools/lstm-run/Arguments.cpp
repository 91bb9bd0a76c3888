//===- Arguments.cpp - Arrays for a function's arguments -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "Npz.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::lstm;
using namespace mlir::lstm::run;

namespace {
/// Where an argument's array is.
struct Source {
  ArrayFile *file = nullptr;
  size_t member = 0;
};

class ArgumentReader {
public:
  ArgumentReader(ArrayRef<Port> ports, StringRef function)
      : ports(ports), function(function), sources(ports.size()) {}

  /// Opens an input and finds the arguments of what it holds.
  llvm::Error add(StringRef input);

  llvm::Expected<std::vector<Array>> read();

private:
  llvm::Error assign(StringRef name, ArrayFile *file, size_t member);

  ArrayRef<Port> ports;
  StringRef function;
  std::vector<Source> sources;
  std::vector<std::unique_ptr<ArrayFile>> files;
  std::vector<std::string> extra;
  size_t numUnnamed = 0;
};
} // namespace

static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

llvm::Error ArgumentReader::assign(StringRef name, ArrayFile *file, size_t member) {
  const Port *port = llvm::find_if(ports, [&](const Port &port) { return port.name == name; });
  if (port == ports.end()) {
    extra.push_back(quote(name) + " (in " + quote(file->getPath()) + ")");
    return llvm::Error::success();
  }
  Source &source = sources[port - ports.begin()];
  if (source.file)
    return llvm::createStringError("argument " + quote(name) + " is given twice: in " +
                                   quote(source.file->getPath()) + " and in " +
                                   quote(file->getPath()));
  source = {file, member};
  return llvm::Error::success();
}

llvm::Error ArgumentReader::add(StringRef input) {
  auto [name, path] = input.split('=');
  if (path.empty() || name.contains('/')) {
    name = {};
    path = input;
  }
  llvm::Expected<std::unique_ptr<ArrayFile>> opened = ArrayFile::open(path);
  if (!opened)
    return opened.takeError();
  ArrayFile *file = files.emplace_back(std::move(*opened)).get();
  if (file->isArchive()) {
    if (!name.empty())
      return llvm::createStringError(quote(path) + ": an archive's arrays have names already");
    for (auto [i, member] : llvm::enumerate(file->getNames()))
      if (llvm::Error error = assign(member, file, i))
        return error;
    return llvm::Error::success();
  }
  if (!name.empty())
    return assign(name, file, 0);
  size_t position = numUnnamed++;
  return assign(position < ports.size() ? ports[position].name : "#" + std::to_string(position),
                file, 0);
}

static llvm::Expected<Array> readArgument(const Port &port, const Source &source) {
  auto fail = [&](const llvm::Twine &what) {
    return llvm::createStringError("argument " + quote(port.name) + " (in " +
                                   quote(source.file->getPath()) + "): " + what);
  };
  llvm::Expected<std::unique_ptr<ByteStream>> stream = source.file->openMember(source.member);
  if (!stream)
    return fail(llvm::toString(stream.takeError()));
  llvm::Expected<NpyHeader> header = readNpyHeader(**stream);
  if (!header)
    return fail(llvm::toString(header.takeError()));

  if (!matches(header->descr, port.kind)) {
    llvm::Expected<ElementKind> kind = getKind(header->descr, port.kind);
    if (!kind)
      return fail(llvm::toString(kind.takeError()));
    return fail("expected elements of type " + getName(port.kind) + ", but got " + getName(*kind) +
                " (" + quote(header->descr) + ")");
  }
  ArrayRef<int64_t> expected = port.getShape();
  bool fits = expected.size() == header->shape.size();
  for (auto [wanted, size] : llvm::zip(expected, header->shape))
    fits &= ShapedType::isDynamic(wanted) || wanted == size;
  if (!fits)
    return fail("expected " + (port.isTensor() ? toString(port.type) : std::string("a scalar")) +
                ", but got shape " + formatShape(header->shape));

  llvm::Expected<Array> array = readNpyData(**stream, *header, port.kind);
  if (!array)
    return fail(llvm::toString(array.takeError()));
  return array;
}

llvm::Expected<std::vector<Array>> ArgumentReader::read() {
  std::vector<std::string> missing;
  for (auto [port, source] : llvm::zip(ports, sources))
    if (!source.file)
      missing.push_back(quote(port.name) + ": " + toString(port.type));
  std::string problem;
  if (!missing.empty())
    problem = "the inputs lack " + llvm::join(missing, ", ");
  if (!extra.empty())
    problem += (problem.empty() ? "" : "; ") + ("@" + function).str() + " has no argument for " +
               llvm::join(extra, ", ");
  if (!problem.empty())
    return llvm::createStringError(problem);

  std::vector<Array> arrays;
  for (auto [port, source] : llvm::zip(ports, sources)) {
    llvm::Expected<Array> array = readArgument(port, source);
    if (!array)
      return array.takeError();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

llvm::Expected<std::vector<Array>>
lstm::run::readArguments(ArrayRef<Port> ports, StringRef function, ArrayRef<std::string> inputs) {
  ArgumentReader reader(ports, function);
  for (StringRef input : inputs)
    if (llvm::Error error = reader.add(input))
      return error;
  return reader.read();
}
