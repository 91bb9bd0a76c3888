//===- FuseGates.cpp - One product of independent products -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/Transforms/BodyUtils.h"
#include "lstm/Dialect/LSTM/Transforms/Passes.h"
#include "lstm/Dialect/LSTM/Transforms/Transforms.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMFUSEGATESPASS
#include "lstm/Dialect/LSTM/Transforms/Passes.h.inc"
} // namespace mlir::lstm

#define DEBUG_TYPE "lstm-fuse-gates"

using namespace mlir;
using namespace mlir::lstm;

using ValuePair = std::pair<Value, Value>;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
/// One product of a gate.
struct Product {
  GateOp gate;
  Value lhs, weight;
  /// 1 for a weight [K, H], G for [K, G, H].
  int64_t getNumGates() const {
    return typeOf(weight).getRank() == 3 ? typeOf(weight).getDimSize(1) : 1;
  }
  int64_t getUnits() const { return typeOf(weight).getShape().back(); }
};

/// Where a weight or bias lies in a packed one: gate `gate` of `packed`.
struct Packed {
  Value source;
  int64_t gate;
};
} // namespace

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Recognizes packed[:, g, :] (a weight), packed[g, :] (a bias): whole but for
/// the gate axis, which is the second-last of `packed`.
static Packed getPacked(Value value) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !slice.hasUnitStride())
    return {};
  RankedTensorType source = slice.getSourceType();
  int64_t axis = source.getRank() - 2;
  if (axis < 0 || !dropsDim(slice, axis) || ShapedType::isDynamic(slice.getStaticOffsets()[axis]))
    return {};
  for (int64_t i = 0; i < source.getRank(); ++i) {
    if (i == axis)
      continue;
    if (slice.getStaticOffsets()[i] != 0)
      return {};
    OpFoldResult size = slice.getMixedSizes()[i];
    if (!(getSizeOrigin(size) == getSizeOrigin(slice.getSource(), i)))
      return {};
  }
  return {slice.getSource(), slice.getStaticOffsets()[axis]};
}

/// Lays values [K, H] or [K, Gi, H] (or [H]) next to each other along the gate
/// axis: [K, G, H] (or [G, H]).
static Value pack(RewriterBase &rewriter, Location loc, ArrayRef<Value> values, bool isBias) {
  // Slices of one tensor, one behind the other, are a slice of it, or it.
  Packed first = getPacked(values[0]);
  int64_t gates = 0;
  bool consecutive = bool(first.source);
  for (Value value : values) {
    if (consecutive) {
      Packed packed = getPacked(value);
      consecutive = packed.source == first.source && packed.gate == first.gate + gates;
    }
    gates += !isBias && typeOf(value).getRank() == 3 ? typeOf(value).getDimSize(1) : 1;
  }
  RankedTensorType type = typeOf(values[0]);
  Type element = type.getElementType();
  if (consecutive) {
    int64_t axis = typeOf(first.source).getRank() - 2;
    if (typeOf(first.source).getDimSize(axis) == gates)
      return first.source;
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, first.source);
    SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
        strides(sizes.size(), rewriter.getIndexAttr(1));
    offsets[axis] = rewriter.getIndexAttr(first.gate);
    sizes[axis] = rewriter.getIndexAttr(gates);
    return tensor::ExtractSliceOp::create(rewriter, loc, first.source, offsets, sizes, strides);
  }
  SmallVector<OpFoldResult> sizes;
  if (!isBias)
    sizes.push_back(getSize(rewriter, loc, values[0], 0));
  sizes.push_back(rewriter.getIndexAttr(gates));
  sizes.push_back(getSize(rewriter, loc, values[0], type.getRank() - 1));
  int64_t axis = sizes.size() - 2;
  Value packed = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  int64_t gate = 0;
  for (Value value : values) {
    int64_t count = !isBias && typeOf(value).getRank() == 3 ? typeOf(value).getDimSize(1) : 1;
    offsets[axis] = rewriter.getIndexAttr(gate);
    sizes[axis] = rewriter.getIndexAttr(count);
    packed = tensor::InsertSliceOp::create(rewriter, loc, value, packed, offsets, sizes, strides);
    gate += count;
  }
  return packed;
}

