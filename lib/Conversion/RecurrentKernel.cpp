//===- RecurrentKernel.cpp - A recurrence in one kernel --------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel loads its weights once, then does for every step and phase, and for its tiles of
// rows: read what is projected, multiply, sum the partial sums of the warps in shared memory,
// map with the phase's region, store, and publish what is projected next.
//
// What is projected goes through memory with a slot for each step of a launch, which is all
// ones at first. A word is written once, and never all ones, so that it says itself that it is
// there: readers ask until it is. No order between two addresses is relied on.
//
// Everything else is read by the thread that writes it, as a thread has the same (row,
// unit) in all phases of one width.
//
//===----------------------------------------------------------------------===//

#include "RecurrentKernel.h"

#include "ByteSize.h"
#include "CUDARuntime.h"
#include "KernelLayout.h"
#include "MemoryRoots.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::lstm;

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {
class KernelEmitter {
public:
  KernelEmitter(RewriterBase &rewriter, const RecurrentLoop &loop, const KernelPlan &plan)
      : source(loop.loop), b(source.getLoc(), rewriter), loop(loop), plan(plan), layout(loop, plan),
        global(LLVM::LLVMPointerType::get(b.getContext(), 1)),
        shared(LLVM::LLVMPointerType::get(b.getContext(), 3)) {}

  void emit(Value multiprocessors, Value memory);

private:
  // Integers; all but words are of index type.
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value word(int64_t value) { return arith::ConstantIntOp::create(b, value, 32); }
  Value add(Value l, Value r) { return b.createOrFold<arith::AddIOp>(l, r); }
  Value mul(Value l, Value r) { return b.createOrFold<arith::MulIOp>(l, r); }
  Value mul(Value l, int64_t r) { return mul(l, index(r)); }
  Value div(Value l, int64_t r) { return b.createOrFold<arith::DivUIOp>(l, index(r)); }
  Value rem(Value l, int64_t r) { return b.createOrFold<arith::RemUIOp>(l, index(r)); }
  Value min(Value l, Value r) { return b.createOrFold<arith::MinUIOp>(l, r); }
  Value isLess(Value l, Value r) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, l, r);
  }
  Value conjoin(Value l, Value r) { return l && r ? b.createOrFold<arith::AndIOp>(l, r) : l ? l : r; }
  /// Where an exchange has what was before a step.
  Value getSlot(Value count) { return b.createOrFold<arith::SubIOp>(count, begin); }
  Value last(Value size) { return b.createOrFold<arith::SubIOp>(size, index(1)); }

  /// Runs `body` where `condition` holds, everywhere if it is null; elsewhere its values are
  /// zero.
  SmallVector<Value> guarded(Value condition, TypeRange types,
                             function_ref<SmallVector<Value>()> body);

  /// An instruction that stays where it is.
  Value assembly(StringRef text, StringRef constraints, Type result, ValueRange operands) {
    return emitAssembly(b, text, constraints, result, operands, /*hasEffects=*/true);
  }
  Value isAny(Value condition);

  // Memory.
  Value advance(Value pointer, Value bytes);
  Value address(Value memref, ArrayRef<Value> indices, const IRMapping &step);
  Value exchangeAddress(unsigned exchange, Value slot, unsigned plane, Value row, Value word);
  IRMapping computeStep(Value count);

  // Work.
  void emitKernel();
  void loadWeights(unsigned number);
  Value loadWeightWord(unsigned number, const Slot &slot, Value row, int64_t word, unsigned plane,
                       SmallVectorImpl<Value> &cache);
  void publishInitial(unsigned exchange);
  using Part = Value (KernelEmitter::*)(unsigned number, Value count, const IRMapping &step,
                                        Value flip);
  Value emitProductPart(unsigned number, Value count, const IRMapping &step, Value flip);
  Value emitMapPart(unsigned number, Value count, const IRMapping &step, Value flip);
  void emitSteps(Part part);
  enum class Handover { Full, Empty };
  void meet(Handover event, Value flip, bool waits);

  /// Words of a tile of 8 rows that are multiplied with a slot's weights.
  struct Fragment {
    unsigned slot;
    int64_t n;
  };
  struct Request {
    const Projection *projection;
    ProductFormat format;
    Value step, row, chunk, isInside;
  };
  using Accumulators = SmallVector<SmallVector<Value>>;
  Request getRequest(unsigned number, const Fragment &fragment, Value count, Value tile);
  SmallVector<Value> ask(unsigned number, ArrayRef<Fragment> fragments, Value count,
                         const IRMapping &step, Value tile);
  Value getRequestAddress(const Request &request, unsigned plane);
  SmallVector<Value> askFor(const Request &request);
  SmallVector<Value> waitFor(unsigned number, ArrayRef<Fragment> fragments, Value count, Value tile,
                             ValueRange asked);
  SmallVector<Value> askAgain(Value address, Value missing, ValueRange known);
  void multiply(unsigned number, ArrayRef<Fragment> fragments, ValueRange asked, Value count,
                Value tile, Accumulators &accumulators);
  void storeSums(unsigned number, const Accumulators &accumulators, Value flip);
  SmallVector<Value> getSlotWeights(unsigned number, unsigned slot);
  Value getChunk(const Slot &slot, ProductFormat format, const Projection &projection);
  SmallVector<Value> readOperand(const Projection &projection, const IRMapping &step, Value row,
                                 Value chunk);

  /// An element (row, unit) that a thread maps.
  struct Item {
    /// Whether the thread has it; null if all do.
    Value exists;
    /// In the tile and the block.
    Value tileRow, blockUnit;
    /// In the arrays, kept in bounds; whether they were.
    Value row, unit, paddedUnit, isRow, isUnit;
  };
  int64_t getNumItems(unsigned number) {
    return llvm::divideCeil(layout.phases[number].getNumItems(plan), plan.getNumMapThreads());
  }
  Item getItem(unsigned number, int64_t i, Value tile);
  SmallVector<Value> loadTile(unsigned number, Value count, const IRMapping &step, Value tile);
  SmallVector<Value> loadInputs(unsigned number, const Item &item, const IRMapping &step);
  bool approximate(Operation &op, IRMapping &mapping);
  SmallVector<Value> sumProducts(unsigned number, const Item &item, Value flip);
  void mapItem(unsigned number, const Item &item, ValueRange products, ValueRange inputs,
               Value count, const IRMapping &step);
  void publish(unsigned exchange, const Item &item, Value slot, Value value);
  void prefetch(unsigned number, const Item &item, Value count);

  scf::ForOp source;
  ImplicitLocOpBuilder b;
  const RecurrentLoop &loop;
  const KernelPlan &plan;
  KernelLayout layout;
  Type global, shared;

  gpu::LaunchOp launch;
  Value rows, steps, tiles, passes;
  /// The steps of a launch, and how many slots an exchange has.
  Value begin, end, slots;
  /// Of the kernel: numbers of the thread, its warp, its lane's row and column of a
  /// fragment, its block among those that share units.
  Value thread, mapThread, warp, laneRow, laneColumn, block, firstTile, endTile;
  Value sharedMemory, exchangeMemory;
  struct Memory {
    Value pointer;
    SmallVector<OpFoldResult> strides;
  };
  llvm::DenseMap<Value, Memory> memories;
  /// Weights in registers, by phase and slot: [plane][tile][8 words].
  llvm::DenseMap<std::pair<unsigned, unsigned>, SmallVector<Value>> weights;
};
} // namespace

