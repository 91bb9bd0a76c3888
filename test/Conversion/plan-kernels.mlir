// RUN: lstm-opt %s --lstm-plan-kernels --remarks-filter=lstm-plan-kernels -o %t 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file %t
// RUN: lstm-opt %s --lstm-plan-kernels=always | FileCheck %s --check-prefix=ALWAYS

#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
// What canonicalization makes of it.
#odd2 = affine_map<(d0) -> (d0 - ((d0 + 1) floordiv 2) * 2 + 1)>
!slots = memref<2x?x40xf32>
!state = memref<?x40xf32, strided<[40, 1], offset: ?>>
!pre = memref<?x4x40xf32, strided<[160, 40, 1], offset: ?>>

// An LSTM: a state with two slots that the phase projects, one that stays in its place, a sequence of outputs. Few rows
// become a kernel; the number of rows chooses among plans.
// REMARK: plan-kernels.mlir:[[@LINE+9]]:{{.*}} remark: [Passed] PlanKernels | Category:lstm-plan-kernels | Remark="up to {{[0-9]+}} rows: one kernel, clusters of {{[0-9]+}} blocks, tiles of single rows, {{[0-9]+ x [0-9]+}} warps, {{[0-9.]+}} us a step with {{[0-9]+}} rows, most of it exchanging what is projected; {{.*}}more than {{[0-9]+}} rows: {{.*}}"
// CHECK-LABEL: func.func @lstm(
// CHECK: } {lstm.kernel = [{f32 = "exact", max_rows = {{[0-9]+}} : i64, row_tiles = {{[0-9]+}} : i64, single_rows = 1 : i64, splits = {{[0-9]+}} : i64, unit_blocks = {{[0-9]+}} : i64, unit_warps = {{[0-9]+}} : i64}, {{.*}}{f32 = "exact", map_warps = {{[0-9]+}} : i64, {{.*}}]}
func.func @lstm(%xs: memref<?x?x4x40xf32>, %U: memref<40x4x40xf32>, %b: memref<4x40xf32>, %h: !slots, %c: memref<?x40xf32>,
                %ys: memref<?x?x40xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = memref.dim %xs, %c0 : memref<?x?x4x40xf32>
  %n = memref.dim %xs, %c1 : memref<?x?x4x40xf32>
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd2(%t)
    %x = memref.subview %xs[%t, 0, 0, 0] [1, %n, 4, 40] [1, 1, 1, 1] : memref<?x?x4x40xf32> to !pre
    %h0 = memref.subview %h[%i, 0, 0] [1, %n, 40] [1, 1, 1] : !slots to !state
    %h1 = memref.subview %h[%j, 0, 0] [1, %n, 40] [1, 1, 1] : !slots to !state
    %y = memref.subview %ys[%t, 0, 0] [1, %n, 40] [1, 1, 1] : memref<?x?x40xf32> to !state
    lstm.phase project(%h0, %U : !state, memref<40x4x40xf32>) ins(%b[g, u], %x[r, g, u] : memref<4x40xf32>, !pre)
        outs(%c, %h1, %y : memref<?x40xf32>, !state, !state) {
    ^bb0(%z0: f32, %z1: f32, %z2: f32, %z3: f32, %b0: f32, %b1: f32, %b2: f32, %b3: f32, %x0: f32, %x1: f32, %x2: f32,
         %x3: f32, %old: f32, %old1: f32, %old2: f32):
      %p0 = arith.addf %z0, %x0 : f32
      %p1 = arith.addf %z1, %b1 : f32
      %f = arith.mulf %p1, %old : f32
      %c2 = arith.addf %p0, %f : f32
      %h2 = math.tanh %c2 : f32
      lstm.yield %c2, %h2, %h2 : f32, f32, f32
    }
  }
  return
}