//===----------------------------------------------------------------------===//
// Fusing
//===----------------------------------------------------------------------===//

namespace {
/// A product made of several, and where its parts went.
struct Fused {
  GateOp product;
  /// The slice of each gate and the gate that adds it.
  SmallVector<std::pair<tensor::ExtractSliceOp, GateOp>> parts;
};

class Fuser {
public:
  Fuser(RewriterBase &rewriter, Block &block)
      : rewriter(rewriter), block(block), recurrence(dyn_cast<RecurrenceOp>(block.getParentOp())) {}

  FuseGatesResult run() {
    for (SmallVector<Product> &group : collectGroups())
      fuse(group);
    mergeSums();
    for (Fused &fused : all)
      if (fused.product)
        absorbBiases(fused);
    return result;
  }

private:
  RewriterBase &rewriter;
  Block &block;
  RecurrenceOp recurrence; // null for the block of a function
  SmallVector<Fused> all;
  FuseGatesResult result;

  /// Weights are laid out in front of the loop, or of the first product.
  Operation *getPackingPoint(GateOp first) {
    return recurrence ? recurrence.getOperation() : first.getOperation();
  }

  /// Whether `value` is computed from a product in this block.
  bool dependsOnProduct(Value value) {
    SmallVector<Value> work = {value};
    SmallPtrSet<Operation *, 16> seen;
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (!op || op->getBlock() != &block || !seen.insert(op).second)
        continue;
      if (auto gate = dyn_cast<GateOp>(op); gate && !gate.getDotLhs().empty())
        return true;
      llvm::append_range(work, op->getOperands());
    }
    return false;
  }

  /// Products of the same operand: they depend on it and on weights alone, so
  /// none depends on another.
  SmallVector<SmallVector<Product>> collectGroups() {
    SmallVector<SmallVector<Product>> groups;
    for (GateOp gate : block.getOps<GateOp>())
      for (auto [lhs, weight] : gate.getDots()) {
        Product product{gate, lhs, weight};
        auto fits = [&](ArrayRef<Product> group) {
          Product other = group.front();
          if (other.lhs != lhs || other.gate.getComputeType() != gate.getComputeType() ||
              typeOf(other.weight).getElementType() != typeOf(weight).getElementType() ||
              gate.getResultType().getDimSize(0) != other.gate.getResultType().getDimSize(0))
            return false;
          // A gate takes part in a group once: its slices must be apart.
          if (llvm::any_of(group, [&](Product p) { return p.gate == gate; }))
            return false;
          return getSizeOrigin(other.weight, typeOf(other.weight).getRank() - 1) ==
                 getSizeOrigin(weight, typeOf(weight).getRank() - 1);
        };
        auto group = llvm::find_if(groups, fits);
        if (group == groups.end())
          groups.push_back({product});
        else
          group->push_back(product);
      }
    return groups;
  }