/// Whether a condition holds in some lane of the warp.
Value KernelEmitter::isAny(Value condition) {
  Value bits = arith::ExtUIOp::create(b, b.getI32Type(), condition);
  Value any = assembly("{ .reg .pred p; setp.ne.u32 p, $1, 0; vote.sync.any.pred p, p, -1; "
                       "selp.u32 $0, 1, 0, p; }",
                       "=r,r", b.getI32Type(), bits);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, any, word(0));
}

SmallVector<Value> KernelEmitter::guarded(Value condition, TypeRange types,
                                          function_ref<SmallVector<Value>()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, types, condition, /*withElseRegion=*/!types.empty());
  {
    OpBuilder::InsertionGuard guard(b);
    if (types.empty()) {
      b.setInsertionPointToStart(branch.thenBlock());
      body();
    } else {
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, body());
      b.setInsertionPointToStart(branch.elseBlock());
      SmallVector<Value> zeros;
      for (Type type : types)
        zeros.push_back(arith::ConstantOp::create(b, b.getZeroAttr(type)));
      scf::YieldOp::create(b, zeros);
    }
  }
  return branch.getResults();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value KernelEmitter::advance(Value pointer, Value bytes) {
  Value offset = arith::IndexCastOp::create(b, b.getI64Type(), bytes);
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>(offset));
}

/// The address of an element of a view, which is made in the loop or outside of it.
Value KernelEmitter::address(Value memref, ArrayRef<Value> indices, const IRMapping &step) {
  auto resolve = [&](OpFoldResult value) -> Value {
    if (auto constant = getConstantIntValue(value))
      return index(*constant);
    return step.lookupOrDefault(cast<Value>(value));
  };
  SmallVector<Value> at(indices);
  while (!source.isDefinedOutsideOfLoop(memref)) {
    Operation *op = memref.getDefiningOp();
    if (auto slice = dyn_cast<memref::SubViewOp>(op)) {
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      SmallVector<Value> whole;
      auto next = at.begin();
      for (auto [dim, offset] : llvm::enumerate(slice.getMixedOffsets())) {
        Value position = resolve(offset);
        if (!dropped.test(dim))
          position = add(position, mul(*next++, resolve(slice.getMixedStrides()[dim])));
        whole.push_back(position);
      }
      at = whole;
    }
    memref = op->getOperand(0);
  }
  Memory &memory = memories[memref];
  if (!memory.pointer) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(launch);
    auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
    memory.strides = metadata.getConstifiedMixedStrides();
    Value pointer = getDevicePointer(b, b.getLoc(), memref);
    b.setInsertionPointToStart(&launch.getBody().front());
    memory.pointer = LLVM::AddrSpaceCastOp::create(b, global, pointer);
  }
  Value offset = index(0);
  for (auto [position, stride] : llvm::zip_equal(at, memory.strides))
    offset = add(offset, mul(position, getValueOrCreateConstantIndexOp(b, b.getLoc(), stride)));
  int64_t bytes = getByteWidth(cast<MemRefType>(memref.getType()).getElementType());
  return advance(memory.pointer, mul(offset, bytes));
}

/// [step slot][plane][row][word] of an exchange.
Value KernelEmitter::exchangeAddress(unsigned exchange, Value slot, unsigned plane, Value row,
                                     Value word) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  Value before = mul(mul(slots, rows), place.before);
  Value line = add(mul(slot, place.format.getNumPlanes()), index(plane));
  Value offset = add(before, add(mul(add(mul(line, rows), row), place.rowWords), word));
  return advance(exchangeMemory, mul(offset, 4));
}