// A GRU whose reset comes before: two phases, of which the second projects what the first has written in the same step.
// REMARK: plan-kernels.mlir:[[@LINE+7]]:{{.*}} remark: [Passed] PlanKernels | {{.*}}one kernel
// CHECK-LABEL: func.func @gru(
// CHECK: } {lstm.kernel = [{
func.func @gru(%U: memref<40x2x40xf32>, %Un: memref<40x1x40xf32>, %h: memref<?x40xf32>, %z: memref<?x40xf32>,
               %rh: memref<?x40xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x2x40xf32>) ins(%h[r, u] : memref<?x40xf32>)
        outs(%z, %rh : memref<?x40xf32>, memref<?x40xf32>) {
    ^bb0(%p: f32, %q: f32, %old: f32, %a: f32, %b: f32):
      %r = arith.mulf %q, %old : f32
      lstm.yield %p, %r : f32, f32
    }
    lstm.phase project(%rh, %Un : memref<?x40xf32>, memref<40x1x40xf32>) ins(%z[r, u] : memref<?x40xf32>)
        outs(%h : memref<?x40xf32>) {
    ^bb0(%p: f32, %u: f32, %old: f32):
      %n = math.tanh %p : f32
      %m = arith.mulf %u, %n : f32
      lstm.yield %m : f32
    }
  }
  return
}

// A number of rows that is known needs one plan; halves and a cell of the user's own, which projects the outputs as
// well as what is not of the loop.
// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Passed] PlanKernels | {{.*}}Remark="one kernel, clusters of
// CHECK-LABEL: func.func @own(
// CHECK: } {lstm.kernel = [{f32 = "exact", row_tiles = {{[0-9]+}} : i64, splits = {{[0-9]+}} : i64, unit_blocks = {{[0-9]+}} : i64, unit_warps = {{[0-9]+}} : i64}]}
func.func @own(%x: memref<4x24xf16>, %W: memref<24x1x64xf16>, %h: memref<2x4x64xf16>, %U: memref<64x1x64xf16>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd(%t)
    %h0 = memref.subview %h[%i, 0, 0] [1, 4, 64] [1, 1, 1] : memref<2x4x64xf16> to memref<4x64xf16, strided<[64, 1], offset: ?>>
    %h1 = memref.subview %h[%j, 0, 0] [1, 4, 64] [1, 1, 1] : memref<2x4x64xf16> to memref<4x64xf16, strided<[64, 1], offset: ?>>
    lstm.phase project(%h0, %U : memref<4x64xf16, strided<[64, 1], offset: ?>>, memref<64x1x64xf16>)
        project(%x, %W : memref<4x24xf16>, memref<24x1x64xf16>) outs(%h1 : memref<4x64xf16, strided<[64, 1], offset: ?>>) {
    ^bb0(%p: f32, %old: f16):
      %s = math.sin %p : f32
      %y = arith.truncf %s : f32 to f16
      lstm.yield %y : f16
    }
  }
  return
}

