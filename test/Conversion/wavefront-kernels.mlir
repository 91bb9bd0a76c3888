// RUN: lstm-opt %s --pass-pipeline="builtin.module(lstm-wavefront{steps=2 rows=2 kernels},cse)" --split-input-file | FileCheck %s
// RUN: lstm-opt %s --lstm-wavefront="steps=2 rows=2 kernels overlap-projections" --split-input-file | FileCheck %s --check-prefix=OVERLAP

// Kernels of up to 64 rows: a chunk is a launch, of 256 steps at most. For more rows it is that of libraries.
// CHECK-LABEL: func.func @alone(
// CHECK: %[[T:.*]] = memref.dim %arg0, %c0
// CHECK: %[[B:.*]] = memref.dim %arg0, %c1
// CHECK: %[[FEW:.*]] = arith.minui %[[T]], %c256
// CHECK: %[[LAUNCH:.*]] = arith.maxui %[[FEW]], %c1
// CHECK: %[[IS:.*]] = arith.cmpi ule, %[[B]], %c64
// CHECK: %[[CHUNK:.*]] = arith.select %[[IS]], %[[LAUNCH]], %{{.*}}
// CHECK: %[[ROWS:.*]] = arith.muli %[[B]], %[[CHUNK]]
// CHECK-NEXT: memref.alloc(%[[ROWS]])
// CHECK: scf.for %[[FIRST:.*]] = %c0 to %[[T]] step %[[CHUNK]] {
// CHECK: linalg.copy
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %c1 {
// CHECK: } {lstm.kernel =
// Its own branch for what is projected, as elsewhere.
// OVERLAP-LABEL: func.func @alone(
// OVERLAP: scf.execute_region
// OVERLAP: llvm.call @lstmCudaSetBranch(%c1_i64)
// OVERLAP: llvm.call @lstmCudaJoin
func.func @alone(%x: memref<?x?x4xf32>, %h: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = memref.dim %x, %c0 : memref<?x?x4xf32>
  %B = memref.dim %x, %c1 : memref<?x?x4xf32>
  %rows = memref.collapse_shape %x [[0, 1], [2]] : memref<?x?x4xf32> into memref<?x4xf32>
  %n = arith.muli %T, %B : index
  %p = memref.alloc(%n) : memref<?x4xf32>
  linalg.copy ins(%rows : memref<?x4xf32>) outs(%p : memref<?x4xf32>)
  %pt = memref.expand_shape %p [[0, 1], [2]] output_shape [%T, %B, 4] : memref<?x4xf32> into memref<?x?x4xf32>
  scf.for %t = %c0 to %T step %c1 {
    %own = memref.subview %pt[%t, 0, 0] [1, %B, 4] [1, 1, 1] : memref<?x?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
    linalg.add ins(%own, %h : memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32>) outs(%h : memref<?x4xf32>)
  } {lstm.kernel = [{max_rows = 64, unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}, {}]}
  return
}

// -----

// Two directions side by side have the same chunks, and their region moves into them. The first one counts the rows of
// a chunk from its begin, the other one from its end.
// CHECK-LABEL: func.func @directions(
// CHECK-SAME: %[[T:[^:]*]]: index
// CHECK: scf.for %[[FIRST:.*]] = %c0 to %[[T]] step %[[CHUNK:.*]] {
// CHECK: %[[END:.*]] = arith.minui
// CHECK-COUNT-2: linalg.fill
// CHECK: %[[BACK:.*]] = arith.subi %[[T]], %[[END]]
// CHECK: scf.execute_region {
// CHECK:   llvm.call @lstmCudaSetBranch(%c1_i64)
// CHECK:   scf.for %[[STEP:.*]] = %[[FIRST]] to %[[END]] step %c1 {
// CHECK:     %[[ROW:.*]] = affine.apply #{{.*}}(%[[STEP]])[%[[T]]]
// CHECK:     arith.subi %[[ROW]], %[[BACK]]
// CHECK:   llvm.call @lstmCudaSetBranch(%c0_i64)
// CHECK:   scf.for %[[STEP:.*]] = %[[FIRST]] to %[[END]] step %c1 {
// CHECK:     arith.subi %[[STEP]], %[[FIRST]]
// CHECK:   llvm.call @lstmCudaJoin()
// Branches do not nest.
// OVERLAP-LABEL: func.func @directions(
// OVERLAP-COUNT-1: scf.execute_region
// OVERLAP-NOT: scf.execute_region
llvm.func @lstmCudaSetBranch(i64)
llvm.func @lstmCudaJoin()
#back = affine_map<(d0)[s0] -> (s0 - d0 - 1)>
func.func @directions(%T: index, %h: memref<4xf32>, %g: memref<4xf32>, %one: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i64 = arith.constant 0 : i64
  %c1_i64 = arith.constant 1 : i64
  %p = memref.alloc(%T) : memref<?x4xf32>
  linalg.fill ins(%one : f32) outs(%p : memref<?x4xf32>)
  %q = memref.alloc(%T) : memref<?x4xf32>
  linalg.fill ins(%one : f32) outs(%q : memref<?x4xf32>)
  scf.execute_region {
    llvm.call @lstmCudaSetBranch(%c1_i64) : (i64) -> ()
    scf.for %t = %c0 to %T step %c1 {
      %back = affine.apply #back(%t)[%T]
      %r = memref.subview %q[%back, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      linalg.add ins(%r, %g : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%g : memref<4xf32>)
    } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
    llvm.call @lstmCudaSetBranch(%c0_i64) : (i64) -> ()
    scf.for %t = %c0 to %T step %c1 {
      %l = memref.subview %p[%t, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      linalg.add ins(%l, %h : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%h : memref<4xf32>)
    } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
    llvm.call @lstmCudaJoin() : () -> ()
    scf.yield
  }
  return
}

// -----

// Left alone: one launch anyway; no kernel for any number of rows; no plan.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: scf.for
// CHECK-NOT: scf.for
func.func @others(%h: memref<4xf32>, %one: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.constant 256 : index
  %many = arith.constant 257 : index
  %p = memref.alloc() : memref<256x4xf32>
  linalg.fill ins(%one : f32) outs(%p : memref<256x4xf32>)
  scf.for %t = %c0 to %few step %c1 {
    %own = memref.subview %p[%t, 0] [1, 4] [1, 1] : memref<256x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%own, %h : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%h : memref<4xf32>)
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
  %q = memref.alloc() : memref<257x4xf32>
  linalg.fill ins(%one : f32) outs(%q : memref<257x4xf32>)
  scf.for %t = %c0 to %many step %c1 {
    %own = memref.subview %q[%t, 0] [1, 4] [1, 1] : memref<257x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%own, %h : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%h : memref<4xf32>)
  } {lstm.kernel = [{}]}
  %r = memref.alloc() : memref<257x4xf32>
  linalg.fill ins(%one : f32) outs(%r : memref<257x4xf32>)
  scf.for %t = %c0 to %many step %c1 {
    %own = memref.subview %r[%t, 0] [1, 4] [1, 1] : memref<257x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%own, %h : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%h : memref<4xf32>)
  }
  return
}
