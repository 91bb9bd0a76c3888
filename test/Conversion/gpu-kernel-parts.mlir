// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --canonicalize --split-input-file | FileCheck %s
// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --split-input-file | lstm-opt --split-input-file -o /dev/null
// RUN: lstm-opt %s --lstm-plan-kernels=plan=3,1,4,2 --split-input-file --remarks-filter=lstm-plan-kernels 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: lstm-opt %s --lstm-plan-kernels=plan=3,1,2,2,1 --split-input-file --remarks-filter=lstm-plan-kernels 2>&1 >/dev/null | FileCheck %s --check-prefix=CLUSTER
// RUN: not lstm-opt %s --lstm-plan-kernels=plan=80,1,4,2 --split-input-file 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: lstm-opt %s --lstm-branch-loops --split-input-file | FileCheck %s --check-prefix=SPLIT
// RUN: lstm-opt %s --lstm-branch-loops=kernels --split-input-file | FileCheck %s --check-prefix=STAY

// Two directions, which need nothing of each other: each has blocks of its own in one launch, and half of the device.
// CHECK-LABEL: func.func @directions(
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// Words of both exchanges.
// CHECK-DAG: %[[C192:.*]] = arith.constant 192 : index
// CHECK: memref.alloc
// CHECK: %[[SHARE:.*]] = arith.divui %{{.*}}, %[[C2]]
// CHECK: %[[THERE:.*]] = arith.cmpi uge, %[[SHARE]], %[[C3]]
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[GROUPS:.*]], %[[C3]]
// CHECK: %[[GRID:.*]] = arith.muli %[[GROUPS]], %c6
// CHECK: gpu.launch blocks(%[[X:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %[[GRID]],
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi ult, %[[X]], %[[BLOCKS]]
// CHECK: scf.if %[[IS_FIRST]] {
// CHECK: arith.divui %[[X]], %[[C3]]
// CHECK: math.tanh
// CHECK-NOT: math.exp
// CHECK: } else {
// CHECK: %[[OWN:.*]] = arith.subi %[[X]], %[[BLOCKS]]
// CHECK: arith.divui %[[OWN]], %[[C3]]
// CHECK-NOT: math.tanh
// CHECK: math.exp
// CHECK: gpu.terminator
// CHECK-NEXT: } {{{.*}}lstm.together}
// Where the device is too small, each is a loop on a branch.
// CHECK: } else {
// CHECK: lstmCudaSetBranch
// CHECK: scf.for
// CHECK: math.exp
// CHECK: lstmCudaSetBranch
// CHECK: scf.for
// CHECK: math.tanh
// CHECK: lstmCudaJoin
// REMARK: Remark="one kernel, groups of 3 blocks, tiles of 8 rows, 4 + 2 warps for each of 2 parts,
// CLUSTER: Remark="one kernel, clusters of 3 blocks, tiles of 8 rows, 2 x 2 warps for each of 2 parts,
// MANY: error: lstm-plan-kernels: plan [80, 1, 4, 2] takes {{.*}} and has groups of 80 blocks, but there are {{.*}} and 66 multiprocessors
// SPLIT-LABEL: func.func @directions(
// SPLIT-COUNT-2: lstmCudaSetBranch
// STAY-LABEL: func.func @directions(
// STAY-NOT: lstmCudaSetBranch
// STAY: return
func.func @directions(%h: memref<?x40xf32>, %g: memref<?x40xf32>, %U: memref<40x1x40xf32>, %k: memref<?x40xf32>, %l: memref<?x40xf32>, %V: memref<40x1x40xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%g : memref<?x40xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase project(%k, %V : memref<?x40xf32>, memref<40x1x40xf32>) outs(%l : memref<?x40xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.exp %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x40xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
    lstm.phase ins(%l[r, u] : memref<?x40xf32>) outs(%k : memref<?x40xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{f32 = "exact", map_warps = 2 : i64, row_tiles = 1 : i64, splits = 4 : i64, unit_blocks = 3 : i64}]}
  return
}