/// What the loop computes of its count, for another value of it.
IRMapping KernelEmitter::computeStep(Value count) {
  IRMapping step;
  step.map(source.getInductionVar(), count);
  for (Operation &op : source.getBody()->without_terminator())
    if (!isa<PhaseOp>(op) && llvm::none_of(op.getResultTypes(), llvm::IsaPred<BaseMemRefType>))
      b.clone(op, step);
  return step;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Loads the fragments of a phase's weights: words 0 ... 3 of the lane for row `laneRow` and
/// for the row 8 below, in the order in which two products take them.
void KernelEmitter::loadWeights(unsigned number) {
  const PhaseLayout &phase = layout.phases[number];
  for (auto [s, slot] : llvm::enumerate(phase.slots)) {
    const Projection &projection = loop.phases[number].projections[slot.projection];
    auto type = cast<MemRefType>(projection.weight.getType());
    ProductFormat format = getFormat(projection, plan);
    int64_t elements = format.getWordElements(), depth = type.getDimSize(0);
    // Warps without a group of k have weights that are zero.
    Value chunk = getChunk(slot, format, projection);
    Value k = mul(chunk, ProductFormat::kLaneWords * elements);
    SmallVector<SmallVector<Value>> words(format.getNumPlanes());
    for (int64_t m = 0; m < phase.productTiles; ++m) {
      // [row 0 or 8][word][plane]
      SmallVector<SmallVector<Value>> loaded;
      for (int64_t half = 0; half < 2; ++half) {
        Value product = add(laneRow, index(16 * m + 8 * half));
        Value blockUnit = div(product, phase.gates), gate = rem(product, phase.gates);
        Value unit = add(mul(block, phase.blockUnits), blockUnit);
        Value isProduct;
        if (16 * phase.productTiles != phase.gates * phase.blockUnits)
          isProduct = isLess(blockUnit, index(phase.blockUnits));
        if (plan.unitBlocks * phase.blockUnits != phase.units || isProduct)
          isProduct = conjoin(isProduct, isLess(unit, index(phase.units)));
        unit = min(unit, index(phase.units - 1));
        for (int64_t w = 0; w < ProductFormat::kLaneWords; ++w) {
          SmallVector<Value> parts;
          for (int64_t i = 0; i < elements; ++i) {
            Value at = add(k, index(w * elements + i));
            Value exists = conjoin(isProduct, isLess(at, index(depth)));
            Value place = address(projection.weight, {min(at, index(depth - 1)), gate, unit}, {});
            Value part = LLVM::LoadOp::create(b, type.getElementType(), place);
            Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
            parts.push_back(arith::SelectOp::create(b, exists, part, zero));
          }
          loaded.push_back(format.pack(b, parts));
        }
      }
      for (int64_t plane = 0; plane < format.getNumPlanes(); ++plane)
        for (int64_t product = 0; product < 2; ++product)
          for (int64_t w = 2 * product; w < 2 * product + 2; ++w)
            for (int64_t half = 0; half < 2; ++half)
              words[plane].push_back(loaded[half * ProductFormat::kLaneWords + w][plane]);
    }
    SmallVector<Value> all;
    for (SmallVector<Value> &plane : words)
      all.append(plane);
    if (!slot.place) {
      weights[{number, unsigned(s)}] = all;
      continue;
    }
    auto vector = VectorType::get(4, b.getI32Type());
    for (size_t i = 0; i < all.size(); i += 4) {
      Value four = LLVM::UndefOp::create(b, vector);
      for (int64_t j = 0; j < 4; ++j)
        four = LLVM::InsertElementOp::create(b, four, all[i + j], word(j));
      Value place = add(index(*slot.place + 4 * i * plan.getNumProductThreads()), mul(thread, 16));
      LLVM::StoreOp::create(b, four, advance(sharedMemory, place), /*alignment=*/16);
    }
  }
}

SmallVector<Value> KernelEmitter::getSlotWeights(unsigned number, unsigned s) {
  const Slot &slot = layout.phases[number].slots[s];
  if (!slot.place)
    return weights[{number, s}];
  const Projection &projection = loop.phases[number].projections[slot.projection];
  int64_t count = 8 * layout.phases[number].productTiles * getFormat(projection, plan).getNumPlanes();
  auto vector = VectorType::get(4, b.getI32Type());
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; i += 4) {
    Value place = add(index(*slot.place + 4 * i * plan.getNumProductThreads()), mul(thread, 16));
    Value four = LLVM::LoadOp::create(b, vector, advance(sharedMemory, place), /*alignment=*/16);
    for (int64_t j = 0; j < 4; ++j)
      words.push_back(LLVM::ExtractElementOp::create(b, four, word(j)));
  }
  return words;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Which `kLaneWords` words of a row the lane reads.
Value KernelEmitter::getChunk(const Slot &slot, ProductFormat format, const Projection &projection) {
  int64_t depth = cast<MemRefType>(projection.weight.getType()).getDimSize(0);
  int64_t perWarp =
      llvm::divideCeil(llvm::divideCeil(depth, format.getGroupSize()), plan.splits);
  Value group = add(mul(warp, perWarp), index(slot.number));
  return add(mul(group, 4), laneColumn);
}

Value KernelEmitter::getRequestAddress(const Request &request, unsigned plane) {
  return exchangeAddress(*request.projection->exchange, request.step, plane, request.row,
                         mul(request.chunk, ProductFormat::kLaneWords));
}

/// The words, one group a plane, of what a block writes, which may not be there yet.
SmallVector<Value> KernelEmitter::askFor(const Request &request) {
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getI32Type()));
  SmallVector<Value> words;
  for (unsigned plane = 0; plane < request.format.getNumPlanes(); ++plane) {
    Value place = getRequestAddress(request, plane);
    // A weak load may give a stale value for ever.
    Value four = assembly("ld.relaxed.gpu.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l",
                          type, place);
    for (int64_t i = 0; i < 4; ++i)
      words.push_back(LLVM::ExtractValueOp::create(b, four, ArrayRef<int64_t>{i}));
  }
  return words;
}

