// RUN: lstm-opt %s --pass-pipeline="builtin.module(lstm-wavefront{steps=2 rows=2 overlap-projections},cse)" --split-input-file -o %t
// RUN: FileCheck %s --input-file %t
// RUN: lstm-opt %s --lstm-wavefront="chunks=1 overlap-projections" --split-input-file --remarks-filter=lstm-wavefront 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark

// A single layer: the buffer holds two chunks of two steps. A chunk is projected on branch 1, where the slot is that of
// the chunk before the last once its steps are done; the steps wait for it on branch 0.
// REMARK: remark: [Passed] Overlap {{.*}}"projections run beside the steps of the chunk before"
// CHECK-LABEL: func.func @alone(
// CHECK: %[[P:.*]] = memref.alloc() : memref<8x4xf32>
// CHECK: %[[PT:.*]] = memref.expand_shape %[[P]] {{\[\[}}0, 1], [2]] output_shape [4, 2, 4]
// CHECK: scf.execute_region {
// CHECK:        scf.for %[[CHUNK:.*]] = %c0 to %c4 step %c1 {
// CHECK:          %[[PARITY:.*]] = arith.andi %[[CHUNK]], %c1
// CHECK:          llvm.call @lstmCudaSetBranch(%c1_i64)
// CHECK-NEXT:     %[[USED:.*]] = arith.cmpi uge, %[[CHUNK]], %c2
// CHECK-NEXT:     scf.if %[[USED]] {
// CHECK:            %[[ODD:.*]] = arith.index_cast %[[PARITY]] : index to i64
// CHECK:            %[[EVENT:.*]] = arith.addi %c0_i64{{.*}}, %[[ODD]]
// CHECK:            llvm.call @lstmCudaWaitFor(%[[EVENT]])
// CHECK-NEXT:     }
// CHECK-NEXT:     %[[FIRST:.*]] = arith.muli %[[CHUNK]], %c2
// CHECK-NEXT:     %[[NEXT:.*]] = arith.addi %[[FIRST]], %c2
// CHECK-NEXT:     %[[END:.*]] = arith.minui %[[NEXT]], %c7
// CHECK-NEXT:     %[[SLOT:.*]] = arith.muli %[[PARITY]], %c2
// CHECK:          %[[ROW:.*]] = arith.muli %[[SLOT]], %c2
// CHECK:          %[[ROWS:.*]] = memref.subview %[[P]][%[[ROW]], 0]
// CHECK-NEXT:     linalg.fill {{.*}} outs(%[[ROWS]]
// CHECK:          llvm.call @lstmCudaRecord(%c2_i64)
// CHECK:          llvm.call @lstmCudaSetBranch(%c0_i64)
// CHECK-NEXT:     llvm.call @lstmCudaWaitFor(%c2_i64)
// CHECK-NEXT:     %[[BEFORE:.*]] = arith.subi %[[FIRST]], %[[SLOT]]
// CHECK-NEXT:     scf.for %[[STEP:.*]] = %[[FIRST]] to %[[END]] step %c1 {
// CHECK-NEXT:       %[[PLACE:.*]] = arith.subi %[[STEP]], %[[BEFORE]]
// CHECK-NEXT:       memref.subview %[[PT]][%[[PLACE]], 0, 0]
// CHECK:          %[[ODD:.*]] = arith.index_cast %[[PARITY]] : index to i64
// CHECK-NEXT:     %[[OWN:.*]] = arith.addi %c0_i64, %[[ODD]]
// CHECK-NEXT:     llvm.call @lstmCudaRecord(%[[OWN]])
// CHECK:        llvm.call @lstmCudaJoin()
func.func @alone(%h: memref<2x4xf32>, %one: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = arith.constant 7 : index
  %p = memref.alloc() : memref<14x4xf32>
  linalg.fill ins(%one : f32) outs(%p : memref<14x4xf32>)
  %pt = memref.expand_shape %p [[0, 1], [2]] output_shape [7, 2, 4] : memref<14x4xf32> into memref<7x2x4xf32>
  scf.for %t = %c0 to %T step %c1 {
    %own = memref.subview %pt[%t, 0, 0] [1, 2, 4] [1, 1, 1] : memref<7x2x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
    linalg.add ins(%own, %h : memref<2x4xf32, strided<[4, 1], offset: ?>>, memref<2x4xf32>) outs(%h : memref<2x4xf32>)
  }
  return
}

// -----

