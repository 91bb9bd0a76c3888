// RUN: lstm-opt %s --canonicalize --split-input-file | FileCheck %s

// A dead output goes, and the state that only it needs, and the sequence that only that needs.
// CHECK-LABEL: func @dead
// CHECK: lstm.recurrence over(%[[X:.*]] = %arg0 : tensor<?x?x3xf32>) init(%[[H:.*]] = %arg2 : tensor<?x3xf32>) lengths(%arg4 : tensor<?xi32>) {
// CHECK-NEXT: %[[N:.*]] = arith.addf %[[H]], %[[X]]
// CHECK-NEXT: lstm.yield state(%[[N]] : tensor<?x3xf32>)
func.func @dead(%xs: tensor<?x?x3xf32>, %us: tensor<?x?x3xf32>, %h0: tensor<?x3xf32>, %c0: tensor<?x3xf32>,
                %len: tensor<?xi32>, %ys: tensor<?x?x3xf32>) -> tensor<?x3xf32> {
  %y, %h, %c = lstm.recurrence over(%x = %xs, %u = %us : tensor<?x?x3xf32>, tensor<?x?x3xf32>)
      init(%hp = %h0, %cp = %c0 : tensor<?x3xf32>, tensor<?x3xf32>) lengths(%len : tensor<?xi32>) outs(%ys : tensor<?x?x3xf32>) {
    %hn = arith.addf %hp, %x : tensor<?x3xf32>
    %cn = arith.mulf %cp, %u : tensor<?x3xf32>
    lstm.yield state(%hn, %cn : tensor<?x3xf32>, tensor<?x3xf32>) out(%cn : tensor<?x3xf32>)
  }
  return %h : tensor<?x3xf32>
}
// -----
// A state that no result shows but another state needs stays.
// CHECK-LABEL: func @needed
// CHECK: init(%[[H:.*]] = %arg1, %[[C:.*]] = %arg2 : tensor<?x3xf32>, tensor<?x3xf32>)
func.func @needed(%xs: tensor<?x?x3xf32>, %h0: tensor<?x3xf32>, %c0: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %h, %c = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%hp = %h0, %cp = %c0 : tensor<?x3xf32>, tensor<?x3xf32>) {
    %hn = arith.addf %hp, %cp : tensor<?x3xf32>
    %cn = arith.mulf %cp, %x : tensor<?x3xf32>
    lstm.yield state(%hn, %cn : tensor<?x3xf32>, tensor<?x3xf32>)
  }
  return %h : tensor<?x3xf32>
}
// -----
// Without its last sequence the number of steps stands for itself.
// CHECK-LABEL: func @steps
// CHECK: %[[T:.*]] = tensor.dim %arg0, %{{.*}}
// CHECK: lstm.recurrence init(%[[H:.*]] = %arg1 : tensor<?x3xf32>) steps(%[[T]] : index) {
func.func @steps(%xs: tensor<?x?x3xf32>, %h0: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %h = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%hp = %h0 : tensor<?x3xf32>) {
    %hn = math.tanh %hp : tensor<?x3xf32>
    lstm.yield state(%hn : tensor<?x3xf32>)
  }
  return %h : tensor<?x3xf32>
}
// -----
// A state that each step hands on is its initial value.
// CHECK-LABEL: func @invariant
// CHECK: init(%[[H:.*]] = %arg1 : tensor<?x3xf32>)
// CHECK: arith.addf %[[H]], %arg2
// CHECK: return %{{.*}}, %arg2
func.func @invariant(%xs: tensor<?x?x3xf32>, %h0: tensor<?x3xf32>, %k0: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %h, %k = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%hp = %h0, %kp = %k0 : tensor<?x3xf32>, tensor<?x3xf32>) {
    %s = arith.addf %hp, %kp : tensor<?x3xf32>
    %hn = arith.addf %s, %x : tensor<?x3xf32>
    lstm.yield state(%hn, %kp : tensor<?x3xf32>, tensor<?x3xf32>)
  }
  return %h, %k : tensor<?x3xf32>, tensor<?x3xf32>
}
// -----
// T = 0: outputs are empty, states the initial ones; lengths do not matter.
// CHECK-LABEL: func @no_steps
// CHECK-NEXT: return %arg3, %arg1
func.func @no_steps(%xs: tensor<0x?x3xf32>, %h0: tensor<?x3xf32>, %len: tensor<?xi32>, %ys: tensor<0x?x3xf32>) -> (tensor<0x?x3xf32>, tensor<?x3xf32>) {
  %y, %h = lstm.recurrence over(%x = %xs : tensor<0x?x3xf32>) init(%hp = %h0 : tensor<?x3xf32>) lengths(%len : tensor<?xi32>) outs(%ys : tensor<0x?x3xf32>) {
    %hn = arith.addf %hp, %x : tensor<?x3xf32>
    lstm.yield state(%hn : tensor<?x3xf32>) out(%hp : tensor<?x3xf32>)
  }
  return %y, %h : tensor<0x?x3xf32>, tensor<?x3xf32>
}
// -----
// T = 1: the step itself. A zero initial state then takes its product with it.
// CHECK-LABEL: func @one_step
// CHECK-NOT: lstm.recurrence
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[0, 0, 0] [1, 4, 5] [1, 1, 1] : tensor<1x4x5xf32> to tensor<4x5xf32>
// CHECK: %[[H:.*]] = lstm.gate tanh dot(%[[X]], %arg1 : tensor<4x5xf32>, tensor<5x3xf32>) : tensor<4x3xf32>
// CHECK: %[[Y:.*]] = tensor.insert_slice %[[H]] into %arg3[0, 0, 0] [1, 4, 3] [1, 1, 1]
// CHECK: return %[[Y]], %[[H]]
func.func @one_step(%xs: tensor<1x4x5xf32>, %W: tensor<5x3xf32>, %U: tensor<3x3xf32>, %ys: tensor<1x4x3xf32>) -> (tensor<1x4x3xf32>, tensor<4x3xf32>) {
  %h0 = arith.constant dense<0.0> : tensor<4x3xf32>
  %y, %h = lstm.recurrence over(%x = %xs : tensor<1x4x5xf32>) init(%hp = %h0 : tensor<4x3xf32>) reverse outs(%ys : tensor<1x4x3xf32>) {
    %hn = lstm.gate tanh dot(%x, %W : tensor<4x5xf32>, tensor<5x3xf32>) dot(%hp, %U : tensor<4x3xf32>, tensor<3x3xf32>) : tensor<4x3xf32>
    lstm.yield state(%hn : tensor<4x3xf32>) out(%hn : tensor<4x3xf32>)
  }
  return %y, %h : tensor<1x4x3xf32>, tensor<4x3xf32>
}
// -----
// One step with lengths is none for a row of length 0.
// CHECK-LABEL: func @one_step_lengths
// CHECK: lstm.recurrence
func.func @one_step_lengths(%xs: tensor<1x4x3xf32>, %h0: tensor<4x3xf32>, %len: tensor<4xi32>) -> tensor<4x3xf32> {
  %h = lstm.recurrence over(%x = %xs : tensor<1x4x3xf32>) init(%hp = %h0 : tensor<4x3xf32>) lengths(%len : tensor<4xi32>) {
    lstm.yield state(%x : tensor<4x3xf32>)
  }
  return %h : tensor<4x3xf32>
}
// -----
// B = 0: there is nothing to compute.
// CHECK-LABEL: func @no_rows
// CHECK-NEXT: return %arg2, %arg1
func.func @no_rows(%xs: tensor<?x0x3xf32>, %h0: tensor<0x3xf32>, %ys: tensor<?x0x3xf32>) -> (tensor<?x0x3xf32>, tensor<0x3xf32>) {
  %y, %h = lstm.recurrence over(%x = %xs : tensor<?x0x3xf32>) init(%hp = %h0 : tensor<0x3xf32>) outs(%ys : tensor<?x0x3xf32>) {
    %hn = arith.addf %hp, %x : tensor<0x3xf32>
    lstm.yield state(%hn : tensor<0x3xf32>) out(%hn : tensor<0x3xf32>)
  }
  return %y, %h : tensor<?x0x3xf32>, tensor<0x3xf32>
}
