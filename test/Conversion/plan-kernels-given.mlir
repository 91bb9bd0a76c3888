// A plan of one's own is for all recurrences and all numbers of rows.
// RUN: lstm-opt %s --lstm-plan-kernels="plan=5,2,4,2 f32-mode=tf32" | FileCheck %s
// RUN: lstm-opt %s --lstm-plan-kernels="plan=5,2,4,2 f32-mode=tf32" --remarks-filter=lstm-plan-kernels 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: not lstm-opt %s --lstm-plan-kernels=plan=5,2,4 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not lstm-opt %s --lstm-plan-kernels=plan=5,2,4,0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not lstm-opt %s --lstm-plan-kernels=plan=5,2,32,4 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: lstm-opt %s --lstm-plan-kernels=plan=3,1,2,2,1 --remarks-filter=lstm-plan-kernels 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not lstm-opt %s --lstm-plan-kernels=plan=5,1,4,2,1 2>&1 | FileCheck %s --check-prefix=SPLITS
// RUN: lstm-opt %s --lstm-plan-kernels=plan=5,2,3,1,0,1 --remarks-filter=lstm-plan-kernels 2>&1 | FileCheck %s --check-prefix=SINGLE
// RUN: lstm-opt %s --lstm-plan-kernels=plan=3,2,1,2,1,1 --remarks-filter=lstm-plan-kernels 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: sed 's/40x1x40xf32/40x1x40xf16/; s/U : memref<?x40xf32>/U : memref<?x40xf16>/; s/%h: memref<?x40xf32>/%h: memref<?x40xf16>/' %s \
// RUN:   | sed 's/outs(%h : memref<?x40xf32>)/outs(%h : memref<?x40xf16>)/; s/(%x: f32, %old: f32)/(%x: f32, %old: f16)/; s/yield %x : f32/yield %old : f16/' \
// RUN:   | sed 's/%U: memref<40x1x40xf32>/%U: memref<40x1x40xf16>/; s/xf32>, memref<40x1x40xf32>/xf16>, memref<40x1x40xf16>/' \
// RUN:   | not lstm-opt --lstm-plan-kernels=plan=5,2,3,1,0,1 2>&1 | FileCheck %s --check-prefix=HALVES
// RUN: not lstm-opt %s --lstm-plan-kernels=plan=5,2,3,1,0,2 2>&1 | FileCheck %s --check-prefix=SIXTH
// RUN: not lstm-opt %s --lstm-plan-kernels=plan=3,1,2,2,4 2>&1 | FileCheck %s --check-prefix=FIFTH
// RUN: lstm-opt %s --lstm-plan-kernels=plan=500,2,4,2,3 --remarks-filter=lstm-plan-kernels 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: lstm-opt %s --lstm-plan-kernels=plan=5,2,3,1,3,1 --remarks-filter=lstm-plan-kernels 2>&1 | FileCheck %s --check-prefix=SINGLE_STEP
// RUN: not lstm-opt %s --lstm-plan-kernels=plan=5,4,16,30,3 2>&1 | FileCheck %s --check-prefix=THREADS_STEP
// RUN: lstm-opt %s --lstm-plan-kernels="plan=3,1,2,4,2 chips=sm_90a" --remarks-filter=lstm-plan-kernels 2>&1 | FileCheck %s --check-prefix=GROUPS
// RUN: not lstm-opt %s --lstm-plan-kernels="plan=3,1,2,4,2 chips=sm_90a,sm_90" 2>&1 | FileCheck %s --check-prefix=NOGROUPS
// RUN: not lstm-opt %s --lstm-plan-kernels="plan=3,1,2,2,2 chips=sm_90a" 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not lstm-opt %s --lstm-plan-kernels="plan=3,64,2,4,2 chips=sm_90a" 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not lstm-opt %s --lstm-plan-kernels="plan=3,1,2,2,1 chips=sm_80" 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not lstm-opt %s --lstm-plan-kernels="plan=5,1,2,16,1" 2>&1 | FileCheck %s --check-prefix=PAIRS

