//===- OutlineParallel.cpp - Parallel regions to functions -----------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Done when everything else is in the LLVM dialect: whatever the region uses from
// outside is then a value that a structure can hold.
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"
#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMOUTLINEPARALLELPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

namespace {
class Outliner {
public:
  explicit Outliner(ModuleOp module) : module(module), symbols(module), b(module.getContext()) {}
  LogicalResult outline(ParallelOp parallel);

private:
  SmallVector<Value> capture(ParallelOp parallel);
  FailureOr<LLVM::LLVMFuncOp> declare(StringRef name, ArrayRef<Type> arguments);

  ModuleOp module;
  SymbolTable symbols;
  IRRewriter b;
};
} // namespace

FailureOr<LLVM::LLVMFuncOp> Outliner::declare(StringRef name, ArrayRef<Type> arguments) {
  return LLVM::lookupOrCreateFn(b, module, name, arguments, LLVM::LLVMVoidType::get(b.getContext()));
}

/// The values that come from outside, without constants: the region gets its own.
SmallVector<Value> Outliner::capture(ParallelOp parallel) {
  Region &body = parallel.getBody();
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(body, captured);
  b.setInsertionPointToStart(&body.front());
  SmallVector<Value> values;
  for (Value value : captured) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() != 0 || !isMemoryEffectFree(op)) {
      values.push_back(value);
      continue;
    }
    Operation *copy = b.clone(*op);
    b.replaceUsesWithIf(value, copy->getResult(cast<OpResult>(value).getResultNumber()),
                        [&](OpOperand &use) { return body.isAncestor(use.getOwner()->getParentRegion()); });
  }
  return values;
}

LogicalResult Outliner::outline(ParallelOp parallel) {
  auto function = parallel->getParentOfType<LLVM::LLVMFuncOp>();
  if (!function)
    return parallel.emitOpError("expects to be in a function of the LLVM dialect: convert the rest first");
  Location loc = parallel.getLoc();
  MLIRContext *context = b.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context), word = b.getI64Type();
  Region &body = parallel.getBody();
  SmallVector<Value> values = capture(parallel);
  for (Value value : values)
    if (!LLVM::isCompatibleType(value.getType()))
      return parallel.emitOpError("expects only values of the LLVM dialect from outside, but got type ")
             << value.getType();
  auto frameType = LLVM::LLVMStructType::getLiteral(context, llvm::to_vector(ValueRange(values).getTypes()));

  // The function.
  b.setInsertionPointAfter(function);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer, word, word});
  auto outlined = LLVM::LLVMFuncOp::create(b, loc, (function.getName() + "_parallel").str(), type,
                                           LLVM::Linkage::Internal);
  symbols.insert(outlined);
  Block *entry = outlined.addEntryBlock(b);
  Value frame = entry->getArgument(0), thread = entry->getArgument(1), count = entry->getArgument(2);
  b.setInsertionPointToEnd(entry);
  if (!values.empty()) {
    Value loaded = LLVM::LoadOp::create(b, loc, frameType, frame);
    for (auto [i, value] : llvm::enumerate(values)) {
      Value own = LLVM::ExtractValueOp::create(b, loc, loaded, i);
      b.replaceUsesWithIf(value, own, [&](OpOperand &use) {
        return body.isAncestor(use.getOwner()->getParentRegion());
      });
    }
  }
  FailureOr<LLVM::LLVMFuncOp> barrier = declare("lstmBarrier", {word, word});
  FailureOr<LLVM::LLVMFuncOp> start = declare("lstmParallel", {pointer, pointer});
  if (failed(barrier) || failed(start))
    return failure();
  body.walk([&](Operation *op) {
    b.setInsertionPoint(op);
    if (isa<BarrierOp>(op))
      b.replaceOpWithNewOp<LLVM::CallOp>(op, *barrier, ValueRange{thread, count});
    else if (isa<YieldOp>(op) && op->getParentOp() == parallel)
      b.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
  });
  Block *first = &body.front();
  b.inlineRegionBefore(body, outlined.getBody(), outlined.getBody().end());
  b.mergeBlocks(first, entry, {thread, count});

  // The call.
  b.setInsertionPointToStart(&function.getBody().front());
  Value one = LLVM::ConstantOp::create(b, loc, word, b.getI64IntegerAttr(1));
  Value memory = LLVM::AllocaOp::create(b, loc, pointer, frameType, one);
  b.setInsertionPoint(parallel);
  Value filled = LLVM::PoisonOp::create(b, loc, frameType);
  for (auto [i, value] : llvm::enumerate(values))
    filled = LLVM::InsertValueOp::create(b, loc, filled, value, i);
  LLVM::StoreOp::create(b, loc, filled, memory);
  Value address = LLVM::AddressOfOp::create(b, loc, outlined);
  b.replaceOpWithNewOp<LLVM::CallOp>(parallel, *start, ValueRange{address, memory});
  return success();
}

namespace {
struct LSTMOutlineParallelPass : lstm::impl::LSTMOutlineParallelPassBase<LSTMOutlineParallelPass> {
  void runOnOperation() override {
    SmallVector<ParallelOp> regions;
    getOperation().walk([&](ParallelOp op) { regions.push_back(op); });
    Outliner outliner(getOperation());
    for (ParallelOp op : regions)
      if (failed(outliner.outline(op)))
        return signalPassFailure();
  }
};
} // namespace