  void fuse(SmallVector<Product> &group) {
    // What cannot be laid out in front of the loop takes no part.
    GateOp first = group.front().gate;
    for (Product product : group)
      if (product.gate->isBeforeInBlock(first))
        first = product.gate;
    llvm::erase_if(group, [&](Product product) {
      return failed(makeAvailableBefore(rewriter, product.weight, getPackingPoint(first)));
    });
    if (group.size() < 2) {
      if (!group.empty() && dependsOnProduct(group.front().lhs))
        remark::missed(group.front().gate.getLoc(), remark::RemarkOpts::name("FuseGates").category(DEBUG_TYPE))
            << remark::reason("the product's operand depends on another product of the same step");
      return;
    }
    // In the order in which a packed weight holds them; others as they come.
    SmallVector<Value> sources;
    auto position = [&](Product product) {
      Packed packed = getPacked(product.weight);
      Value source = packed.source ? packed.source : product.weight;
      auto it = llvm::find(sources, source);
      size_t index = it - sources.begin();
      if (it == sources.end())
        sources.push_back(source);
      return std::pair<size_t, int64_t>(index, packed.source ? packed.gate : 0);
    };
    auto keyed = llvm::map_to_vector(group, [&](Product p) { return std::pair(position(p), p); });
    llvm::stable_sort(keyed, [](auto &a, auto &b) { return a.first < b.first; });
    group = llvm::map_to_vector(keyed, [](auto &pair) { return pair.second; });

    Location loc = rewriter.getFusedLoc(
        llvm::map_to_vector(group, [](Product p) -> Location { return p.gate.getLoc(); }));
    rewriter.setInsertionPoint(getPackingPoint(first));
    Value weight = pack(rewriter, loc,
                        llvm::map_to_vector(group, [](Product p) { return p.weight; }),
                        /*isBias=*/false);
    int64_t gates = typeOf(weight).getDimSize(1);
    FloatType element = first.getComputeType();
    rewriter.setInsertionPoint(first);
    OpFoldResult rows = getSize(rewriter, loc, group.front().lhs, 0),
                 units = getSize(rewriter, loc, weight, 2);
    auto staticOf = [](OpFoldResult size) {
      return getConstantIntValue(size).value_or(ShapedType::kDynamic);
    };
    auto type = RankedTensorType::get({staticOf(rows), gates, staticOf(units)}, element);
    Fused fused;
    fused.product = GateOp::create(
        rewriter, loc, type, ActivationAttr::get(rewriter.getContext(), ActivationKind::Identity),
        ValuePair(group.front().lhs, weight), ArrayRef<ValuePair>(), ValueRange());

    OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
    int64_t gate = 0;
    for (Product product : group) {
      int64_t count = product.getNumGates();
      SmallVector<int64_t> shape = {staticOf(rows), staticOf(units)};
      if (product.gate.getResultType().getRank() == 3)
        shape.insert(shape.begin() + 1, count);
      auto partType = RankedTensorType::get(shape, element);
      auto part = tensor::ExtractSliceOp::create(
          rewriter, loc, partType, fused.product.getResult(),
          SmallVector<OpFoldResult>{zero, rewriter.getIndexAttr(gate), zero},
          SmallVector<OpFoldResult>{rows, rewriter.getIndexAttr(count), units},
          SmallVector<OpFoldResult>{one, one, one});
      SmallVector<Value> lhs, rhs, addends(product.gate.getAddends());
      bool found = false;
      for (auto [a, w] : product.gate.getDots()) {
        if (!found && a == product.lhs && w == product.weight) {
          found = true;
          continue;
        }
        lhs.push_back(a);
        rhs.push_back(w);
      }
      addends.push_back(part);
      GateOp changed = product.gate;
      rewriter.modifyOpInPlace(changed, [&] {
        changed.getDotLhsMutable().assign(lhs);
        changed.getDotRhsMutable().assign(rhs);
        changed.getAddendsMutable().assign(addends);
      });
      fused.parts.push_back({part, product.gate});
      gate += count;
      ++result.fused;
    }
    ++result.groups;
    remark::passed(loc, remark::RemarkOpts::name("FuseGates").category(DEBUG_TYPE))
        << remark::add("made one product of {0}", group.size());
    all.push_back(std::move(fused));
  }

  /// Two products whose parts are added in pairs, gate by gate, become one sum.
  void mergeSums() {
    for (Fused &into : all)
      for (Fused &from : all) {
        if (&into == &from || !into.product || !from.product ||
            into.parts.size() != from.parts.size() ||
            into.product.getResultType() != from.product.getResultType())
          continue;
        bool pairs = llvm::all_of(llvm::zip(into.parts, from.parts), [](auto pair) {
          auto &[a, b] = pair;
          return a.second == b.second && a.first.getType() == b.first.getType() &&
                 a.first.getStaticOffsets() == b.first.getStaticOffsets();
        });
        if (!pairs)
          continue;
        // The sum stands where the later of the two stands.
        GateOp later = into.product->isBeforeInBlock(from.product) ? from.product : into.product;
        if (later != into.product)
          std::swap(into, from);
        SmallVector<Value> lhs(from.product.getDotLhs()), rhs(from.product.getDotRhs());
        llvm::append_range(lhs, into.product.getDotLhs());
        llvm::append_range(rhs, into.product.getDotRhs());
        rewriter.modifyOpInPlace(into.product, [&] {
          into.product.getDotLhsMutable().assign(lhs);
          into.product.getDotRhsMutable().assign(rhs);
        });
        for (auto &[part, gate] : from.parts) {
          SmallVector<Value> addends(gate.getAddends());
          llvm::erase(addends, part.getResult());
          rewriter.modifyOpInPlace(gate, [&] { gate.getAddendsMutable().assign(addends); });
          rewriter.eraseOp(part);
        }
        rewriter.eraseOp(from.product);
        from.product = GateOp();
        --result.groups;
      }
  }

