// RUN: lstm-opt %s --lstm-split-products --split-input-file | FileCheck %s
// RUN: lstm-opt %s --lstm-split-products --split-input-file --remarks-filter=lstm-split-products 2>&1 >%t | FileCheck %s --check-prefix=REMARK
// RUN: lstm-opt %s --lstm-split-products="rows=8 multiplications=0 width=8 chunk=8" --split-input-file | FileCheck %s --check-prefix=SMALL

// The number of rows decides, at run time.
// CHECK-LABEL: func @dynamic
// CHECK-SAME: %[[X:.*]]: memref<?x1024xf32>, %[[W:.*]]: memref<1024x4096xf32>, %[[Y:.*]]: memref<?x4096xf32>
// CHECK: %[[ROWS:.*]] = memref.dim %[[Y]], %{{.*}}
// CHECK: %[[LEAST:.*]] = arith.constant 1024 : index
// CHECK: %[[WORTH:.*]] = arith.cmpi uge, %[[ROWS]], %[[LEAST]]
// CHECK: scf.if %[[WORTH]] {
// CHECK: %[[XS:.*]] = memref.alloc(%[[ROWS]]) : memref<?x3072xbf16>
// CHECK-DAG: %[[A:.*]] = memref.subview %[[XS]][0, 0] [%[[ROWS]], 1024] [1, 1]
// CHECK-DAG: %[[M:.*]] = memref.subview %[[XS]][0, 1024] [%[[ROWS]], 1024] [1, 1]
// CHECK-DAG: %[[L:.*]] = memref.subview %[[XS]][0, 2048] [%[[ROWS]], 1024] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[A]], %[[M]], %[[L]] :
// CHECK: ^bb0(%[[V:[a-z0-9]*]]: f32
// CHECK: arith.bitcast %[[V]] : f32 to i32
// CHECK: arith.cmpi ne
// CHECK: arith.subf %[[V]],
// CHECK: arith.subf
// CHECK-COUNT-3: arith.truncf %{{.*}} : f32 to bf16
// CHECK: %[[WS:.*]] = memref.alloc() : memref<3072x4096xbf16>
// CHECK-DAG: %[[P:.*]] = memref.subview %[[WS]][2048, 0] [1024, 4096] [1, 1]
// CHECK-DAG: %[[Q:.*]] = memref.subview %[[WS]][1024, 0] [1024, 4096] [1, 1]
// CHECK-DAG: %[[R:.*]] = memref.subview %[[WS]][0, 0] [1024, 4096] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[W]] : {{.*}}) outs(%[[P]], %[[Q]], %[[R]] :
// CHECK: %[[A0:.*]] = memref.subview %[[XS]][0, 0] [%[[ROWS]], 3072] [1, 1]
// CHECK: %[[B0:.*]] = memref.subview %[[WS]][0, 0] [3072, 4096] [1, 1]
// CHECK: cublas.gemm ins(%[[A0]], %[[B0]] : memref<?x3072xbf16, strided<[3072, 1]>>, {{.*}}) outs(%[[Y]] : memref<?x4096xf32>){{$}}
// CHECK: %[[A1:.*]] = memref.subview %[[XS]][0, 0] [%[[ROWS]], 2048] [1, 1]
// CHECK: %[[B1:.*]] = memref.subview %[[WS]][1024, 0] [2048, 4096] [1, 1]
// CHECK: cublas.gemm ins(%[[A1]], %[[B1]] : {{.*}}) outs(%[[Y]] : memref<?x4096xf32>) beta 1.0
// CHECK: %[[A2:.*]] = memref.subview %[[XS]][0, 0] [%[[ROWS]], 512] [1, 1]
// CHECK: %[[B2:.*]] = memref.subview %[[WS]][2048, 0] [512, 4096] [1, 1]
// CHECK: cublas.gemm ins(%[[A2]], %[[B2]] : {{.*}}) outs(%[[Y]] : memref<?x4096xf32>) beta 1.0
// CHECK: %[[A3:.*]] = memref.subview %[[XS]][0, 512] [%[[ROWS]], 512] [1, 1]
// CHECK: %[[B3:.*]] = memref.subview %[[WS]][2560, 0] [512, 4096] [1, 1]
// CHECK: cublas.gemm ins(%[[A3]], %[[B3]] : {{.*}}) outs(%[[Y]] : memref<?x4096xf32>) beta 1.0
// CHECK: } else {
// CHECK-NEXT: cublas.gemm ins(%[[X]], %[[W]] : memref<?x1024xf32>, memref<1024x4096xf32>) outs(%[[Y]] : memref<?x4096xf32>){{$}}
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @dynamic(%x: memref<?x1024xf32>, %w: memref<1024x4096xf32>, %y: memref<?x4096xf32>) {
  cublas.gemm ins(%x, %w : memref<?x1024xf32>, memref<1024x4096xf32>) outs(%y : memref<?x4096xf32>)
  return
}

