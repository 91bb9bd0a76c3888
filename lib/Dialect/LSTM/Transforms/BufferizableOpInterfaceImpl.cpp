//===- BufferizableOpInterfaceImpl.cpp - Bufferization of phases and scans -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Dialect/LSTM/Transforms/Transforms.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::lstm;

/// The buffers of `values`; those that are no tensors stay as they are.
static FailureOr<SmallVector<Value>> getBuffers(RewriterBase &rewriter, ValueRange values,
                                                const BufferizationOptions &options, BufferizationState &state) {
  SmallVector<Value> buffers(values);
  for (Value &value : buffers) {
    if (!isa<TensorType>(value.getType()))
      continue;
    FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
    if (failed(buffer))
      return failure();
    value = *buffer;
  }
  return buffers;
}

namespace {

struct PhaseModel : public DstBufferizableOpInterfaceExternalModel<PhaseModel, PhaseOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return cast<PhaseOp>(op).isRead(operand);
  }

  // An `[r, u]` operand may be in the same buffer as an output; a projected state
  // is read whole and may not.
  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &, ArrayRef<OpOperand *> operands) const {
    return llvm::all_of(operands, [&](OpOperand *operand) { return cast<PhaseOp>(op).isElementwise(*operand); });
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto phase = cast<PhaseOp>(op);
    FailureOr<SmallVector<Value>> operands = getBuffers(rewriter, op->getOperands(), options, state);
    if (failed(operands))
      return failure();
    ArrayRef<Value> rest(*operands);
    auto take = [&](size_t n) {
      ArrayRef<Value> front = rest.take_front(n);
      rest = rest.drop_front(n);
      return front;
    };
    ArrayRef<Value> states = take(phase.getStates().size()), weights = take(phase.getWeights().size()),
                    inputs = take(phase.getInputs().size()), outs = rest;
    auto onBuffers = PhaseOp::create(rewriter, op->getLoc(), states, weights, inputs, phase.getAxes(), outs);
    onBuffers->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    onBuffers.getBody().takeBody(phase.getBody());
    replaceOpWithBufferizedValues(rewriter, op, outs);
    return success();
  }
};

/// A scan bufferizes to itself. The two slots of a state are two region arguments
/// that do not alias, so nothing in a region that computes each value into its
/// destination is a conflict.
struct ScanModel : public DstBufferizableOpInterfaceExternalModel<ScanModel, ScanOp> {
  bool isRepetitiveRegion(Operation *, unsigned) const { return true; }

