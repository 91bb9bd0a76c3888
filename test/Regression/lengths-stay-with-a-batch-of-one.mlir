// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %python %lstm_src/test/Integration/CPU/check.py numbers %s
// RUN: lstm-opt %s --canonicalize | FileCheck %s
//
// One row need not be as long as the sequence: lengths go only where they are
// constant and equal to the number of steps.
//
// CASE forward @forward
// IN x = [[[1]], [[2]], [[3]]]
// OUT ys = [[[0.761594]], [[0.983041]], [[0]]]
// OUT hT = [[0.983041]]
// CASE backward @backward
// IN x = [[[1]], [[2]], [[3]]]
// OUT ys = [[[0.901845]], [[0.964028]], [[0]]]
// OUT hT = [[0.901845]]
// CASE full @full
// IN x = [[[1]], [[2]], [[3]]]
// OUT ys = [[[0.761594]], [[0.983041]], [[0.998147]]]
// OUT hT = [[0.998147]]
// CASE from outside @given
// IN x = [[[1]], [[2]], [[nan]]]
// IN len = [2]
// OUT ys = [[[0.761594]], [[0.983041]], [[0]]]
// OUT hT = [[0.983041]]

// CHECK-LABEL: @forward
// CHECK: lengths(
// CHECK-LABEL: @backward
// CHECK: lengths(
// CHECK-LABEL: @full
// CHECK-NOT: lengths(
// CHECK-LABEL: @given
// CHECK: lengths(

func.func @forward(%x: tensor<3x1x1xf32>)
    -> (tensor<3x1x1xf32> {lstm.name = "ys"}, tensor<1x1xf32> {lstm.name = "hT"}) {
  %len = arith.constant dense<2> : tensor<1xi32>
  %ys0 = tensor.empty() : tensor<3x1x1xf32>
  %h0 = arith.constant dense<0.0> : tensor<1x1xf32>
  %W = arith.constant dense<1.0> : tensor<1x1xf32>
  %U = arith.constant dense<0.5> : tensor<1x1xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<3x1x1xf32>) init(%h = %h0 : tensor<1x1xf32>)
      lengths(%len : tensor<1xi32>) outs(%ys0 : tensor<3x1x1xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<1x1xf32>, tensor<1x1xf32>) state(%h, %U : tensor<1x1xf32>, tensor<1x1xf32>)
    lstm.yield state(%h1 : tensor<1x1xf32>) out(%h1 : tensor<1x1xf32>)
  }
  return %ys, %hT : tensor<3x1x1xf32>, tensor<1x1xf32>
}

func.func @backward(%x: tensor<3x1x1xf32>)
    -> (tensor<3x1x1xf32> {lstm.name = "ys"}, tensor<1x1xf32> {lstm.name = "hT"}) {
  %len = arith.constant dense<2> : tensor<1xi32>
  %ys0 = tensor.empty() : tensor<3x1x1xf32>
  %h0 = arith.constant dense<0.0> : tensor<1x1xf32>
  %W = arith.constant dense<1.0> : tensor<1x1xf32>
  %U = arith.constant dense<0.5> : tensor<1x1xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<3x1x1xf32>) init(%h = %h0 : tensor<1x1xf32>)
      lengths(%len : tensor<1xi32>) reverse outs(%ys0 : tensor<3x1x1xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<1x1xf32>, tensor<1x1xf32>) state(%h, %U : tensor<1x1xf32>, tensor<1x1xf32>)
    lstm.yield state(%h1 : tensor<1x1xf32>) out(%h1 : tensor<1x1xf32>)
  }
  return %ys, %hT : tensor<3x1x1xf32>, tensor<1x1xf32>
}

func.func @full(%x: tensor<3x1x1xf32>)
    -> (tensor<3x1x1xf32> {lstm.name = "ys"}, tensor<1x1xf32> {lstm.name = "hT"}) {
  %len = arith.constant dense<3> : tensor<1xi32>
  %ys0 = tensor.empty() : tensor<3x1x1xf32>
  %h0 = arith.constant dense<0.0> : tensor<1x1xf32>
  %W = arith.constant dense<1.0> : tensor<1x1xf32>
  %U = arith.constant dense<0.5> : tensor<1x1xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<3x1x1xf32>) init(%h = %h0 : tensor<1x1xf32>)
      lengths(%len : tensor<1xi32>) outs(%ys0 : tensor<3x1x1xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<1x1xf32>, tensor<1x1xf32>) state(%h, %U : tensor<1x1xf32>, tensor<1x1xf32>)
    lstm.yield state(%h1 : tensor<1x1xf32>) out(%h1 : tensor<1x1xf32>)
  }
  return %ys, %hT : tensor<3x1x1xf32>, tensor<1x1xf32>
}

func.func @given(%x: tensor<3x1x1xf32>, %len: tensor<1xi32>)
    -> (tensor<3x1x1xf32> {lstm.name = "ys"}, tensor<1x1xf32> {lstm.name = "hT"}) {
  %ys0 = tensor.empty() : tensor<3x1x1xf32>
  %h0 = arith.constant dense<0.0> : tensor<1x1xf32>
  %W = arith.constant dense<1.0> : tensor<1x1xf32>
  %U = arith.constant dense<0.5> : tensor<1x1xf32>
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<3x1x1xf32>) init(%h = %h0 : tensor<1x1xf32>)
      lengths(%len : tensor<1xi32>) outs(%ys0 : tensor<3x1x1xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<1x1xf32>, tensor<1x1xf32>) state(%h, %U : tensor<1x1xf32>, tensor<1x1xf32>)
    lstm.yield state(%h1 : tensor<1x1xf32>) out(%h1 : tensor<1x1xf32>)
  }
  return %ys, %hT : tensor<3x1x1xf32>, tensor<1x1xf32>
}