// -----

// Nothing is asked of rows that are known. Where B lies transposed, its parts do, too; alpha stays, and what is there is kept.
// CHECK-LABEL: func @static
// CHECK-NOT: scf.if
// CHECK: memref.alloc() : memref<8192x1536xbf16>
// CHECK: %[[WS:.*]] = memref.alloc() : memref<2048x1536xbf16>
// CHECK: memref.subview %[[WS]][0, 1024] [2048, 512] [1, 1]
// CHECK: memref.subview %[[WS]][0, 512] [2048, 512] [1, 1]
// CHECK: memref.subview %[[WS]][0, 0] [2048, 512] [1, 1]
// CHECK: cublas.gemm ins({{.*}} : memref<8192x1536xbf16, {{.*}}>, memref<2048x1536xbf16, {{.*}}>) {{.*}} transpose_b alpha 2.000000e+00 beta 5.000000e-01
// CHECK: cublas.gemm ins({{.*}} : memref<8192x1024xbf16, {{.*}}>, memref<2048x1024xbf16, {{.*}}>) {{.*}} transpose_b alpha 2.000000e+00 beta 1.0
// CHECK: cublas.gemm ins({{.*}} : memref<8192x512xbf16, {{.*}}>, memref<2048x512xbf16, {{.*}}>) {{.*}} transpose_b alpha 2.000000e+00 beta 1.0
// CHECK-NOT: cublas.gemm
// CHECK: return
func.func @static(%x: memref<8192x512xf32>, %w: memref<2048x512xf32>, %y: memref<8192x2048xf32>) {
  cublas.gemm ins(%x, %w : memref<8192x512xf32>, memref<2048x512xf32>) outs(%y : memref<8192x2048xf32>) transpose_b alpha 2.0 beta 0.5
  return
}

// -----

// Sums of first parts are as long as each other, in tiles of 64, and no longer than 512.
// CHECK-LABEL: func @chunks
// CHECK: cublas.gemm ins({{.*}} : memref<?x3096xbf16,
// CHECK: cublas.gemm ins({{.*}} : memref<?x2064xbf16,
// CHECK: cublas.gemm ins({{.*}} : memref<?x384xbf16, strided<[3096, 1]>>, memref<384x1024xbf16, strided<[1024, 1], offset: 2113536>>)
// CHECK: cublas.gemm ins({{.*}} : memref<?x384xbf16, strided<[3096, 1], offset: 384>>, memref<384x1024xbf16, strided<[1024, 1], offset: 2506752>>)
// CHECK: cublas.gemm ins({{.*}} : memref<?x264xbf16, strided<[3096, 1], offset: 768>>, memref<264x1024xbf16, strided<[1024, 1], offset: 2899968>>)
// CHECK: else
func.func @chunks(%x: memref<?x1032xf32>, %w: memref<1032x1024xf32>, %y: memref<?x1024xf32>) {
  cublas.gemm ins(%x, %w : memref<?x1032xf32>, memref<1032x1024xf32>) outs(%y : memref<?x1024xf32>)
  return
}

