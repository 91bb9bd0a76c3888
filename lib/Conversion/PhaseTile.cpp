//===- PhaseTile.cpp - The register tile of a phase ------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseTile.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Host.h"

#include <numeric>

using namespace mlir;
using namespace mlir::lstm;

VectorTarget VectorTarget::getHost() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("avx512f"))
    return {512};
  return {features.lookup("avx2") ? 256 : 128};
}

FloatType lstm::getVectorElementType(PhaseOp phase) {
  FloatType widest = Float32Type::get(phase.getContext());
  TypeRange types = phase.getBody().getArgumentTypes();
  if (int64_t count = phase.getNumAccumulators())
    types = types.take_front(count);
  for (Type type : types)
    if (auto floatType = dyn_cast<FloatType>(type))
      if (floatType.getWidth() > widest.getWidth())
        widest = floatType;
  return widest;
}

PhaseTile PhaseTile::get(PhaseOp phase, const VectorTarget &target) {
  PhaseTile tile;
  tile.lanes = std::max<int64_t>(1, target.bits / getVectorElementType(phase).getWidth());
  // AVX2 has 16 registers; AVX-512, and machines with narrow vectors of today, 32.
  bool hasManyRegisters = target.bits != 256;
  tile.maxAccumulators = hasManyRegisters ? 24 : 12;
  tile.rows = tile.gates = tile.vectors = 1;
  int64_t numGates = phase.getNumAccumulators();
  if (numGates == 0)
    return tile;

  for (Value weight : phase.getWeights())
    if (WeightLayout layout = WeightLayout::get(cast<ShapedType>(weight.getType())); layout.isPacked()) {
      tile.gates = layout.blockGates;
      tile.lanes = std::gcd(tile.lanes, layout.blockUnits);
      tile.vectors = layout.blockUnits / tile.lanes;
    }
  if (tile.gates * tile.vectors == 1) {
    // A step of k loads gates * vectors of W and broadcasts `rows` of the state: so
    // many vectors keep loads well below the products. Whole cache lines of a gate
    // first, as that is what a row of the other operands is made of; not where the
    // last line would be mostly empty.
    int64_t wanted = hasManyRegisters ? 4 : 2;
    int64_t units = cast<ShapedType>(phase.getOuts().front().getType()).getDimSize(1);
    int64_t line = std::max<int64_t>(1, 512 / target.bits);
    auto padded = [&](int64_t vectors) { return llvm::alignTo(units, vectors * tile.lanes); };
    if (!ShapedType::isDynamic(units) && units > 0 && 10 * padded(line) > 11 * padded(1))
      line = 1;
    tile.vectors = numGates == 1 ? wanted : std::min(line, wanted);
    int64_t gates = std::max<int64_t>(1, wanted / tile.vectors);
    tile.gates = tile.vectors == 1 && numGates % 3 == 0 ? 3 : std::gcd(numGates, gates);
  }
  int64_t maxRows = std::max<int64_t>(1, tile.maxAccumulators / (tile.gates * tile.vectors));
  tile.rows = target.rows > 0 ? target.rows : maxRows;
  return tile;
}

std::optional<std::pair<Location, StringRef>> lstm::findNotVectorizable(PhaseOp phase) {
  return findNotVectorizable(*phase.getBodyBlock());
}

std::optional<std::pair<Location, StringRef>> lstm::findNotVectorizable(Block &body) {
  using Found = std::pair<Location, StringRef>;
  auto isElement = [](Type type) { return VectorType::isValidElementType(type); };
  for (BlockArgument arg : body.getArguments())
    if (!isElement(arg.getType()))
      return Found{arg.getLoc(), "no vector has elements of this type"};
  for (Operation &op : body.without_terminator()) {
    bool isElementwise = OpTrait::hasElementwiseMappableTraits(&op) && isPure(&op);
    if (op.getNumRegions() != 0 || !(isElementwise || op.hasTrait<OpTrait::ConstantLike>()) ||
        !llvm::all_of(op.getOperandTypes(), isElement) ||
        !llvm::all_of(op.getResultTypes(), isElement))
      return Found{op.getLoc(), "this operation has no vector form"};
  }
  return std::nullopt;
}
