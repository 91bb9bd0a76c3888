//===- LowerLaunches.cpp - Kernels and launches to the run-time library ----===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "CUDARuntime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMLOWERLAUNCHESPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

namespace {
/// Builds the tables of lstm-runtime/cuda.h and the calls that use them.
class LaunchLowering {
public:
  LaunchLowering(ModuleOp module, int64_t indexBitwidth)
      : module(module), indexBitwidth(indexBitwidth), symbols(module), b(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(b.getContext())), word(b.getI64Type()),
        imageType(LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer, pointer, word})),
        moduleType(LLVM::LLVMStructType::getLiteral(b.getContext(), {word, pointer, pointer})),
        kernelType(LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer, pointer, pointer})) {}

  LogicalResult run();

private:
  LogicalResult addModule(gpu::BinaryOp binary);
  LogicalResult lower(gpu::LaunchFuncOp launch);
  LLVM::GlobalOp getKernel(gpu::LaunchFuncOp launch);
  void passKernels(ArrayRef<gpu::LaunchFuncOp> launches);
  LLVM::GlobalOp addBytes(Location loc, const Twine &name, StringRef bytes);
  LLVM::GlobalOp addGlobal(Location loc, const Twine &name, Type type, bool isConstant,
                           function_ref<Value()> getValue);
  LLVM::LLVMFuncOp getFunction(StringRef name, ArrayRef<Type> arguments);
  void addRelease();

  Value addressOf(Location loc, LLVM::GlobalOp global) {
    return LLVM::AddressOfOp::create(b, loc, global);
  }
  Value constant(Location loc, Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
  }
  Value fill(Location loc, Type type, ValueRange fields) {
    Value value = LLVM::UndefOp::create(b, loc, type);
    for (auto [i, field] : llvm::enumerate(fields))
      value = LLVM::InsertValueOp::create(b, loc, value, field, static_cast<int64_t>(i));
    return value;
  }

  ModuleOp module;
  /// What an index is in kernels.
  int64_t indexBitwidth;
  SymbolTable symbols;
  OpBuilder b;
  Type pointer, word, imageType, moduleType, kernelType;
  llvm::StringMap<LLVM::GlobalOp> modules, kernels;
};
} // namespace

LLVM::GlobalOp LaunchLowering::addBytes(Location loc, const Twine &name, StringRef bytes) {
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  auto global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                       name.str(), b.getStringAttr(bytes), /*alignment=*/16);
  symbols.insert(global);
  return global;
}

LLVM::GlobalOp LaunchLowering::addGlobal(Location loc, const Twine &name, Type type,
                                         bool isConstant, function_ref<Value()> getValue) {
  auto global = LLVM::GlobalOp::create(b, loc, type, isConstant, LLVM::Linkage::Internal, name.str(),
                                       Attribute(), /*alignment=*/8);
  symbols.insert(global);
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, loc, getValue());
  return global;
}

LLVM::LLVMFuncOp LaunchLowering::getFunction(StringRef name, ArrayRef<Type> arguments) {
  if (auto known = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(
      b, module.getLoc(), name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), arguments));
  symbols.insert(function);
  return function;
}

