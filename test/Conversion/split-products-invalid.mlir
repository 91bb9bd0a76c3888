// Sizes with which nothing can be split.
// RUN: not lstm-opt %s --lstm-split-products=rows=-1 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: lstm-split-products: expects rows to be 0 or more, but got -1
// RUN: not lstm-opt %s --lstm-split-products=multiplications=-5 2>&1 | FileCheck %s --check-prefix=MULTIPLICATIONS
// MULTIPLICATIONS: error: lstm-split-products: expects multiplications to be 0 or more, but got -5
// RUN: not lstm-opt %s --lstm-split-products=width=0 2>&1 | FileCheck %s --check-prefix=WIDTH
// WIDTH: error: lstm-split-products: expects width to be positive, but got 0
// RUN: not lstm-opt %s --lstm-split-products=chunk=0 2>&1 | FileCheck %s --check-prefix=CHUNK
// CHUNK: error: lstm-split-products: expects chunk to be a positive multiple of 8, but got 0
// RUN: not lstm-opt %s --lstm-split-products=chunk=100 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// MULTIPLE: error: lstm-split-products: expects chunk to be a positive multiple of 8, but got 100

// The least that they may be: products without k or columns stay.
// RUN: lstm-opt %s --lstm-split-products="rows=0 multiplications=0 width=1 chunk=8" | FileCheck %s
// CHECK-LABEL: func @empty
// CHECK-COUNT-1: cublas.gemm
// CHECK-NOT: cublas.gemm
func.func @empty(%x: memref<?x0xf32>, %w: memref<0x4096xf32>, %c: memref<?x4096xf32>) {
  cublas.gemm ins(%x, %w : memref<?x0xf32>, memref<0x4096xf32>) outs(%c : memref<?x4096xf32>)
  return
}
