// The stock mlir-opt with the plugin: dialect, extension models and passes.
// A process without the sanitizers' runtime cannot load a plugin built with them.
// UNSUPPORTED: sanitizer

// RUN: mlir-opt %s --load-dialect-plugin=%lstm_lib_dir/LSTMPlugin%shlibext | FileCheck %s --check-prefix=PARSE
// RUN: mlir-opt %s --load-dialect-plugin=%lstm_lib_dir/LSTMPlugin%shlibext \
// RUN:   --load-pass-plugin=%lstm_lib_dir/LSTMPlugin%shlibext \
// RUN:   --pass-pipeline='builtin.module(lstm-decompose-cells,func.func(lstm-form-phases))' \
// RUN:   | FileCheck %s --check-prefix=PHASE
// RUN: mlir-opt %s --load-dialect-plugin=%lstm_lib_dir/LSTMPlugin%shlibext \
// RUN:   --load-pass-plugin=%lstm_lib_dir/LSTMPlugin%shlibext \
// RUN:   --pass-pipeline='builtin.module(lstm-to-llvm{runtime-checks=false})' \
// RUN:   | FileCheck %s --check-prefix=LLVM

// PARSE: lstm.recurrence over(
// PARSE: lstm.rnn_cell input(

// PHASE-NOT: lstm.rnn_cell
// PHASE: lstm.recurrence
// PHASE: lstm.phase project(

// LLVM-NOT: lstm.
// LLVM: llvm.func @main

func.func @main(%xs: tensor<?x?x8xf32>, %W: tensor<8x16xf32>, %U: tensor<16x16xf32>,
                %h0: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %hT = lstm.recurrence over(%x = %xs : tensor<?x?x8xf32>) init(%h = %h0 : tensor<?x16xf32>) {
    %h1 = lstm.rnn_cell input(%x, %W : tensor<?x8xf32>, tensor<8x16xf32>)
        state(%h, %U : tensor<?x16xf32>, tensor<16x16xf32>)
    lstm.yield state(%h1 : tensor<?x16xf32>)
  }
  return %hT : tensor<?x16xf32>
}