// -----

// Narrow products need more rows. A may lie transposed.
// CHECK-LABEL: func @narrow
// CHECK: arith.constant 16384 : index
// SMALL-LABEL: func @narrow
// SMALL: arith.constant 8 : index
// SMALL: scf.if
// SMALL: return
func.func @narrow(%x: memref<?x256xf32>, %w: memref<256x256xf32>, %y: memref<?x256xf32>) {
  cublas.gemm ins(%x, %w : memref<?x256xf32>, memref<256x256xf32>) outs(%y : memref<?x256xf32>)
  return
}
// SMALL-LABEL: func @transposed
// SMALL: memref.alloc() : memref<48x8xbf16>
// SMALL: cublas.gemm ins({{.*}} : memref<48x8xbf16, {{.*}}>, memref<48x24xbf16, {{.*}}>) outs({{.*}}) transpose_a{{$}}
// SMALL: cublas.gemm ins({{.*}} : memref<32x8xbf16, {{.*}}>, memref<32x24xbf16, {{.*}}>) outs({{.*}}) transpose_a beta 1.0
// SMALL: cublas.gemm ins({{.*}} : memref<8x8xbf16, strided<[8, 1]>>, memref<8x24xbf16, {{.*}}>) outs({{.*}}) transpose_a beta 1.0
// SMALL: cublas.gemm ins({{.*}} : memref<8x8xbf16, strided<[8, 1], offset: 64>>, memref<8x24xbf16, {{.*}}>) outs({{.*}}) transpose_a beta 1.0
func.func @transposed(%x: memref<16x8xf32>, %w: memref<16x24xf32>, %y: memref<8x24xf32>) {
  cublas.gemm ins(%x, %w : memref<16x8xf32>, memref<16x24xf32>) outs(%y : memref<8x24xf32>) transpose_a
  return
}

// -----

