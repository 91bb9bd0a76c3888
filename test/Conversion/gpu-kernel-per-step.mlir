// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel=chips=sm_90 --canonicalize --split-input-file | FileCheck %s
// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel=chips=sm_80 --canonicalize --split-input-file | FileCheck %s --check-prefix=OLD
// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --split-input-file | lstm-opt --split-input-file -o /dev/null
// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --lstm-outline-kernels --split-input-file | FileCheck %s --check-prefix=OUTLINED

// A kernel writes weights in the order in which they are multiplied, and the first state. Those of the steps begin early: a
// block loads its weights, and the sequence's elements, before it waits for what the kernel before gives.
// CHECK-LABEL: func.func @step(
// Two slots of 24 words a row, and behind them the weights of 3 blocks: 8 words for each of 128 threads.
// CHECK-DAG: %[[C3072:.*]] = arith.constant 3072 : index
// CHECK: %[[ROWS:.*]] = memref.dim
// CHECK: %[[EXCHANGED:.*]] = arith.muli %[[ROWS]], %c48
// CHECK: %[[WORDS:.*]] = arith.addi %[[EXCHANGED]], %[[C3072]]
// CHECK: memref.alloc(%[[WORDS]]) : memref<?xi32>
// Blocks need not be on the device together: nobody asks how many there may be.
// CHECK-NOT: arith.cmpi uge
// CHECK: %[[FITS:.*]] = llvm.call @lstmCudaFits(%{{.*}}, %c192_i64, %c0_i64, %{{.*}}) {lstm.launched_kernel = [[KERNEL:distinct\[[0-9]+\]<>]]}
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[ROWS]], %c8
// CHECK: %[[GRID:.*]] = arith.muli %[[TILES]], %c3
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %[[GRID]],
// CHECK-NOT: griddepcontrol
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK: gpu.terminator
// CHECK-NEXT: } {lstm.launched_kernel = [[KERNEL]]}
// CHECK: scf.for %[[T:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %[[GRID]],
// CHECK: griddepcontrol.launch_dependents
// CHECK: scf.if
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: griddepcontrol.wait
// CHECK-NOT: vote
// CHECK: mma.sync
// CHECK: } else {
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK: griddepcontrol.wait
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic
// CHECK: gpu.terminator
// CHECK-NEXT: } {lstm.early, lstm.launched_kernel = [[KERNEL]]}
// CHECK-NOT: gpu.launch
// CHECK: } else {
// CHECK: lstm.phase
// OLD-LABEL: func.func @step(
// OLD-NOT: griddepcontrol
// OLD-NOT: lstm.early
// OLD: lstm.phase
// OUTLINED-LABEL: func.func @step(
// OUTLINED: gpu.launch_func @kernels::@step_kernel
// OUTLINED-NOT: lstm.early
// OUTLINED: gpu.launch_func @kernels::@step_kernel_0 {{.*}}lstm.early
func.func @step(%h: memref<?x40xf16>, %g: memref<?x40xf16>, %U: memref<40x1x40xf16>, %x: memref<?x?x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %xt = memref.subview %x[%t, 0, 0] [1, %n, 40] [1, 1, 1] : memref<?x?x40xf32> to memref<?x40xf32, strided<[40, 1], offset: ?>>
    lstm.phase project(%h, %U : memref<?x40xf16>, memref<40x1x40xf16>) ins(%xt[r, u] : memref<?x40xf32, strided<[40, 1], offset: ?>>) outs(%g : memref<?x40xf16>) {
    ^bb0(%z: f32, %v: f32, %old: f16):
      %s = arith.addf %z, %v : f32
      %y = arith.truncf %s : f32 to f16
      lstm.yield %y : f16
    }
    lstm.phase ins(%g[r, u] : memref<?x40xf16>) outs(%h : memref<?x40xf16>) {
    ^bb0(%v: f16, %old: f16):
      lstm.yield %v : f16
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact", per_step = 1}]}
  return
}

// -----

// A step that projects what it gives is two kernels. Weights for which there are no registers are loaded where they are
// multiplied.
// CHECK-LABEL: func.func @two(
// CHECK: gpu.launch
// CHECK: gpu.terminator
// CHECK: scf.for
// CHECK: gpu.launch
// CHECK: griddepcontrol.wait
// CHECK: mma.sync
// CHECK: math.tanh
// CHECK-NOT: math.exp
// CHECK: gpu.terminator
// CHECK-NEXT: } {lstm.early
// CHECK: gpu.launch
// CHECK: griddepcontrol.wait
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: mma.sync
// CHECK-NOT: math.tanh
// CHECK: math.exp
// CHECK: gpu.terminator
// CHECK-NEXT: } {lstm.early
// CHECK: } else {
func.func @two(%h: memref<?x400xf32>, %g: memref<?x400xf32>, %U: memref<400x1x400xf32>, %V: memref<400x1x400xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x400xf32>, memref<400x1x400xf32>) outs(%g : memref<?x400xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase project(%g, %V : memref<?x400xf32>, memref<400x1x400xf32>) outs(%h : memref<?x400xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.exp %z : f32
      lstm.yield %y : f32
    }
  } {lstm.kernel = [{unit_blocks = 25, row_tiles = 2, splits = 1, map_warps = 2, f32 = "exact", per_step = 1}]}
  return
}
