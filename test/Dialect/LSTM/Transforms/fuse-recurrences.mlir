// RUN: lstm-opt %s --lstm-fuse-recurrences --canonicalize --split-input-file | FileCheck %s


// A bidirectional layer is one loop. What used the first stays behind it.
// CHECK-LABEL: func @bidirectional
// CHECK: %[[R:.*]]:4 = lstm.recurrence over(%[[X:.*]] = %arg0, reverse %[[Y:.*]] = %arg0 : tensor<?x?x3xf32>, tensor<?x?x3xf32>) init(%[[F:.*]] = %arg1, reverse %[[B:.*]] = %arg2 : tensor<?x3xf32>, tensor<?x3xf32>) lengths(%arg3 : tensor<?xi32>) outs(%arg4, reverse %arg5 : tensor<?x?x3xf32>, tensor<?x?x3xf32>) {
// CHECK-NEXT: %[[F1:.*]] = arith.addf %[[F]], %[[X]]
// CHECK-NEXT: %[[B1:.*]] = arith.mulf %[[B]], %[[Y]]
// CHECK-NEXT: lstm.yield state(%[[F1]], %[[B1]] : {{.*}}) out(%[[F1]], %[[B1]] : {{.*}})
// CHECK: %[[T:.*]] = math.tanh %[[R]]#2
// CHECK: return %[[R]]#0, %[[R]]#1, %[[T]], %[[R]]#3
func.func @bidirectional(%xs: tensor<?x?x3xf32>, %f0: tensor<?x3xf32>, %b0: tensor<?x3xf32>, %len: tensor<?xi32>, %ys: tensor<?x?x3xf32>,
                         %zs: tensor<?x?x3xf32>) -> (tensor<?x?x3xf32>, tensor<?x?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %y, %fT = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%f = %f0 : tensor<?x3xf32>) lengths(%len : tensor<?xi32>) outs(%ys : tensor<?x?x3xf32>) {
    %f1 = arith.addf %f, %x : tensor<?x3xf32>
    lstm.yield state(%f1 : tensor<?x3xf32>) out(%f1 : tensor<?x3xf32>)
  }
  %t = math.tanh %fT : tensor<?x3xf32>
  %z, %bT = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%b = %b0 : tensor<?x3xf32>) lengths(%len : tensor<?xi32>) reverse outs(%zs : tensor<?x?x3xf32>) {
    %b1 = arith.mulf %b, %x : tensor<?x3xf32>
    lstm.yield state(%b1 : tensor<?x3xf32>) out(%b1 : tensor<?x3xf32>)
  }
  return %y, %z, %t, %bT : tensor<?x?x3xf32>, tensor<?x?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}
// -----
// One depends on the other, on other lengths, or on another number of steps.
// CHECK-LABEL: func @apart
// CHECK-COUNT-4: lstm.recurrence
func.func @apart(%xs: tensor<?x?x3xf32>, %us: tensor<?x?x3xf32>, %h0: tensor<?x3xf32>, %len: tensor<?xi32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %a = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) {
    %h1 = arith.addf %h, %x : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>)
  }
  %t = math.tanh %a : tensor<?x3xf32>
  %b = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) {
    %h1 = arith.addf %x, %t : tensor<?x3xf32>
    %h2 = arith.mulf %h1, %h : tensor<?x3xf32>
    lstm.yield state(%h2 : tensor<?x3xf32>)
  }
  %c = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) lengths(%len : tensor<?xi32>) {
    %h1 = arith.subf %h, %x : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>)
  }
  %d = lstm.recurrence over(%u = %us : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) {
    %h1 = arith.divf %h, %u : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>)
  }
  return %b, %c, %d : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}