// Steps by chunks: the weights are split before the loop, as the rows of the chunk's buffer say.
// CHECK-LABEL: func @in_a_loop
// CHECK-SAME: %[[X:.*]]: memref<?x1024xf32>, %[[W:.*]]: memref<1024x1x4096xf32>, %[[CHUNK:.*]]: index, %[[N:.*]]: index
// CHECK: %[[BUFFER:.*]] = memref.alloc(%[[CHUNK]]) : memref<?x1x4096xf32>
// CHECK: %[[WORTH:.*]] = arith.cmpi uge, %[[CHUNK]], %{{.*}}
// CHECK: %[[W2:.*]] = memref.reinterpret_cast
// CHECK: %[[K:.*]] = arith.select %[[WORTH]], %{{.*}}, %{{.*}} : index
// CHECK: %[[WS:.*]] = memref.alloc(%[[K]]) : memref<?x4096xbf16>
// CHECK: scf.if %[[WORTH]] {
// CHECK: linalg.generic {{.*}} ins(%[[W2]] :
// CHECK: scf.for
// CHECK: %[[ROWS:.*]] = arith.minui
// CHECK: scf.if %[[WORTH]] {
// CHECK: %[[XS:.*]] = memref.alloc(%[[CHUNK]]) : memref<?x3072xbf16>
// CHECK: memref.subview %[[XS]][0, 0] [%[[ROWS]], 1024] [1, 1]
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK-COUNT-4: cublas.gemm ins({{.*}}xbf16
// CHECK: else
// CHECK-NEXT: cublas.gemm ins({{.*}}xf32
func.func @in_a_loop(%x: memref<?x1024xf32>, %w: memref<1024x1x4096xf32>, %chunk: index, %n: index) {
  %c0 = arith.constant 0 : index
  %buffer = memref.alloc(%chunk) : memref<?x1x4096xf32>
  scf.for %i = %c0 to %n step %chunk {
    %left = arith.subi %n, %i : index
    %rows = arith.minui %chunk, %left : index
    %part = memref.subview %x[%i, 0] [%rows, 1024] [1, 1] : memref<?x1024xf32> to memref<?x1024xf32, strided<[1024, 1], offset: ?>>
    %w2 = memref.reinterpret_cast %w to offset: [0], sizes: [1024, 4096], strides: [4096, 1] : memref<1024x1x4096xf32> to memref<1024x4096xf32, strided<[4096, 1]>>
    %out = memref.subview %buffer[0, 0, 0] [%rows, 1, 4096] [1, 1, 1] : memref<?x1x4096xf32> to memref<?x4096xf32, strided<[4096, 1]>>
    cublas.gemm ins(%part, %w2 : memref<?x1024xf32, strided<[1024, 1], offset: ?>>, memref<1024x4096xf32, strided<[4096, 1]>>)
        outs(%out : memref<?x4096xf32, strided<[4096, 1]>>)
  }
  return
}

// -----

// Weights that the loop may write stay in it, also where it does so in a way that nobody knows.
// CHECK-LABEL: func @written
// CHECK: scf.for
// CHECK: memref.alloc() : memref<3072x4096xbf16>
// CHECK-LABEL: func @escaped
// CHECK: scf.for
// CHECK: memref.alloc() : memref<3072x4096xbf16>
// CHECK-LABEL: func @read
// CHECK: memref.alloc() : memref<8192x3072xbf16>
// CHECK: memref.alloc() : memref<3072x4096xbf16>
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK: scf.for
func.func @written(%x: memref<8192x1024xf32>, %w: memref<1024x4096xf32>, %v: f32, %y: memref<8192x4096xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    cublas.gemm ins(%x, %w : memref<8192x1024xf32>, memref<1024x4096xf32>) outs(%y : memref<8192x4096xf32>)
    scf.for %j = %c0 to %n step %c1 {
      memref.store %v, %w[%j, %i] : memref<1024x4096xf32>
    }
  }
  return
}
func.func private @other(index)
func.func @escaped(%x: memref<8192x1024xf32>, %w: memref<1024x4096xf32>, %y: memref<8192x4096xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %address = memref.extract_aligned_pointer_as_index %w : memref<1024x4096xf32> -> index
  scf.for %i = %c0 to %n step %c1 {
    cublas.gemm ins(%x, %w : memref<8192x1024xf32>, memref<1024x4096xf32>) outs(%y : memref<8192x4096xf32>)
    scf.for %j = %c0 to %n step %c1 {
      func.call @other(%address) : (index) -> ()
    }
  }
  return
}
func.func @read(%x: memref<8192x1024xf32>, %w: memref<1024x4096xf32>, %y: memref<8192x4096xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    cublas.gemm ins(%x, %w : memref<8192x1024xf32>, memref<1024x4096xf32>) outs(%y : memref<8192x4096xf32>)
    scf.for %j = %c0 to %n step %c1 {
      func.call @other(%j) : (index) -> ()
    }
  }
  return
}

// -----

// On branches: before the whole region, or not at all.
// CHECK-LABEL: func @in_a_region
// CHECK: memref.alloc() : memref<3072x4096xbf16>
// CHECK: scf.execute_region
// CHECK: %[[V:.*]] = memref.alloc() : memref<1024x4096xf32>
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: ins(%{{.*}} : memref<8192x1024xf32>)
// CHECK: cublas.gemm
// CHECK: ins(%[[V]] : memref<1024x4096xf32>)
func.func @in_a_region(%x: memref<8192x1024xf32>, %w: memref<1024x4096xf32>, %y: memref<8192x4096xf32>, %z: memref<8192x4096xf32>, %n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.execute_region {
    %v = memref.alloc() : memref<1024x4096xf32>
    linalg.fill ins(%f : f32) outs(%v : memref<1024x4096xf32>)
    scf.for %i = %c0 to %n step %c1 {
      memref.store %f, %x[%i, %i] : memref<8192x1024xf32>
      scf.for %j = %c0 to %n step %c1 {
        func.call @other(%j) : (index) -> ()
      }
      cublas.gemm ins(%x, %w : memref<8192x1024xf32>, memref<1024x4096xf32>) outs(%y : memref<8192x4096xf32>)
      cublas.gemm ins(%x, %v : memref<8192x1024xf32>, memref<1024x4096xf32>) outs(%z : memref<8192x4096xf32>)
    }
    scf.yield
  }
  return
}
func.func private @other(index)

