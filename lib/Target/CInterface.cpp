//===- CInterface.cpp - Functions that C calls -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Target/CInterface.h"

#include "lstm/Target/Lowering.h"

#include "lstm-runtime/tensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::lstm;

std::string lstm::getCIdentifier(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(name.begin(), '_');
  return name;
}

std::string CInterface::getSymbol(StringRef name) const {
  std::string identifier = getCIdentifier(name);
  if (identifier == prefix || StringRef(identifier).starts_with(prefix + "_"))
    return identifier;
  return prefix + "_" + identifier;
}

LogicalResult CInterface::verify(ModuleOp module) const {
  llvm::StringMap<std::string> users;
  for (StringRef name : {"free", "last_error", "set_num_threads"})
    users[prefix + "_" + name.str()] = "the interface's own";
  for (const Signature &entry : entries) {
    std::string symbol = getSymbol(entry.name);
    std::string user = "that of @" + entry.name;
    auto [at, isNew] = users.try_emplace(symbol, user);
    Operation *function = module.lookupSymbol(entry.name);
    if (!isNew)
      return function->emitError() << "the C function '" << symbol << "' would be "
                                   << at->second << " and " << user << "; another prefix helps";
    for (const std::vector<Port> *ports : {&entry.arguments, &entry.results})
      for (const Port &port : *ports)
        if (port.getShape().size() > LSTM_MAX_RANK)
          return function->emitError()
                 << "'" << port.name << "' has type " << port.type
                 << "; C passes tensors of rank " << int(LSTM_MAX_RANK) << " at most";
  }
  return success();
}

FailureOr<CInterface> lstm::getCInterface(ModuleOp module, ArrayRef<func::FuncOp> functions,
                                          StringRef prefix, Platform platform,
                                          llvm::SourceMgr &source) {
  CInterface interface{prefix.str(), {}, platform};
  for (func::FuncOp function : functions) {
    FailureOr<Signature> signature = getSignature(function, source);
    if (failed(signature))
      return failure();
    interface.entries.push_back(std::move(*signature));
  }
  if (failed(interface.verify(module)))
    return failure();
  return interface;
}

int64_t lstm::getDType(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
    return LSTM_F64;
  case ElementKind::F32:
    return LSTM_F32;
  case ElementKind::F16:
    return LSTM_F16;
  case ElementKind::BF16:
    return LSTM_BF16;
  case ElementKind::I64:
  case ElementKind::Index:
    return LSTM_I64;
  case ElementKind::I32:
    return LSTM_I32;
  case ElementKind::I1:
    return LSTM_BOOL;
  }
  llvm_unreachable("unknown element kind");
}

namespace {
class InterfaceBuilder {
public:
  InterfaceBuilder(ModuleOp module, Platform platform)
      : platform(platform), module(module), symbols(module), b(module.getContext()), loc(b.getUnknownLoc()),
        pointer(LLVM::LLVMPointerType::get(b.getContext())), word(b.getI64Type()) {}

  LogicalResult addEntry(const Signature &signature, StringRef symbol);

  /// A function that passes its arguments on to another one.
  void addForwarder(StringRef symbol, StringRef callee, Type result, TypeRange arguments);

private:
  /// What the C functions take before the program's arguments: session and stream.
  size_t getNumLeading() const { return platform == Platform::CUDA ? 2 : 0; }
  LLVM::LLVMFuncOp addFunction(StringRef name, Type result, TypeRange arguments);
  LLVM::LLVMFuncOp getRuntimeFunction(StringRef name, Type result, TypeRange arguments);
  Value addGlobal(const Twine &name, Type type, Attribute value);
  LLVM::LLVMFuncOp addPackedCall(LLVM::LLVMFuncOp callee, const Signature &signature,
                                 StringRef symbol);
  Value addSignature(const Signature &signature, StringRef symbol);

