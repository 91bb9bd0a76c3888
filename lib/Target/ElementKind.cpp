//===- ElementKind.cpp - What arrays consist of -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Target/ElementKind.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::lstm;

std::optional<ElementKind> lstm::getElementKind(Type type) {
  if (type.isF64())
    return ElementKind::F64;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF16())
    return ElementKind::F16;
  if (type.isBF16())
    return ElementKind::BF16;
  if (type.isSignlessInteger(64))
    return ElementKind::I64;
  if (type.isSignlessInteger(32))
    return ElementKind::I32;
  if (type.isSignlessInteger(1))
    return ElementKind::I1;
  if (type.isIndex())
    return ElementKind::Index;
  return std::nullopt;
}

StringRef lstm::getName(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
    return "f64";
  case ElementKind::F32:
    return "f32";
  case ElementKind::F16:
    return "f16";
  case ElementKind::BF16:
    return "bf16";
  case ElementKind::I64:
    return "i64";
  case ElementKind::I32:
    return "i32";
  case ElementKind::I1:
    return "i1";
  case ElementKind::Index:
    return "index";
  }
  llvm_unreachable("unknown element kind");
}

unsigned lstm::getByteWidth(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
  case ElementKind::I64:
  case ElementKind::Index:
    return 8;
  case ElementKind::F32:
  case ElementKind::I32:
    return 4;
  case ElementKind::F16:
  case ElementKind::BF16:
    return 2;
  case ElementKind::I1:
    return 1;
  }
  llvm_unreachable("unknown element kind");
}

bool lstm::isFloat(ElementKind kind) {
  return kind == ElementKind::F64 || kind == ElementKind::F32 || kind == ElementKind::F16 ||
         kind == ElementKind::BF16;
}