/// The words, one group a plane, of an operand that no block writes.
SmallVector<Value> KernelEmitter::readOperand(const Projection &projection, const IRMapping &step,
                                              Value row, Value chunk) {
  ProductFormat format = getFormat(projection, plan);
  Type element = cast<MemRefType>(projection.operand.getType()).getElementType();
  int64_t depth = cast<MemRefType>(projection.weight.getType()).getDimSize(0);
  SmallVector<SmallVector<Value>> words(format.getNumPlanes());
  for (int64_t w = 0; w < ProductFormat::kLaneWords; ++w) {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < format.getWordElements(); ++i) {
      Value k = add(mul(chunk, ProductFormat::kLaneWords * format.getWordElements()),
                    index(w * format.getWordElements() + i));
      Value place = address(projection.operand, {row, min(k, index(depth - 1))}, step);
      Value part = LLVM::LoadOp::create(b, element, place);
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
      parts.push_back(arith::SelectOp::create(b, isLess(k, index(depth)), part, zero));
    }
    for (auto [plane, value] : llvm::enumerate(format.pack(b, parts)))
      words[plane].push_back(value);
  }
  SmallVector<Value> all;
  for (SmallVector<Value> &plane : words)
    all.append(plane);
  return all;
}

/// Where a lane finds a fragment of what is projected.
KernelEmitter::Request KernelEmitter::getRequest(unsigned number, const Fragment &fragment, Value count,
                                                 Value tile) {
  const Slot &slot = layout.phases[number].slots[fragment.slot];
  const Projection &projection = loop.phases[number].projections[slot.projection];
  ProductFormat format = getFormat(projection, plan);
  Request request{&projection, format, Value(), Value(), getChunk(slot, format, projection), Value()};
  Value row = add(mul(tile, plan.getNumRows()), add(laneRow, index(KernelPlan::kTileRows * fragment.n)));
  // Rows that do not exist repeat the last one.
  request.row = min(row, last(rows));
  if (!projection.exchange)
    return request;
  request.step = projection.isOfPreviousStep ? getSlot(count) : add(getSlot(count), index(1));
  int64_t chunks = layout.exchanges[*projection.exchange].rowWords / ProductFormat::kLaneWords;
  int64_t depth = cast<MemRefType>(projection.weight.getType()).getDimSize(0);
  int64_t perWarp = llvm::divideCeil(llvm::divideCeil(depth, format.getGroupSize()), plan.splits);
  if (4 * perWarp * plan.splits > chunks) {
    request.isInside = isLess(request.chunk, index(chunks));
    request.chunk = min(request.chunk, index(chunks - 1));
  }
  return request;
}

/// The words of fragments, which may not be there yet.
SmallVector<Value> KernelEmitter::ask(unsigned number, ArrayRef<Fragment> fragments, Value count,
                                      const IRMapping &step, Value tile) {
  SmallVector<Value> words;
  for (const Fragment &fragment : fragments) {
    Request request = getRequest(number, fragment, count, tile);
    words.append(request.projection->exchange
                     ? askFor(request)
                     : readOperand(*request.projection, step, request.row, request.chunk));
  }
  return words;
}

/// Asks again for what is missing until all lanes have their words. All fragments are asked
/// for at the same time: one after the other, each would take the time of a journey.
SmallVector<Value> KernelEmitter::waitFor(unsigned number, ArrayRef<Fragment> fragments, Value count,
                                          Value tile, ValueRange asked) {
  SmallVector<Value> addresses, insides;
  SmallVector<unsigned> places;
  unsigned place = 0;
  for (const Fragment &fragment : fragments) {
    Request request = getRequest(number, fragment, count, tile);
    for (unsigned plane = 0; plane < request.format.getNumPlanes(); ++plane) {
      if (request.projection->exchange) {
        addresses.push_back(getRequestAddress(request, plane));
        insides.push_back(request.isInside);
        places.push_back(place);
      }
      place += ProductFormat::kLaneWords;
    }
  }
  SmallVector<Value> words(asked);
  if (addresses.empty())
    return words;
  SmallVector<Value> waiting;
  for (unsigned at : places)
    waiting.append(words.begin() + at, words.begin() + at + ProductFormat::kLaneWords);
  SmallVector<Type> carried(waiting.size() + places.size(), b.getI32Type());
  auto wait = scf::WhileOp::create(
      b, carried, waiting,
      [&](OpBuilder &, Location, ValueRange all) {
        SmallVector<Value> results(all);
        Value anyMissing;
        for (size_t i = 0; i < places.size(); ++i) {
          Value largest = all[4 * i];
          for (Value other : all.slice(4 * i + 1, 3))
            largest = arith::MaxUIOp::create(b, largest, other);
          Value missing = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, largest, word(-1));
          anyMissing = anyMissing ? arith::OrIOp::create(b, anyMissing, missing).getResult() : missing;
          results.push_back(arith::ExtUIOp::create(b, b.getI32Type(), missing));
        }
        scf::ConditionOp::create(b, isAny(anyMissing), results);
      },
      [&](OpBuilder &, Location, ValueRange all) {
        SmallVector<Value> again;
        for (size_t i = 0; i < places.size(); ++i)
          again.append(askAgain(addresses[i], all[4 * places.size() + i], all.slice(4 * i, 4)));
        scf::YieldOp::create(b, again);
      });
  b.setInsertionPointAfter(wait);
  for (auto [i, at] : llvm::enumerate(places))
    for (unsigned j = 0; j < 4; ++j) {
      Value value = wait.getResult(4 * i + j);
      words[at + j] = insides[i] ? arith::SelectOp::create(b, insides[i], value, word(0)).getResult() : value;
    }
  return words;
}

/// Four words, anew where they are missing.
SmallVector<Value> KernelEmitter::askAgain(Value address, Value missing, ValueRange known) {
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getI32Type()));
  SmallVector<Value> operands = {address, missing};
  llvm::append_range(operands, known);
  Value four = assembly("{ .reg .pred p; setp.ne.u32 p, $5, 0; "
                        "@p ld.relaxed.gpu.global.v4.b32 {$0, $1, $2, $3}, [$4]; }",
                        "=r,=r,=r,=r,l,r,0,1,2,3", type, operands);
  SmallVector<Value> words;
  for (int64_t i = 0; i < 4; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, four, ArrayRef<int64_t>{i}));
  return words;
}

