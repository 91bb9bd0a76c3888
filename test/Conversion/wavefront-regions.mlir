// RUN: lstm-opt %s --pass-pipeline="builtin.module(lstm-wavefront{steps=2 rows=2},cse)" | FileCheck %s
// RUN: lstm-opt %s --lstm-wavefront --remarks-filter=lstm-wavefront 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark

// Two directions that lstm-branch-loops has put side by side, with memory of their own: their region moves into chunks.
// Branches do not nest: what follows waits.
// REMARK: remark: [Missed] NoWavefront {{.*}}"the loop waits for the whole of the one before it: one of them is several loops side by side"
// CHECK-LABEL: func.func @directions(
// CHECK: scf.for %[[FIRST:.*]] = %c0 to %{{.*}} step
// CHECK: %[[END:.*]] = arith.minui
// CHECK-COUNT-2: linalg.fill
// CHECK: scf.execute_region {
// CHECK: llvm.call @lstmCudaSetBranch
// CHECK: memref.alloc() : memref<4xf32>
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]] step %c1 {
// CHECK: llvm.call @lstmCudaSetBranch
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]] step %c1 {
// CHECK: llvm.call @lstmCudaJoin
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1 {
#back = affine_map<(d0)[s0] -> (s0 - d0 - 1)>
llvm.func @lstmCudaSetBranch(i64)
llvm.func @lstmCudaJoin()
func.func @directions(%T: index, %x: memref<?x4xf32>, %h: memref<4xf32>, %g: memref<4xf32>, %one: f32) {
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
    %m = memref.alloc() : memref<4xf32>
    scf.for %t = %c0 to %T step %c1 {
      %back = affine.apply #back(%t)[%T]
      %r = memref.subview %q[%back, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      linalg.copy ins(%g : memref<4xf32>) outs(%m : memref<4xf32>)
      linalg.add ins(%r, %m : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%g : memref<4xf32>)
    }
    llvm.call @lstmCudaSetBranch(%c0_i64) : (i64) -> ()
    scf.for %t = %c0 to %T step %c1 {
      %l = memref.subview %p[%t, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      linalg.add ins(%l, %h : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%h : memref<4xf32>)
    }
    llvm.call @lstmCudaJoin() : () -> ()
    scf.yield
  }
  scf.for %t = %c0 to %T step %c1 {
    linalg.add ins(%g, %h : memref<4xf32>, memref<4xf32>) outs(%h : memref<4xf32>)
  }
  return
}
