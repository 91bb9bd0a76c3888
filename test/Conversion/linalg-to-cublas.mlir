// RUN: lstm-opt %s --convert-linalg-to-cublas --split-input-file | FileCheck %s
// RUN: lstm-opt %s --convert-linalg-to-cublas=allow-tf32 --split-input-file | FileCheck %s --check-prefix=TF32

// CHECK-LABEL: func @matmul
// CHECK-SAME: %[[A:.*]]: memref<3x5xf32>, %[[B:.*]]: memref<5x7xf32>, %[[C:.*]]: memref<3x7xf32>
// CHECK-NEXT: cublas.gemm ins(%[[A]], %[[B]] : memref<3x5xf32>, memref<5x7xf32>) outs(%[[C]] : memref<3x7xf32>) beta 1.000000e+00{{$}}
// CHECK-NEXT: return
// TF32-LABEL: func @matmul
// TF32: cublas.gemm {{.*}} beta 1.000000e+00 compute tf32
func.func @matmul(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}

// -----

// Only f32 can be rounded to TF32.
// CHECK-LABEL: func @types
// TF32-LABEL: func @types
func.func @types(%a: memref<3x5xf64>, %b: memref<5x7xf64>, %c: memref<3x7xf64>,
                 %d: memref<3x5xbf16>, %e: memref<5x7xbf16>, %f: memref<3x7xf32>, %g: memref<3x7xbf16>) {
  // CHECK: cublas.gemm {{.*}} outs({{.*}} : memref<3x7xf64>) beta 1.000000e+00{{$}}
  // TF32: cublas.gemm {{.*}} outs({{.*}} : memref<3x7xf64>) beta 1.000000e+00{{$}}
  linalg.matmul ins(%a, %b : memref<3x5xf64>, memref<5x7xf64>) outs(%c : memref<3x7xf64>)
  // CHECK: cublas.gemm ins({{.*}} : memref<3x5xbf16>, memref<5x7xbf16>) outs({{.*}} : memref<3x7xf32>) beta 1.000000e+00{{$}}
  // TF32: cublas.gemm ins({{.*}} : memref<3x5xbf16>, memref<5x7xbf16>) outs({{.*}} : memref<3x7xf32>) beta 1.000000e+00{{$}}
  linalg.matmul ins(%d, %e : memref<3x5xbf16>, memref<5x7xbf16>) outs(%f : memref<3x7xf32>)
  // CHECK: cublas.gemm ins({{.*}} : memref<3x5xbf16>, memref<5x7xbf16>) outs({{.*}} : memref<3x7xbf16>) beta 1.000000e+00{{$}}
  linalg.matmul ins(%d, %e : memref<3x5xbf16>, memref<5x7xbf16>) outs(%g : memref<3x7xbf16>)
  return
}

// -----

