// Warp groups may have more weights than a block has place for: those of the first phases are streamed.
// RUN: lstm-opt %s --lstm-plan-kernels="plan=16,1,1,4,2 chips=sm_90a" | FileCheck %s
// But a ring of two places has to fit.
// RUN: not lstm-opt %s --lstm-plan-kernels="plan=4,1,1,4,2 chips=sm_90a" 2>&1 | FileCheck %s --check-prefix=RING
// Other kernels hold all.
// RUN: not lstm-opt %s --lstm-plan-kernels="plan=16,1,4,4 chips=sm_90a" 2>&1 | FileCheck %s --check-prefix=HELD

// RING: plan [4, 1, 1, 4, 2] takes {{.*}} bytes of shared memory
// HELD: plan [16, 1, 4, 4] takes {{.*}} bytes of shared memory

// Of a block, the first phase has 450 KB, all of it streamed, the second one 225 KB, of which that has to be a part, too.
// CHECK-LABEL: func.func @two_phases(
// CHECK: lstm.kernel = [{f32 = "exact", map_warps = 4 : i64, row_tiles = 1 : i64, splits = 1 : i64, unit_blocks = 16 : i64, unit_warps = 4 : i64}]
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x20x900xf32>
!state = memref<20x900xf32, strided<[900, 1], offset: ?>>
func.func @two_phases(%h: !slots, %g: memref<20x900xf32>, %U: memref<900x2x900xf32>, %V: memref<900x1x900xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd(%t)
    %h0 = memref.subview %h[%i, 0, 0] [1, 20, 900] [1, 1, 1] : !slots to !state
    %h1 = memref.subview %h[%j, 0, 0] [1, 20, 900] [1, 1, 1] : !slots to !state
    lstm.phase project(%h0, %U : !state, memref<900x2x900xf32>) outs(%g : memref<20x900xf32>) {
    ^bb0(%p: f32, %q: f32, %old: f32):
      %z = arith.mulf %p, %q : f32
      lstm.yield %z : f32
    }
    lstm.phase project(%g, %V : memref<20x900xf32>, memref<900x1x900xf32>) outs(%h1 : !state) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
  }
  return
}