  /// Biases [H] that every part's gate has become one [G, H] of the product.
  void absorbBiases(Fused &fused) {
    if (fused.product.getResultType().getRank() != 3 ||
        llvm::any_of(fused.parts, [](auto &part) { return part.first.getType().getRank() != 2; }))
      return;
    while (true) {
      SmallVector<Value> biases;
      // Biases that lie in one packed tensor first: they need no copy.
      Value source;
      for (auto &[part, gate] : fused.parts) {
        Value found;
        for (Value addend : gate.getAddends()) {
          if (typeOf(addend).getRank() != 1)
            continue;
          Packed packed = getPacked(addend);
          bool first = biases.empty();
          bool fits = first || (source ? packed.source == source : !packed.source);
          if (fits && llvm::all_of(fused.parts, [&](auto &other) { return hasBiasLike(other.second, packed.source); })) {
            found = addend;
            source = packed.source;
            break;
          }
        }
        if (!found || failed(makeAvailableBefore(rewriter, found, getPackingPoint(fused.product))))
          return;
        biases.push_back(found);
      }
      if (!llvm::all_equal(llvm::map_range(biases, [](Value b) { return typeOf(b).getElementType(); })))
        return;
      rewriter.setInsertionPoint(getPackingPoint(fused.product));
      Value bias = pack(rewriter, fused.product.getLoc(), biases, /*isBias=*/true);
      rewriter.modifyOpInPlace(fused.product, [&] { fused.product.getAddendsMutable().append(bias); });
      for (auto [part, bias] : llvm::zip(fused.parts, biases)) {
        GateOp gate = part.second;
        SmallVector<Value> addends(gate.getAddends());
        addends.erase(llvm::find(addends, bias));
        rewriter.modifyOpInPlace(gate, [&] { gate.getAddendsMutable().assign(addends); });
      }
    }
  }

  static bool hasBiasLike(GateOp gate, Value source) {
    return llvm::any_of(gate.getAddends(), [&](Value addend) {
      return typeOf(addend).getRank() == 1 && getPacked(addend).source == source;
    });
  }
};

struct LSTMFuseGatesPass : public lstm::impl::LSTMFuseGatesPassBase<LSTMFuseGatesPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    FailureOr<FuseGatesResult> result = fuseGates(rewriter, getOperation());
    if (failed(result))
      return signalPassFailure();
    numRaised += result->raised;
    numFused += result->fused;
    numGroups += result->groups;
  }
};
} // namespace

FuseGatesResult lstm::fuseGates(RewriterBase &rewriter, Block &block) {
  OpBuilder::InsertionGuard guard(rewriter);
  return Fuser(rewriter, block).run();
}

FailureOr<FuseGatesResult> lstm::fuseGates(RewriterBase &rewriter, Operation *root) {
  auto countGates = [&] {
    unsigned count = 0;
    root->walk([&](GateOp) { ++count; });
    return count;
  };
  unsigned before = countGates();
  RewritePatternSet patterns(root->getContext());
  populateRaiseToGatesPatterns(patterns);
  GreedyRewriteConfig config;
  config.setListener(dyn_cast_if_present<RewriterBase::Listener>(rewriter.getListener()));
  if (failed(applyPatternsGreedily(root, std::move(patterns), config)))
    return emitError(root->getLoc(), "lstm-fuse-gates: raising products to gates did not converge");
  FuseGatesResult total;
  if (unsigned after = countGates(); after > before)
    total.raised = after - before;

  SmallVector<Block *> blocks;
  root->walk([&](Block *block) {
    if (!block->getOps<GateOp>().empty())
      blocks.push_back(block);
  });
  for (Block *block : blocks) {
    FuseGatesResult result = fuseGates(rewriter, *block);
    total.fused += result.fused;
    total.groups += result.groups;
  }
  return total;
}