// Libraries, where those are faster; not if one always wants a kernel.
// REMARK: plan-kernels.mlir:[[@LINE+8]]:{{.*}} remark: [Missed] PlanKernels | {{.*}}Remark="libraries, {{[0-9.]+}} us a step with {{[0-9]+}} rows, most of it products"
// CHECK-LABEL: func.func @many_rows(
// CHECK: {lstm.kernel = [{}]}
// ALWAYS-LABEL: func.func @many_rows(
// ALWAYS: unit_blocks =
func.func @many_rows(%h: memref<1048576x64xf32>, %g: memref<1048576x64xf32>, %U: memref<64x4x64xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<1048576x64xf32>, memref<64x4x64xf32>) outs(%g : memref<1048576x64xf32>) {
    ^bb0(%z: f32, %z1: f32, %z2: f32, %z3: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<1048576x64xf32>) outs(%h : memref<1048576x64xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// No multiprocessor holds its part of these weights: without libraries, each step is a kernel.
// REMARK: plan-kernels.mlir:[[@LINE+8]]:{{.*}} remark: [Missed] PlanKernels | {{.*}}Remark="libraries, {{[0-9.]+}} us a step with {{[0-9]+}} rows, most of it products"
// CHECK-LABEL: func.func @too_large(
// CHECK: {lstm.kernel = [{}]}
// ALWAYS-LABEL: func.func @too_large(
// ALWAYS: {lstm.kernel = [{f32 = "exact", map_warps = {{.*}}, per_step = 1 : i64, {{.*}}}]}
func.func @too_large(%h: memref<8x8192xf32>, %g: memref<8x8192xf32>, %U: memref<8192x4x8192xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<8x8192xf32>, memref<8192x4x8192xf32>) outs(%g : memref<8x8192xf32>) {
    ^bb0(%z: f32, %z1: f32, %z2: f32, %z3: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<8x8192xf32>) outs(%h : memref<8x8192xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// What is in the way of a kernel.
// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: the number of units is not static"
// CHECK-LABEL: func.func @dynamic_units(
// CHECK-NOT: lstm.kernel
func.func @dynamic_units(%h: memref<?x?xf32>, %g: memref<?x?xf32>, %U: memref<?x1x?xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x?xf32>, memref<?x1x?xf32>) outs(%g : memref<?x?xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x?xf32>) outs(%h : memref<?x?xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: 'linalg.copy' stands in the step"
// CHECK-LABEL: func.func @foreign(
// CHECK-NOT: lstm.kernel
func.func @foreign(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    linalg.copy ins(%g : memref<?x16xf32>) outs(%h : memref<?x16xf32>)
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: 'memref.load' stands in the step"
// CHECK-LABEL: func.func @reads(
// CHECK-NOT: lstm.kernel
func.func @reads(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %s: memref<f32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
    %v = memref.load %s[] : memref<f32>
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: 'scf.if' stands in the body of a phase"
// CHECK-LABEL: func.func @nested(
// CHECK-NOT: lstm.kernel
func.func @nested(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %p = arith.cmpf olt, %z, %old : f32
      %y = scf.if %p -> f32 {
        scf.yield %z : f32
      } else {
        scf.yield %old : f32
      }
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: no phase projects what the loop writes"
// CHECK-LABEL: func.func @no_state(
// CHECK-NOT: lstm.kernel
func.func @no_state(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: tensor cores have no product of such elements"
// CHECK-LABEL: func.func @double(
// CHECK-NOT: lstm.kernel
func.func @double(%h: memref<?x16xf64>, %g: memref<?x16xf64>, %U: memref<16x1x16xf64>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf64>, memref<16x1x16xf64>) outs(%g : memref<?x16xf64>) {
    ^bb0(%z: f64, %old: f64):
      lstm.yield %z : f64
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf64>) outs(%h : memref<?x16xf64>) {
    ^bb0(%x: f64, %old: f64):
      lstm.yield %x : f64
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: the steps do not count by 1"
// CHECK-LABEL: func.func @every_other(
// CHECK-NOT: lstm.kernel
func.func @every_other(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  scf.for %t = %c0 to %T step %c2 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a weight has not three static sizes"
// CHECK-LABEL: func.func @rows_of_weight(
// CHECK-NOT: lstm.kernel
func.func @rows_of_weight(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<?x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<?x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a weight changes between steps"
// CHECK-LABEL: func.func @weight_of_step(
// CHECK-NOT: lstm.kernel
func.func @weight_of_step(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<?x16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %V = memref.subview %U[%t, 0, 0, 0] [1, 16, 1, 16] [1, 1, 1, 1] : memref<?x16x1x16xf32> to memref<16x1x16xf32, strided<[16, 16, 1], offset: ?>>
    lstm.phase project(%h, %V : memref<?x16xf32>, memref<16x1x16xf32, strided<[16, 16, 1], offset: ?>>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a phase reads what the loop writes at other places than its own"
// CHECK-LABEL: func.func @other_place(
// CHECK-NOT: lstm.kernel
func.func @other_place(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    %row = memref.subview %g[0, 0] [1, 16] [1, 1] : memref<?x16xf32> to memref<16xf32, strided<[1]>>
    lstm.phase ins(%row[u] : memref<16xf32, strided<[1]>>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+8]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a phase reads what the loop writes at other places than its own"
// CHECK-LABEL: func.func @shifted(
// CHECK-NOT: lstm.kernel
func.func @shifted(%h: memref<4x16xf32>, %k: memref<4x24xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %g = memref.subview %k[0, 0] [4, 16] [1, 1] : memref<4x24xf32> to memref<4x16xf32, strided<[24, 1]>>
  %s = memref.subview %k[0, 8] [4, 16] [1, 1] : memref<4x24xf32> to memref<4x16xf32, strided<[24, 1], offset: 8>>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<4x16xf32>, memref<16x1x16xf32>) outs(%g : memref<4x16xf32, strided<[24, 1]>>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%s[r, u] : memref<4x16xf32, strided<[24, 1], offset: 8>>) outs(%h : memref<4x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: phases have different numbers of rows"
// CHECK-LABEL: func.func @some_rows(
// CHECK-NOT: lstm.kernel
func.func @some_rows(%h: memref<4x16xf32>, %g: memref<4x16xf32>, %k: memref<2x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<4x16xf32>, memref<16x1x16xf32>) outs(%g : memref<4x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<4x16xf32>) outs(%h : memref<4x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
    lstm.phase outs(%k : memref<2x16xf32>) {
    ^bb0(%old: f32):
      lstm.yield %old : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+7]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: what a phase projects is a part of what another one writes"
// CHECK-LABEL: func.func @part(
// CHECK-NOT: lstm.kernel
func.func @part(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<8x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %h, %c0 : memref<?x16xf32>
  scf.for %t = %c0 to %T step %c1 {
    %half = memref.subview %h[0, 0] [%n, 8] [1, 1] : memref<?x16xf32> to memref<?x8xf32, strided<[16, 1]>>
    lstm.phase project(%half, %U : memref<?x8xf32, strided<[16, 1]>>, memref<8x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+7]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: what a phase projects is a part of what another one writes"
// CHECK-LABEL: func.func @fixed_slot(
// CHECK-NOT: lstm.kernel
func.func @fixed_slot(%h: memref<2x?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %h, %c1 : memref<2x?x16xf32>
  scf.for %t = %c0 to %T step %c1 {
    %h0 = memref.subview %h[0, 0, 0] [1, %n, 16] [1, 1, 1] : memref<2x?x16xf32> to memref<?x16xf32, strided<[16, 1]>>
    %j = affine.apply #odd(%t)
    %h1 = memref.subview %h[%j, 0, 0] [1, %n, 16] [1, 1, 1] : memref<2x?x16xf32> to memref<?x16xf32, strided<[16, 1], offset: ?>>
    lstm.phase project(%h0, %U : memref<?x16xf32, strided<[16, 1]>>, memref<16x1x16xf32>) outs(%h1 : memref<?x16xf32, strided<[16, 1], offset: ?>>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: what a phase projects is written by several phases"
// CHECK-LABEL: func.func @several_writers(
// CHECK-NOT: lstm.kernel
func.func @several_writers(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+8]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: phases of different widths write to the same memory"
// CHECK-LABEL: func.func @widths(
// CHECK-NOT: lstm.kernel
func.func @widths(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %h, %c0 : memref<?x16xf32>
  %k = memref.alloc(%n) : memref<?x8xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
    %half = memref.subview %g[0, 0] [%n, 8] [1, 1] : memref<?x16xf32> to memref<?x8xf32, strided<[16, 1]>>
    lstm.phase ins(%k[r, u] : memref<?x8xf32>) outs(%half : memref<?x8xf32, strided<[16, 1]>>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+7]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a phase writes to memory of unknown origin"
// CHECK-LABEL: func.func @unknown_origin(
// CHECK-NOT: lstm.kernel
func.func @unknown_origin(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %p: i1, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = arith.select %p, %h, %g : memref<?x16xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%s : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// REMARK: plan-kernels.mlir:[[@LINE+6]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: the number of rows is computed in the loop"
// CHECK-LABEL: func.func @rows_of_step(
// CHECK-NOT: lstm.kernel
func.func @rows_of_step(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %g0 = memref.subview %g[0, 0] [%t, 16] [1, 1] : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1]>>
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g0 : memref<?x16xf32, strided<[16, 1]>>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

// A loop without a phase is none of its business.
// CHECK-LABEL: func.func @no_phase(
// CHECK-NOT: lstm.kernel
func.func @no_phase(%x: memref<?xf32>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  return
}

// The only step of a recurrence, of two phases.
// REMARK: plan-kernels.mlir:[[@LINE+4]]:{{.*}} remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: the step stands in no loop, as there is one alone"
// CHECK-LABEL: func.func @one_step(
// CHECK-NOT: lstm.kernel
func.func @one_step(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>) {
  lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  lstm.phase project(%g, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%h : memref<?x16xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return
}
