//===- SplitProducts.cpp - Products of f32 as products of bf16 -------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryRoots.h"
#include "lstm/Conversion/CuBLAS.h"
#include "lstm/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMSPLITPRODUCTSPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// The parts of a number, 8 bits of its significand each.
static constexpr int64_t kParts = 3;

/// Rows of bf16 have to begin at multiples of 16 bytes, or cuBLAS takes slow kernels.
static constexpr int64_t kAlignment = 8;

/// What a kernel of cuBLAS does of k at a time.
static constexpr int64_t kTile = 64;

/// Whether an operation in `scope` may write to `memref` or a view of it, for which all uses have to be known.
/// Pointers of other operands are no reason, as they are for `Accesses`: a loop may hold kernels.
static bool mayWrite(Operation *scope, Value memref) {
  return llvm::any_of(memref.getUsers(), [&](Operation *user) {
    if (isa<ViewLikeOpInterface>(user))
      return llvm::any_of(user->getResults(), [&](Value result) {
        return isa<BaseMemRefType>(result.getType()) && mayWrite(scope, result);
      });
    // What looks like a value may be an address.
    bool isKnown = isa<MemoryEffectOpInterface>(user) && user->getNumRegions() <= 1 &&
                   (user->getNumResults() == 0 || isa<memref::DimOp, memref::LoadOp>(user));
    if (!isKnown)
      return !isa<FunctionOpInterface>(user->getParentOp()) || !user->hasTrait<OpTrait::ReturnLike>();
    SmallVector<MemoryEffects::EffectInstance> effects;
    cast<MemoryEffectOpInterface>(user).getEffects(effects);
    return scope->isAncestor(user) && llvm::any_of(effects, [&](const MemoryEffects::EffectInstance &effect) {
             return isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()) &&
                    (!effect.getValue() || effect.getValue() == memref);
           });
  });
}

/// Whether `value` is there before `op`, in which it is used, or can be computed there; then `needed` gets what
/// has to move there, in order.
static bool isAvailable(Value value, Operation *op, llvm::SetVector<Operation *> &needed) {
  Operation *definition = value.getDefiningOp();
  Operation *owner = definition ? definition : cast<BlockArgument>(value).getOwner()->getParentOp();
  if (!op->isAncestor(owner) || needed.contains(definition))
    return true;
  if (!definition || !isPure(definition) || definition->getNumRegions() != 0 ||
      !llvm::all_of(definition->getOperands(), [&](Value operand) { return isAvailable(operand, op, needed); }))
    return false;
  needed.insert(definition);
  return true;
}

static bool isAvailable(Value value, Operation *op) {
  llvm::SetVector<Operation *> needed;
  return isAvailable(value, op, needed);
}

static void makeAvailable(RewriterBase &b, Value value, Operation *op) {
  llvm::SetVector<Operation *> needed;
  isAvailable(value, op, needed);
  for (Operation *moved : needed)
    b.moveOpBefore(moved, op);
}

/// Whether the product is one of a step: it needs what the step before has written, and has few rows.
static bool isRecurrent(cublas::GemmOp product) {
  auto loop = product->getParentOfType<LoopLikeOpInterface>();
  if (!loop)
    return false;
  bool isInnermost = !loop->walk([&](LoopLikeOpInterface inner) {
                            return inner == loop ? WalkResult::advance() : WalkResult::interrupt();
                          }).wasInterrupted();
  return isInnermost && llvm::any_of(ValueRange{product.getA(), product.getB()}, [&](Value operand) {
           Value root = getMemoryRoot(operand);
           return !root || mayWrite(loop, root);
         });
}

/// Null if the product has a form in bf16 that may be faster, else the reason why not; empty where nobody
/// would expect one.
static StringRef findObstacle(cublas::GemmOp product, int64_t leastWidth) {
  if (!product.getA().getType().getElementType().isF32() || product.getComputeType() != cublas::ComputeType::F32 ||
      product.getAsyncToken() || !product.getAsyncDependencies().empty())
    return "";
  auto [m, n] = std::pair(product.getC().getType().getDimSize(0), product.getC().getType().getDimSize(1));
  int64_t k = product.getA().getType().getDimSize(product.getTransposeA() ? 0 : 1);
  if (isRecurrent(product))
    return "";
  if (ShapedType::isDynamic(n) || ShapedType::isDynamic(k))
    return "the sizes of what it is multiplied by are not known";
  if (n < leastWidth || k < leastWidth)
    return "what it is multiplied by is small";
  auto isAligned = [](int64_t size) { return !ShapedType::isDynamic(size) && size % kAlignment == 0; };
  if (!isAligned(n) || !isAligned(k) || (product.getTransposeA() && !isAligned(m)))
    return "rows of bf16 would not begin at multiples of 16 bytes";
  return {};
}