  Type getScalarType(const Port &port) {
    return port.type.isIndex() ? word : port.type;
  }
  /// How C passes a scalar: halves as their bits.
  Type getCType(const Port &port) {
    if (port.isTensor())
      return pointer;
    if (port.kind == ElementKind::F16 || port.kind == ElementKind::BF16)
      return b.getIntegerType(16);
    return port.kind == ElementKind::I1 ? b.getIntegerType(8) : getScalarType(port);
  }
  Value getConstant(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, word, b.getI64IntegerAttr(value));
  }
  Value load(Type type, Value base, int64_t words) {
    return LLVM::LoadOp::create(b, loc, type, getWord(base, words));
  }
  Value getWord(Value base, int64_t position) {
    return LLVM::GEPOp::create(b, loc, pointer, word, base,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(position)});
  }

  Platform platform;
  ModuleOp module;
  SymbolTable symbols;
  OpBuilder b;
  Location loc;
  Type pointer, word;
};
} // namespace

LLVM::LLVMFuncOp InterfaceBuilder::addFunction(StringRef name, Type result, TypeRange arguments) {
  // What has the name already is not visible from outside.
  if (Operation *other = symbols.lookup(name))
    (void)symbols.renameToUnique(other, {});
  b.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(result, llvm::to_vector(arguments));
  auto function = LLVM::LLVMFuncOp::create(b, loc, name, type);
  symbols.insert(function);
  return function;
}

