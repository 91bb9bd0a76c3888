//===- LSTMToCUDARuntime.cpp - The host's part of a program for GPUs -------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "ByteSize.h"
#include "CUDARuntime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_CONVERTLSTMTOCUDARUNTIMEPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

namespace {
/// Converts one function. Its memrefs are on the device; it runs on the host.
class HostConversion {
public:
  /// `graph`: whether the work may become a graph.
  HostConversion(func::FuncOp function, bool graph)
      : function(function), rewriter(function.getContext()),
        entry(&function.getFunctionBody().front()), loc(function.getLoc()),
        pointer(LLVM::LLVMPointerType::get(function.getContext())), word(rewriter.getI64Type()),
        isGraph(graph) {}

  LogicalResult run();

private:
  void giveResults();
  bool giveInPlace(Value result, int64_t index, func::ReturnOp exit);
  void giveCopy(Value result, int64_t index);
  void giveScalar(Value result);
  Value getResult(int64_t index, ArrayRef<OpFoldResult> sizes, MemRefType type);

  void convertAllocation(memref::AllocOp op);
  void convertConstant(memref::GetGlobalOp op);
  void convertCopy(memref::CopyOp op);
  void convertLoad(memref::LoadOp op);
  LogicalResult convertOperations();
  bool isForHost(Operation *op);
  void enter();

  Value getHostSlot(Type type, int64_t count);
  Value call(StringRef name, Type result, ValueRange arguments) {
    return callRuntime(rewriter, loc, name, result, arguments);
  }
  Value toWord(Value index) {
    return arith::IndexCastOp::create(rewriter, loc, word, index);
  }
  Value constantWord(int64_t value) {
    return arith::ConstantIntOp::create(rewriter, loc, value, 64);
  }

  func::FuncOp function;
  IRRewriter rewriter;
  Block *entry;
  Location loc;
  Type pointer, word;
  /// Whether the work is the same in each call of the same sizes, scalars and addresses.
  bool isGraph;
};
} // namespace

/// Memory of the host, in the function's frame.
Value HostConversion::getHostSlot(Type type, int64_t count) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(entry);
  return LLVM::AllocaOp::create(rewriter, loc, pointer, type, constantWord(count));
}

/// The sizes of a memref in row-major order that is `alloc`, or another shape of it, in
/// terms of what `alloc` is made from. Fails for any other.
static FailureOr<SmallVector<OpFoldResult>> getSizes(OpBuilder &b, Value value,
                                                     memref::AllocOp &alloc) {
  if ((alloc = value.getDefiningOp<memref::AllocOp>()))
    return alloc.getMixedSizes();
  if (auto cast = value.getDefiningOp<memref::CastOp>()) {
    if (isa<MemRefType>(cast.getSource().getType()))
      return getSizes(b, cast.getSource(), alloc);
    return failure();
  }
  if (auto expand = value.getDefiningOp<memref::ExpandShapeOp>()) {
    if (failed(getSizes(b, expand.getSrc(), alloc)))
      return failure();
    return expand.getMixedOutputShape();
  }
  if (auto collapse = value.getDefiningOp<memref::CollapseShapeOp>()) {
    FailureOr<SmallVector<OpFoldResult>> sizes = getSizes(b, collapse.getSrc(), alloc);
    if (failed(sizes))
      return failure();
    SmallVector<OpFoldResult> products;
    for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
      Value product = arith::ConstantIndexOp::create(b, value.getLoc(), 1);
      for (int64_t dim : group)
        product = b.createOrFold<arith::MulIOp>(
            value.getLoc(), product,
            getValueOrCreateConstantIndexOp(b, value.getLoc(), (*sizes)[dim]));
      products.push_back(product);
    }
    return products;
  }
  return failure();
}

/// The place of a result as a memref of its own type.
Value HostConversion::getResult(int64_t index, ArrayRef<OpFoldResult> sizes, MemRefType type) {
  Value shape = getHostSlot(word, std::max<int64_t>(1, sizes.size()));
  SmallVector<Value> dynamic;
  Value bytes = arith::ConstantIndexOp::create(rewriter, loc, getByteWidth(type.getElementType()));
  for (auto [i, size] : llvm::enumerate(sizes)) {
    Value value = getValueOrCreateConstantIndexOp(rewriter, loc, size);
    Value place = LLVM::GEPOp::create(rewriter, loc, pointer, word, shape,
                                      ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(i)));
    LLVM::StoreOp::create(rewriter, loc, toWord(value), place);
    bytes = rewriter.createOrFold<arith::MulIOp>(loc, bytes, value);
    if (type.isDynamicDim(i))
      dynamic.push_back(value);
  }
  Value data = call("lstmCudaGetResult", pointer, {constantWord(index), shape});
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  return memref::ViewOp::create(rewriter, loc, type, getMemRefAt(rewriter, loc, data, bytes), zero,
                                dynamic);
}