// All transposes. Where C lies transposed, A and B change places.
#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#ct = affine_map<(m, n, k) -> (n, m)>
// CHECK-LABEL: func @transposes
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<?x5xf32>, %[[AT:[a-z0-9]*]]: memref<5x?xf32>,
// CHECK-SAME: %[[B:[a-z0-9]*]]: memref<5x7xf32>, %[[BT:[a-z0-9]*]]: memref<7x5xf32>,
// CHECK-SAME: %[[C:[a-z0-9]*]]: memref<?x7xf32>, %[[CT:[a-z0-9]*]]: memref<7x?xf32>
func.func @transposes(%a: memref<?x5xf32>, %at: memref<5x?xf32>, %b: memref<5x7xf32>, %bt: memref<7x5xf32>,
                      %c: memref<?x7xf32>, %ct: memref<7x?xf32>) {
  // CHECK: gemm ins(%[[AT]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}}) transpose_a beta
  linalg.matmul indexing_maps = [#at, #b, #c] ins(%at, %b : memref<5x?xf32>, memref<5x7xf32>) outs(%c : memref<?x7xf32>)
  // CHECK: gemm ins(%[[A]], %[[BT]] : {{.*}}) outs(%[[C]] : {{.*}}) transpose_b beta
  linalg.contract indexing_maps = [#a, #bt, #c] ins(%a, %bt : memref<?x5xf32>, memref<7x5xf32>) outs(%c : memref<?x7xf32>)
  // CHECK: gemm ins(%[[AT]], %[[BT]] : {{.*}}) outs(%[[C]] : {{.*}}) transpose_a transpose_b beta
  linalg.contract indexing_maps = [#at, #bt, #c] ins(%at, %bt : memref<5x?xf32>, memref<7x5xf32>) outs(%c : memref<?x7xf32>)
  // CHECK: gemm ins(%[[B]], %[[A]] : {{.*}}) outs(%[[CT]] : {{.*}}) transpose_a transpose_b beta
  linalg.contract indexing_maps = [#a, #b, #ct] ins(%a, %b : memref<?x5xf32>, memref<5x7xf32>) outs(%ct : memref<7x?xf32>)
  // CHECK: gemm ins(%[[BT]], %[[AT]] : {{.*}}) outs(%[[CT]] : {{.*}}) beta
  linalg.contract indexing_maps = [#at, #bt, #ct] ins(%at, %bt : memref<5x?xf32>, memref<7x5xf32>) outs(%ct : memref<7x?xf32>)
  return
}

// -----

// What is transposed by its strides.
// CHECK-LABEL: func @strides
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %[[S:.*]]:2 = memref.extract_strided_metadata %arg0
// CHECK: %[[A:.*]] = memref.reinterpret_cast %[[BASE]] to offset: [4], sizes: [5, 3], strides: [%[[S]]#1, 1] : memref<f32> to memref<5x3xf32, strided<[?, 1], offset: 4>>
// CHECK: cublas.gemm ins(%[[A]], %arg1 : {{.*}}) outs(%arg2 : {{.*}}) transpose_a beta 1.0
func.func @strides(%a: memref<3x5xf32, strided<[1, ?], offset: 4>>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  linalg.matmul ins(%a, %b : memref<3x5xf32, strided<[1, ?], offset: 4>>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}

// -----

// CHECK-LABEL: func @batches
func.func @batches(%a: memref<?x3x5xf32>, %b: memref<?x5x7xf32>, %c: memref<?x3x7xf32>) {
  // CHECK-NEXT: cublas.gemm_strided_batched ins(%arg0, %arg1 : memref<?x3x5xf32>, memref<?x5x7xf32>) outs(%arg2 : memref<?x3x7xf32>) beta 1.0
  linalg.batch_matmul ins(%a, %b : memref<?x3x5xf32>, memref<?x5x7xf32>) outs(%c : memref<?x3x7xf32>)
  return
}

// -----

// The batch is not outermost in A, and not first in C.
// CHECK-LABEL: func @inner_batches
// CHECK: %[[A:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [4, 3, 5], strides: [5, 20, 1]
// CHECK: %[[C:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [4, 7, 3], strides: [3, 12, 1]
// CHECK: cublas.gemm_strided_batched ins(%arg1, %[[A]] : {{.*}}) outs(%[[C]] : {{.*}}) transpose_a transpose_b beta
func.func @inner_batches(%a: memref<3x4x5xf32>, %b: memref<4x5x7xf32>, %c: memref<7x4x3xf32>) {
  linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
                                   affine_map<(b, m, n, k) -> (n, b, m)>]
    ins(%a, %b : memref<3x4x5xf32>, memref<4x5x7xf32>) outs(%c : memref<7x4x3xf32>)
  return
}

// -----

// Gates and units are one dimension; the last of several dimensions may not be dynamic, unless all
// is contiguous.
// CHECK-LABEL: func @groups
// CHECK: %[[B:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [80, 512], strides: [512, 1]
// CHECK: %[[CBASE:.*]], %[[O:.*]], %[[SIZES:.*]]:3, %{{.*}}:3 = memref.extract_strided_metadata %arg2
// CHECK: %[[C:.*]] = memref.reinterpret_cast %[[CBASE]] to offset: [%[[O]]], sizes: [%[[SIZES]]#0, 512], strides: [1024, 1]
// CHECK-SAME: to memref<?x512xf32, strided<[1024, 1], offset: ?>>
// CHECK: cublas.gemm ins(%arg0, %[[B]] : memref<?x80xf32>, memref<80x512xf32, strided<[512, 1]>>) outs(%[[C]] : {{.*}}) beta 1.0
func.func @groups(%a: memref<?x80xf32>, %b: memref<80x4x128xf32>, %c: memref<?x4x128xf32, strided<[1024, 128, 1], offset: ?>>) {
  linalg.contract indexing_maps = [affine_map<(b, g, u, k) -> (b, k)>, affine_map<(b, g, u, k) -> (k, g, u)>,
                                   affine_map<(b, g, u, k) -> (b, g, u)>]
    ins(%a, %b : memref<?x80xf32>, memref<80x4x128xf32>) outs(%c : memref<?x4x128xf32, strided<[1024, 128, 1], offset: ?>>)
  return
}

// -----

// C of rank 4, and rows of two dynamic dimensions.
// CHECK-LABEL: func @steps_and_rows
// CHECK: %[[ABASE:.*]], %{{.*}}, %[[SIZES:.*]]:3, %{{.*}}:3 = memref.extract_strided_metadata %arg0
// CHECK: %[[ROWS:.*]] = affine.apply #{{.*}}()[%[[SIZES]]#0, %[[SIZES]]#1]
// CHECK: %[[A:.*]] = memref.reinterpret_cast %[[ABASE]] to offset: [0], sizes: [%[[ROWS]], 80], strides: [80, 1]
// CHECK: %[[C:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, 512], strides: [512, 1]
// CHECK: cublas.gemm ins(%[[A]], {{.*}}) outs(%[[C]] : {{.*}}) beta 1.0
func.func @steps_and_rows(%a: memref<?x?x80xf32>, %b: memref<80x4x128xf32>, %c: memref<?x?x4x128xf32>) {
  linalg.contract indexing_maps = [affine_map<(t, b, g, u, k) -> (t, b, k)>, affine_map<(t, b, g, u, k) -> (k, g, u)>,
                                   affine_map<(t, b, g, u, k) -> (t, b, g, u)>]
    ins(%a, %b : memref<?x?x80xf32>, memref<80x4x128xf32>) outs(%c : memref<?x?x4x128xf32>)
  return
}

// -----

// Dimensions of size 1 lie anywhere.
// CHECK-LABEL: func @ones
// CHECK: %[[A:.*]] = memref.reinterpret_cast %{{.*}} to offset: [88], sizes: [44, 44], strides: [132, 1]
// CHECK: %[[C:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [44, 20], strides: [20, 1]
// CHECK: cublas.gemm ins(%[[A]], %arg1 : {{.*}}) outs(%[[C]] : {{.*}}) beta 1.0
func.func @ones(%a: memref<44x1x44xf32, strided<[132, 44, 1], offset: 88>>, %b: memref<44x20xf32>, %c: memref<1x44x1x20xf32>) {
  linalg.contract indexing_maps = [affine_map<(x, m, g, n, k) -> (m, g, k)>, affine_map<(x, m, g, n, k) -> (k, n)>,
                                   affine_map<(x, m, g, n, k) -> (x, m, g, n)>]
    ins(%a, %b : memref<44x1x44xf32, strided<[132, 44, 1], offset: 88>>, memref<44x20xf32>) outs(%c : memref<1x44x1x20xf32>)
  return
}

// -----

// CHECK-LABEL: func @slices
// CHECK-NEXT: cublas.gemm ins(%arg0, %arg1 : memref<?x20xf32, strided<[20, 1], offset: ?>>, memref<20x7xf32, strided<[?, 1], offset: ?>>)
// CHECK-SAME: outs(%arg2 : memref<?x7xf32, strided<[99, 1], offset: 3>>)
func.func @slices(%a: memref<?x20xf32, strided<[20, 1], offset: ?>>, %b: memref<20x7xf32, strided<[?, 1], offset: ?>>,
                  %c: memref<?x7xf32, strided<[99, 1], offset: 3>>) {
  linalg.matmul ins(%a, %b : memref<?x20xf32, strided<[20, 1], offset: ?>>, memref<20x7xf32, strided<[?, 1], offset: ?>>)
    outs(%c : memref<?x7xf32, strided<[99, 1], offset: 3>>)
  return
}

// -----

// Vectors are matrices of one row or column.
// CHECK-LABEL: func @vectors
func.func @vectors(%a: memref<3x5xf32>, %x: memref<5xf32>, %y: memref<3xf32>, %s: memref<f32>,
                   %column: memref<5xf32, strided<[9]>>) {
  // CHECK: %[[X:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [5, 1], strides: [1, 1]
  // CHECK: %[[Y:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [3, 1], strides: [1, 1]
  // CHECK: cublas.gemm ins(%arg0, %[[X]] : {{.*}}) outs(%[[Y]] : {{.*}}) beta 1.0
  linalg.matvec ins(%a, %x : memref<3x5xf32>, memref<5xf32>) outs(%y : memref<3xf32>)
  // CHECK: %[[Y1:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1, 3], strides: [3, 1]
  // CHECK: %[[X1:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1, 5], strides: [5, 1]
  // CHECK: cublas.gemm ins(%[[Y1]], %arg0 : {{.*}}) outs(%[[X1]] : {{.*}}) beta 1.0
  linalg.vecmat ins(%y, %a : memref<3xf32>, memref<3x5xf32>) outs(%x : memref<5xf32>)
  // CHECK: %[[L:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [5, 1], strides: [9, 1]
  // CHECK: %[[R:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [5, 1], strides: [1, 1]
  // CHECK: %[[S:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1, 1], strides: [1, 1]
  // CHECK: cublas.gemm ins(%[[L]], %[[R]] : {{.*}}) outs(%[[S]] : {{.*}}) transpose_a beta 1.0
  linalg.dot ins(%column, %x : memref<5xf32, strided<[9]>>, memref<5xf32>) outs(%s : memref<f32>)
  return
}

// -----

// CHECK-LABEL: func @generic
// CHECK-NEXT: cublas.gemm ins(%arg0, %arg1 : memref<3x5xf16>, memref<5x7xf16>) outs(%arg2 : memref<3x7xf32>) beta 1.0
func.func @generic(%a: memref<3x5xf16>, %b: memref<5x7xf16>, %c: memref<3x7xf32>) {
  linalg.generic {indexing_maps = [affine_map<(k, n, m) -> (m, k)>, affine_map<(k, n, m) -> (k, n)>, affine_map<(k, n, m) -> (m, n)>],
                  iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%a, %b : memref<3x5xf16>, memref<5x7xf16>) outs(%c : memref<3x7xf32>) {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %x32 = arith.extf %x : f16 to f32
    %y32 = arith.extf %y : f16 to f32
    %p = arith.mulf %y32, %x32 : f32
    %r = arith.addf %sum, %p : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// No work, or sums of nothing: it is for the library to know.
// CHECK-LABEL: func @empty
// CHECK-NOT: linalg
// CHECK: %[[A:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [3, 0], strides: [%{{.*}}, 1]
// CHECK: %[[B:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [0, 7], strides: [7, 1]
// CHECK: cublas.gemm ins(%[[A]], %[[B]] : {{.*}}) outs(%arg2 : memref<3x7xf32>){{$}}
func.func @empty(%a: memref<3x0x2xf32>, %b: memref<0x2x7xf32>, %c: memref<3x7xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<3x7xf32>)
  linalg.contract indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, l, n)>,
                                   affine_map<(m, n, k, l) -> (m, n)>]
    ins(%a, %b : memref<3x0x2xf32>, memref<0x2x7xf32>) outs(%c : memref<3x7xf32>)
  return
}
