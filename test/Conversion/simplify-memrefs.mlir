// RUN: lstm-opt %s --lstm-simplify-memrefs | FileCheck %s

// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[V:[^:]*]]: memref<?x16xf32>, %[[T:[^:]*]]: index, %[[B:[^:]*]]: index
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[V]]
// CHECK: %[[STRIDE:.*]] = affine.apply #{{.*}}()[%[[B]]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[T]], %[[B]], 16], strides: [%[[STRIDE]], 16, 1]
func.func @two(%v: memref<?x16xf32>, %T: index, %B: index) -> memref<?x?x16xf32> {
  %e = memref.expand_shape %v [[0, 1], [2]] output_shape [%T, %B, 16] : memref<?x16xf32> into memref<?x?x16xf32>
  return %e : memref<?x?x16xf32>
}

// CHECK-LABEL: func.func @one(
// CHECK: memref.expand_shape
func.func @one(%v: memref<?x16xf32>, %T: index) -> memref<?x4x16xf32> {
  %e = memref.expand_shape %v [[0, 1], [2]] output_shape [%T, 4, 16] : memref<?x16xf32> into memref<?x4x16xf32>
  return %e : memref<?x4x16xf32>
}

// CHECK-LABEL: func.func @copies(
// CHECK: memref.copy
// CHECK-NOT: memref.copy
// CHECK: linalg.copy
func.func @copies(%a: memref<?x16xf32>, %b: memref<?x16xf32>, %c: memref<?x16xf32, strided<[32, 1], offset: ?>>) {
  memref.copy %a, %b : memref<?x16xf32> to memref<?x16xf32>
  memref.copy %a, %c : memref<?x16xf32> to memref<?x16xf32, strided<[32, 1], offset: ?>>
  return
}

// Narrow floats are moved as integers.

// CHECK-LABEL: func.func @narrow_transfers(
// CHECK-SAME:    %[[FROM:.*]]: memref<?xbf16>, %[[TO:.*]]: memref<?xf16>
// CHECK-DAG:     %[[I:.*]] = arith.bitcast %[[FROM]] : memref<?xbf16> to memref<?xi16>
// CHECK:         %[[READ:.*]] = vector.transfer_read %[[I]][%{{.*}}], %{{.*}} : memref<?xi16>, vector<8xi16>
// CHECK:         arith.bitcast %[[READ]] : vector<8xi16> to vector<8xbf16>
// CHECK:         %[[J:.*]] = arith.bitcast %[[TO]] : memref<?xf16> to memref<?xi16>
// CHECK:         vector.transfer_write %{{.*}}, %[[J]][%{{.*}}] : vector<8xi16>, memref<?xi16>
func.func @narrow_transfers(%from: memref<?xbf16>, %to: memref<?xf16>, %v: vector<8xf16>, %i: index) -> vector<8xbf16> {
  %zero = arith.constant 0.0 : bf16
  %0 = vector.transfer_read %from[%i], %zero : memref<?xbf16>, vector<8xbf16>
  vector.transfer_write %v, %to[%i] : vector<8xf16>, memref<?xf16>
  return %0 : vector<8xbf16>
}