/// Makes the buffer of a result the caller's.
bool HostConversion::giveInPlace(Value result, int64_t index, func::ReturnOp exit) {
  rewriter.setInsertionPoint(exit);
  memref::AllocOp alloc;
  FailureOr<SmallVector<OpFoldResult>> sizes = getSizes(rewriter, result, alloc);
  if (failed(sizes) || alloc->getBlock() != entry || alloc->hasAttr("lstm.arena"))
    return false;
  // All that the sizes depend on has to stand before the buffer.
  for (OpFoldResult size : *sizes)
    if (auto value = dyn_cast<Value>(size))
      if (Operation *op = value.getDefiningOp())
        if (op->getBlock() != entry || !op->isBeforeInBlock(alloc)) {
          if (!isPure(op) || op->getBlock() != entry)
            return false;
          for (Value operand : op->getOperands())
            if (Operation *source = operand.getDefiningOp())
              if (!source->isBeforeInBlock(alloc) && !source->hasTrait<OpTrait::ConstantLike>())
                return false;
          for (Value operand : op->getOperands())
            if (Operation *source = operand.getDefiningOp())
              if (!source->isBeforeInBlock(alloc))
                rewriter.moveOpBefore(source, alloc);
          rewriter.moveOpBefore(op, alloc);
        }
  rewriter.setInsertionPoint(alloc);
  auto type = cast<MemRefType>(result.getType());
  Value place = getResult(index, *sizes, type);
  if (alloc.getType() != type) {
    // The same bytes in the buffer's own shape.
    Value bytes = getByteSize(rewriter, loc, alloc.getType(), alloc.getDynamicSizes());
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value data = getDevicePointer(rewriter, loc, place);
    place = memref::ViewOp::create(rewriter, loc, alloc.getType(),
                                   getMemRefAt(rewriter, loc, data, bytes), zero,
                                   alloc.getDynamicSizes());
  }
  rewriter.replaceOp(alloc, place);
  return true;
}

/// Copies a result that is an argument, a part of a buffer, or a second result.
void HostConversion::giveCopy(Value result, int64_t index) {
  auto type = cast<MemRefType>(result.getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0, e = type.getRank(); i < e; ++i)
    sizes.push_back(memref::getMixedSize(rewriter, loc, result, i));
  Value place = getResult(index, sizes, type);
  memref::CopyOp::create(rewriter, loc, result, place);
}

/// Stores a scalar at the address that the caller gives.
void HostConversion::giveScalar(Value result) {
  Value place = entry->addArgument(pointer, loc);
  if (result.getType().isIndex())
    result = toWord(result);
  LLVM::StoreOp::create(rewriter, loc, result, place);
}

void HostConversion::giveResults() {
  auto exit = cast<func::ReturnOp>(entry->getTerminator());
  for (int64_t i = 0, e = exit.getNumOperands(); i < e; ++i) {
    // A buffer that was replaced is not the operand any more.
    Value result = exit.getOperand(i);
    bool isMemRef = isa<MemRefType>(result.getType());
    if (isMemRef && giveInPlace(result, i, exit))
      continue;
    rewriter.setInsertionPoint(exit);
    isMemRef ? giveCopy(result, i) : giveScalar(result);
  }
  rewriter.modifyOpInPlace(exit, [&] { exit->setOperands(ValueRange()); });
  function.setFunctionType(rewriter.getFunctionType(entry->getArgumentTypes(), {}));
  function.removeResAttrsAttr();
}

void HostConversion::convertAllocation(memref::AllocOp op) {
  rewriter.setInsertionPoint(op);
  bool isArena = op->hasAttr("lstm.arena");
  Value bytes = getByteSize(rewriter, loc, op.getType(), op.getDynamicSizes());
  if (!isArena)
    isGraph = false;
  Value data = call(isArena ? "lstmCudaGetWorkspace" : "lstmCudaAllocate", pointer, toWord(bytes));
  Value memory = getMemRefAt(rewriter, loc, data, bytes);
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (isArena && isa<memref::DeallocOp>(user))
      rewriter.eraseOp(user);
  if (op.getType() != memory.getType()) {
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    memory = memref::ViewOp::create(rewriter, loc, op.getType(), memory, zero, op.getDynamicSizes());
  }
  rewriter.replaceOp(op, memory);
}