namespace {
/// One operand of a product: a matrix with k along one of its dimensions.
struct Operand {
  Value matrix;
  unsigned kDim;
  /// Whether the parts stand in the order from the smallest to the largest.
  bool ascending;
  /// Size of the other dimension, and of the room for it.
  OpFoldResult size, room;
  /// What the parts are made before.
  Operation *site;
  /// The parts side by side along k.
  Value parts;
};

class Splitter {
public:
  Splitter(RewriterBase &b, cublas::GemmOp product, const SplitProductsOptions &options)
      : b(b), loc(product.getLoc()), product(product), options(options), type(product.getC().getType()),
        n(type.getDimSize(1)), k(product.getA().getType().getDimSize(product.getTransposeA() ? 0 : 1)) {}
  LogicalResult run();

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  int64_t getLeastRows() { return std::max<int64_t>(options.rows, llvm::divideCeil(options.multiplications, n * k)); }
  Operation *findSite(Value matrix);
  OpFoldResult getRows();
  OpFoldResult findMostRows(Operation *site);
  OpFoldResult getRowsOfBuffer(Value buffer);
  Value allocate(const Operand &operand, Value isWorth);
  Value slice(const Operand &operand, int64_t from, int64_t size);
  void emitParts(const Operand &operand);
  void emitProducts();

  RewriterBase &b;
  Location loc;
  cublas::GemmOp product;
  SplitProductsOptions options;
  MemRefType type;
  int64_t n, k;
  OpFoldResult rows;
  Operand operands[2];
};
} // namespace

/// As far out as the parts of the matrix can be made: before loops in which it is not written.
Operation *Splitter::findSite(Value matrix) {
  Value root = getMemoryRoot(matrix);
  Operation *site = product, *op = product;
  while (root) {
    op = op->getParentOp();
    if (!isa<scf::ForOp, scf::IfOp, scf::ExecuteRegionOp>(op) || !isAvailable(matrix, op) || mayWrite(op, root))
      break;
    // Not before a branch alone: it may not be taken.
    if (!isa<scf::IfOp>(op))
      site = op;
  }
  // In a region, what stands before a loop may be enqueued on another branch than what stands in it.
  return site->getParentOfType<scf::ExecuteRegionOp>() ? product : site;
}

/// The number of rows, as it is known at the product.
OpFoldResult Splitter::getRows() {
  if (!type.isDynamicDim(0))
    return b.getIndexAttr(type.getDimSize(0));
  auto view = product.getC().getDefiningOp<memref::ReinterpretCastOp>();
  if (!view)
    return b.createOrFold<memref::DimOp>(loc, product.getC(), 0);
  Value size = cast<Value>(view.getMixedSizes().front());
  if (auto metadata = size.getDefiningOp<memref::ExtractStridedMetadataOp>())
    for (auto [dim, known] : llvm::enumerate(metadata.getSizes()))
      if (known == size)
        return b.createOrFold<memref::DimOp>(loc, metadata.getSource(), dim);
  return size;
}

/// How many rows fit into `buffer`.
OpFoldResult Splitter::getRowsOfBuffer(Value buffer) {
  int64_t known = 1;
  Value count;
  for (auto [dim, size] : llvm::enumerate(cast<MemRefType>(buffer.getType()).getShape())) {
    if (!ShapedType::isDynamic(size)) {
      known *= size;
      continue;
    }
    Value factor = b.createOrFold<memref::DimOp>(loc, buffer, dim);
    count = count ? b.createOrFold<arith::MulIOp>(loc, count, factor) : factor;
  }
  if (!count)
    return b.getIndexAttr(known / n);
  if (known % n == 0)
    return known == n ? count : b.createOrFold<arith::MulIOp>(loc, count, constant(known / n));
  return b.createOrFold<arith::DivUIOp>(loc, b.createOrFold<arith::MulIOp>(loc, count, constant(known)), constant(n));
}

