//===- ProgramTable.cpp - What a program says about itself -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Target/CInterface.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::lstm;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Type getType(StringRef name, MLIRContext *context) {
  Builder b(context);
  return llvm::StringSwitch<Type>(name)
      .Case("f64", b.getF64Type())
      .Case("f32", b.getF32Type())
      .Case("f16", b.getF16Type())
      .Case("bf16", b.getBF16Type())
      .Case("i64", b.getI64Type())
      .Case("i32", b.getI32Type())
      .Case("bool", b.getI1Type())
      .Default({});
}

static bool readPort(const llvm::json::Value &value, Port &port, llvm::json::Path path,
                     MLIRContext *context) {
  std::string dtype;
  std::optional<std::vector<int64_t>> shape;
  llvm::json::ObjectMapper map(value, path);
  if (!map || !map.map("name", port.name) || !map.map("dtype", dtype) || !map.map("shape", shape))
    return false;
  port.type = getType(dtype, context);
  if (!port.type) {
    path.field("dtype").report("unknown type");
    return false;
  }
  port.kind = *getElementKind(port.type);
  if (!shape)
    return true;
  for (int64_t &size : *shape) {
    if (size < -1) {
      path.field("shape").report("expected sizes of -1 or more");
      return false;
    }
    if (size == -1)
      size = ShapedType::kDynamic;
  }
  port.type = RankedTensorType::get(*shape, port.type);
  return true;
}

/// The objects of an array; `read` gives one of them.
template <typename T>
static bool readArray(const llvm::json::Object &object, StringRef name, std::vector<T> &all,
                      llvm::json::Path path,
                      llvm::function_ref<bool(const llvm::json::Value &, T &, llvm::json::Path)> read) {
  const llvm::json::Array *array = object.getArray(name);
  if (!array) {
    path.field(name).report("expected array");
    return false;
  }
  for (auto [i, value] : llvm::enumerate(*array))
    if (!read(value, all.emplace_back(), path.field(name).index(i)))
      return false;
  return true;
}

static bool readEntry(const llvm::json::Value &value, ProgramTable::Entry &entry,
                      llvm::json::Path path, MLIRContext *context) {
  auto read = [&](const llvm::json::Value &value, Port &port, llvm::json::Path path) {
    return readPort(value, port, path, context);
  };
  llvm::json::ObjectMapper map(value, path);
  return map && map.map("name", entry.signature.name) && map.map("symbol", entry.symbol) &&
         readArray<Port>(*value.getAsObject(), "arguments", entry.signature.arguments, path, read) &&
         readArray<Port>(*value.getAsObject(), "results", entry.signature.results, path, read);
}

static bool readTable(const llvm::json::Value &value, ProgramTable &table, llvm::json::Path path,
                      MLIRContext *context) {
  auto read = [&](const llvm::json::Value &value, ProgramTable::Entry &entry, llvm::json::Path path) {
    return readEntry(value, entry, path, context);
  };
  std::string target;
  llvm::json::ObjectMapper map(value, path);
  if (!map || !map.map("target", target) || !map.map("prefix", table.prefix))
    return false;
  if (target != "cpu" && target != "cuda") {
    path.field("target").report("expected 'cpu' or 'cuda'");
    return false;
  }
  table.platform = target == "cuda" ? Platform::CUDA : Platform::CPU;
  return readArray<ProgramTable::Entry>(*value.getAsObject(), "entries", table.entries, path, read);
}

llvm::Expected<ProgramTable> lstm::readProgramTable(StringRef text, MLIRContext *context) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return value.takeError();
  ProgramTable table;
  llvm::json::Path::Root root("lstm_program");
  if (!readTable(*value, table, root, context))
    return root.getError();
  return table;
}