/// A constant's copy on the device, which the run-time library makes once.
void HostConversion::convertConstant(memref::GetGlobalOp op) {
  auto module = function->getParentOfType<ModuleOp>();
  auto type = LLVM::LLVMStructType::getLiteral(function.getContext(), {pointer, word, pointer});
  std::string name = (op.getName() + "_on_device").str();
  auto state = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!state) {
    rewriter.setInsertionPointToStart(module.getBody());
    state = LLVM::GlobalOp::create(rewriter, op.getLoc(), type, /*isConstant=*/false,
                                   LLVM::Linkage::Internal, name, Attribute(), /*alignment=*/8);
    rewriter.createBlock(&state.getInitializerRegion());
    Value zero = LLVM::ZeroOp::create(rewriter, op.getLoc(), type);
    LLVM::ReturnOp::create(rewriter, op.getLoc(), zero);
  }
  rewriter.setInsertionPointAfter(op);
  Value address = LLVM::AddressOfOp::create(rewriter, loc, state);
  Value host = getDevicePointer(rewriter, loc, op);
  Value bytes = arith::ConstantIndexOp::create(rewriter, loc, getKnownByteSize(op.getType()));
  SmallVector<Value> fields = {host, toWord(bytes)};
  for (auto [i, field] : llvm::enumerate(fields)) {
    SmallVector<LLVM::GEPArg> path = {0, static_cast<int32_t>(i)};
    LLVM::StoreOp::create(rewriter, loc, field,
                          LLVM::GEPOp::create(rewriter, loc, pointer, type, address, path));
  }
  Value data = call("lstmCudaGetConstant", pointer, address);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value copy = memref::ViewOp::create(rewriter, loc, op.getType(),
                                      getMemRefAt(rewriter, loc, data, bytes), zero, ValueRange());
  Operation *hostPointer = nullptr;
  for (Operation *user : op->getUsers())
    if (isa<memref::ExtractAlignedPointerAsIndexOp>(user) && user->getBlock() == op->getBlock() &&
        user->isBeforeInBlock(copy.getDefiningOp()))
      hostPointer = user;
  rewriter.replaceAllUsesExcept(op, copy, hostPointer);
}

void HostConversion::convertCopy(memref::CopyOp op) {
  rewriter.setInsertionPoint(op);
  auto type = cast<MemRefType>(op.getTarget().getType());
  SmallVector<Value> sizes;
  for (int64_t i = 0, e = type.getRank(); i < e; ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(rewriter, loc, op.getTarget(), i));
  Value bytes = getByteSize(rewriter, loc, type, sizes);
  Value target = getDevicePointer(rewriter, loc, op.getTarget());
  Value source = getDevicePointer(rewriter, loc, op.getSource());
  call("lstmCudaCopy", Type(), {target, source, toWord(bytes)});
  rewriter.eraseOp(op);
}

/// A scalar that the host needs, for a branch or a size.
void HostConversion::convertLoad(memref::LoadOp op) {
  isGraph = false;
  Type stored = op.getType().isIndex() ? word : op.getType();
  Value slot = getHostSlot(stored, 1);
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> offsets = getAsOpFoldResult(op.getIndices());
  SmallVector<OpFoldResult> ones(offsets.size(), rewriter.getIndexAttr(1));
  Value element = op.getMemRef();
  if (!offsets.empty())
    element = memref::SubViewOp::create(rewriter, loc, element, offsets, ones, ones);
  Value address = getDevicePointer(rewriter, loc, element);
  call("lstmCudaRead", Type(), {slot, address, constantWord(getByteWidth(stored))});
  Value value = LLVM::LoadOp::create(rewriter, loc, stored, slot);
  if (stored != op.getType())
    value = arith::IndexCastOp::create(rewriter, loc, op.getType(), value);
  rewriter.replaceOp(op, value);
}