/// What the number of rows is at most, before `site`; null if that is not known.
OpFoldResult Splitter::findMostRows(Operation *site) {
  auto value = dyn_cast<Value>(rows);
  if (!value || isAvailable(value, site)) {
    if (value)
      makeAvailable(b, value, site);
    return rows;
  }
  // A chunk's rows depend on the loop, the buffer that they go to does not.
  Value buffer = getMemoryRoot(product.getC());
  if (!buffer || !isAvailable(buffer, site))
    return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(site);
  return getRowsOfBuffer(buffer);
}

/// Room for the parts, none where they are not worth it.
Value Splitter::allocate(const Operand &operand, Value isWorth) {
  SmallVector<OpFoldResult> sizes(2, operand.room);
  sizes[operand.kDim] = b.getIndexAttr(kParts * k);
  if (isWorth)
    sizes[operand.kDim] = b.createOrFold<arith::SelectOp>(loc, isWorth, constant(kParts * k), constant(0));
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return memref::AllocOp::create(b, loc, MemRefType::get(shape, b.getBF16Type()), dynamic);
}

/// All parts' elements from `from` on along k, in the rows of the product.
Value Splitter::slice(const Operand &operand, int64_t from, int64_t size) {
  SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)), sizes(2, operand.size), strides(2, b.getIndexAttr(1));
  offsets[operand.kDim] = b.getIndexAttr(from);
  sizes[operand.kDim] = b.getIndexAttr(size);
  return memref::SubViewOp::create(b, loc, operand.parts, offsets, sizes, strides);
}

/// Three numbers of bf16, from the largest, of which `x` is the sum. They are cut off, not rounded, so none
/// overflows. Of an infinity they are 1, 0 and infinity, with its sign: as a first part it would meet second and third
/// parts that are 0.
static SmallVector<Value> cutIntoParts(OpBuilder &b, Location loc, Value x) {
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  auto constant = [&](uint32_t bits) -> Value { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(bits)); };
  auto toFloat = [&](Value bits) -> Value { return arith::BitcastOp::create(b, loc, f32, bits); };
  auto cut = [&](Value value) -> Value {
    Value bits = arith::BitcastOp::create(b, loc, i32, value);
    return toFloat(arith::AndIOp::create(b, loc, bits, constant(0xffff0000)));
  };
  Value bits = arith::BitcastOp::create(b, loc, i32, x), exponent = constant(0x7f800000);
  Value isFinite = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                         arith::AndIOp::create(b, loc, bits, exponent), exponent);
  Value sign = arith::AndIOp::create(b, loc, bits, constant(0x80000000));
  Value one = toFloat(arith::OrIOp::create(b, loc, sign, constant(0x3f800000)));
  Value first = arith::SelectOp::create(b, loc, isFinite, cut(x), one);
  Value rest = arith::SubFOp::create(b, loc, x, first);
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  Value second = arith::SelectOp::create(b, loc, isFinite, cut(rest), zero);
  Value third = arith::SubFOp::create(b, loc, rest, second);
  // Exact, but for what is below 2^-133.
  return llvm::map_to_vector(ArrayRef{first, second, third}, [&](Value part) -> Value {
    return arith::TruncFOp::create(b, loc, b.getBF16Type(), part);
  });
}

