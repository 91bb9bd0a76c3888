//===- LSTMToLLVM.cpp - Checks to calls, optional fusion -------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"
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

/// The function that reports a failed check, and how many values it takes.
static constexpr StringLiteral kCheckFailed = "lstmCheckFailed";
static constexpr unsigned kNumValues = 3;

/// "file:line:col: error: message", ended by a zero.
static std::string formatMessage(CheckOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto at = op.getLoc()->findInstanceOf<FileLineColLoc>())
    os << at.getFilename().strref() << ':' << at.getLine() << ':' << at.getColumn();
  else
    os << "<unknown>:0:0";
  os << ": error: " << op.getMessage() << '\0';
  return text;
}

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
    auto callee = symbols.lookup<LLVM::LLVMFuncOp>(kCheckFailed);
    if (!callee) {
      SmallVector<Type> types(1 + kNumValues, b.getI64Type());
      types[0] = pointer;
      callee = LLVM::LLVMFuncOp::create(
          b, module.getLoc(), kCheckFailed,
          LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()), types));
      symbols.insert(callee);
    }
    llvm::StringMap<LLVM::GlobalOp> messages;
    for (CheckOp op : checks)
      lower(op, callee, symbols, messages);
  }

  void lower(CheckOp op, LLVM::LLVMFuncOp callee, SymbolTable &symbols,
             llvm::StringMap<LLVM::GlobalOp> &messages) {
    std::string text = formatMessage(op);
    Location loc = op.getLoc();
    LLVM::GlobalOp &message = messages[text];
    if (!message) {
      OpBuilder b(callee);
      message = LLVM::GlobalOp::create(
          b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), text.size()), /*isConstant=*/true,
          LLVM::Linkage::Internal, "lstm_check_message", b.getStringAttr(text));
      symbols.insert(message);
    }
    OpBuilder b(op);
    Value isTrue = arith::ConstantIntOp::create(b, loc, 1, 1);
    Value failed = arith::XOrIOp::create(b, loc, op.getCondition(), isTrue);
    auto branch = scf::IfOp::create(b, loc, failed, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> args = {LLVM::AddressOfOp::create(b, loc, message)};
    for (Value v : op.getValues())
      args.push_back(arith::IndexCastOp::create(b, loc, b.getI64Type(), v));
    while (args.size() < 1 + kNumValues)
      args.push_back(arith::ConstantIntOp::create(b, loc, 0, 64));
    LLVM::CallOp::create(b, loc, callee, args);
    op.erase();
  }
};
} // namespace
