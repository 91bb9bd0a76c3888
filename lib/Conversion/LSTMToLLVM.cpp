//===- LSTMToLLVM.cpp - Checks to calls, optional fusion -------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "CheckMessage.h"
#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_CONVERTLSTMTOLLVMPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

/// `fma`, which may be two operations, as one that the back end takes apart.
static void lowerOptionalFusion(math::FmaOp fma) {
  OpBuilder b(fma);
  Value result;
  if (isa<VectorType>(fma.getType()))
    result = vector::FMAOp::create(b, fma.getLoc(), fma.getA(), fma.getB(), fma.getC());
  else
    result = LLVM::FMulAddOp::create(b, fma.getLoc(), fma.getType(), fma.getOperands());
  fma.replaceAllUsesWith(result);
  fma.erase();
}

namespace {
struct ConvertLSTMToLLVMPass
    : public lstm::impl::ConvertLSTMToLLVMPassBase<ConvertLSTMToLLVMPass> {
  using Base::Base;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    module.walk([](math::FmaOp fma) {
      bool isOptional =
          arith::bitEnumContainsAll(fma.getFastmath(), arith::FastMathFlags::contract);
      if (isOptional && !isa<TensorType>(fma.getType()))
        lowerOptionalFusion(fma);
    });
    SmallVector<CheckOp> checks;
    module.walk([&](CheckOp op) { checks.push_back(op); });
    if (checks.empty())
      return;
    OpBuilder b(&getContext());
    b.setInsertionPointToStart(module.getBody());
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    SymbolTable symbols(module);
    auto callee = symbols.lookup<LLVM::LLVMFuncOp>(checkFailed.getValue());
    if (!callee) {
      SmallVector<Type> types(1 + kNumCheckValues, b.getI64Type());
      types[0] = pointer;
      callee = LLVM::LLVMFuncOp::create(
          b, module.getLoc(), checkFailed.getValue(),
          LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()), types));
      symbols.insert(callee);
    }
    for (CheckOp op : checks)
      lower(op, callee);
  }

  void lower(CheckOp op, LLVM::LLVMFuncOp callee) {
    LLVM::GlobalOp message = getCheckMessage(op);
    Location loc = op.getLoc();
    OpBuilder b(op);
    Value isTrue = arith::ConstantIntOp::create(b, loc, 1, 1);
    Value failed = arith::XOrIOp::create(b, loc, op.getCondition(), isTrue);
    auto branch = scf::IfOp::create(b, loc, failed, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> args = getCheckValues(b, op);
    args.insert(args.begin(), LLVM::AddressOfOp::create(b, loc, message));
    LLVM::CallOp::create(b, loc, callee, args);
    op.erase();
  }
};
} // namespace