void Splitter::emitParts(const Operand &operand) {
  SmallVector<Value> outs;
  for (int64_t part = 0; part < kParts; ++part)
    outs.push_back(slice(operand, k * (operand.ascending ? kParts - 1 - part : part), k));
  SmallVector<AffineMap> maps(1 + kParts, b.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  linalg::GenericOp::create(b, loc, operand.matrix, outs, maps, loops,
                            [](OpBuilder &b, Location loc, ValueRange elements) {
                              linalg::YieldOp::create(b, loc, cutIntoParts(b, loc, elements.front()));
                            });
}

/// From the smallest terms to the largest. With [a m l] and [r q p] those of the last two parts are products of
/// the whole and of [a m] and [q p].
void Splitter::emitProducts() {
  APFloat beta = product.getBeta();
  auto multiply = [&](int64_t fromA, int64_t fromB, int64_t size) {
    cublas::GemmOp::create(b, loc, slice(operands[0], fromA, size), slice(operands[1], fromB, size), product.getC(),
                           product.getTransposeA(), product.getTransposeB(), product.getAlpha().convertToDouble(),
                           beta.convertToDouble());
    beta = APFloat(1.0);
  };
  for (int64_t part = 0; part < kParts - 1; ++part)
    multiply(0, part * k, (kParts - part) * k);
  // Tensor cores cut off what they add, so the error grows with the number of additions.
  int64_t equal = llvm::divideCeil(k, llvm::divideCeil(k, options.chunk));
  int64_t chunk = std::min<int64_t>(llvm::alignTo(equal, kTile), options.chunk);
  for (int64_t from = 0; from < k; from += chunk)
    multiply(from, (kParts - 1) * k + from, std::min(chunk, k - from));
}

LogicalResult Splitter::run() {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(product);
  rows = getRows();
  Value left = product.getA(), right = product.getB();
  Operation *siteA = findSite(left), *siteB = findSite(right), *first = siteA->isAncestor(siteB) ? siteA : siteB;
  OpFoldResult mostRows = findMostRows(first), columns = b.getIndexAttr(n);
  if (!mostRows) {
    first = siteA = siteB = product;
    mostRows = rows;
  }
  operands[0] = {left, product.getTransposeA() ? 0u : 1u, /*ascending=*/false, rows, mostRows, siteA, {}};
  operands[1] = {right, product.getTransposeB() ? 1u : 0u, /*ascending=*/true, columns, columns, siteB, {}};

  Value isWorth;
  if (std::optional<int64_t> known = getConstantIntValue(mostRows)) {
    if (*known < getLeastRows())
      return failure();
  } else {
    b.setInsertionPoint(first);
    isWorth = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, cast<Value>(mostRows), constant(getLeastRows()));
  }

  // Before loops.
  for (Operand &operand : operands) {
    if (operand.site == product)
      continue;
    makeAvailable(b, operand.matrix, operand.site);
    b.setInsertionPoint(operand.site);
    operand.parts = allocate(operand, isWorth);
    if (isWorth)
      b.setInsertionPointToStart(scf::IfOp::create(b, loc, isWorth, /*withElseRegion=*/false).thenBlock());
    emitParts(operand);
  }
  // In them.
  b.setInsertionPoint(product);
  if (isWorth) {
    auto branch = scf::IfOp::create(b, loc, isWorth, /*withElseRegion=*/true);
    b.moveOpBefore(product, branch.elseBlock(), branch.elseBlock()->begin());
    b.setInsertionPointToStart(branch.thenBlock());
  }
  for (Operand &operand : operands) {
    if (operand.parts)
      continue;
    operand.parts = allocate(operand, /*isWorth=*/{});
    emitParts(operand);
  }
  emitProducts();
  if (!isWorth)
    b.eraseOp(product);
  return success();
}

LogicalResult lstm::splitProduct(RewriterBase &rewriter, cublas::GemmOp product, const SplitProductsOptions &options) {
  if (StringRef reason = findObstacle(product, options.width); reason.data()) {
    if (!reason.empty())
      remark::missed(product.getLoc(), remark::RemarkOpts::name("NotSplit").category("lstm-split-products")) << reason;
    return failure();
  }
  return Splitter(rewriter, product, options).run();
}

namespace {
struct LSTMSplitProductsPass : lstm::impl::LSTMSplitProductsPassBase<LSTMSplitProductsPass> {
  using LSTMSplitProductsPassBase::LSTMSplitProductsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto expects = [&](const Option<int64_t> &option, const Twine &what) {
      return emitError(UnknownLoc::get(context)) << "lstm-split-products: expects " << option.getArgStr() << " to be "
                                                 << what << ", but got " << option.getValue();
    };
    for (const Option<int64_t> *option : {&rows, &multiplications})
      if (option->getValue() < 0)
        return expects(*option, "0 or more");
    if (width < 1)
      return expects(width, "positive");
    if (chunk < 1 || chunk % kAlignment != 0)
      return expects(chunk, "a positive multiple of " + Twine(kAlignment));
    return success();
  }

  void runOnOperation() override {
    SmallVector<cublas::GemmOp> products;
    getOperation()->walk([&](cublas::GemmOp product) { products.push_back(product); });
    IRRewriter rewriter(&getContext());
    for (cublas::GemmOp product : products)
      numSplit += succeeded(splitProduct(rewriter, product, {rows, multiplications, width, chunk}));
  }
};
} // namespace
