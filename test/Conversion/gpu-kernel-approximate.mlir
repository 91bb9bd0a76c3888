// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel | FileCheck %s
// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel='approximate=false' | FileCheck %s --check-prefix=EXACT

// With products of 16 bits, functions come from the special function unit, unless they may not.
// CHECK-LABEL: func.func @half(
// CHECK: llvm.inline_asm "ex2.approx.ftz.f32 $0, $1;"
// CHECK: llvm.inline_asm "rcp.approx.ftz.f32 $0, $1;"
// EXACT-LABEL: func.func @half(
// EXACT-NOT: approx
// EXACT: math.tanh
// EXACT-NOT: approx
func.func @half(%h: memref<?x16xbf16>, %g: memref<?x16xbf16>, %U: memref<16x1x16xbf16>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xbf16>, memref<16x1x16xbf16>) outs(%g : memref<?x16xbf16>) {
    ^bb0(%z: f32, %old: bf16):
      %y = math.tanh %z : f32
      %r = arith.truncf %y : f32 to bf16
      lstm.yield %r : bf16
    }
    lstm.phase ins(%g[r, u] : memref<?x16xbf16>) outs(%h : memref<?x16xbf16>) {
    ^bb0(%x: bf16, %old: bf16):
      lstm.yield %x : bf16
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
  return
}

// So do those of a phase without products, and divisions and roots.
// CHECK-LABEL: func.func @divisions(
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: llvm.inline_asm "sqrt.approx.ftz.f32 $0, $1;"
// CHECK: llvm.inline_asm "rcp.approx.ftz.f32 $0, $1;"
// CHECK: llvm.inline_asm "rsqrt.approx.ftz.f32 $0, $1;"
// EXACT-LABEL: func.func @divisions(
// EXACT: gpu.launch
// EXACT: arith.divf
// EXACT: math.sqrt
// EXACT: arith.divf
// EXACT: math.rsqrt
func.func @divisions(%h: memref<?x16xbf16>, %g: memref<?x16xf32>, %U: memref<16x1x16xbf16>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xbf16>, memref<16x1x16xbf16>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xbf16>) {
    ^bb0(%x: f32, %old: bf16):
      %n = arith.constant 16.0 : f32
      %m = arith.divf %x, %n : f32
      %s = math.sqrt %m : f32
      %d = arith.divf %x, %s : f32
      %i = math.rsqrt %d : f32
      %r = arith.truncf %i : f32 to bf16
      lstm.yield %r : bf16
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
  return
}

// Not beside a product of f32.
// CHECK-LABEL: func.func @both(
// CHECK-NOT: ex2.approx
func.func @both(%h: memref<?x16xbf16>, %g: memref<?x16xf32>, %U: memref<16x1x16xbf16>, %W: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xbf16>, memref<16x1x16xbf16>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase project(%g, %W : memref<?x16xf32>, memref<16x1x16xf32>) outs(%h : memref<?x16xbf16>) {
    ^bb0(%x: f32, %old: bf16):
      %r = arith.truncf %x : f32 to bf16
      lstm.yield %r : bf16
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
  return
}

// So do those of products that are rounded to TF32.
// CHECK-LABEL: func.func @tf32(
// CHECK: llvm.inline_asm "ex2.approx.ftz.f32 $0, $1;"
// EXACT-LABEL: func.func @tf32(
// EXACT-NOT: approx
// EXACT: math.exp
// Where they are as exact as f32, functions are, too.
// CHECK-LABEL: func.func @exact(
// CHECK-NOT: ex2.approx
// CHECK: math.exp
func.func @tf32(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.exp %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "tf32"}]}
  return
}
func.func @exact(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.exp %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
  return
}
