//===- LinalgToCuBLAS.cpp - Contractions to products of matrices -----------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryRoots.h"
#include "lstm/Conversion/CuBLAS.h"
#include "lstm/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_CONVERTLINALGTOCUBLASPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

namespace {
/// What a loop of a contraction is in the product: `kBatch` stands in all operands,
/// m in A and C, n in B and C, k in A and B.
enum Role { kBatch, kM, kN, kK, kNumRoles };
/// The operands, by their numbers.
enum Operands { kA, kB, kC, kNumOperands };

/// Loops that become one dimension of a matrix, as an operand has them.
struct Axis {
  /// Dimensions of the operand, outermost first; none for an axis of size 1.
  SmallVector<int64_t> dims;
  /// kDynamic if not known.
  int64_t size = 1, stride = ShapedType::kDynamic;

  bool isContiguous() const { return dims.empty() || stride == 1; }
};

/// An operand as a matrix of a batch.
struct Matrix {
  Axis batch, rows, columns;
  bool transposed = false;

  /// Whether the library takes it: it has one stride, which is not less than a row.
  bool isValid() const {
    if (!columns.isContiguous())
      return false;
    return rows.dims.empty() || ShapedType::isDynamic(rows.stride) ||
           rows.stride >= (ShapedType::isDynamic(columns.size) ? 1 : columns.size);
  }
};

/// Finds the matrices in a contraction.
class Contraction {
public:
  explicit Contraction(linalg::LinalgOp op);

  /// Null if the contraction has a form in cuBLAS, else the reason why not.
  StringRef match();

  bool isBatched() const { return !loops[kBatch].empty(); }
  /// Makes the matrix of `operand`, of rank 2, or 3 in a batch.
  Value build(RewriterBase &rewriter, const Matrix &matrix, unsigned operand);

  /// The operands of the product: A and B have changed places where C lies transposed.
  unsigned a = kA, b = kB;
  Matrix matrixA, matrixB, matrixC;

private:
  MemRefType getType(unsigned operand) {
    return cast<MemRefType>(op->getOperand(operand).getType());
  }
  StringRef classifyLoops();
  StringRef collapseLoops();
  /// The loops of `role` as one dimension of `operand`, if they lie in memory so.
  std::optional<Axis> collapse(unsigned operand, Role role);

  linalg::LinalgOp op;
  SmallVector<AffineMap> maps;
  /// Static size of each loop, as far as any operand knows it.
  SmallVector<int64_t> sizes;
  /// Loops of each role, outermost first, without those of size 1, which lie anywhere.
  SmallVector<unsigned> loops[kNumRoles];
  Axis axes[kNumOperands][kNumRoles];
};
} // namespace