/// The table of a module's images, one for each target.
LogicalResult LaunchLowering::addModule(gpu::BinaryOp binary) {
  Location loc = binary.getLoc();
  b.setInsertionPointToEnd(module.getBody());
  StringRef name = binary.getName();
  struct Image {
    LLVM::GlobalOp target, data;
    int64_t bytes;
  };
  SmallVector<Image> images;
  for (Attribute attribute : binary.getObjects()) {
    auto object = cast<gpu::ObjectAttr>(attribute);
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(object.getTarget());
    if (!target)
      return binary.emitError() << "expects code for NVIDIA targets, but got one for "
                                << object.getTarget();
    StringRef bytes = object.getObject().getValue();
    std::string chip = target.getChip().str();
    bool isText = object.getFormat() == gpu::CompilationTarget::Assembly;
    std::string tag = (isText ? "compute_" + StringRef(chip).drop_until(llvm::isDigit).str() : chip) + '\0';
    // Text ends in a zero, which upstream may have added.
    std::string data = bytes.str();
    if (isText && !bytes.ends_with(StringRef("\0", 1)))
      data += '\0';
    images.push_back({addBytes(loc, name + "_target", tag), addBytes(loc, name + "_image", data),
                      static_cast<int64_t>(data.size())});
  }
  auto tableType = LLVM::LLVMArrayType::get(imageType, images.size());
  LLVM::GlobalOp table = addGlobal(loc, name + "_images", tableType, /*isConstant=*/true, [&] {
    SmallVector<Value> entries;
    for (const Image &image : images)
      entries.push_back(fill(loc, imageType,
                             {addressOf(loc, image.target), addressOf(loc, image.data),
                              constant(loc, word, image.bytes)}));
    return fill(loc, tableType, entries);
  });
  modules[name] = addGlobal(loc, name + "_module", moduleType, /*isConstant=*/false, [&] {
    return fill(loc, moduleType,
                {constant(loc, word, images.size()), addressOf(loc, table),
                 LLVM::ZeroOp::create(b, loc, pointer)});
  });
  symbols.erase(binary);
  return success();
}

LLVM::GlobalOp LaunchLowering::getKernel(gpu::LaunchFuncOp launch) {
  Location loc = launch.getLoc();
  StringRef moduleName = launch.getKernelModuleName().getValue();
  StringRef name = launch.getKernelName().getValue();
  LLVM::GlobalOp &kernel = kernels[(moduleName + "::" + name).str()];
  if (!kernel) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    LLVM::GlobalOp text = addBytes(loc, name + "_name", (name + Twine('\0')).str());
    kernel = addGlobal(loc, name + "_state", kernelType, /*isConstant=*/false, [&] {
      return fill(loc, kernelType,
                  {addressOf(loc, modules[moduleName]), addressOf(loc, text),
                   LLVM::ZeroOp::create(b, loc, pointer)});
    });
  }
  return kernel;
}

/// Calls with a mark get the kernel of launches with the same one. Where there are none any more, nobody needs the
/// answer.
void LaunchLowering::passKernels(ArrayRef<gpu::LaunchFuncOp> launches) {
  DenseMap<Attribute, gpu::LaunchFuncOp> marked;
  for (gpu::LaunchFuncOp launch : launches)
    if (Attribute mark = launch->getAttr(kLaunchedKernelAttrName))
      marked.insert({mark, launch});
  module.walk([&](LLVM::CallOp call) {
    Attribute mark = call->removeAttr(kLaunchedKernelAttrName);
    if (!mark)
      return;
    b.setInsertionPoint(call);
    gpu::LaunchFuncOp launch = marked.lookup(mark);
    if (launch && modules.contains(launch.getKernelModuleName().getValue())) {
      call->setOperand(0, addressOf(call.getLoc(), getKernel(launch)));
      return;
    }
    call.getResult().replaceAllUsesWith(LLVM::ZeroOp::create(b, call.getLoc(), call.getResult().getType()));
    call.erase();
  });
}

