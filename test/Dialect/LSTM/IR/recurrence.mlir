// RUN: lstm-opt %s --verify-roundtrip | FileCheck %s
// RUN: lstm-opt %s --mlir-print-op-generic | lstm-opt | FileCheck %s

// CHECK-LABEL: func @everything
// CHECK: lstm.recurrence over(%[[X:.*]] = %arg0, reverse %[[I:.*]] = %arg1 : tensor<?x?x3xf32>, tensor<?x?xi32>)
// CHECK-SAME: init(%[[H:.*]] = %arg2, reverse %[[C:.*]] = %arg3, unmasked %[[N:.*]] = %arg4 : tensor<?x3xf32>, tensor<?x5xf64>, f32)
// CHECK-SAME: lengths(%arg5 : tensor<?xi32>) outs(%arg6, reverse %arg7 : tensor<?x?x3xf32>, tensor<?x?xi32>)
// CHECK-SAME: attributes {note = "kept"} {
// CHECK-NEXT: lstm.yield state(%[[X]], %[[C]], %[[N]] : tensor<?x3xf32>, tensor<?x5xf64>, f32) out(%[[H]], %[[I]] : tensor<?x3xf32>, tensor<?xi32>)
func.func @everything(%xs: tensor<?x?x3xf32>, %ids: tensor<?x?xi32>, %h0: tensor<?x3xf32>, %c0: tensor<?x5xf64>,
                      %n0: f32, %len: tensor<?xi32>, %ys: tensor<?x?x3xf32>, %is: tensor<?x?xi32>) -> f32 {
  %r:5 = lstm.recurrence over(%x = %xs, reverse %i = %ids : tensor<?x?x3xf32>, tensor<?x?xi32>)
      init(%h = %h0, reverse %c = %c0, unmasked %n = %n0 : tensor<?x3xf32>, tensor<?x5xf64>, f32)
      lengths(%len : tensor<?xi32>) outs(%ys, reverse %is : tensor<?x?x3xf32>, tensor<?x?xi32>) attributes {note = "kept"} {
    lstm.yield state(%x, %c, %n : tensor<?x3xf32>, tensor<?x5xf64>, f32) out(%h, %i : tensor<?x3xf32>, tensor<?xi32>)
  }
  return %r#4 : f32
}

// All reversed is one keyword; steps stand for a sequence; there may be no state.
// CHECK-LABEL: func @steps
// CHECK: lstm.recurrence init(%{{.*}} = %arg0 : tensor<?x3xf32>) steps(%arg1 : index) reverse outs(%arg2 : tensor<?x?x3xf32>) {
// CHECK: lstm.recurrence over(%{{.*}} = %arg2 : tensor<?x?x3xf32>) outs(%arg2 : tensor<?x?x3xf32>) {
func.func @steps(%h0: tensor<?x3xf32>, %n: index, %ys: tensor<?x?x3xf32>) -> (tensor<?x?x3xf32>, tensor<?x?x3xf32>) {
  %a:2 = lstm.recurrence init(%h = %h0 : tensor<?x3xf32>) steps(%n : index) reverse outs(%ys : tensor<?x?x3xf32>) {
    lstm.yield state(%h : tensor<?x3xf32>) out(%h : tensor<?x3xf32>)
  }
  %b = lstm.recurrence over(%x = %ys : tensor<?x?x3xf32>) outs(%ys : tensor<?x?x3xf32>) {
    lstm.yield out(%x : tensor<?x3xf32>)
  }
  return %a#0, %b : tensor<?x?x3xf32>, tensor<?x?x3xf32>
}

// CHECK-LABEL: func @check
// CHECK: lstm.check %arg0, "expects {0}, but got {1}"(%arg1, %arg1 : index, index)
// CHECK: lstm.check %arg0, "no values"
func.func @check(%ok: i1, %n: index) {
  lstm.check %ok, "expects {0}, but got {1}"(%n, %n : index, index)
  lstm.check %ok, "no values"
  return
}