// -----
// A layer that projects what another one gives follows it, as what is exchanged has a place for each step. A cluster has
// none of its own for it: its blocks do both.
// CHECK-LABEL: func.func @layers(
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[GROUPS:.*]], %c3
// CHECK: %[[GRID:.*]] = arith.muli %[[GROUPS]], %c6
// CHECK: gpu.launch blocks(%[[X:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %[[GRID]],
// CHECK: arith.cmpi ult, %[[X]], %[[BLOCKS]]
// CHECK: scf.if
// CHECK: math.tanh
// CHECK-NOT: math.exp
// CHECK: arith.subi %[[X]], %[[BLOCKS]]
// CHECK-NOT: math.tanh
// CHECK: math.exp
// CHECK: gpu.terminator
// In the loop that stays, one behind the other.
// CHECK-NOT: lstmCudaSetBranch
// CHECK: return
// REMARK: Remark="one kernel, groups of 3 blocks, tiles of 8 rows, 4 + 2 warps for each of 2 parts,
// CLUSTER: Remark="one kernel, clusters of 3 blocks, tiles of 8 rows, 2 x 2 warps, {{[0-9]}}
// STAY-LABEL: func.func @layers(
// STAY-NOT: lstmCudaSetBranch
// STAY: return
func.func @layers(%h: memref<?x40xf32>, %g: memref<?x40xf32>, %U: memref<40x1x40xf32>, %k: memref<?x40xf32>, %l: memref<?x40xf32>, %V: memref<40x1x40xf32>, %W: memref<40x1x40xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%g : memref<?x40xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x40xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
    lstm.phase project(%g, %W : memref<?x40xf32>, memref<40x1x40xf32>) project(%k, %V : memref<?x40xf32>, memref<40x1x40xf32>) outs(%l : memref<?x40xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.exp %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%l[r, u] : memref<?x40xf32>) outs(%k : memref<?x40xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{f32 = "exact", map_warps = 2 : i64, row_tiles = 1 : i64, splits = 4 : i64, unit_blocks = 3 : i64}]}
  return
}

// -----
// What has no state of its own, or reads another's elements, is no part.
// REMARK: Remark="one kernel, groups of 3 blocks, tiles of 8 rows, 4 + 2 warps, {{[0-9]}}
// REMARK: Remark="one kernel, groups of 3 blocks, tiles of 8 rows, 4 + 2 warps, {{[0-9]}}
func.func @head(%h: memref<?x40xf32>, %g: memref<?x40xf32>, %U: memref<40x1x40xf32>, %l: memref<?x40xf32>, %W: memref<40x1x40xf32>, %T: index) {
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
    lstm.phase project(%g, %W : memref<?x40xf32>, memref<40x1x40xf32>) outs(%l : memref<?x40xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
  } {lstm.kernel = [{f32 = "exact", map_warps = 2 : i64, row_tiles = 1 : i64, splits = 4 : i64, unit_blocks = 3 : i64}]}
  return
}
func.func @residual(%h: memref<?x40xf32>, %g: memref<?x40xf32>, %U: memref<40x1x40xf32>, %k: memref<?x40xf32>, %l: memref<?x40xf32>, %V: memref<40x1x40xf32>, %T: index) {
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
    lstm.phase project(%k, %V : memref<?x40xf32>, memref<40x1x40xf32>) ins(%g[r, u] : memref<?x40xf32>) outs(%l : memref<?x40xf32>) {
    ^bb0(%z: f32, %x: f32, %old: f32):
      %y = arith.addf %z, %x : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%l[r, u] : memref<?x40xf32>) outs(%k : memref<?x40xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{f32 = "exact", map_warps = 2 : i64, row_tiles = 1 : i64, splits = 4 : i64, unit_blocks = 3 : i64}]}
  return
}
