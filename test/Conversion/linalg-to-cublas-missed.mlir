// What stays as it is, and why.
// RUN: lstm-opt %s --convert-linalg-to-cublas --remarks-filter=convert-linalg-to-cublas 2>&1 >/dev/null | FileCheck %s
// RUN: lstm-opt %s --convert-linalg-to-cublas | FileCheck %s --check-prefix=IR
// IR-NOT: cublas

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

func.func @integers(%a: memref<3x5xi32>, %b: memref<5x7xi32>, %c: memref<3x7xi32>) {
  // CHECK: missed.mlir:[[@LINE+1]]:{{[0-9]+}}: remark: [Missed] NoLibraryProduct | Category:convert-linalg-to-cublas | {{.*}}it is not a sum of products of floats
  linalg.matmul ins(%a, %b : memref<3x5xi32>, memref<5x7xi32>) outs(%c : memref<3x7xi32>)
  return
}

// Upstream takes any unary operation on a factor for a cast.
func.func @negated(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  // CHECK: missed.mlir:[[@LINE+1]]:{{.*}}it is not a sum of products of floats
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %n = arith.negf %x : f32
    %p = arith.mulf %n, %y : f32
    %r = arith.addf %sum, %p : f32
    linalg.yield %r : f32
  }
  return
}

func.func @mixed(%a: memref<3x5xf32>, %b: memref<5x7xbf16>, %c: memref<3x7xf32>) {
  // CHECK: missed.mlir:[[@LINE+1]]:{{.*}}cuBLAS has no product of these types
  linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xbf16>) outs(%c : memref<3x7xf32>)
  return
}

func.func @wide_sum(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf64>) {
  // CHECK: missed.mlir:[[@LINE+1]]:{{.*}}cuBLAS has no product of these types
  linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf64>)
  return
}

func.func @shared_memory(%a: memref<3x5xf32, 3>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  // CHECK: missed.mlir:[[@LINE+1]]:{{.*}}an operand is not in the default memory space
  linalg.matmul ins(%a, %b : memref<3x5xf32, 3>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}

func.func @in_place(%a: memref<5x5xf32>, %b: memref<5x5xf32>) {
  // CHECK: missed.mlir:[[@LINE+1]]:{{.*}}the destination is read as a factor
  linalg.matmul ins(%a, %b : memref<5x5xf32>, memref<5x5xf32>) outs(%b : memref<5x5xf32>)
  return
}

func.func @sum_of_one_operand(%a: memref<3x5x2xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  // CHECK: missed.mlir:[[@LINE+1]]:{{.*}}a dimension belongs to one operand alone
  linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n)>,
                                   affine_map<(m, n, k, l) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<3x5x2xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %p, %sum : f32
    linalg.yield %r : f32
  }
  return
}

// u comes before g in the weights.
func.func @other_order(%a: memref<?x80xf32>, %b: memref<80x128x4xf32>, %c: memref<?x4x128xf32>) {
  // CHECK: missed.mlir:[[@LINE+1]]:{{.*}}dimensions that belong together do not lie in memory as one
  linalg.contract indexing_maps = [affine_map<(b, g, u, k) -> (b, k)>, affine_map<(b, g, u, k) -> (k, u, g)>,
                                   affine_map<(b, g, u, k) -> (b, g, u)>]
    ins(%a, %b : memref<?x80xf32>, memref<80x128x4xf32>) outs(%c : memref<?x4x128xf32>)
  return
}

func.func @gap(%a: memref<?x80xf32>, %b: memref<80x4x128xf32>, %c: memref<?x4x128xf32, strided<[1024, 256, 1]>>) {
  // CHECK: missed.mlir:[[@LINE+1]]:{{.*}}dimensions that belong together do not lie in memory as one
  linalg.contract indexing_maps = [affine_map<(b, g, u, k) -> (b, k)>, affine_map<(b, g, u, k) -> (k, g, u)>,
                                   affine_map<(b, g, u, k) -> (b, g, u)>]
    ins(%a, %b : memref<?x80xf32>, memref<80x4x128xf32>) outs(%c : memref<?x4x128xf32, strided<[1024, 256, 1]>>)
  return
}

func.func @every_other(%a: memref<3x5xf32, strided<[10, 2]>>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  // CHECK: missed.mlir:[[@LINE+1]]:{{.*}}an operand has no dimension of stride 1 with rows that lie apart
  linalg.matmul ins(%a, %b : memref<3x5xf32, strided<[10, 2]>>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}

func.func @same_row(%a: memref<3x5xf32, strided<[0, 1]>>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  // CHECK: missed.mlir:[[@LINE+1]]:{{.*}}an operand has no dimension of stride 1 with rows that lie apart
  linalg.matmul ins(%a, %b : memref<3x5xf32, strided<[0, 1]>>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
  return
}

// Not asked for: no remark.
// CHECK-NOT: remark
func.func @others(%a: memref<3x7xf32>, %b: memref<3x7xf32>, %c: memref<3x7xf32>, %d: tensor<3x5xf32>, %e: tensor<5x7xf32>,
                  %f: tensor<3x7xf32>) -> tensor<3x7xf32> {
  linalg.mul ins(%a, %b : memref<3x7xf32>, memref<3x7xf32>) outs(%c : memref<3x7xf32>)
  %r = linalg.matmul ins(%d, %e : tensor<3x5xf32>, tensor<5x7xf32>) outs(%f : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %r : tensor<3x7xf32>
}

// A factor that is no memref.
func.func @scalar(%a: f32, %b: memref<5x7xf32>, %c: memref<7xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, k) -> ()>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : f32, memref<5x7xf32>) outs(%c : memref<7xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %p, %sum : f32
    linalg.yield %r : f32
  }
  return
}

gpu.module @kernels {
  gpu.func @kernel(%a: memref<3x5xf32>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) kernel {
    linalg.matmul ins(%a, %b : memref<3x5xf32>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
    gpu.return
  }
}
