// RUN: lstm-opt %s --lstm-pack-weights=vector-bits=256 --lstm-split-packing --canonicalize | FileCheck %s
// RUN: lstm-opt %s --lstm-pack-weights=vector-bits=256 --lstm-split-packing --remarks-filter=lstm-split-packing 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK

// U alone decides its packing; the bias is
// only looked at from another side, which both may do. What is checked of weights
// alone is checked where they are packed.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x?x1x20xf32>, %[[H:[^:]*]]: tensor<?x20xf32>, %[[U:[^:]*]]: tensor<20x1x?xf32> {lstm.name = "U"}, %[[B:[^:]*]]: tensor<4x5xf32>)
// CHECK-NEXT:    %[[P:.*]] = call @main_pack(%[[U]]) : (tensor<20x1x?xf32>) -> tensor<?x1x20x1x16xf32>
// CHECK-NEXT:    %[[R:.*]] = call @main_packed(%[[X]], %[[H]], %[[B]], %[[P]])
// CHECK-NEXT:    return %[[R]]

// CHECK-LABEL: func.func @main_pack(
// CHECK-SAME:    %[[U:[^:]*]]: tensor<20x1x?xf32> {lstm.name = "U"}) -> (tensor<?x1x20x1x16xf32> {lstm.name = "packed0"})
// CHECK-SAME:    lstm.arguments = array<i64: 2>
// CHECK:         lstm.check
// CHECK:         linalg.pack %[[U]]

// CHECK-LABEL: func.func @main_packed(
// CHECK-SAME:    %{{[^:]*}}: tensor<?x?x1x20xf32>, %{{[^:]*}}: tensor<?x20xf32>, %[[B:[^:]*]]: tensor<4x5xf32>, %[[P:[^:]*]]: tensor<?x1x20x1x16xf32> {lstm.name = "packed0"})
// CHECK-SAME:    lstm.arguments = array<i64: 0, 1, 3>
// CHECK-NOT:     lstm.check
// CHECK:         tensor.collapse_shape %[[B]]
// CHECK:         lstm.phase project(%{{.*}}, %[[P]] :
func.func @main(%x: tensor<?x?x1x20xf32>, %h0: tensor<?x20xf32>, %U: tensor<20x1x?xf32> {lstm.name = "U"}, %b: tensor<4x5xf32>) -> tensor<?x20xf32> {
  %c2 = arith.constant 2 : index
  %c20 = arith.constant 20 : index
  %c0 = arith.constant 0 : index
  %units = tensor.dim %U, %c2 : tensor<20x1x?xf32>
  %same = arith.cmpi eq, %units, %c20 : index
  lstm.check %same, "expects 20 units, but got {0}"(%units : index)
  %bias = tensor.collapse_shape %b [[0, 1]] : tensor<4x5xf32> into tensor<20xf32>
  %B = tensor.dim %h0, %c0 : tensor<?x20xf32>
  %e = tensor.empty(%B) : tensor<?x20xf32>
  %hT = lstm.recurrence over(%xt = %x : tensor<?x?x1x20xf32>) init(%h = %h0 : tensor<?x20xf32>) {
    %h1 = lstm.phase project(%h, %U : tensor<?x20xf32>, tensor<20x1x?xf32>)
        ins(%xt[r, g, u], %bias[u] : tensor<?x1x20xf32>, tensor<20xf32>) outs(%e : tensor<?x20xf32>) {
    ^bb0(%z0: f32, %p: f32, %bu: f32, %old: f32):
      %0 = arith.addf %z0, %p : f32
      %1 = arith.addf %0, %bu : f32
      lstm.yield %1 : f32
    }
    lstm.yield state(%h1 : tensor<?x20xf32>)
  }
  return %hT : tensor<?x20xf32>
}

// Constant weights: they are packed by a function without arguments.

// CHECK-LABEL: func.func @constant(
// CHECK:         %[[P:.*]] = call @constant_pack() : () -> tensor<1x1x6x1x16xf32>
// CHECK:         call @constant_packed(%{{.*}}, %[[P]])
// CHECK-LABEL: func.func @constant_pack()
// CHECK:         linalg.pack
// CHECK-LABEL: func.func @constant_packed(
// CHECK-NOT:     linalg.pack
// CHECK:         return
func.func @constant(%a: tensor<?x6xf32>, %to: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %U = arith.constant dense<0.25> : tensor<6x1x7xf32>
  %r = lstm.phase project(%a, %U : tensor<?x6xf32>, tensor<6x1x7xf32>) outs(%to : tensor<?x7xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return %r : tensor<?x7xf32>
}

// A weight that comes out of memory: packed in each call, with a remark.

// CHECK-LABEL: func.func @from_memory(
// CHECK-NOT:     call
// CHECK:         linalg.pack
func.func @from_memory(%a: tensor<?x6xf32>, %m: memref<6x1x7xf32>, %to: tensor<?x7xf32>) -> tensor<?x7xf32> {
  // REMARK: split-packing.mlir:[[@LINE+1]]:{{[0-9]+}}: remark: [Missed] PackedEachCall | Category:lstm-split-packing | {{.*}}a weight depends on this operation, which has effects
  %U = bufferization.to_tensor %m restrict : memref<6x1x7xf32> to tensor<6x1x7xf32>
  %r = lstm.phase project(%a, %U : tensor<?x6xf32>, tensor<6x1x7xf32>) outs(%to : tensor<?x7xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return %r : tensor<?x7xf32>
}

// Nothing to pack: nothing to split.
// CHECK-LABEL: func.func @plain(
// CHECK-NOT:     call
// CHECK-NOT:   @plain_pack
func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
