// RUN: lstm-opt %s --lstm-plan-kernels --remarks-filter=lstm-plan-kernels -o /dev/null 2>&1 | FileCheck %s

#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x?x512xf32>
!state = memref<?x512xf32, strided<[512, 1], offset: ?>>
!pre = memref<?x4x512xf32, strided<[2048, 512, 1], offset: ?>>

// For a single row another number of blocks would gain little: one kernel does up to 8.
// CHECK: Remark="up to 8 rows: one kernel, groups of {{[0-9]+}} blocks, tiles of single rows,
func.func @lstm(%xs: memref<?x?x4x512xf32>, %U: memref<512x4x512xf32>, %h: !slots, %c: memref<?x512xf32>, %n: index,
                %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd(%t)
    %x = memref.subview %xs[%t, 0, 0, 0] [1, %n, 4, 512] [1, 1, 1, 1] : memref<?x?x4x512xf32> to !pre
    %h0 = memref.subview %h[%i, 0, 0] [1, %n, 512] [1, 1, 1] : !slots to !state
    %h1 = memref.subview %h[%j, 0, 0] [1, %n, 512] [1, 1, 1] : !slots to !state
    lstm.phase project(%h0, %U : !state, memref<512x4x512xf32>) ins(%x[r, g, u] : !pre)
        outs(%c, %h1 : memref<?x512xf32>, !state) {
    ^bb0(%z0: f32, %z1: f32, %z2: f32, %z3: f32, %x0: f32, %x1: f32, %x2: f32, %x3: f32, %old: f32, %old1: f32):
      %p0 = arith.addf %z0, %x0 : f32
      %p1 = arith.addf %z1, %x1 : f32
      %f = arith.mulf %p1, %old : f32
      %c2 = arith.addf %p0, %f : f32
      %h2 = math.tanh %c2 : f32
      lstm.yield %c2, %h2 : f32, f32
    }
  }
  return
}