/// Multiplies for one phase of a step and all tiles. Returns which buffer of sums comes next.
Value KernelEmitter::emitProductPart(unsigned number, Value count, const IRMapping &step, Value flip) {
  const PhaseLayout &phase = layout.phases[number];
  if (phase.gates == 0)
    return flip;
  SmallVector<Fragment> fragments;
  for (unsigned s = 0; s < phase.slots.size(); ++s)
    for (int64_t n = 0; n < plan.rowTiles; ++n)
      fragments.push_back({s, n});
  auto each = scf::ForOp::create(b, firstTile, endTile, index(1), ValueRange(flip));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(each.getBody());
  Value tile = each.getInductionVar();
  flip = each.getRegionIterArg(0);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  Accumulators sums(phase.productTiles * plan.rowTiles, SmallVector<Value>(4, zero));
  for (ArrayRef<Fragment> rest = fragments; !rest.empty();) {
    ArrayRef<Fragment> part = rest.take_front(phase.inFlight);
    rest = rest.drop_front(part.size());
    multiply(number, part, ask(number, part, count, step, tile), count, tile, sums);
  }
  storeSums(number, sums, flip);
  meet(Handover::Full, flip, /*waits=*/false);
  scf::YieldOp::create(b, b.createOrFold<arith::SubIOp>(index(1), flip));
  return each.getResult(0);
}

void KernelEmitter::multiply(unsigned number, ArrayRef<Fragment> fragments, ValueRange asked,
                             Value count, Value tile, Accumulators &accumulators) {
  const PhaseLayout &phase = layout.phases[number];
  SmallVector<Value> all = waitFor(number, fragments, count, tile, asked);
  ValueRange rest(all);
  for (const Fragment &fragment : fragments) {
    Request request = getRequest(number, fragment, count, tile);
    int64_t numWords = ProductFormat::kLaneWords * request.format.getNumPlanes();
    ValueRange words = rest.take_front(numWords);
    rest = rest.drop_front(numWords);
    SmallVector<Value> slotWeights = getSlotWeights(number, fragment.slot);
    // Products of one sum wait for each other: they are not neighbours.
    for (auto [weightPlane, operandPlane] : request.format.getTerms())
      for (int64_t i = 0; i < 2; ++i)
        for (int64_t m = 0; m < phase.productTiles; ++m) {
          SmallVector<Value> &sum = accumulators[m * plan.rowTiles + fragment.n];
          sum = request.format.multiply(
              b, ValueRange(slotWeights).slice(8 * (weightPlane * phase.productTiles + m) + 4 * i, 4),
              words.slice(4 * operandPlane + 2 * i, 2), sum);
        }
  }
}

/// [warp][row][product]: a lane has the rows 2 q and 2 q + 1 of products r and r + 8.
void KernelEmitter::storeSums(unsigned number, const Accumulators &accumulators, Value flip) {
  const PhaseLayout &phase = layout.phases[number];
  meet(Handover::Empty, flip, /*waits=*/true);
  Value sums = advance(sharedMemory, mul(flip, layout.sumBytes));
  Value base = add(mul(warp, plan.getNumRows()), mul(laneColumn, 2));
  Value lane = advance(sums, mul(add(mul(base, phase.getRowStride()), laneRow), 4));
  for (int64_t m = 0; m < phase.productTiles; ++m)
    for (int64_t n = 0; n < plan.rowTiles; ++n)
      for (int64_t i = 0; i < 4; ++i) {
        int64_t offset = (KernelPlan::kTileRows * n + i % 2) * phase.getRowStride() + 16 * m + i / 2 * 8;
        LLVM::StoreOp::create(b, accumulators[m * plan.rowTiles + n][i],
                              advance(lane, index(4 * offset)));
      }
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

KernelEmitter::Item KernelEmitter::getItem(unsigned number, int64_t i, Value tile) {
  const PhaseLayout &phase = layout.phases[number];
  Item item;
  Value e = add(mapThread, index(i * plan.getNumMapThreads()));
  if ((i + 1) * plan.getNumMapThreads() > phase.getNumItems(plan))
    item.exists = isLess(e, index(phase.getNumItems(plan)));
  item.tileRow = div(e, phase.blockUnits);
  item.blockUnit = rem(e, phase.blockUnits);
  item.row = add(mul(tile, plan.getNumRows()), item.tileRow);
  item.isRow = isLess(item.row, rows);
  item.row = min(item.row, last(rows));
  item.paddedUnit = add(mul(block, phase.blockUnits), item.blockUnit);
  if (plan.unitBlocks * phase.blockUnits != phase.units)
    item.isUnit = isLess(item.paddedUnit, index(phase.units));
  item.unit = min(item.paddedUnit, index(phase.units - 1));
  return item;
}

/// The positions of a scalar that the region gets of an operand.
static SmallVector<Value> getPosition(int32_t axes, Value row, Value gate, Value unit) {
  SmallVector<Value> position;
  if (axes & kRow)
    position.push_back(row);
  if (axes & kGate)
    position.push_back(gate);
  if (axes & kUnit)
    position.push_back(unit);
  return position;
}

/// What the used ones of the region's arguments behind the products stand for.
SmallVector<Value> KernelEmitter::loadInputs(unsigned number, const Item &item,
                                             const IRMapping &step) {
  PhaseOp op = loop.phases[number].op;
  SmallVector<Value> values;
  auto load = [&](Value memref, ArrayRef<Value> position, BlockArgument argument) {
    if (argument.use_empty())
      return;
    // An index has 64 bits in memory.
    bool isIndex = argument.getType().isIndex();
    Type stored = isIndex ? b.getI64Type() : argument.getType();
    Value value = LLVM::LoadOp::create(b, stored, address(memref, position, step));
    if (isIndex)
      value = arith::IndexCastOp::create(b, b.getIndexType(), value);
    values.push_back(value);
  };
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    int32_t axes = op.getAxes()[i];
    unsigned first = op.getInputArgumentIndex(i);
    if (!isa<MemRefType>(input.getType())) {
      if (!op.getBody().getArgument(first).use_empty())
        values.push_back(step.lookupOrDefault(input));
      continue;
    }
    int64_t gates = axes & kGate ? op.getNumGates() : 1;
    for (int64_t g = 0; g < gates; ++g)
      load(input, getPosition(axes, item.row, index(g), item.unit), op.getBody().getArgument(first + g));
  }
  for (auto [i, out] : llvm::enumerate(op.getOuts()))
    load(out, {item.row, item.unit}, op.getOutArgument(i));
  return values;
}

