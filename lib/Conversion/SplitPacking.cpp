//===- SplitPacking.cpp - A function of its own for what weights alone decide ===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"
#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMSPLITPACKINGPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// The values that `op` and its regions use from outside of it.
static SetVector<Value> getUsedValues(Operation *op) {
  SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

/// Whether it is as well to do `op` again as to pass its result on.
static bool isCheap(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  bool isScalar = isa<arith::ArithDialect>(op->getDialect()) &&
                  llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
  return isScalar || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<tensor::EmptyOp, tensor::DimOp, tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

namespace {
class Splitter {
public:
  Splitter(func::FuncOp function, SymbolTable &symbols) : function(function), symbols(symbols) {}
  /// Whether there was something to split.
  bool run();

private:
  Block &body() { return function.getBody().front(); }
  /// Whether there is a weight that is packed of arguments and constants alone.
  bool findWeights();
  void findWork();
  func::FuncOp createPack();
  func::FuncOp createPacked();

  func::FuncOp function;
  SymbolTable &symbols;
  /// Arguments that packed weights come from.
  SetVector<Value> weights;
  /// What depends on nothing but them.
  SetVector<Operation *> work;
  /// Results of that work that the rest of the function needs.
  SetVector<Value> packed;
};
} // namespace

/// Collects the arguments that `value` depends on. Returns an operation with effects
/// that it depends on as well, or null.
static Operation *collectArguments(Value value, SetVector<Value> &arguments, DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return nullptr;
  Operation *op = value.getDefiningOp();
  if (!op) {
    arguments.insert(value);
    return nullptr;
  }
  if (!isMemoryEffectFree(op))
    return op;
  for (Value used : getUsedValues(op))
    if (Operation *obstacle = collectArguments(used, arguments, seen))
      return obstacle;
  return nullptr;
}

bool Splitter::findWeights() {
  bool isAny = false;
  for (auto pack : body().getOps<linalg::PackOp>()) {
    SetVector<Value> arguments;
    DenseSet<Value> seen;
    if (Operation *obstacle = collectArguments(pack->getResult(0), arguments, seen)) {
      remark::missed(obstacle->getLoc(),
                     remark::RemarkOpts::name("PackedEachCall").category("lstm-split-packing"))
          << "a weight depends on this operation, which has effects";
      continue;
    }
    isAny = true;
    weights.insert(arguments.begin(), arguments.end());
  }
  return isAny;
}

void Splitter::findWork() {
  for (Operation &op : body().without_terminator()) {
    bool isWork = isMemoryEffectFree(&op) || isa<CheckOp>(op);
    if (isWork && llvm::all_of(getUsedValues(&op), [&](Value value) {
          return weights.contains(value) || work.contains(value.getDefiningOp());
        }))
      work.insert(&op);
  }
  // What is cheap is done again, and with it what it needs.
  SmallVector<Operation *> needed;
  for (Operation &op : body())
    if (!work.contains(&op))
      needed.push_back(&op);
  DenseSet<Operation *> seen;
  while (!needed.empty())
    for (Value value : getUsedValues(needed.pop_back_val())) {
      Operation *op = value.getDefiningOp();
      if (!work.contains(op) || !seen.insert(op).second)
        continue;
      if (isCheap(op))
        needed.push_back(op);
      else
        packed.insert_range(op->getResults());
    }
  packed.remove_if([](Value value) { return value.use_empty(); });
}

static void addArgument(func::FuncOp to, func::FuncOp from, Value argument) {
  unsigned index = cast<BlockArgument>(argument).getArgNumber();
  (void)to.insertArgument(to.getNumArguments(), argument.getType(), from.getArgAttrDict(index), argument.getLoc());
}

/// `@f_pack`: the work.
func::FuncOp Splitter::createPack() {
  OpBuilder b(function.getContext());
  auto pack = func::FuncOp::create(function.getLoc(), (function.getName() + "_pack").str(),
                                   b.getFunctionType({}, llvm::to_vector(ValueRange(packed.getArrayRef()).getTypes())));
  pack.setVisibility(function.getVisibility());
  IRMapping mapping;
  pack.addEntryBlock();
  for (Value weight : weights) {
    addArgument(pack, function, weight);
    mapping.map(weight, pack.getArguments().back());
  }
  b.setInsertionPointToEnd(&pack.getBody().front());
  for (Operation *op : work)
    b.clone(*op, mapping);
  SmallVector<Value> results =
      llvm::map_to_vector(packed, [&](Value value) { return mapping.lookup(value); });
  func::ReturnOp::create(b, function.getLoc(), results);
  for (unsigned i = 0; i < results.size(); ++i)
    pack.setResultAttr(i, "lstm.name", b.getStringAttr("packed" + Twine(i)));
  symbols.insert(pack, std::next(function->getIterator()));
  return pack;
}

/// `@f_packed`: the rest.
func::FuncOp Splitter::createPacked() {
  Builder b(function.getContext());
  IRMapping mapping;
  auto rest = cast<func::FuncOp>(function->clone(mapping));
  rest.setName((function.getName() + "_packed").str());
  for (auto [i, value] : llvm::enumerate(packed)) {
    unsigned index = rest.getNumArguments();
    (void)rest.insertArgument(index, value.getType(), {}, value.getLoc());
    rest.setArgAttr(index, "lstm.name", b.getStringAttr("packed" + Twine(i)));
    mapping.lookup(value).replaceAllUsesWith(rest.getArgument(index));
  }
  for (Operation *op : llvm::reverse(work))
    if (Operation *copy = mapping.lookup(op); copy->use_empty())
      copy->erase();
  symbols.insert(rest, std::next(function->getIterator(), 2));
  return rest;
}

bool Splitter::run() {
  if (!findWeights())
    return false;
  findWork();
  if (packed.empty())
    return false;
  func::FuncOp pack = createPack(), rest = createPacked();

  // What the rest does not need of the weights it does not take.
  SmallVector<Value> arguments;
  llvm::BitVector dropped(rest.getNumArguments());
  SmallVector<int64_t> kept;
  for (BlockArgument argument : function.getArguments()) {
    if (weights.contains(argument) && rest.getArgument(argument.getArgNumber()).use_empty()) {
      dropped.set(argument.getArgNumber());
      continue;
    }
    kept.push_back(argument.getArgNumber());
    arguments.push_back(argument);
  }
  (void)rest.eraseArguments(dropped);
  // Which arguments of `@f` come first in `@f_packed` and which ones `@f_pack` takes.
  OpBuilder b(function.getContext());
  rest->setAttr("lstm.arguments", b.getDenseI64ArrayAttr(kept));
  SmallVector<int64_t> taken = llvm::map_to_vector(
      weights, [](Value weight) -> int64_t { return cast<BlockArgument>(weight).getArgNumber(); });
  pack->setAttr("lstm.arguments", b.getDenseI64ArrayAttr(taken));

  // `@f` does both.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body()))) {
    op.dropAllUses();
    op.erase();
  }
  b.setInsertionPointToEnd(&body());
  auto packing = func::CallOp::create(b, function.getLoc(), pack, weights.getArrayRef());
  llvm::append_range(arguments, packing.getResults());
  auto call = func::CallOp::create(b, function.getLoc(), rest, arguments);
  func::ReturnOp::create(b, function.getLoc(), call.getResults());
  return true;
}

namespace {
struct LSTMSplitPackingPass : lstm::impl::LSTMSplitPackingPassBase<LSTMSplitPackingPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (function.isPublic() && !function.isExternal() && function.getBody().hasOneBlock() &&
          Splitter(function, symbols).run())
        ++numSplit;
  }
};
} // namespace