// Two layers in waves. Branches 0 and 1 have the steps, 2 and 3 the projections; events 0 and 1 are of the first one's
// chunks, 2 and 3 of the second one's, 4 and 5 of what is projected. Without waves (chunks=1) both are alone.
// REMARK: remark: [Missed] NoWavefront
// REMARK-COUNT-2: remark: [Passed] Overlap
// CHECK-LABEL: func.func @layers(
// CHECK: scf.execute_region
// CHECK: %[[PARITY:.*]] = arith.andi
// CHECK: llvm.call @lstmCudaSetBranch(%c3_i64)
// CHECK: %[[ODD:.*]] = arith.index_cast %[[PARITY]] : index to i64
// CHECK: %[[INPUT:.*]] = arith.addi %c0_i64, %[[ODD]]
// CHECK: llvm.call @lstmCudaWaitFor(%[[INPUT]])
// CHECK: scf.if
// CHECK: %[[FREE:.*]] = arith.addi %c2_i64{{.*}}, %[[ODD]]
// CHECK: llvm.call @lstmCudaWaitFor(%[[FREE]])
// CHECK: linalg.matmul
// CHECK: llvm.call @lstmCudaRecord(%c5_i64)
// CHECK: llvm.call @lstmCudaSetBranch(%c1_i64)
// CHECK: llvm.call @lstmCudaWaitFor(%c5_i64)
// CHECK: scf.for
// CHECK: %[[DONE:.*]] = arith.addi %c2_i64{{.*}}, %[[ODD]]
// CHECK: llvm.call @lstmCudaRecord(%[[DONE]])
// CHECK: llvm.call @lstmCudaSetBranch(%c2_i64)
// CHECK: linalg.matmul
// CHECK: llvm.call @lstmCudaRecord(%c4_i64)
// CHECK: llvm.call @lstmCudaSetBranch(%c0_i64)
// CHECK: llvm.call @lstmCudaWaitFor(%c4_i64)
func.func @layers(%x: memref<?x4xf32>, %W: memref<4x4xf32>, %V: memref<4x4xf32>, %h: memref<4xf32>, %g: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = memref.dim %x, %c0 : memref<?x4xf32>
  %ys = memref.alloc(%T) : memref<?x4xf32>
  %p = memref.alloc(%T) : memref<?x4xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<?x4xf32>)
  linalg.matmul ins(%x, %W : memref<?x4xf32>, memref<4x4xf32>) outs(%p : memref<?x4xf32>)
  scf.for %t = %c0 to %T step %c1 {
    %own = memref.subview %p[%t, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %y = memref.subview %ys[%t, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%own, %h : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%h : memref<4xf32>)
    linalg.copy ins(%h : memref<4xf32>) outs(%y : memref<4xf32, strided<[1], offset: ?>>)
  }
  %q = memref.alloc(%T) : memref<?x4xf32>
  linalg.fill ins(%zero : f32) outs(%q : memref<?x4xf32>)
  linalg.matmul ins(%ys, %V : memref<?x4xf32>, memref<4x4xf32>) outs(%q : memref<?x4xf32>)
  scf.for %t = %c0 to %T step %c1 {
    %own = memref.subview %q[%t, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%own, %g : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%g : memref<4xf32>)
  }
  return
}

// -----

// Two directions, which lstm-branch-loops puts side by side: in chunks, but on no branches yet.
// CHECK-LABEL: func.func @directions(
// CHECK-NOT: llvm.call
// CHECK: scf.for
// CHECK-COUNT-2: linalg.fill
// CHECK: scf.for
// CHECK-NOT: scf.for
#back = affine_map<(d0)[s0] -> (s0 - d0 - 1)>
func.func @directions(%T: index, %h: memref<4xf32>, %g: memref<4xf32>, %one: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc(%T) : memref<?x4xf32>
  linalg.fill ins(%one : f32) outs(%p : memref<?x4xf32>)
  %q = memref.alloc(%T) : memref<?x4xf32>
  linalg.fill ins(%one : f32) outs(%q : memref<?x4xf32>)
  scf.for %t = %c0 to %T step %c1 {
    %back = affine.apply #back(%t)[%T]
    %l = memref.subview %p[%t, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %r = memref.subview %q[%back, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%l, %h : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%h : memref<4xf32>)
    linalg.add ins(%r, %g : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%g : memref<4xf32>)
  }
  return
}

// -----

// Nothing is projected: nothing to do.
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT: llvm.call
func.func @nothing(%T: index, %h: memref<4xf32>, %g: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    linalg.add ins(%g, %h : memref<4xf32>, memref<4xf32>) outs(%h : memref<4xf32>)
  }
  return
}
