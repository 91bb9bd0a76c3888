// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --canonicalize | FileCheck %s

// What is mapped before the first product may be given twice before a product begins: nobody waits for that.
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x8x40xf32>
!state = memref<8x40xf32, strided<[40, 1], offset: ?>>
// CHECK-LABEL: func.func @given_before(
// CHECK: ld.relaxed
// CHECK-NOT: %c5_i32
// CHECK: return
func.func @given_before(%h: !slots, %g: memref<8x40xf32>, %U: memref<40x1x40xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd(%t)
    %h0 = memref.subview %h[%i, 0, 0] [1, 8, 40] [1, 1, 1] : !slots to !state
    %h1 = memref.subview %h[%j, 0, 0] [1, 8, 40] [1, 1, 1] : !slots to !state
    lstm.phase ins(%g[r, u] : memref<8x40xf32>) outs(%h1 : !state) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
    lstm.phase project(%h0, %U : !state, memref<40x1x40xf32>) outs(%g : memref<8x40xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
  } {lstm.kernel = [{f32 = "exact", map_warps = 2 : i64, row_tiles = 1 : i64, splits = 4 : i64, unit_blocks = 3 : i64}]}
  return
}
