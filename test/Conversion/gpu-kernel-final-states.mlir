// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --canonicalize --split-input-file | FileCheck %s
// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --split-input-file | lstm-opt --split-input-file -o /dev/null

// What the last step leaves of a state goes to where it is copied behind the loop, by the kernel; the copy is left for
// no step, and for what libraries do.
// CHECK-LABEL: func.func @one(
// CHECK-SAME: %[[T:[^ :]*]]: index) -> memref<?x40xf16>
// CHECK: %[[FINAL:.*]] = memref.alloc(%{{.*}}) : memref<?x40xf16>
// CHECK: gpu.launch
// CHECK: %[[LAST:.*]] = arith.subi %[[T]], %c1
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %{{.*}}, %[[LAST]]
// CHECK: scf.if %[[IS_LAST]] {
// CHECK: llvm.store %{{.*}} : f16, !llvm.ptr<1>
// CHECK: gpu.terminator
// CHECK: } else {
// CHECK: scf.for
// CHECK: lstm.phase
// CHECK: memref.copy %{{.*}}, %[[FINAL]]
// CHECK: %[[EMPTY:.*]] = arith.cmpi eq, %[[T]], %c0
// CHECK: scf.if %[[EMPTY]] {
// CHECK-NEXT: memref.copy %{{.*}}, %[[FINAL]]
// CHECK: return %[[FINAL]]
#current = affine_map<(t) -> (t mod 2)>
#next = affine_map<(t) -> ((t + 1) mod 2)>
func.func @one(%h0: memref<?x40xf16>, %U: memref<40x1x40xf16>, %n: index, %T: index) -> memref<?x40xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc(%n) : memref<2x?x40xf16>
  %s0 = memref.subview %s[0, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1]>>
  memref.copy %h0, %s0 : memref<?x40xf16> to memref<?x40xf16, strided<[40, 1]>>
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1], offset: ?>>
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1], offset: ?>>
    lstm.phase project(%h, %U : memref<?x40xf16, strided<[40, 1], offset: ?>>, memref<40x1x40xf16>)
        outs(%new : memref<?x40xf16, strided<[40, 1], offset: ?>>) {
    ^bb0(%z: f32, %old: f16):
      %y = math.tanh %z : f32
      %r = arith.truncf %y : f32 to f16
      lstm.yield %r : f16
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact"}]}
  %l = affine.apply #current(%T)
  %last = memref.subview %s[%l, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1], offset: ?>>
  %hT = memref.alloc(%n) : memref<?x40xf16>
  memref.copy %last, %hT : memref<?x40xf16, strided<[40, 1], offset: ?>> to memref<?x40xf16>
  return %hT : memref<?x40xf16>
}

// -----

// Of a number of steps that is known, in a cluster.
// CHECK-LABEL: func.func @known(
// CHECK: gpu.launch clusters
// CHECK: arith.cmpi eq, %{{.*}}, %c4 : index
// CHECK: gpu.terminator
// CHECK: lstm.phase
// CHECK: memref.copy %{{.*}}, %[[FINAL:.*]] : memref<3x40xf16, strided<[40, 1], offset: 120>>
// CHECK-NOT: memref.copy
// CHECK: return %[[FINAL]]
#current = affine_map<(t) -> (t mod 2)>
#next = affine_map<(t) -> ((t + 1) mod 2)>
func.func @known(%h0: memref<3x40xf16>, %U: memref<40x1x40xf16>) -> memref<3x40xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = arith.constant 5 : index
  %s = memref.alloc() : memref<2x3x40xf16>
  %s0 = memref.subview %s[0, 0, 0] [1, 3, 40] [1, 1, 1] : memref<2x3x40xf16> to memref<3x40xf16, strided<[40, 1]>>
  memref.copy %h0, %s0 : memref<3x40xf16> to memref<3x40xf16, strided<[40, 1]>>
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, 3, 40] [1, 1, 1] : memref<2x3x40xf16> to memref<3x40xf16, strided<[40, 1], offset: ?>>
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, 3, 40] [1, 1, 1] : memref<2x3x40xf16> to memref<3x40xf16, strided<[40, 1], offset: ?>>
    lstm.phase project(%h, %U : memref<3x40xf16, strided<[40, 1], offset: ?>>, memref<40x1x40xf16>)
        outs(%new : memref<3x40xf16, strided<[40, 1], offset: ?>>) {
    ^bb0(%z: f32, %old: f16):
      %y = math.tanh %z : f32
      %r = arith.truncf %y : f32 to f16
      lstm.yield %r : f16
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 1, map_warps = 0, unit_warps = 2, f32 = "exact"}]}
  %last = memref.subview %s[1, 0, 0] [1, 3, 40] [1, 1, 1] : memref<2x3x40xf16> to memref<3x40xf16, strided<[40, 1], offset: 120>>
  %hT = memref.alloc() : memref<3x40xf16>
  memref.copy %last, %hT : memref<3x40xf16, strided<[40, 1], offset: 120>> to memref<3x40xf16>
  return %hT : memref<3x40xf16>
}

// -----

