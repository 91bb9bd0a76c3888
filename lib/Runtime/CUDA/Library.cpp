//===- Library.cpp - Shared libraries that are opened at run time ---------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace lstm::cuda;

__attribute__((format(printf, 1, 2))) static const char *describe(const char *format, ...) {
  char *text = nullptr;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  return length < 0 ? "no memory for a message" : text;
}

const char *lstm::cuda::openLibrary(const char *variable, std::initializer_list<const char *> files,
                                    std::initializer_list<Symbol> symbols) {
  const char *file = getenv(variable), *why = nullptr;
  void *library = nullptr;
  if (file) {
    if (!(library = dlopen(file, RTLD_NOW | RTLD_LOCAL)))
      return describe("%s: %s", variable, dlerror());
  } else {
    for (const char *name : files) {
      if ((library = dlopen(file = name, RTLD_NOW | RTLD_LOCAL)))
        break;
      // The first one is the one that is expected.
      if (const char *message = dlerror(); !why)
        why = describe("%s", message);
    }
    if (!library)
      return why;
  }
  for (const Symbol &symbol : symbols)
    if (!(*symbol.address = dlsym(library, symbol.name)))
      return describe("'%s' is too old: it lacks '%s'", file, symbol.name);
  return nullptr;
}