/// Brings what a later step reads of sequences to the second-level cache.
void KernelEmitter::prefetch(unsigned number, const Item &item, Value count) {
  constexpr int64_t kStepsAhead = 2, kLineUnits = 8;
  PhaseOp op = loop.phases[number].op;
  SmallVector<unsigned> sequences;
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (isa<MemRefType>(input.getType()) && !source.isDefinedOutsideOfLoop(input) &&
        (op.getAxes()[i] & kRowUnit) == kRowUnit)
      sequences.push_back(i);
  if (sequences.empty())
    return;
  Value isFirst = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                rem(item.blockUnit, kLineUnits), index(0));
  guarded(isFirst, {}, [&]() -> SmallVector<Value> {
    IRMapping later = computeStep(min(add(count, index(kStepsAhead)), last(steps)));
    for (unsigned i : sequences) {
      int32_t axes = op.getAxes()[i];
      for (int64_t g = 0, e = axes & kGate ? op.getNumGates() : 1; g < e; ++g)
        assembly("prefetch.global.L2 [$0];", "l", {},
                 address(op.getInputs()[i], getPosition(axes, item.row, index(g), item.unit), later));
    }
    return {};
  });
}

/// Writes an element for all blocks to read.
void KernelEmitter::publish(unsigned exchange, const Item &item, Value slot, Value value) {
  const ExchangeLayout &place = layout.exchanges[exchange];
  Type element = value.getType();
  if (item.isUnit) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
    value = arith::SelectOp::create(b, item.isUnit, value, zero);
  }
  SmallVector<Value> elements = {value};
  Value isWriter = item.isRow;
  if (plan.unitBlocks * layout.phases[loop.exchanges[exchange].producer].blockUnits != place.units)
    isWriter = conjoin(isWriter, isLess(item.paddedUnit, index(place.units)));
  int64_t wordElements = place.format.getWordElements();
  if (wordElements == 2) {
    // Two neighbours make a word, which has to be written at once.
    Type bits = b.getIntegerType(element.getIntOrFloatBitWidth());
    Value own = arith::BitcastOp::create(b, bits, value);
    if (bits != b.getI32Type())
      own = arith::ExtUIOp::create(b, b.getI32Type(), own);
    Value other = gpu::ShuffleOp::create(b, own, word(1), word(32), gpu::ShuffleMode::XOR)
                      .getShuffleResult();
    if (bits != b.getI32Type())
      other = arith::TruncIOp::create(b, bits, other);
    elements.push_back(arith::BitcastOp::create(b, element, other));
    isWriter = conjoin(isWriter, b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                               rem(item.blockUnit, 2), index(0)));
  }
  SmallVector<Value> words = place.format.pack(b, elements);
  guarded(isWriter, {}, [&]() -> SmallVector<Value> {
    for (auto [plane, value] : llvm::enumerate(words)) {
      // All ones is a NaN, of which there are others.
      Value isMissing = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, word(-1));
      Value nan = word(wordElements == 2 ? 0x7fff7fff : 0x7fffffff);
      Value safe = arith::SelectOp::create(b, isMissing, nan, value);
      Value at = exchangeAddress(exchange, slot, plane, item.row, div(item.paddedUnit, wordElements));
      LLVM::StoreOp::create(b, safe, at, /*alignment=*/4, /*isVolatile=*/false,
                            /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                            LLVM::AtomicOrdering::monotonic, "device");
    }
    return {};
  });
}

/// Functions by the special function unit, with relative errors of about 2^-21: far below
/// what operands of 16 bits are rounded to. tanh is exact to 2^-22 of 1.
bool KernelEmitter::approximate(Operation &op, IRMapping &mapping) {
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isF32())
    return false;
  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  auto multiply = [&](Value l, Value r) -> Value { return arith::MulFOp::create(b, l, r); };
  auto special = [&](StringRef text, Value x) {
    return emitAssembly(b, text, "=f,f", b.getF32Type(), x, /*hasEffects=*/false);
  };
  auto exp2 = [&](Value x) { return special("ex2.approx.ftz.f32 $0, $1;", x); };
  auto reciprocal = [&](Value x) { return special("rcp.approx.ftz.f32 $0, $1;", x); };
  constexpr float log2e = 1.44269504f;
  Value result;
  if (auto exp = dyn_cast<math::ExpOp>(op)) {
    result = exp2(multiply(mapping.lookupOrDefault(exp.getOperand()), constant(log2e)));
  } else if (auto tanh = dyn_cast<math::TanhOp>(op)) {
    Value power = exp2(multiply(mapping.lookupOrDefault(tanh.getOperand()), constant(2 * log2e)));
    Value sigmoid = reciprocal(arith::AddFOp::create(b, power, constant(1)));
    result = LLVM::FMAOp::create(b, b.getF32Type(), sigmoid, constant(-2), constant(1));
  } else if (auto quotient = dyn_cast<arith::DivFOp>(op);
             quotient && matchPattern(quotient.getLhs(), m_OneFloat())) {
    result = reciprocal(mapping.lookupOrDefault(quotient.getRhs()));
  } else {
    return false;
  }
  mapping.map(op.getResult(0), result);
  return true;
}