LogicalResult HostConversion::convertOperations() {
  SmallVector<memref::AllocOp> arenas;
  WalkResult walk = function.walk([&](Operation *op) {
    if (isa<gpu::LaunchOp, gpu::GPUModuleOp>(op))
      return WalkResult::skip();
    if (isa<func::CallOp>(op)) {
      op->emitOpError("cannot be inlined, and code for GPUs has no calls");
      return WalkResult::interrupt();
    }
    if (auto alloc = dyn_cast<memref::AllocOp>(op); alloc && alloc->hasAttr("lstm.arena"))
      arenas.push_back(alloc);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  // Their deallocations go with them.
  for (memref::AllocOp alloc : arenas)
    convertAllocation(alloc);
  function.walk([&](memref::DeallocOp op) {
    rewriter.setInsertionPoint(op);
    call("lstmCudaDeallocate", Type(), getDevicePointer(rewriter, loc, op.getMemref()));
    rewriter.eraseOp(op);
  });
  SmallVector<Operation *> operations;
  function.walk([&](Operation *op) {
    if (isa<gpu::LaunchOp>(op))
      return WalkResult::skip();
    if (isa<memref::AllocOp, memref::GetGlobalOp, memref::CopyOp, memref::LoadOp>(op))
      operations.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : operations) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      convertAllocation(alloc);
    else if (auto global = dyn_cast<memref::GetGlobalOp>(op))
      convertConstant(global);
    else if (auto copy = dyn_cast<memref::CopyOp>(op))
      convertCopy(copy);
    else
      convertLoad(cast<memref::LoadOp>(op));
  }
  return success();
}

/// Whether an operation belongs before the work: sizes, checks, and the memory that the
/// work is given.
static bool isPreparation(Operation *op) {
  if (isa<CheckOp, cf::AssertOp>(op))
    return true;
  if (auto call = dyn_cast<LLVM::CallOp>(op)) {
    StringRef callee = call.getCallee().value_or("");
    return callee == "lstmCudaGetWorkspace" || callee == "lstmCudaGetResult" ||
           callee == "lstmCudaGetConstant";
  }
  if (op->getNumRegions() != 0)
    return isMemoryEffectFree(op);
  // The frame, and what is stored there: shapes and scalar results.
  return isa<LLVM::AllocaOp, LLVM::StoreOp>(op) || isPure(op);
}

/// Whether the host needs the operation in each call, also in one that a graph replays.
bool HostConversion::isForHost(Operation *op) {
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    auto place = dyn_cast<BlockArgument>(store.getAddr());
    return place && place.getOwner() == entry;
  }
  auto call = dyn_cast<LLVM::CallOp>(op);
  return call && llvm::is_contained({"lstmCudaGetWorkspace", "lstmCudaGetResult"},
                                    call.getCallee().value_or(""));
}

/// The memory that an address is in.
static Value getFrame(Value address) {
  while (auto element = address.getDefiningOp<LLVM::GEPOp>())
    address = element.getBase();
  return address;
}

/// Puts everything else under lstmCudaEnter.
void HostConversion::enter() {
  llvm::SmallPtrSet<Operation *, 32> prepared;
  SmallVector<Operation *> work;
  // What the work writes for the host, as a shape that the device says.
  llvm::SmallDenseSet<Value> late;
  for (Operation &op : entry->without_terminator()) {
    llvm::SetVector<Value> used(llvm::from_range, op.getOperands());
    getUsedValuesDefinedAbove(op.getRegions(), used);
    bool ready = isPreparation(&op) && llvm::all_of(used, [&](Value value) {
      Operation *source = value.getDefiningOp();
      return !late.contains(value) && (!source || prepared.contains(source));
    });
    if (ready) {
      prepared.insert(&op);
      continue;
    }
    work.push_back(&op);
    if (auto store = dyn_cast<LLVM::StoreOp>(op))
      late.insert(getFrame(store.getAddr()));
  }
  if (work.empty())
    return;
  for (Operation *op : work)
    op->walk([&](Operation *inner) { isGraph &= !isForHost(inner); });
  rewriter.setInsertionPoint(entry->getTerminator());
  Type i32 = rewriter.getI32Type();
  Value graph = arith::ConstantIntOp::create(rewriter, loc, isGraph, 32);
  Value entered = call("lstmCudaEnter", i32, graph);
  Value zero = arith::ConstantIntOp::create(rewriter, loc, 0, 32);
  Value runs = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne, entered, zero);
  auto branch = scf::IfOp::create(rewriter, loc, runs, /*withElseRegion=*/false);
  Operation *end = branch.thenBlock()->getTerminator();
  for (Operation *op : work)
    rewriter.moveOpBefore(op, end);
}

LogicalResult HostConversion::run() {
  if (!llvm::hasSingleElement(function.getFunctionBody()))
    return function.emitOpError("has several blocks; code for GPUs expects structured control flow");
  giveResults();
  if (failed(convertOperations()))
    return failure();
  enter();
  return success();
}

namespace {
struct ConvertLSTMToCUDARuntimePass
    : public lstm::impl::ConvertLSTMToCUDARuntimePassBase<ConvertLSTMToCUDARuntimePass> {
  using Base::Base;
  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal() && failed(HostConversion(function, graph).run()))
        return signalPassFailure();
  }
};
} // namespace