LLVM::LLVMFuncOp InterfaceBuilder::getRuntimeFunction(StringRef name, Type result,
                                                      TypeRange arguments) {
  if (auto function = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder::InsertionGuard guard(b);
  return addFunction(name, result, arguments);
}

void InterfaceBuilder::addForwarder(StringRef symbol, StringRef callee, Type result,
                                    TypeRange arguments) {
  LLVM::LLVMFuncOp runtime = getRuntimeFunction(callee, result, arguments);
  LLVM::LLVMFuncOp function = addFunction(symbol, result, arguments);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  auto call = LLVM::CallOp::create(b, loc, runtime, function.getArguments());
  LLVM::ReturnOp::create(b, loc, call.getResults());
}

Value InterfaceBuilder::addGlobal(const Twine &name, Type type, Attribute value) {
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                    name.str(), value);
    symbols.insert(global);
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// The function on addresses of scalars and of memrefs' descriptors: first the
/// arguments', then the results'.
LLVM::LLVMFuncOp InterfaceBuilder::addPackedCall(LLVM::LLVMFuncOp callee,
                                                 const Signature &signature, StringRef symbol) {
  OpBuilder::InsertionGuard guard(b);
  auto none = LLVM::LLVMVoidType::get(b.getContext());
  LLVM::LLVMFuncOp function = addFunction((symbol + ".packed").str(), none, pointer);
  function.setLinkage(LLVM::Linkage::Internal);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  Value values = function.getArgument(0);

  SmallVector<Value> arguments;
  for (auto [i, port] : llvm::enumerate(signature.arguments)) {
    Value address = load(pointer, values, i);
    if (!port.isTensor()) {
      arguments.push_back(LLVM::LoadOp::create(b, loc, getScalarType(port), address));
      continue;
    }
    for (size_t j = 0, e = getDescriptorWords(port); j < e; ++j)
      arguments.push_back(load(j < 2 ? pointer : word, address, j));
  }
  if (platform == Platform::CUDA)
    for (auto [i, port] : llvm::enumerate(signature.results))
      if (!port.isTensor())
        arguments.push_back(load(pointer, values, signature.arguments.size() + i));
  auto call = LLVM::CallOp::create(b, loc, callee, arguments);
  for (auto [i, port] : llvm::enumerate(signature.results)) {
    if (platform == Platform::CUDA)
      break;
    Value address = load(pointer, values, signature.arguments.size() + i);
    Value result = call.getResult();
    if (signature.results.size() > 1)
      result = LLVM::ExtractValueOp::create(b, loc, result, static_cast<int64_t>(i));
    // A descriptor is nothing but words: its structure has their layout.
    LLVM::StoreOp::create(b, loc, result, address);
  }
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return function;
}

/// The tables that lstmInvoke reads.
Value InterfaceBuilder::addSignature(const Signature &signature, StringRef symbol) {
  SmallVector<int64_t> table = {static_cast<int64_t>(signature.arguments.size()),
                                static_cast<int64_t>(signature.results.size())};
  for (const std::vector<Port> *ports : {&signature.arguments, &signature.results})
    for (const Port &port : *ports) {
      ArrayRef<int64_t> shape = port.getShape();
      table.push_back(getDType(port.kind));
      table.push_back(port.isTensor() ? shape.size() : -1);
      for (int64_t size : shape)
        table.push_back(ShapedType::isDynamic(size) ? -1 : size);
    }
  auto type = RankedTensorType::get(static_cast<int64_t>(table.size()), word);
  return addGlobal(symbol + ".signature", LLVM::LLVMArrayType::get(word, table.size()),
                   DenseElementsAttr::get(type, ArrayRef<int64_t>(table)));
}

LogicalResult InterfaceBuilder::addEntry(const Signature &signature, StringRef symbol) {
  auto callee = symbols.lookup<LLVM::LLVMFuncOp>(signature.name);
  LLVM::LLVMFunctionType expected = getLoweredType(signature, b.getContext(), platform);
  if (!callee || callee.getFunctionType() != expected)
    return module.emitError() << "the passes leave no function @" << signature.name << " of type "
                              << expected;

  SmallVector<Type> types(getNumLeading(), pointer);
  for (const Port &port : signature.arguments)
    types.push_back(getCType(port));
  types.append(signature.results.size(), pointer);
  LLVM::LLVMFuncOp function = addFunction(symbol, b.getI32Type(), types);
  LLVM::LLVMFuncOp packed = addPackedCall(callee, signature, symbol);
  b.setInsertionPointToStart(function.addEntryBlock(b));

  std::string names;
  for (const std::vector<Port> *ports : {&signature.arguments, &signature.results})
    for (const Port &port : *ports)
      names += port.name + '\0';
  // One byte at least.
  names += '\0';
  Value table = addSignature(signature, symbol);
  Value namesAddress =
      addGlobal(symbol + ".names", LLVM::LLVMArrayType::get(b.getI8Type(), names.size()),
                b.getStringAttr(names));
  Value call = LLVM::AddressOfOp::create(b, loc, packed);
  Value values = LLVM::AllocaOp::create(b, loc, pointer, pointer,
                                        getConstant(std::max<size_t>(types.size(), 1)));
  for (auto [i, argument] : llvm::enumerate(function.getArguments().drop_front(getNumLeading()))) {
    Value value = argument;
    if (i < signature.arguments.size() && !signature.arguments[i].isTensor()) {
      value = LLVM::AllocaOp::create(b, loc, pointer, argument.getType(), getConstant(1));
      LLVM::StoreOp::create(b, loc, argument, value);
    }
    LLVM::StoreOp::create(b, loc, value, getWord(values, i));
  }
  SmallVector<Value> passed(function.getArguments().take_front(getNumLeading()));
  passed.append({table, namesAddress, call, values});
  SmallVector<Type> passedTypes(passed.size(), pointer);
  LLVM::LLVMFuncOp invoke = getRuntimeFunction(
      platform == Platform::CUDA ? "lstmCudaInvoke" : "lstmInvoke", b.getI32Type(), passedTypes);
  auto status = LLVM::CallOp::create(b, loc, invoke, passed);
  LLVM::ReturnOp::create(b, loc, status.getResults());
  return success();
}

LogicalResult lstm::addCInterface(ModuleOp module, const CInterface &interface) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      function.setLinkage(LLVM::Linkage::Internal);
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global.getValueOrNull() || global.getInitializerBlock())
      global.setLinkage(LLVM::Linkage::Internal);

  InterfaceBuilder builder(module, interface.platform);
  // No entry is looked up after a C function has taken its name.
  for (const Signature &signature : interface.entries)
    if (failed(builder.addEntry(signature, interface.getSymbol(signature.name))))
      return failure();
  addProgramTable(module, interface);
  // A session has these for all programs.
  if (interface.platform == Platform::CUDA)
    return success();
  MLIRContext *context = module.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type none = LLVM::LLVMVoidType::get(context);
  StringRef prefix = interface.prefix;
  builder.addForwarder((prefix + "_free").str(), "lstmFree", none, pointer);
  builder.addForwarder((prefix + "_last_error").str(), "lstmGetLastError", pointer, {});
  builder.addForwarder((prefix + "_set_num_threads").str(), "lstmSetThreadCount", none,
                       IntegerType::get(context, 64));
  return success();
}