/// The products of an element: what the warps have summed, summed.
SmallVector<Value> KernelEmitter::sumProducts(unsigned number, const Item &item, Value flip) {
  const PhaseLayout &phase = layout.phases[number];
  int64_t width = phase.gates % 4 == 0 ? 4 : phase.gates % 2 == 0 ? 2 : 1;
  SmallVector<Value> products(phase.gates);
  Value sums = advance(sharedMemory, mul(flip, layout.sumBytes));
  Value first = advance(sums, mul(add(mul(item.tileRow, phase.getRowStride()),
                                      mul(item.blockUnit, phase.gates)), 4));
  for (int64_t split = 0; split < plan.splits; ++split)
    for (int64_t g = 0; g < phase.gates; g += width) {
      int64_t offset = split * plan.getNumRows() * phase.getRowStride() + g;
      Type type = width == 1 ? Type(b.getF32Type()) : VectorType::get(width, b.getF32Type());
      Value loaded = LLVM::LoadOp::create(b, type, advance(first, index(4 * offset)), 4 * width);
      for (int64_t i = 0; i < width; ++i) {
        Value part = width == 1 ? loaded
                                : LLVM::ExtractElementOp::create(b, loaded, word(i)).getResult();
        Value &sum = products[g + i];
        sum = sum ? arith::AddFOp::create(b, sum, part).getResult() : part;
      }
    }
  return products;
}

void KernelEmitter::mapItem(unsigned number, const Item &item, ValueRange products,
                            ValueRange inputs, Value count, const IRMapping &step) {
  PhaseOp op = loop.phases[number].op;
  IRMapping mapping;
  for (auto [g, product] : llvm::enumerate(products))
    mapping.map(op.getBody().getArgument(g), product);
  for (BlockArgument argument : op.getBody().getArguments().drop_front(op.getNumAccumulators()))
    if (!argument.use_empty()) {
      mapping.map(argument, inputs.front());
      inputs = inputs.drop_front();
    }
  bool isHalf = llvm::any_of(loop.phases[number].projections, [](const Projection &projection) {
    return cast<MemRefType>(projection.weight.getType()).getElementTypeBitWidth() == 16;
  });
  for (Operation &inner : op.getBodyBlock()->without_terminator())
    if (!isHalf || !approximate(inner, mapping))
      b.clone(inner, mapping);
  SmallVector<Value> results;
  for (Value scalar : op.getYield().getScalars())
    results.push_back(mapping.lookupOrDefault(scalar));

  // Others wait for this.
  for (auto [e, exchange] : llvm::enumerate(loop.exchanges))
    if (exchange.producer == number)
      publish(e, item, add(getSlot(count), index(1)), results[exchange.output]);
  guarded(conjoin(item.isRow, item.isUnit), {}, [&]() -> SmallVector<Value> {
    for (auto [out, value] : llvm::zip_equal(op.getOuts(), results)) {
      Value stored = value;
      if (stored.getType().isIndex())
        stored = arith::IndexCastOp::create(b, b.getI64Type(), stored);
      LLVM::StoreOp::create(b, stored, address(out, {item.row, item.unit}, step));
    }
    return {};
  });
}