LogicalResult LaunchLowering::lower(gpu::LaunchFuncOp launch) {
  Location loc = launch.getLoc();
  if (!modules.contains(launch.getKernelModuleName().getValue()))
    return launch.emitOpError("launches a kernel of which there is no code");
  if (launch.getAsyncObject() || launch.getAsyncToken() || !launch.getAsyncDependencies().empty())
    return launch.emitOpError("has a stream or tokens, which this lowering does not know");
  LLVM::GlobalOp kernel = getKernel(launch);

  // The parameters lie in the function's frame: memory taken in a loop would grow with it.
  Type index = b.getIntegerType(indexBitwidth);
  SmallVector<Type> types;
  for (Type type : launch.getKernelOperands().getTypes())
    types.push_back(type.isIndex() ? index : type);
  auto blockType = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  auto tableType = LLVM::LLVMArrayType::get(pointer, types.size());
  b.setInsertionPointToStart(
      &launch->getParentOfType<FunctionOpInterface>().getFunctionBody().front());
  Value one = constant(loc, word, 1);
  Value block = LLVM::AllocaOp::create(b, loc, pointer, blockType, one, /*alignment=*/16);
  Value table = LLVM::AllocaOp::create(b, loc, pointer, tableType, one, /*alignment=*/8);
  b.setInsertionPoint(launch);
  for (auto [i, operand] : llvm::enumerate(launch.getKernelOperands())) {
    auto number = static_cast<int32_t>(i);
    Value place = LLVM::GEPOp::create(b, loc, pointer, blockType, block,
                                      ArrayRef<LLVM::GEPArg>{0, number});
    Value value = operand;
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, index, value);
    LLVM::StoreOp::create(b, loc, value, place);
    LLVM::StoreOp::create(b, loc, place,
                          LLVM::GEPOp::create(b, loc, pointer, tableType, table,
                                              ArrayRef<LLVM::GEPArg>{0, number}));
  }
  Value shared = launch.getDynamicSharedMemorySize();
  if (!shared)
    shared = constant(loc, b.getI32Type(), 0);
  SmallVector<Value> sizes = {launch.getGridSizeX(), launch.getGridSizeY(), launch.getGridSizeZ(),
                              launch.getBlockSizeX(), launch.getBlockSizeY(), launch.getBlockSizeZ()};
  StringRef name = launch->hasAttr("lstm.together") ? "lstmCudaLaunchTogether"
                   : launch->hasAttr("lstm.early")  ? "lstmCudaLaunchEarly"
                                                    : "lstmCudaLaunch";
  if (launch.hasClusterSize()) {
    name = "lstmCudaLaunchClusters";
    sizes.append({launch.getClusterSizeX(), launch.getClusterSizeY(), launch.getClusterSizeZ()});
  }
  SmallVector<Type> parameters(1 + sizes.size(), word);
  parameters.front() = pointer;
  parameters.append({b.getI32Type(), pointer});
  LLVM::LLVMFuncOp callee = getFunction(name, parameters);
  SmallVector<Value> arguments = {addressOf(loc, kernel)};
  for (Value size : sizes)
    arguments.push_back(size.getType().isIndex()
                            ? arith::IndexCastOp::create(b, loc, word, size)
                            : size);
  arguments.append({shared, table});
  LLVM::CallOp::create(b, loc, callee, arguments);
  launch.erase();
  return success();
}

/// A destructor of the object that unloads its modules.
void LaunchLowering::addRelease() {
  LLVM::LLVMFuncOp release = getFunction("lstmCudaRelease", {pointer});
  Location loc = module.getLoc();
  b.setInsertionPointToEnd(module.getBody());
  auto destructor = LLVM::LLVMFuncOp::create(
      b, loc, "lstm_release_modules",
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {}),
      LLVM::Linkage::Internal);
  symbols.insert(destructor);
  b.setInsertionPointToStart(destructor.addEntryBlock(b));
  for (auto &entry : modules)
    LLVM::CallOp::create(b, loc, release, ValueRange(addressOf(loc, entry.second)));
  LLVM::ReturnOp::create(b, loc, ValueRange());
  b.setInsertionPointToEnd(module.getBody());
  constexpr int32_t lowestPriority = 65535;
  LLVM::GlobalDtorsOp::create(b, loc, b.getArrayAttr({FlatSymbolRefAttr::get(destructor)}),
                              b.getI32ArrayAttr({lowestPriority}),
                              b.getArrayAttr({LLVM::ZeroAttr::get(b.getContext())}));
}

LogicalResult LaunchLowering::run() {
  for (auto binary : llvm::make_early_inc_range(module.getOps<gpu::BinaryOp>()))
    if (failed(addModule(binary)))
      return failure();
  SmallVector<gpu::LaunchFuncOp> launches;
  module.walk([&](gpu::LaunchFuncOp launch) { launches.push_back(launch); });
  passKernels(launches);
  for (gpu::LaunchFuncOp launch : launches)
    if (failed(lower(launch)))
      return failure();
  if (!modules.empty())
    addRelease();
  module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  return success();
}

namespace {
struct LSTMLowerLaunchesPass
    : public lstm::impl::LSTMLowerLaunchesPassBase<LSTMLowerLaunchesPass> {
  using Base::Base;
  void runOnOperation() override {
    if (failed(LaunchLowering(getOperation(), indexBitwidth).run()))
      signalPassFailure();
  }
};
} // namespace
