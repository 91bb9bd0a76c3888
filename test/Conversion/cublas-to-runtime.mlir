// RUN: lstm-opt %s --convert-cublas-to-runtime | FileCheck %s
// RUN: lstm-opt %s --convert-cublas-to-runtime --expand-strided-metadata --lower-affine --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | FileCheck %s --check-prefix=LLVM

// CHECK: llvm.func @lstmCudaGemm(!llvm.ptr, i32, i32, i32, i32, i32, i64, i64, i64, f64, !llvm.ptr, i64, i64, !llvm.ptr, i64, i64, f64, !llvm.ptr, i64, i64, i64)
// LLVM-NOT: memref
// LLVM-NOT: unrealized_conversion_cast

// CHECK-LABEL: func @static
// CHECK: %[[STREAM:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: %[[F32:.*]] = arith.constant 2 : i32
// CHECK: %[[F32C:.*]] = arith.constant 2 : i32
// CHECK: %[[TF32:.*]] = arith.constant 1 : i32
// CHECK: %[[TA:.*]] = arith.constant 1 : i32
// CHECK: %[[TB:.*]] = arith.constant 0 : i32
// CHECK: %[[M:.*]] = arith.constant 3 : i64
// CHECK: %[[N:.*]] = arith.constant 7 : i64
// CHECK: %[[K:.*]] = arith.constant 5 : i64
// CHECK: %[[ALPHA:.*]] = arith.constant 2.000000e+00 : f64
// CHECK: %[[A:.*]] = memref.extract_aligned_pointer_as_index %arg0
// CHECK: %[[O:.*]] = arith.constant 11 : index
// CHECK: %[[SIZE:.*]] = arith.constant 4 : index
// CHECK: %[[BYTES:.*]] = arith.muli %[[O]], %[[SIZE]]
// CHECK: %[[AT:.*]] = arith.addi %[[A]], %[[BYTES]]
// CHECK: %[[A64:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK: %[[APTR:.*]] = llvm.inttoptr %[[A64]] : i64 to !llvm.ptr
// CHECK: %[[LDA:.*]] = arith.constant 9 : i64
// CHECK: %[[NONE:.*]] = arith.constant 0 : i64
// CHECK: memref.extract_aligned_pointer_as_index %arg1
// CHECK: %[[BPTR:.*]] = llvm.inttoptr
// CHECK: %[[LDB:.*]] = arith.constant 7 : i64
// CHECK: %[[BETA:.*]] = arith.constant 5.000000e-01 : f64
// CHECK: memref.extract_aligned_pointer_as_index %arg2
// CHECK: %[[CPTR:.*]] = llvm.inttoptr
// CHECK: %[[LDC:.*]] = arith.constant 7 : i64
// CHECK: %[[BATCH:.*]] = arith.constant 1 : i64
// CHECK: llvm.call @lstmCudaGemm(%[[STREAM]], %[[F32]], %[[F32C]], %[[TF32]], %[[TA]], %[[TB]], %[[M]], %[[N]], %[[K]], %[[ALPHA]],
// CHECK-SAME: %[[APTR]], %[[LDA]], %[[NONE]], %[[BPTR]], %[[LDB]], %{{.*}}, %[[BETA]], %[[CPTR]], %[[LDC]], %{{.*}}, %[[BATCH]])
// CHECK-NEXT: return
func.func @static(%a: memref<5x3xf32, strided<[9, 1], offset: 11>>, %b: memref<5x7xf32>, %c: memref<3x7xf32>) {
  cublas.gemm ins(%a, %b : memref<5x3xf32, strided<[9, 1], offset: 11>>, memref<5x7xf32>) outs(%c : memref<3x7xf32>)
    transpose_a alpha 2.0 beta 0.5 compute tf32
  return
}

