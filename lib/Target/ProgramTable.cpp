//===- ProgramTable.cpp - What a program says about itself -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Target/CInterface.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::lstm;

/// As lstm-runtime/tensor.h has it: an index is passed as i64, a bit as a byte.
static StringRef getDTypeName(ElementKind kind) {
  switch (kind) {
  case ElementKind::Index:
    return "i64";
  case ElementKind::I1:
    return "bool";
  default:
    return getName(kind);
  }
}

static void writePorts(llvm::json::OStream &json, ArrayRef<Port> ports) {
  for (const Port &port : ports)
    json.object([&] {
      json.attribute("name", llvm::json::fixUTF8(port.name));
      json.attribute("dtype", getDTypeName(port.kind));
      if (!port.isTensor()) {
        json.attribute("shape", nullptr);
        return;
      }
      json.attributeArray("shape", [&] {
        for (int64_t size : port.getShape())
          json.value(ShapedType::isDynamic(size) ? -1 : size);
      });
    });
}

void lstm::writeProgramTable(const CInterface &interface, raw_ostream &os) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("target", interface.platform == Platform::CPU ? "cpu" : "cuda");
    json.attribute("prefix", interface.prefix);
    json.attributeArray("entries", [&] {
      for (const Signature &entry : interface.entries)
        json.object([&] {
          json.attribute("name", llvm::json::fixUTF8(entry.name));
          json.attribute("symbol", interface.getSymbol(entry.name));
          json.attributeArray("arguments", [&] { writePorts(json, entry.arguments); });
          json.attributeArray("results", [&] { writePorts(json, entry.results); });
        });
    });
  });
}

void lstm::addProgramTable(ModuleOp module, const CInterface &interface) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeProgramTable(interface, os);
  text.push_back('\0');

  SymbolTable symbols(module);
  StringRef name = "lstm_program";
  // What has the name already is not visible from outside.
  if (Operation *other = symbols.lookup(name))
    (void)symbols.renameToUnique(other, {});
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
  // Weak: objects of several programs can be linked into one library.
  auto global = LLVM::GlobalOp::create(b, b.getUnknownLoc(), type, /*isConstant=*/true,
                                       LLVM::Linkage::Weak, name, b.getStringAttr(text));
  symbols.insert(global);
}