// Another slot, memory that something else was written to, or a state that is written behind the loop by a view from
// before it: a copy as before.
// CHECK-LABEL: func.func @other(
// CHECK: gpu.terminator
// CHECK: return
// CHECK-LABEL: func.func @used(
// CHECK: gpu.terminator
// CHECK: lstm.phase
// CHECK-NOT: scf.if
// CHECK: memref.copy
// CHECK: return
// CHECK-LABEL: func.func @written(
// CHECK: gpu.terminator
// CHECK: lstm.phase
// CHECK-NOT: memref.copy
// CHECK: linalg.fill
// CHECK-NOT: scf.if
// CHECK: memref.copy
// CHECK: return
#current = affine_map<(t) -> (t mod 2)>
#next = affine_map<(t) -> ((t + 1) mod 2)>
func.func @other(%h0: memref<?x40xf16>, %U: memref<40x1x40xf16>, %n: index, %T: index) -> memref<?x40xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc(%n) : memref<2x?x40xf16>
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1], offset: ?>>
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1], offset: ?>>
    lstm.phase project(%h, %U : memref<?x40xf16, strided<[40, 1], offset: ?>>, memref<40x1x40xf16>)
        outs(%new : memref<?x40xf16, strided<[40, 1], offset: ?>>) {
    ^bb0(%z: f32, %old: f16):
      %r = arith.truncf %z : f32 to f16
      lstm.yield %r : f16
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact"}]}
  %l = affine.apply #next(%T)
  %last = memref.subview %s[%l, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1], offset: ?>>
  %hT = memref.alloc(%n) : memref<?x40xf16>
  memref.copy %last, %hT : memref<?x40xf16, strided<[40, 1], offset: ?>> to memref<?x40xf16>
  return %hT : memref<?x40xf16>
}
func.func @used(%h0: memref<?x40xf16>, %U: memref<40x1x40xf16>, %n: index, %T: index) -> memref<?x40xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc(%n) : memref<2x?x40xf16>
  %hT = memref.alloc(%n) : memref<?x40xf16>
  memref.copy %h0, %hT : memref<?x40xf16> to memref<?x40xf16>
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1], offset: ?>>
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1], offset: ?>>
    lstm.phase project(%h, %U : memref<?x40xf16, strided<[40, 1], offset: ?>>, memref<40x1x40xf16>)
        outs(%new : memref<?x40xf16, strided<[40, 1], offset: ?>>) {
    ^bb0(%z: f32, %old: f16):
      %r = arith.truncf %z : f32 to f16
      lstm.yield %r : f16
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact"}]}
  %l = affine.apply #current(%T)
  %last = memref.subview %s[%l, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1], offset: ?>>
  memref.copy %last, %hT : memref<?x40xf16, strided<[40, 1], offset: ?>> to memref<?x40xf16>
  return %hT : memref<?x40xf16>
}
func.func @written(%h0: memref<?x40xf16>, %U: memref<40x1x40xf16>, %n: index, %T: index) -> memref<?x40xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc(%n) : memref<2x?x40xf16>
  %zero = arith.constant 0.0 : f16
  %s0 = memref.subview %s[0, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1]>>
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1], offset: ?>>
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1], offset: ?>>
    lstm.phase project(%h, %U : memref<?x40xf16, strided<[40, 1], offset: ?>>, memref<40x1x40xf16>)
        outs(%new : memref<?x40xf16, strided<[40, 1], offset: ?>>) {
    ^bb0(%z: f32, %old: f16):
      %r = arith.truncf %z : f32 to f16
      lstm.yield %r : f16
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact"}]}
  %l = affine.apply #current(%T)
  %last = memref.subview %s[%l, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1], offset: ?>>
  linalg.fill ins(%zero : f16) outs(%s0 : memref<?x40xf16, strided<[40, 1]>>)
  %hT = memref.alloc(%n) : memref<?x40xf16>
  memref.copy %last, %hT : memref<?x40xf16, strided<[40, 1], offset: ?>> to memref<?x40xf16>
  return %hT : memref<?x40xf16>
}

// -----

// Where the last step is one in which no row of the block lives, a state that is a constant then is what it gives.
// CHECK-LABEL: func.func @ended(
// CHECK-SAME: %[[T:[^ :]*]]: index) -> memref<?x40xf16>
// CHECK: gpu.launch
// CHECK: llvm.store %cst{{.*}} : f16, !llvm.ptr<1>
// CHECK-NEXT: }
// CHECK-NEXT: %[[IS_ALL:.*]] = arith.cmpi eq, %[[BEHIND:.*]], %[[T]] : index
// CHECK-NEXT: scf.if %[[IS_ALL]] {
// CHECK: arith.subi %[[BEHIND]], %c1
// CHECK: %[[VALUE:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> f16
// CHECK: llvm.store %[[VALUE]], %{{.*}} : f16, !llvm.ptr<1>
// CHECK: gpu.terminator
#current = affine_map<(t) -> (t mod 2)>
#next = affine_map<(t) -> ((t + 1) mod 2)>
!state = memref<?x40xf16, strided<[40, 1], offset: ?>>
func.func @ended(%h0: memref<?x40xf16>, %U: memref<40x1x40xf16>, %len: memref<?xi32>, %n: index, %T: index) -> memref<?x40xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc(%n) : memref<2x?x40xf16>
  %s0 = memref.subview %s[0, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to memref<?x40xf16, strided<[40, 1]>>
  memref.copy %h0, %s0 : memref<?x40xf16> to memref<?x40xf16, strided<[40, 1]>>
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %i = arith.index_cast %t : index to i32
    lstm.phase project(%h, %U : !state, memref<40x1x40xf16>) ins(%len[r], %i : memref<?xi32>, i32) outs(%new : !state) {
    ^bb0(%z: f32, %l: i32, %now: i32, %old: f16):
      %zero = arith.constant 0.0 : f16
      %lives = arith.cmpi slt, %now, %l : i32
      %r = arith.truncf %z : f32 to f16
      %state = arith.select %lives, %r, %zero : f16
      lstm.yield %state : f16
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact"}]}
  %l = affine.apply #current(%T)
  %last = memref.subview %s[%l, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
  %hT = memref.alloc(%n) : memref<?x40xf16>
  memref.copy %last, %hT : !state to memref<?x40xf16>
  return %hT : memref<?x40xf16>
}