// CHECK-LABEL: func @dynamic
// CHECK: arith.constant 4 : i32
// CHECK: arith.constant 2 : i32
// CHECK: arith.constant 0 : i32
// CHECK: arith.constant 0 : i32
// CHECK: arith.constant 1 : i32
// CHECK: %[[I1:.*]] = arith.constant 1 : index
// CHECK: %[[M:.*]] = memref.dim %arg2, %[[I1]]
// CHECK: %[[M64:.*]] = arith.index_cast %[[M]] : index to i64
// CHECK: %[[I2:.*]] = arith.constant 2 : index
// CHECK: %[[N:.*]] = memref.dim %arg2, %[[I2]]
// CHECK: %[[N64:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: memref.dim %arg0
// CHECK: %[[K64:.*]] = arith.index_cast
// CHECK: %{{.*}}, %[[O:.*]], %{{.*}}:3, %[[S:.*]]:3 = memref.extract_strided_metadata %arg0
// CHECK: %[[P:.*]] = memref.extract_aligned_pointer_as_index %arg0
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[BYTES:.*]] = arith.muli %[[O]], %[[TWO]]
// CHECK: arith.addi %[[P]], %[[BYTES]]
// CHECK: %[[A:.*]] = llvm.inttoptr
// CHECK: %[[LDA:.*]] = arith.index_cast %[[S]]#1
// CHECK: %[[STRIDEA:.*]] = arith.index_cast %[[S]]#0
// CHECK: %[[C:.*]] = memref.extract_aligned_pointer_as_index %arg2
// CHECK: %[[BATCH:.*]] = memref.dim %arg2, %{{.*}}
// CHECK: %[[BATCH64:.*]] = arith.index_cast %[[BATCH]] : index to i64
// CHECK: llvm.call @lstmCudaGemm({{.*}}, %[[M64]], %[[N64]], %[[K64]], %{{.*}}, %[[A]], %[[LDA]], %[[STRIDEA]], {{.*}}, %[[BATCH64]])
func.func @dynamic(%a: memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>>, %b: memref<?x?x?xbf16, strided<[0, ?, 1]>>,
                   %c: memref<?x?x?xf32>) {
  cublas.gemm_strided_batched
    ins(%a, %b : memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>>, memref<?x?x?xbf16, strided<[0, ?, 1]>>)
    outs(%c : memref<?x?x?xf32>) transpose_b
  return
}

// A row has no leading dimension: its size stands for it.
// CHECK-LABEL: func @row
// CHECK: llvm.inttoptr
// CHECK-NEXT: arith.constant 5 : i64
func.func @row(%a: memref<1x5xf16, strided<[2, 1]>>, %b: memref<5x7xf16>, %c: memref<1x7xf16>) {
  cublas.gemm ins(%a, %b : memref<1x5xf16, strided<[2, 1]>>, memref<5x7xf16>) outs(%c : memref<1x7xf16>)
  return
}

// CHECK-LABEL: func @stream
// CHECK-SAME: %[[STREAM:[a-z0-9]*]]: !llvm.ptr
// CHECK: %[[TOKEN:.*]] = builtin.unrealized_conversion_cast %[[STREAM]] : !llvm.ptr to !gpu.async.token
// CHECK: %[[PTR:.*]] = builtin.unrealized_conversion_cast %[[TOKEN]] : !gpu.async.token to !llvm.ptr
// CHECK: llvm.call @lstmCudaGemm(%[[PTR]],
// CHECK: %[[PTR2:.*]] = builtin.unrealized_conversion_cast %[[TOKEN]] : !gpu.async.token to !llvm.ptr
// CHECK: llvm.call @lstmCudaGemm(%[[PTR2]],
// LLVM-LABEL: @stream
// LLVM-SAME: %[[STREAM:[a-z0-9]*]]: !llvm.ptr
// LLVM: llvm.call @lstmCudaGemm(%[[STREAM]],
// LLVM: llvm.call @lstmCudaGemm(%[[STREAM]],
func.func @stream(%stream: !llvm.ptr, %a: memref<3x5xf64>, %b: memref<5x7xf64>, %c: memref<3x7xf64>) {
  %t0 = builtin.unrealized_conversion_cast %stream : !llvm.ptr to !gpu.async.token
  %t1 = cublas.gemm async [%t0] ins(%a, %b : memref<3x5xf64>, memref<5x7xf64>) outs(%c : memref<3x7xf64>)
  %t2 = cublas.gemm async [%t1] ins(%a, %b : memref<3x5xf64>, memref<5x7xf64>) outs(%c : memref<3x7xf64>)
  return
}

// Without a dependency it is the null stream, which is also its token.
// CHECK-LABEL: func @no_dependency
// CHECK: %[[NULL:.*]] = llvm.mlir.zero
// CHECK: llvm.call @lstmCudaGemm(%[[NULL]],
// CHECK: %[[TOKEN:.*]] = builtin.unrealized_conversion_cast %[[NULL]] : !llvm.ptr to !gpu.async.token
// CHECK: builtin.unrealized_conversion_cast %[[TOKEN]] : !gpu.async.token to !llvm.ptr
func.func @no_dependency(%a: memref<3x5xf64>, %b: memref<5x7xf64>, %c: memref<3x7xf64>) {
  %t = cublas.gemm async ins(%a, %b : memref<3x5xf64>, memref<5x7xf64>) outs(%c : memref<3x7xf64>)
  cublas.gemm [%t] ins(%a, %b : memref<3x5xf64>, memref<5x7xf64>) outs(%c : memref<3x7xf64>)
  return
}
