//===- Passes.td - Conversions from the lstm dialect -*- tablegen -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_CONVERSION_PASSES_TD
#define LSTM_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLSTMToLinalgPass : Pass<"convert-lstm-to-linalg"> {
  let summary = "Gates and phases to linalg, on tensors or memrefs";
  let description = [{
    A gate becomes a `linalg.fill`, a contraction for each product and one
    elementwise `linalg.generic`; so does a phase (see its decomposition).
    Contractions accumulate in the gate's compute type.
  }];
  let options = [
    Option<"gates", "gates", "bool", "true", "Convert lstm.gate">,
    Option<"phases", "phases", "bool", "true", "Convert lstm.phase">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "math::MathDialect", "memref::MemRefDialect", "tensor::TensorDialect"];
}

def ConvertLSTMToSCFPass : Pass<"convert-lstm-to-scf"> {
  let summary = "lstm.scan on memrefs to scf.for";
  let description = [{
    The time loop over slices of the sequences, outputs and state slots. Must run
    before buffer deallocation (which would give every memref argument of the
    region an ownership argument).
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "memref::MemRefDialect",
                           "scf::SCFDialect"];
}

def ConvertLSTMToVectorPass : Pass<"convert-lstm-to-vector"> {
  let summary = "lstm.phase on memrefs to register-tiled vector loops";
  let description = [{
    Tiles rows and units; the accumulators of a tile stay in vector registers while
    k runs, then the region's work is done on vectors of units and stored. Rows and
    units that a full tile does not cover take a narrower tile and masked accesses.
    A phase whose region holds what has no vector form is left alone, with a
    remark.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "0",
           "Width of a vector register in bits (0: that of this machine)">,
    Option<"rows", "rows", "int64_t", "0", "Rows of a tile (0: chosen)">];
  let statistics = [Statistic<"numVectorized", "phases-vectorized", "Phases vectorized">];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "vector::VectorDialect"];
}

def LSTMSimplifyMemRefsPass : Pass<"lstm-simplify-memrefs"> {
  let summary = "Replace operations on memrefs whose upstream lowering does not suit";
  let description = [{
    `memref.expand_shape` with several dynamic sizes in a group becomes
    `memref.reinterpret_cast`: expand-strided-metadata takes one at most, and a
    projection of all steps at once is expanded from `[T * B, H]` to `[T, B, H]`.

    `memref.copy` of what is not known to be contiguous becomes `linalg.copy`: its
    lowering to LLVM calls a run-time library with descriptors on the stack.
  }];
  let dependentDialects = ["affine::AffineDialect", "linalg::LinalgDialect", "memref::MemRefDialect"];
}

def ConvertLSTMToLLVMPass : Pass<"convert-lstm-to-llvm", "ModuleOp"> {
  let summary = "lstm.check to a call of lstmCheckFailed";
  let description = [{
    `lstm.check` becomes a branch to a call of

        void lstmCheckFailed(const char *message, int64_t v0, int64_t v1, int64_t v2)

    which must not return. The message starts with the operation's location.
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect", "LLVM::LLVMDialect"];
}

#endif // LSTM_CONVERSION_PASSES_TD
