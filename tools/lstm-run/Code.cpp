//===- Code.cpp - Machine code with a C interface -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Code.h"

#include "Array.h"
#include "Engine.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace mlir;
using namespace mlir::lstm;
using namespace mlir::lstm::run;

bool lstm::run::isLibrary(StringRef path) {
  llvm::file_magic magic;
  if (path != "-" && !llvm::identify_magic(path, magic) && magic >= llvm::file_magic::elf &&
      magic <= llvm::file_magic::elf_core)
    return true;
  return llvm::sys::path::extension(path) == ".so";
}

/// The bytes of an exported variable; none if there is none of this name.
static llvm::Expected<std::optional<std::string>>
readVariable(const llvm::object::ELFObjectFileBase &file, StringRef name) {
  for (llvm::object::ELFSymbolRef symbol : file.getDynamicSymbolIterators()) {
    llvm::Expected<StringRef> symbolName = symbol.getName();
    if (!symbolName)
      return symbolName.takeError();
    if (*symbolName != name)
      continue;
    llvm::Expected<llvm::object::section_iterator> section = symbol.getSection();
    if (!section)
      return section.takeError();
    llvm::Expected<uint64_t> address = symbol.getAddress();
    if (!address)
      return address.takeError();
    if (*section == file.section_end())
      continue;
    llvm::Expected<StringRef> bytes = (*section)->getContents();
    if (!bytes)
      return bytes.takeError();
    return bytes->substr(*address - (*section)->getAddress(), symbol.getSize()).str();
  }
  return std::nullopt;
}

llvm::Expected<ProgramTable> lstm::run::readLibraryTable(StringRef path, MLIRContext *context) {
  auto fail = [&](const llvm::Twine &what) {
    return llvm::createStringError(quote(path) + ": " + what);
  };
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (!file)
    return fail(llvm::toString(file.takeError()));
  auto *elf = dyn_cast<llvm::object::ELFObjectFileBase>(file->getBinary());
  if (!elf)
    return fail("not a shared library");
  auto text = readVariable(*elf, "lstm_program");
  if (!text)
    return fail(llvm::toString(text.takeError()));
  if (!*text)
    return fail("not a library of lstm-compile: it has no 'lstm_program'");
  auto table = readProgramTable(StringRef(**text).rtrim('\0'), context);
  if (!table)
    return fail("its table 'lstm_program': " + llvm::toString(table.takeError()));
  return table;
}

namespace {
class LibraryCode : public Code {
public:
  LibraryCode(void *handle, StringRef path) : handle(handle), path(path) {}

  llvm::Expected<void *> lookup(StringRef symbol) const override {
    if (void *address = dlsym(handle, symbol.str().c_str()))
      return address;
    return llvm::createStringError(quote(path) + ": it has no function " + quote(symbol));
  }

private:
  /// Stays open: its threads may still run.
  void *handle;
  std::string path;
};

class EngineCode : public Code {
public:
  explicit EngineCode(std::unique_ptr<ExecutionEngine> engine) : engine(std::move(engine)) {}

  llvm::Expected<void *> lookup(StringRef symbol) const override { return engine->lookup(symbol); }

private:
  std::unique_ptr<ExecutionEngine> engine;
};
} // namespace

llvm::Expected<std::unique_ptr<Code>> lstm::run::loadLibrary(StringRef path) {
  // A name without a folder would be looked for in the system's.
  SmallString<128> absolute(path);
  if (std::error_code error = llvm::sys::fs::make_absolute(absolute))
    return llvm::createStringError(quote(path) + ": " + error.message());
  void *handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return llvm::createStringError(dlerror());
  return std::make_unique<LibraryCode>(handle, path);
}

llvm::Expected<std::unique_ptr<Code>> lstm::run::compileCode(ModuleOp module, bool optimize) {
  auto engine = createEngine(module, optimize);
  if (!engine)
    return engine.takeError();
  return std::make_unique<EngineCode>(std::move(*engine));
}