// -----

// The product of a step with what the step before has written.
// CHECK-LABEL: func @recurrent
// CHECK-NOT: bf16
// CHECK-LABEL: func @others
// CHECK-NOT: bf16
// REMARK: remark: [Missed] NotSplit {{.*}}"rows of bf16 would not begin at multiples of 16 bytes"
// REMARK: remark: [Missed] NotSplit {{.*}}"what it is multiplied by is small"
// REMARK: remark: [Missed] NotSplit {{.*}}"the sizes of what it is multiplied by are not known"
// SMALL-LABEL: func @recurrent
// SMALL-NOT: bf16
// SMALL-LABEL: func @others
// SMALL: return
func.func @recurrent(%h: memref<4096x1024xf32>, %u: memref<1024x1024xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sums = memref.alloc() : memref<4096x1024xf32>
  scf.for %i = %c0 to %n step %c1 {
    cublas.gemm ins(%h, %u : memref<4096x1024xf32>, memref<1024x1024xf32>) outs(%sums : memref<4096x1024xf32>)
    linalg.tanh ins(%sums : memref<4096x1024xf32>) outs(%h : memref<4096x1024xf32>)
  }
  return
}
func.func @others(%x: memref<?x1024xf32>, %w: memref<1024x1024xf32>, %y: memref<?x1024xf32>, %few: memref<1000x1024xf32>,
                  %z: memref<1000x1024xf32>, %odd: memref<?x1020xf32>, %v: memref<1020x1024xf32>, %slim: memref<1024x128xf32>,
                  %s: memref<?x128xf32>, %any: memref<1024x?xf32>, %a: memref<?x?xf32>, %d: memref<?x1024xf64>, %e: memref<1024x1024xf64>,
                  %f: memref<?x1024xf64>, %token: !gpu.async.token) {
  cublas.gemm ins(%x, %w : memref<?x1024xf32>, memref<1024x1024xf32>) outs(%y : memref<?x1024xf32>) compute tf32
  cublas.gemm ins(%few, %w : memref<1000x1024xf32>, memref<1024x1024xf32>) outs(%z : memref<1000x1024xf32>)
  cublas.gemm ins(%odd, %v : memref<?x1020xf32>, memref<1020x1024xf32>) outs(%y : memref<?x1024xf32>)
  cublas.gemm ins(%x, %slim : memref<?x1024xf32>, memref<1024x128xf32>) outs(%s : memref<?x128xf32>)
  cublas.gemm ins(%x, %any : memref<?x1024xf32>, memref<1024x?xf32>) outs(%a : memref<?x?xf32>)
  cublas.gemm ins(%d, %e : memref<?x1024xf64>, memref<1024x1024xf64>) outs(%f : memref<?x1024xf64>)
  cublas.gemm [%token] ins(%x, %w : memref<?x1024xf32>, memref<1024x1024xf32>) outs(%y : memref<?x1024xf32>)
  return
}

// -----

// What is of bf16 already, and a function without products.
// CHECK-LABEL: func @halves
// CHECK-NEXT: cublas.gemm ins(%{{.*}}, %{{.*}} : memref<?x1024xbf16>, memref<1024x1024xbf16>) outs(%{{.*}} : memref<?x1024xf32>)
// CHECK-NEXT: return
func.func @halves(%x: memref<?x1024xbf16>, %w: memref<1024x1024xbf16>, %y: memref<?x1024xf32>) {
  cublas.gemm ins(%x, %w : memref<?x1024xbf16>, memref<1024x1024xbf16>) outs(%y : memref<?x1024xf32>)
  return
}
// CHECK-LABEL: func @none
// CHECK-NEXT: return
func.func @none() {
  return
}
