//===- Link.cpp - Links a shared library -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Link.h"

#include "lstm/Target/CPUTarget.h"
#include "lstm/Target/Installation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::lstm;

/// The names that a C compiler for the triple has, the usual ones first.
static std::vector<std::string> getCompilerNames(const llvm::Triple &triple) {
  if (CPUTarget::isHost(triple))
    return {"cc", "gcc", "clang"};
  std::string short_ = (triple.getArchName() + "-" + triple.getOSAndEnvironmentName()).str();
  return {triple.str() + "-gcc", short_ + "-gcc", short_ + "-cc", short_ + "-clang"};
}

static llvm::Expected<std::string> findCompiler(const llvm::Triple &triple, StringRef compiler) {
  std::vector<std::string> names = {compiler.str()};
  if (compiler.empty())
    names = getCompilerNames(triple);
  for (StringRef name : names)
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name))
      return *path;
  return llvm::createStringError("linking needs a C compiler for '" + triple.str() + "': there is no '" +
                                 llvm::join(names, "', '") +
                                 "' in PATH; --cc=PROGRAM names another one, and --emit=obj does "
                                 "without");
}

/// The runtime as arguments of the C compiler.
static llvm::Expected<std::vector<std::string>> getRuntime(const llvm::Triple &triple,
                                                           Platform platform) {
  if (platform == Platform::CUDA) {
    auto library = findCUDARuntime();
    if (!library)
      return library.takeError();
    return std::vector<std::string>{*library, "-Wl,-rpath,$ORIGIN"};
  }
  if (CPUTarget::isHost(triple)) {
    auto archive = findBesideTool(
        {"lib/libLSTMCPURuntime.a", LSTM_INSTALL_LIBDIR "/libLSTMCPURuntime.a"});
    if (!archive)
      return archive.takeError();
    return std::vector<std::string>{*archive};
  }
  auto sources = findBesideTool({"share/lstm/runtime/cpu", LSTM_INSTALL_DATADIR "/lstm/runtime/cpu"});
  if (!sources)
    return sources.takeError();
  auto headers = findBesideTool({"include/lstm-runtime", LSTM_INSTALL_INCLUDEDIR "/lstm-runtime"});
  if (!headers)
    return headers.takeError();
  std::vector<std::string> arguments = {"-std=gnu11", "-O2", "-fvisibility=hidden",
                                        "-I" + llvm::sys::path::parent_path(*headers).str()};
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(*sources, error), end; at != end && !error;
       at.increment(error))
    if (StringRef(at->path()).ends_with(".c"))
      arguments.push_back(at->path());
  if (error)
    return llvm::createStringError("'" + *sources + "': " + error.message());
  // The same sources make the same library.
  std::sort(arguments.begin() + 4, arguments.end());
  return arguments;
}

llvm::Error lstm::compile::linkLibrary(StringRef object, StringRef output,
                                       const llvm::Triple &triple, StringRef compiler,
                                       Platform platform) {
  llvm::Expected<std::string> program = findCompiler(triple, compiler);
  if (!program)
    return program.takeError();
  llvm::Expected<std::vector<std::string>> runtime = getRuntime(triple, platform);
  if (!runtime)
    return runtime.takeError();
  std::vector<std::string> arguments = {*program, "-shared", "-fPIC", "-pthread", "-o", output.str(),
                                        object.str()};
  llvm::append_range(arguments, *runtime);
  std::string name = llvm::sys::path::filename(output).str();
  // -Wl would take a name with a comma apart.
  llvm::append_range(arguments, std::vector<std::string>{"-lm", "-Xlinker", "-soname", "-Xlinker", name,
                                                         "-Wl,--no-undefined"});
  SmallVector<StringRef> references(arguments.begin(), arguments.end());
  std::string message;
  int status = llvm::sys::ExecuteAndWait(*program, references, /*Env=*/std::nullopt,
                                         /*Redirects=*/{}, /*SecondsToWait=*/0, /*MemoryLimit=*/0,
                                         &message);
  if (status == 0)
    return llvm::Error::success();
  return llvm::createStringError("'" + llvm::join(arguments, " ") + "' failed" +
                                 (message.empty() ? "" : ": " + message));
}
