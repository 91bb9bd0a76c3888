// RUN: lstm-opt %s --convert-lstm-to-vector | FileCheck %s

// Sum of squared distances over two dimensions: partial sums of 32, of 8 and of one unit, which are added
// once a row. What is the same for all units is read outside of them.

// CHECK-LABEL: func.func @squares(
// CHECK-SAME:    %[[Z:.*]]: memref<?x4x75xf32>, %[[MEAN:.*]]: memref<?xf32>, %[[TO:.*]]: memref<?xf32>
// CHECK:         scf.for %[[R:[a-z0-9]+]] =
// CHECK:           %[[P:.*]]:3 = scf.for %[[G:[a-z0-9]+]] = {{.*}} -> (vector<32xf32>, vector<8xf32>, f32)
// CHECK:             %[[M:.*]] = memref.load %[[MEAN]][%[[R]]]
// CHECK:             scf.for %[[U:[a-z0-9]+]] = %c0{{.*}} to %c64{{.*}} step %c32{{.*}} -> (vector<32xf32>)
// CHECK:               vector.load %[[Z]][%[[R]], %[[G]], %[[U]]]
// CHECK:             scf.for %{{.*}} = %c64{{.*}} to %c72{{.*}} step %c8{{.*}} -> (vector<8xf32>)
// CHECK:             scf.for %{{.*}} = %c72{{.*}} to %c75{{.*}} step %c1{{.*}} -> (f32)
// CHECK:               memref.load %[[Z]]
// CHECK:           memref.load %[[TO]][%[[R]]]
// CHECK:           vector.reduction <add>, %[[P]]#0, %{{.*}} : vector<32xf32> into f32
// CHECK:           vector.reduction <add>, %[[P]]#1, %{{.*}} : vector<8xf32> into f32
// CHECK:           arith.addf %[[P]]#2
// CHECK:           memref.store %{{.*}}, %[[TO]][%[[R]]]
func.func @squares(%z: memref<?x4x75xf32>, %mean: memref<?xf32>, %to: memref<?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(r, g, u) -> (r, g, u)>, affine_map<(r, g, u) -> (r)>, affine_map<(r, g, u) -> (r)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%z, %mean : memref<?x4x75xf32>, memref<?xf32>) outs(%to : memref<?xf32>) {
  ^bb0(%v: f32, %m: f32, %q: f32):
    %d = arith.subf %v, %m : f32
    %dd = arith.mulf %d, %d : f32
    %q1 = arith.addf %q, %dd : f32
    linalg.yield %q1 : f32
  }
  return
}

// Two results, of which one is a maximum.

// CHECK-LABEL: func.func @two_results(
// CHECK:         scf.for {{.*}} -> (vector<32xf32>, vector<32xf32>)
// CHECK:         vector.reduction <maximumf>
// CHECK:         vector.reduction <add>
func.func @two_results(%z: memref<6x64xf32>, %largest: memref<6xf32>, %sum: memref<6xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(r, u) -> (r, u)>, affine_map<(r, u) -> (r)>, affine_map<(r, u) -> (r)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%z : memref<6x64xf32>) outs(%largest, %sum : memref<6xf32>, memref<6xf32>) {
  ^bb0(%v: f32, %l: f32, %s: f32):
    %l1 = arith.maximumf %l, %v : f32
    %s1 = arith.addf %s, %v : f32
    linalg.yield %l1, %s1 : f32, f32
  }
  return
}

// Left alone: strided elements, a sum whose next term depends on it, a type that is widened.

// CHECK-LABEL: func.func @columns(
// CHECK:         linalg.reduce
func.func @columns(%z: memref<64x6xf32>, %sum: memref<6xf32>) {
  linalg.reduce ins(%z : memref<64x6xf32>) outs(%sum : memref<6xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }
  return
}

// CHECK-LABEL: func.func @recurrent(
// CHECK:         linalg.reduce
func.func @recurrent(%z: memref<6x64xf32>, %sum: memref<6xf32>) {
  linalg.reduce ins(%z : memref<6x64xf32>) outs(%sum : memref<6xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %0, %b : f32
      linalg.yield %1 : f32
    }
  return
}

// CHECK-LABEL: func.func @narrow(
// CHECK:         linalg.reduce
func.func @narrow(%z: memref<6x64xbf16>, %sum: memref<6xbf16>) {
  linalg.reduce ins(%z : memref<6x64xbf16>) outs(%sum : memref<6xbf16>) dimensions = [1]
    (%a: bf16, %b: bf16) {
      %0 = arith.addf %a, %b : bf16
      linalg.yield %0 : bf16
    }
  return
}