/// Whether `op` computes out += x * y on floats, widened or not.
static bool isSumOfProducts(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  auto add = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  bool sumFirst = add.getLhs() == body->getArgument(kC);
  if (!sumFirst && add.getRhs() != body->getArgument(kC))
    return false;
  auto product = (sumFirst ? add.getRhs() : add.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  auto getSource = [](Value value) {
    auto extension = value.getDefiningOp<arith::ExtFOp>();
    return extension ? extension.getIn() : value;
  };
  Value l = getSource(product.getLhs()), r = getSource(product.getRhs());
  Value x = body->getArgument(kA), y = body->getArgument(kB);
  return (l == x && r == y) || (l == y && r == x);
}

Contraction::Contraction(linalg::LinalgOp op)
    : op(op), maps(op.getIndexingMapsArray()), sizes(op.getNumLoops(), ShapedType::kDynamic) {
  for (auto [operand, map] : llvm::enumerate(maps))
    for (auto [dim, size] : llvm::enumerate(getType(operand).getShape()))
      if (!ShapedType::isDynamic(size))
        sizes[map.getDimPosition(dim)] = size;
}

StringRef Contraction::match() {
  if (!isSumOfProducts(op))
    return "it is not a sum of products of floats";
  Type input = getType(kA).getElementType();
  if (input != getType(kB).getElementType() || !cublas::isSupported(input, getType(kC).getElementType()))
    return "cuBLAS has no product of these types";
  for (unsigned operand = 0; operand < kNumOperands; ++operand) {
    if (getType(operand).getMemorySpace())
      return "an operand is not in the default memory space";
    if (!getType(operand).isStrided())
      return "an operand has no layout of strides";
  }
  if (op->getOperand(kC) == op->getOperand(kA) || op->getOperand(kC) == op->getOperand(kB))
    return "the destination is read as a factor";
  if (StringRef reason = classifyLoops(); reason.data())
    return reason;
  return collapseLoops();
}

StringRef Contraction::classifyLoops() {
  // In the order of the first operand that has them; collapse() checks the other one.
  SmallVector<unsigned> order;
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (unsigned loop = cast<AffineDimExpr>(expr).getPosition(); !llvm::is_contained(order, loop))
        order.push_back(loop);
  for (unsigned loop : order) {
    if (sizes[loop] == 1)
      continue;
    bool inA = maps[kA].isFunctionOfDim(loop), inB = maps[kB].isFunctionOfDim(loop),
         inC = maps[kC].isFunctionOfDim(loop);
    if (inA + inB + inC < 2)
      return "a dimension belongs to one operand alone";
    loops[!inC ? kK : !inB ? kM : !inA ? kN : kBatch].push_back(loop);
  }
  return {};
}

std::optional<Axis> Contraction::collapse(unsigned operand, Role role) {
  MemRefType type = getType(operand);
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  Axis axis;
  for (unsigned loop : loops[role]) {
    int64_t dim = *maps[operand].getResultPosition(getAffineDimExpr(loop, op->getContext()));
    if (!axis.dims.empty()) {
      int64_t outer = axis.dims.back();
      bool strideFits = !ShapedType::isDynamic(strides[outer]) && !ShapedType::isDynamic(strides[dim]) &&
                        !ShapedType::isDynamic(sizes[loop]) &&
                        strides[outer] == strides[dim] * sizes[loop];
      // Without a layout what stands side by side is contiguous, whatever the sizes.
      bool isAdjacent = outer < dim && llvm::all_of(llvm::seq(outer + 1, dim), [&](int64_t between) {
                          return sizes[maps[operand].getDimPosition(between)] == 1;
                        });
      if (!strideFits && !(type.getLayout().isIdentity() && isAdjacent))
        return std::nullopt;
    }
    axis.dims.push_back(dim);
    axis.stride = strides[dim];
    bool isStatic = !ShapedType::isDynamic(axis.size) && !ShapedType::isDynamic(sizes[loop]);
    axis.size = isStatic ? axis.size * sizes[loop] : ShapedType::kDynamic;
  }
  return axis;
}

StringRef Contraction::collapseLoops() {
  static constexpr Role kRoles[kNumOperands][3] = {
      {kBatch, kM, kK}, {kBatch, kK, kN}, {kBatch, kM, kN}};
  for (unsigned operand = 0; operand < kNumOperands; ++operand)
    for (Role role : kRoles[operand]) {
      std::optional<Axis> axis = collapse(operand, role);
      if (!axis)
        return "dimensions that belong together do not lie in memory as one";
      axes[operand][role] = *axis;
    }

  auto getMatrix = [&](unsigned operand, Role rows, Role columns) -> std::optional<Matrix> {
    Matrix plain{axes[operand][kBatch], axes[operand][rows], axes[operand][columns], false};
    if (plain.isValid())
      return plain;
    Matrix transposed{plain.batch, plain.columns, plain.rows, true};
    return transposed.isValid() ? std::optional(transposed) : std::nullopt;
  };
  constexpr StringRef noMatrix = "an operand has no dimension of stride 1 with rows that lie apart";
  std::optional<Matrix> c = getMatrix(kC, kM, kN);
  if (!c)
    return noMatrix;
  // The transposed product is op(B)^T op(A)^T.
  Role m = kM, n = kN;
  if (c->transposed) {
    std::swap(a, b);
    std::swap(m, n);
  }
  std::optional<Matrix> left = getMatrix(a, m, kK), right = getMatrix(b, kK, n);
  if (!left || !right)
    return noMatrix;
  matrixA = *left, matrixB = *right, matrixC = *c;
  return {};
}

Value Contraction::build(RewriterBase &rewriter, const Matrix &matrix, unsigned operand) {
  MemRefType type = getType(operand);
  Value memref = op->getOperand(operand);
  SmallVector<const Axis *> wanted = {&matrix.rows, &matrix.columns};
  if (isBatched())
    wanted.insert(wanted.begin(), &matrix.batch);

  auto [staticStrides, staticOffset] = type.getStridesAndOffset();
  bool isMatrix = type.getRank() == static_cast<int64_t>(wanted.size()) && staticStrides.back() == 1;
  for (auto [dim, axis] : llvm::enumerate(wanted))
    isMatrix = isMatrix && (axis->dims.empty() ? type.getDimSize(dim) == 1
                                               : axis->dims == ArrayRef<int64_t>(dim));
  if (isMatrix)
    return memref;

  Location loc = op.getLoc();
  auto metadata = memref::ExtractStridedMetadataOp::create(rewriter, loc, memref);
  auto get = [&](int64_t known, Value value) {
    return ShapedType::isDynamic(known) ? OpFoldResult(value)
                                        : OpFoldResult(rewriter.getIndexAttr(known));
  };
  AffineExpr product = rewriter.getAffineSymbolExpr(0) * rewriter.getAffineSymbolExpr(1);
  SmallVector<OpFoldResult> newSizes, newStrides;
  for (const Axis *axis : wanted) {
    OpFoldResult size = rewriter.getIndexAttr(1);
    for (int64_t dim : axis->dims) {
      OpFoldResult factor = get(sizes[maps[operand].getDimPosition(dim)], metadata.getSizes()[dim]);
      size = affine::makeComposedFoldedAffineApply(rewriter, loc, product, {size, factor});
    }
    newSizes.push_back(size);
    newStrides.push_back(axis->dims.empty() ? OpFoldResult()
                                            : get(axis->stride, metadata.getStrides()[axis->dims.back()]));
  }
  newStrides.back() = rewriter.getIndexAttr(1);
  // A single row has no next one: any stride will do that a leading dimension may have.
  if (OpFoldResult &leading = newStrides.end()[-2]; matrix.rows.dims.empty())
    leading = newSizes.back();

  OpFoldResult offset = get(staticOffset, metadata.getOffset());
  auto toStatic = [](OpFoldResult value) {
    return getConstantIntValue(value).value_or(ShapedType::kDynamic);
  };
  auto layout = StridedLayoutAttr::get(rewriter.getContext(), toStatic(offset),
                                       llvm::map_to_vector(newStrides, toStatic));
  auto newType = MemRefType::get(llvm::map_to_vector(newSizes, toStatic), type.getElementType(), layout);
  return memref::ReinterpretCastOp::create(rewriter, loc, newType, metadata.getBaseBuffer(), offset, newSizes,
                                           newStrides);
}

/// The fill with 0 of what `op` adds to, if nothing in between sees it.
static linalg::FillOp findZeroFill(linalg::LinalgOp op) {
  linalg::FillOp last;
  for (Operation *user : op->getOperand(kC).getUsers()) {
    auto fill = dyn_cast<linalg::FillOp>(user);
    if (fill && fill->getBlock() == op->getBlock() && fill->isBeforeInBlock(op) &&
        (!last || last->isBeforeInBlock(fill)))
      last = fill;
  }
  if (!last || !matchPattern(last.getInputs().front(), m_PosZeroFloat()))
    return {};
  Accesses filled(last);
  for (Operation *between = last->getNextNode(); between != op; between = between->getNextNode())
    if (Accesses(between).conflictsWith(filled))
      return {};
  return last;
}

LogicalResult lstm::convertLinalgToCuBLAS(RewriterBase &rewriter, linalg::LinalgOp op, bool allowTF32) {
  // Device code cannot call the library.
  if (op->getParentOfType<gpu::LaunchOp>() || op->getParentOfType<gpu::GPUModuleOp>())
    return failure();
  if (!linalg::isaContractionOpInterface(op) ||
      !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>))
    return failure();
  Contraction contraction(op);
  if (StringRef reason = contraction.match(); reason.data()) {
    remark::missed(op.getLoc(),
                   remark::RemarkOpts::name("NoLibraryProduct").category("convert-linalg-to-cublas"))
        << reason;
    return failure();
  }

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value a = contraction.build(rewriter, contraction.matrixA, contraction.a);
  Value b = contraction.build(rewriter, contraction.matrixB, contraction.b);
  Value c = contraction.build(rewriter, contraction.matrixC, kC);
  bool transposeA = contraction.matrixA.transposed, transposeB = contraction.matrixB.transposed;
  linalg::FillOp fill = findZeroFill(op);
  double beta = fill ? 0 : 1;
  std::optional<cublas::ComputeType> compute;
  if (allowTF32 && getElementTypeOrSelf(a).isF32())
    compute = cublas::ComputeType::TF32;
  if (contraction.isBatched())
    cublas::GemmStridedBatchedOp::create(rewriter, op.getLoc(), a, b, c, transposeA, transposeB,
                                         /*alpha=*/1.0, beta, compute);
  else
    cublas::GemmOp::create(rewriter, op.getLoc(), a, b, c, transposeA, transposeB, /*alpha=*/1.0, beta,
                           compute);
  if (fill)
    rewriter.eraseOp(fill);
  rewriter.eraseOp(op);
  return success();
}

namespace {
struct ConvertLinalgToCuBLAS : lstm::impl::ConvertLinalgToCuBLASPassBase<ConvertLinalgToCuBLAS> {
  using ConvertLinalgToCuBLASPassBase::ConvertLinalgToCuBLASPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    // Fills go together with what they are for: they are not looked at.
    llvm::erase_if(ops, [](linalg::LinalgOp op) { return isa<linalg::FillOp>(op); });
    for (linalg::LinalgOp op : ops)
      if (succeeded(convertLinalgToCuBLAS(rewriter, op, allowTF32)))
        ++numProducts;
  }
};
} // namespace
