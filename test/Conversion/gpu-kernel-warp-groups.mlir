// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel=chips=sm_90a --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// A group of 3 blocks; of a block two warp groups that multiply, four warps that map, and four of which two fetch. Blocks exchange
// in memory for a few steps, with a counter, which is zero at first.
// CHECK-LABEL: func.func @one(
// CHECK: memref.alloc
// CHECK: llvm.call @lstmCudaFill(%{{.*}}, %c0_i32, %{{.*}})
// CHECK: gpu.launch blocks({{.*}}) in ({{.*}}) threads({{.*}}) in (%{{.*}} = %c512, {{.*}}) dynamic_shared_memory_size
// CHECK: "mbarrier.init.shared::cta.b64 [$0], $1; fence.mbarrier_init.release.cluster;"
// Warp groups have weights in registers, as rows are few, and with them multiply what is in shared memory.
// CHECK: "setmaxnreg.dec.sync.aligned.u32 {{[0-9]+}};"
// CHECK: "fence.proxy.async.shared::cta;"
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %c256_i32
// CHECK: mbarrier.try_wait.parity
// CHECK: "{ .reg .b64 d, w; wgmma.fence.sync.aligned; add.s64 d, ${{[0-9]+}}, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {$4, $5, $6, $7}, d, 1, 1, 1, 0; {{.*}}wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }", "=&f,=&f,=&f,=&f,r,r,
// CHECK: @p mbarrier.arrive.shared::cta.b64 _, [$0];
// CHECK: "bar.arrive $0, 384;", "r,~{memory}"
// Those that map publish the state before the first step, then what they map; who has all of a tile counts.
// CHECK: "setmaxnreg.inc.sync.aligned.u32 {{[0-9]+}};"
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<1>
// CHECK: "fence.proxy.async.global;"
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %c128_i32
// CHECK: "red.release.gpu.global.add.u32 [$0], 1;"
// The next tile's part of a sequence is on its way while this one is mapped.
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %[[FIRST]]) -> (f32)
// CHECK: scf.for %{{.*}} iter_args(%[[NOW:.*]] = %{{.*}}) -> (f32)
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %c384_i32
// CHECK: arith.addf %{{.*}}, %[[NOW]] : f32
// CHECK: math.sin
// CHECK: "red.release.gpu.global.add.u32 [$0], 1;"
// Those that fetch wait until all blocks have counted.
// CHECK: "setmaxnreg.dec.sync.aligned.u32 40;"
// CHECK: "{ .reg .pred p; .reg .b32 v; wait: ld.acquire.gpu.global.b32 v, [$0]; sub.s32 v, v, $1; setp.lt.s32 p, v, 0; @p bra wait; fence.proxy.async.global; }"
// CHECK: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", {{.*}} %[[FULL:[0-9]+]], %[[BYTES:c[0-9]+_i32]] :
// CHECK: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", {{.*}}, %[[BYTES]], %[[FULL]] :
// CHECK: lstm.alone
// CHECK-SAME: lstm.together
// CHECK: } else {
// CHECK: scf.for
// CHECK: lstm.phase
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x?x40xf16>
!state = memref<?x40xf16, strided<[40, 1], offset: ?>>
!xt = memref<?x40xf32, strided<[40, 1], offset: ?>>
func.func @one(%x: memref<?x?x40xf32>, %h: !slots, %c: memref<?x40xf32>, %U: memref<40x1x40xf16>, %T: index, %B: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd(%t)
    %h0 = memref.subview %h[%i, 0, 0] [1, %B, 40] [1, 1, 1] : !slots to !state
    %h1 = memref.subview %h[%j, 0, 0] [1, %B, 40] [1, 1, 1] : !slots to !state
    %xt = memref.subview %x[%t, 0, 0] [1, %B, 40] [1, 1, 1] : memref<?x?x40xf32> to !xt
    lstm.phase project(%h0, %U : !state, memref<40x1x40xf16>) ins(%xt[r, u] : !xt) outs(%h1, %c : !state, memref<?x40xf32>) {
    ^bb0(%p: f32, %v: f32, %old: f16, %d: f32):
      %s = arith.addf %p, %v : f32
      %e = arith.mulf %d, %s : f32
      %y = math.sin %e : f32
      %z = arith.truncf %y : f32 to f16
      lstm.yield %z, %e : f16, f32
    }
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 2 : i64, map_warps = 4 : i64, unit_blocks = 3 : i64, unit_warps = 4 : i64}]}
  return
}
// -----
// The second phase projects what was before the first one wrote.
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x8x40xf16>
!state = memref<8x40xf16, strided<[40, 1], offset: ?>>
func.func @late(%h: !slots, %y: memref<8x40xf16>, %U: memref<40x1x40xf16>, %V: memref<40x1x40xf16>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{has a plan for warp groups in 'lstm.kernel', but a phase projects what an earlier one has written over or what the loop does not write, or rows are reduced}}
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd(%t)
    %h0 = memref.subview %h[%i, 0, 0] [1, 8, 40] [1, 1, 1] : !slots to !state
    %h1 = memref.subview %h[%j, 0, 0] [1, 8, 40] [1, 1, 1] : !slots to !state
    lstm.phase project(%h0, %U : !state, memref<40x1x40xf16>) outs(%h1 : !state) {
    ^bb0(%p: f32, %old: f16):
      %z = arith.truncf %p : f32 to f16
      lstm.yield %z : f16
    }
    lstm.phase project(%h0, %V : !state, memref<40x1x40xf16>) outs(%y : memref<8x40xf16>) {
    ^bb0(%p: f32, %old: f16):
      %z = arith.truncf %p : f32 to f16
      lstm.yield %z : f16
    }
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 2 : i64, map_warps = 4 : i64, unit_blocks = 3 : i64, unit_warps = 4 : i64}]}
  return
}
// -----
// What the first phase projects is an input.
func.func @free(%x: memref<?x8x40xf16>, %h: memref<8x40xf16>, %g: memref<8x40xf16>, %W: memref<40x1x40xf16>, %U: memref<40x1x40xf16>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{has a plan for warp groups in 'lstm.kernel', but a phase projects}}
  scf.for %t = %c0 to %T step %c1 {
    %xt = memref.subview %x[%t, 0, 0] [1, 8, 40] [1, 1, 1] : memref<?x8x40xf16> to memref<8x40xf16, strided<[40, 1], offset: ?>>
    lstm.phase project(%xt, %W : memref<8x40xf16, strided<[40, 1], offset: ?>>, memref<40x1x40xf16>) outs(%g : memref<8x40xf16>) {
    ^bb0(%p: f32, %old: f16):
      %z = arith.truncf %p : f32 to f16
      lstm.yield %z : f16
    }
    lstm.phase project(%g, %U : memref<8x40xf16>, memref<40x1x40xf16>) outs(%h : memref<8x40xf16>) {
    ^bb0(%p: f32, %old: f16):
      %z = arith.truncf %p : f32 to f16
      lstm.yield %z : f16
    }
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 2 : i64, map_warps = 4 : i64, unit_blocks = 3 : i64, unit_warps = 4 : i64}]}
  return
}
// -----
// Three warps are no group.
func.func @three(%h: memref<8x40xf16>, %U: memref<40x1x40xf16>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expects 'lstm.kernel' to be an array of dictionaries with positive 'unit_blocks'}}
  scf.for %t = %c0 to %T step %c1 {
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 2 : i64, map_warps = 4 : i64, unit_blocks = 3 : i64, unit_warps = 3 : i64}]}
  return
}