// CHECK: } {lstm.kernel = [{f32 = "tf32", map_warps = 2 : i64, row_tiles = 2 : i64, splits = 4 : i64, unit_blocks = 5 : i64}]}
// REMARK: remark: [Passed] PlanKernels | {{.*}}Remark="one kernel, groups of 5 blocks, tiles of 16 rows, 4 + 2 warps, {{[0-9.]+}} us a step with {{[0-9]+}} rows, most of it {{.*}}"
// Blocks need not be on the device together.
// STEP: Remark="a kernel a step, groups of 500 blocks, tiles of 16 rows, 4 + 2 warps,
// STEP: {lstm.kernel = [{f32 = "exact", map_warps = 2 : i64, per_step = 1 : i64, row_tiles = 2 : i64, splits = 4 : i64, unit_blocks = 500 : i64}]}
// SINGLE_STEP: Remark="a kernel a step, groups of 5 blocks, tiles of 2 single rows, 3 + 1 warps,
// SINGLE_STEP: {lstm.kernel = [{f32 = "exact", map_warps = 1 : i64, per_step = 1 : i64, row_tiles = 2 : i64, single_rows = 1 : i64, splits = 3 : i64, unit_blocks = 5 : i64}]}
// THREADS_STEP: error: lstm-plan-kernels: plan [5, 4, 16, 30, 3] takes 1472 threads of {{.*}} bytes of shared memory and any number of blocks
// THREE: error: lstm-plan-kernels: expects plan to be four positive numbers (unit blocks, row tiles, splits, map warps), 1 for clusters, 2 for warp groups or 3 for a kernel a step, and 1 for single rows, but got [5, 2, 4]
// ZERO: error: lstm-plan-kernels: expects plan to be four positive numbers (unit blocks, row tiles, splits, map warps), 1 for clusters, 2 for warp groups or 3 for a kernel a step, and 1 for single rows, but got [5, 2, 4, 0]
// THREADS: error: lstm-plan-kernels: plan [5, 2, 32, 4] takes 1152 threads of {{[0-9]+}} registers and {{[0-9]+}} bytes of shared memory, and has groups of 5 blocks, but there are {{[0-9]+}} registers, 232448 bytes of shared memory and 132 multiprocessors
// CLUSTER: Remark="one kernel, clusters of 3 blocks, tiles of 8 rows, 2 x 2 warps, {{[0-9.]+}} us a step with {{[0-9]+}} rows, most of it
// CLUSTER: } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 2 : i64, unit_blocks = 3 : i64, unit_warps = 2 : i64}]}
// SPLITS: error: lstm-plan-kernels: plan [5, 1, 4, 2, 1] is not for this recurrence: in a cluster up to two warps share out a sum
// PAIRS: error: lstm-plan-kernels: plan [5, 1, 2, 16, 1] is not for this recurrence: in a cluster up to 15 pairs of warps share out sums
// SINGLE: Remark="one kernel, groups of 5 blocks, tiles of 2 single rows, 3 + 1 warps, {{[0-9.]+}} us a step with {{[0-9]+}} rows, most of it
// SINGLE: } {lstm.kernel = [{f32 = "exact", map_warps = 1 : i64, row_tiles = 2 : i64, single_rows = 1 : i64, splits = 3 : i64, unit_blocks = 5 : i64}]}
// BOTH: Remark="one kernel, clusters of 3 blocks, 2 tiles of single rows, 1 x 2 warps, {{[0-9.]+}} us a step with {{[0-9]+}} rows, most of it
// BOTH: } {lstm.kernel = [{f32 = "exact", row_tiles = 2 : i64, single_rows = 1 : i64, splits = 1 : i64, unit_blocks = 3 : i64, unit_warps = 2 : i64}]}
// HALVES: error: lstm-plan-kernels: plan [5, 2, 3, 1, 0, 1] is for single rows, but not all that is projected is f32, or rows are reduced
// SIXTH: error: lstm-plan-kernels: expects plan to be {{.*}}, and 1 for single rows, but got [5, 2, 3, 1, 0, 2]
// FIFTH: error: lstm-plan-kernels: expects plan to be four positive numbers (unit blocks, row tiles, splits, map warps), 1 for clusters, 2 for warp groups or 3 for a kernel a step, and 1 for single rows, but got [3, 1, 2, 2, 4]
// GROUPS: Remark="one kernel, groups of 3 blocks, tiles of 8 rows, 2 x 4 + 4 warps, {{[0-9.]+}} us a step with {{[0-9]+}} rows, most of it
// GROUPS: } {lstm.kernel = [{f32 = "exact", map_warps = 4 : i64, row_tiles = 1 : i64, splits = 2 : i64, unit_blocks = 3 : i64, unit_warps = 4 : i64}]}
// NOGROUPS: error: lstm-plan-kernels: plan [3, 1, 2, 4, 2] is for warp groups, which sm_90a alone has, but the GPU is sm_90
// HALF: error: lstm-plan-kernels: plan [3, 1, 2, 2, 2] is not for this recurrence: with warp groups, warps that map are multiples of 4, and there are up to 4 splits
// COLUMNS: error: lstm-plan-kernels: plan [3, 64, 2, 4, 2] takes
// OLD: error: lstm-plan-kernels: plan [3, 1, 2, 2, 1] takes {{.*}} but there are {{[0-9]+}} registers, {{[0-9]+}} bytes of shared memory and 0 blocks of a cluster
func.func @main(%h: memref<?x40xf32>, %g: memref<?x40xf32>, %U: memref<40x1x40xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%g : memref<?x40xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x40xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}