/// The first slot of an exchange: what the state was before the first step of the launch.
void KernelEmitter::publishInitial(unsigned exchange) {
  unsigned number = loop.exchanges[exchange].producer;
  Value initial = loop.exchanges[exchange].initial;
  if (!initial)
    return;
  IRMapping step = computeStep(begin);
  auto each = scf::ForOp::create(b, firstTile, endTile, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(each.getBody());
  for (int64_t i = 0; i < getNumItems(number); ++i) {
    Item item = getItem(number, i, each.getInductionVar());
    guarded(item.exists, {}, [&]() -> SmallVector<Value> {
      Type element = cast<MemRefType>(initial.getType()).getElementType();
      Value value = LLVM::LoadOp::create(b, element, address(initial, {item.row, item.unit}, step));
      publish(exchange, item, index(0), value);
      return {};
    });
  }
}

/// A barrier between the warps that multiply and those that map, one for each buffer of
/// sums: when it is full, when it is empty.
void KernelEmitter::meet(Handover event, Value flip, bool waits) {
  constexpr int64_t kFirst[] = {1, 3};
  Value id = arith::IndexCastOp::create(b, b.getI32Type(), add(flip, index(kFirst[int(event)])));
  Value threads = word(plan.getNumThreads());
  if (waits)
    NVVM::BarrierOp::create(b, Type(), id, threads, NVVM::BarrierReductionAttr(), Value());
  else
    NVVM::BarrierArriveOp::create(b, id, threads);
}

/// What the map threads read of a tile: used inputs of all their elements.
SmallVector<Value> KernelEmitter::loadTile(unsigned number, Value count, const IRMapping &step,
                                           Value tile) {
  PhaseOp op = loop.phases[number].op;
  SmallVector<Value> all;
  for (int64_t i = 0; i < getNumItems(number); ++i) {
    Item item = getItem(number, i, tile);
    SmallVector<Type> types;
    for (BlockArgument argument : op.getBody().getArguments().drop_front(op.getNumAccumulators()))
      if (!argument.use_empty())
        types.push_back(argument.getType());
    all.append(guarded(item.exists, types, [&] {
      prefetch(number, item, count);
      return loadInputs(number, item, step);
    }));
  }
  return all;
}

/// Maps for one phase of a step and all tiles. Returns which buffer of sums comes next.
Value KernelEmitter::emitMapPart(unsigned number, Value count, const IRMapping &step, Value flip) {
  const PhaseLayout &phase = layout.phases[number];
  auto each = scf::ForOp::create(b, firstTile, endTile, index(1), ValueRange(flip));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(each.getBody());
  Value tile = each.getInductionVar();
  flip = each.getRegionIterArg(0);
  SmallVector<Value> loaded = loadTile(number, count, step, tile);

  SmallVector<Item> items;
  SmallVector<SmallVector<Value>> products(getNumItems(number));
  for (int64_t i = 0; i < getNumItems(number); ++i)
    items.push_back(getItem(number, i, tile));
  if (phase.gates != 0) {
    meet(Handover::Full, flip, /*waits=*/true);
    for (auto [item, sums] : llvm::zip_equal(items, products))
      sums = guarded(item.exists, SmallVector<Type>(phase.gates, b.getF32Type()),
                     [&] { return sumProducts(number, item, flip); });
    meet(Handover::Empty, flip, /*waits=*/false);
    flip = b.createOrFold<arith::SubIOp>(index(1), flip);
  }
  size_t perItem = loaded.size() / items.size();
  for (auto [i, item] : llvm::enumerate(items))
    guarded(item.exists, {}, [&]() -> SmallVector<Value> {
      mapItem(number, item, products[i], ValueRange(loaded).slice(i * perItem, perItem), count, step);
      return {};
    });
  scf::YieldOp::create(b, flip);
  return each.getResult(0);
}

/// All steps of one part, for the tiles of the block.
void KernelEmitter::emitSteps(Part part) {
  auto time = scf::ForOp::create(b, begin, end, index(1), ValueRange(index(0)));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(time.getBody());
  Value count = time.getInductionVar(), flip = time.getRegionIterArg(0);
  IRMapping step = computeStep(count);
  for (unsigned i = 0; i < loop.phases.size(); ++i)
    flip = (this->*part)(i, count, step, flip);
  scf::YieldOp::create(b, flip);
}

void KernelEmitter::emitKernel() {
  Value lane = rem(thread, 32);
  warp = div(thread, 32);
  laneRow = div(lane, 4);
  laneColumn = rem(lane, 4);
  block = rem(launch.getBlockIds().x, plan.unitBlocks);
  firstTile = mul(div(launch.getBlockIds().x, plan.unitBlocks), passes);
  endTile = min(add(firstTile, passes), tiles);
  auto workgroup = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type(), MemRefLayoutAttrInterface(),
                               Attribute(workgroup));
  Value memory = gpu::DynamicSharedMemoryOp::create(b, bytes);
  Value start = arith::IndexCastOp::create(
      b, b.getI64Type(), memref::ExtractAlignedPointerAsIndexOp::create(b, memory));
  sharedMemory = LLVM::IntToPtrOp::create(b, shared, start);

  Value multiplies = isLess(thread, index(plan.getNumProductThreads()));
  auto roles = scf::IfOp::create(b, multiplies, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(roles.thenBlock());
  for (unsigned i = 0; i < loop.phases.size(); ++i)
    loadWeights(i);
  emitSteps(&KernelEmitter::emitProductPart);

  b.setInsertionPointToStart(roles.elseBlock());
  mapThread = b.createOrFold<arith::SubIOp>(thread, index(plan.getNumProductThreads()));
  for (unsigned i = 0; i < loop.exchanges.size(); ++i)
    publishInitial(i);
  // Both buffers are empty at first.
  for (int64_t i : {0, 1})
    meet(Handover::Empty, index(i), /*waits=*/false);
  emitSteps(&KernelEmitter::emitMapPart);
}

void KernelEmitter::emit(Value multiprocessors, Value memory) {
  Location loc = b.getLoc();
  rows = getValueOrCreateConstantIndexOp(b, loc, loop.rows);
  steps = source.getUpperBound();
  Value zero = index(0), one = index(1);
  auto divideUp = [&](Value l, Value r) { return b.createOrFold<arith::CeilDivUIOp>(l, r); };
  tiles = divideUp(rows, index(plan.getNumRows()));
  Value groups = div(multiprocessors, plan.unitBlocks);
  groups = arith::MaxUIOp::create(b, min(groups, tiles), one);
  // At least one, so that nothing is divided by zero where there is no row.
  passes = arith::MaxUIOp::create(b, divideUp(tiles, groups), one);
  Value grid = mul(divideUp(tiles, passes), plan.unitBlocks);

  Value pointer = getDevicePointer(b, loc, memory);
  Value words = arith::IndexCastOp::create(b, b.getI64Type(), memref::DimOp::create(b, memory, 0));
  Value most = index(KernelLayout::kLaunchSteps);
  slots = add(min(steps, most), one);
  auto launches = scf::ForOp::create(b, zero, steps, most);
  b.setInsertionPointToStart(launches.getBody());
  begin = launches.getInductionVar();
  end = min(add(begin, most), steps);
  callRuntime(b, loc, "lstmCudaFill", Type(), {pointer, word(-1), words});
  launch = gpu::LaunchOp::create(b, grid, one, one, index(plan.getNumThreads()), one, one,
                                 word(layout.size.sharedBytes));
  launch->setAttr("lstm.together", b.getUnitAttr());
  b.setInsertionPointToStart(&launch.getBody().front());
  gpu::TerminatorOp::create(b);
  b.setInsertionPointToStart(&launch.getBody().front());
  thread = launch.getThreadIds().x;
  exchangeMemory = LLVM::AddrSpaceCastOp::create(b, global, pointer);
  emitKernel();
  b.setInsertionPointAfter(launches);
}

void lstm::emitRecurrentKernel(RewriterBase &rewriter, const RecurrentLoop &loop,
                               const KernelPlan &plan, Value multiprocessors,
                               Value exchangeMemory) {
  KernelEmitter(rewriter, loop, plan).emit(multiprocessors, exchangeMemory);
}

namespace {
/// Effects of upstream's operations that do not say theirs.
template <typename Op>
struct Synchronizes
    : public MemoryEffectOpInterface::ExternalModel<Synchronizes<Op>, Op> {
  void getEffects(Operation *,
                  SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) const {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
};
} // namespace

void lstm::registerSynchronizationEffects(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NVVM::NVVMDialect *) {
    NVVM::BarrierOp::attachInterface<Synchronizes<NVVM::BarrierOp>>(*context);
    NVVM::BarrierArriveOp::attachInterface<Synchronizes<NVVM::BarrierArriveOp>>(*context);
  });
}
