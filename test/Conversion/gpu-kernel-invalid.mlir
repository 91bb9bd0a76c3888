// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --split-input-file --verify-diagnostics

func.func @no_array(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects 'lstm.kernel' to be an array of dictionaries with plans, but got 4 : i64}}
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = 4 : i64}
  return
}

// -----

func.func @empty(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects 'lstm.kernel' to be an array of dictionaries with plans, but got []}}
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = []}
  return
}

// -----

func.func @no_dictionary(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects 'lstm.kernel' to be an array of dictionaries with plans, but got [1]}}
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [1 : i64]}
  return
}

// -----

func.func @no_rows(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects 'lstm.kernel' to be an array of dictionaries with a positive 'max_rows' in all but the last, but got [{}, {}]}}
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{}, {}]}
  return
}

// -----

func.func @negative_rows(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects 'lstm.kernel' to be an array of dictionaries with a positive 'max_rows' in all but the last, but got [{max_rows = -1 : i64}, {}]}}
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{max_rows = -1}, {}]}
  return
}

// -----

func.func @incomplete(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects 'lstm.kernel' to be an array of dictionaries with positive 'unit_blocks', 'row_tiles', 'splits', 'map_warps' or 'unit_warps', 'single_rows' of 1 or, as with warp groups, none, 'per_step' of 1 or, with 'unit_warps', none, and 'f32' one of bf16x3, exact and tf32, but got [{unit_blocks = 1 : i64}]}}
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{unit_blocks = 1}]}
  return
}

// -----

func.func @zero(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects 'lstm.kernel' to be an array of dictionaries with positive 'unit_blocks', 'row_tiles', 'splits', 'map_warps' or 'unit_warps', 'single_rows' of 1 or, as with warp groups, none, 'per_step' of 1 or, with 'unit_warps', none, and 'f32' one of bf16x3, exact and tf32}}
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 0, map_warps = 2, f32 = "exact"}]}
  return
}

// -----

func.func @mode(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects 'lstm.kernel' to be an array of dictionaries with positive 'unit_blocks', 'row_tiles', 'splits', 'map_warps' or 'unit_warps', 'single_rows' of 1 or, as with warp groups, none, 'per_step' of 1 or, with 'unit_warps', none, and 'f32' one of bf16x3, exact and tf32}}
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "fp8"}]}
  return
}

// -----

func.func @single_rows_of_warp_groups(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects 'lstm.kernel' to be an array of dictionaries with positive 'unit_blocks', 'row_tiles', 'splits', 'map_warps' or 'unit_warps', 'single_rows' of 1 or, as with warp groups, none, 'per_step' of 1 or, with 'unit_warps', none, and 'f32' one of bf16x3, exact and tf32}}
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 4, unit_warps = 4, single_rows = 1, f32 = "exact"}]}
  return
}

// -----

func.func @threads(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{has a plan in 'lstm.kernel' that takes more than a multiprocessor has: }}
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 32, map_warps = 2, f32 = "exact"}]}
  return
}

// -----

func.func @rejected(%h: memref<?x16xf64>, %g: memref<?x16xf64>, %U: memref<16x1x16xf64>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{cannot become a kernel: tensor cores have no product of such elements}}
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf64>, memref<16x1x16xf64>) outs(%g : memref<?x16xf64>) {
    ^bb0(%z: f64, %old: f64):
      %y = math.tanh %z : f64
      lstm.yield %y : f64
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf64>) outs(%h : memref<?x16xf64>) {
    ^bb0(%x: f64, %old: f64):
      lstm.yield %x : f64
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
  return
}
// -----
func.func @no_phase(%T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{cannot become a kernel: there is no phase in the step}}
  scf.for %t = %c0 to %T step %c1 {
  } {lstm.kernel = [{f32 = "exact", map_warps = 2 : i64, row_tiles = 1 : i64, splits = 4 : i64, unit_blocks = 1 : i64}]}
  return
}