  // Outputs are overwritten, step by step; what stood there is read only by the region.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &state) const {
    auto scan = cast<ScanOp>(op);
    int64_t number = operand.getOperandNumber();
    int64_t out = number - static_cast<int64_t>(1 + scan.getSequences().size() + scan.getStates().size());
    return out < 0 || state.isValueRead(scan.getDestinations()[scan.getStates().size() + out]);
  }

  bool isWritable(Operation *op, Value value, const AnalysisState &) const {
    auto arg = dyn_cast<BlockArgument>(value);
    return !arg || llvm::is_contained(cast<ScanOp>(op).getDestinations(), arg);
  }

  FailureOr<BufferLikeType> getBufferType(Operation *op, Value value, const BufferizationOptions &options,
                                          const BufferizationState &state, SmallVector<Value> &invocationStack) const {
    auto scan = cast<ScanOp>(op);
    if (auto result = dyn_cast<OpResult>(value))
      return bufferization::getBufferType(scan.getTiedOpOperand(result)->get(), options, state, invocationStack);
    ScanOp::Source source = scan.getSources()[cast<BlockArgument>(value).getArgNumber() - 1];
    FailureOr<BufferLikeType> type =
        bufferization::getBufferType(source.operand, options, state, invocationStack);
    if (failed(type) || source.isWhole())
      return type;
    Type slice = ScanOp::getSliceType(*type);
    if (!slice)
      return op->emitOpError("expects buffers with strided layout, but got ") << *type;
    return cast<BufferLikeType>(slice);
  }

  // What is not computed into its destination is copied there, at the end.
  LogicalResult resolveConflicts(Operation *op, RewriterBase &rewriter, const AnalysisState &analysis,
                                 const BufferizationState &state) const {
    if (failed(cast<BufferizableOpInterface>(op).resolveTensorOpOperandConflicts(rewriter, analysis, state)))
      return failure();
    struct Copy {
      OpOperand *yielded;
      Value value, destination;
      bool isAside;
    };
    auto scan = cast<ScanOp>(op);
    Operation *yield = scan.getBodyBlock()->getTerminator();
    SmallVector<Copy> copies;
    for (auto [operand, destination] : llvm::zip(yield->getOpOperands(), scan.getDestinations()))
      if (!analysis.areEquivalentBufferizedValues(operand.get(), destination))
        copies.push_back({&operand, operand.get(), destination, false});

    // The analysis does not see these copies. None may overwrite what another one
    // still reads; where they go in a circle, as for states that change places,
    // something has to be copied aside.
    auto overwrites = [&](const Copy &copy, const Copy &other) {
      return copy.yielded != other.yielded && !other.isAside &&
             analysis.areAliasingBufferizedValues(copy.destination, other.value);
    };
    rewriter.setInsertionPoint(yield);
    while (!copies.empty()) {
      auto next = llvm::find_if(copies, [&](const Copy &copy) {
        return llvm::none_of(copies, [&](const Copy &other) { return overwrites(copy, other); });
      });
      if (next == copies.end()) {
        next = copies.begin();
        for (Copy &other : copies) {
          if (!overwrites(*next, other))
            continue;
          FailureOr<Value> aside =
              allocateTensorForShapedValue(rewriter, op->getLoc(), other.value, analysis.getOptions(), state);
          if (failed(aside))
            return failure();
          other.value = *aside;
          other.isAside = true;
        }
      }
      auto copy = MaterializeInDestinationOp::create(rewriter, op->getLoc(), next->value, next->destination);
      rewriter.modifyOpInPlace(yield, [&] { next->yielded->set(copy.getResult()); });
      copies.erase(next);
    }
    return success();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto scan = cast<ScanOp>(op);
    Location loc = op->getLoc();
    FailureOr<SmallVector<Value>> operands = getBuffers(rewriter, op->getOperands(), options, state);
    if (failed(operands))
      return failure();
    size_t numSequences = scan.getSequences().size(), numStates = scan.getStates().size();
    ArrayRef<Value> buffers = ArrayRef(*operands).drop_front();
    ArrayRef<Value> inits = buffers.drop_front(numSequences);
    auto onBuffers =
        ScanOp::create(rewriter, loc, scan.getSteps(), buffers.take_front(numSequences), inits.take_front(numStates),
                       inits.drop_front(numStates), scan.getTwoSlots(), scan.getReversed());
    onBuffers->setDiscardableAttrs(op->getDiscardableAttrDictionary());

    Block *from = scan.getBodyBlock(), *to = onBuffers.getBodyBlock();
    rewriter.setInsertionPointToStart(to);
    SmallVector<Value> args = {to->getArgument(0)};
    for (auto [tensor, buffer] : llvm::drop_begin(llvm::zip(from->getArguments(), to->getArguments())))
      args.push_back(ToTensorOp::create(rewriter, loc, tensor.getType(), buffer));
    rewriter.mergeBlocks(from, to, args);
    rewriter.setInsertionPointToEnd(to);
    rewriter.replaceOpWithNewOp<YieldOp>(to->getTerminator());
    replaceOpWithBufferizedValues(rewriter, op, inits);
    return success();
  }
};

/// A yield passes values on; the operation around it bufferizes it.
struct YieldModel : public BufferizableOpInterface::ExternalModel<YieldModel, YieldOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &, const AnalysisState &) const { return true; }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &, const AnalysisState &) const { return false; }
  AliasingValueList getAliasingValues(Operation *, OpOperand &, const AnalysisState &) const { return {}; }
  bool mustBufferizeInPlace(Operation *, OpOperand &, const AnalysisState &) const { return true; }
  LogicalResult bufferize(Operation *, RewriterBase &, const BufferizationOptions &, BufferizationState &) const {
    return success();
  }
};

} // namespace

void mlir::lstm::registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LSTMDialect *) {
    PhaseOp::attachInterface<PhaseModel>(*context);
    ScanOp::attachInterface<ScanModel>(*context);
    YieldOp::attachInterface<YieldModel>(*context);
  });
}
