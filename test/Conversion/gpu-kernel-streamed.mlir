// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel=chips=sm_90a --canonicalize --cse --split-input-file | FileCheck %s

// Weights that fit neither into registers nor into shared memory.

// Two blocks have 256 KB each, of which two stages, 128 KB, are streamed: they lie behind the memory of three tiles, which alone is filled.
// CHECK-LABEL: func.func @halves(
// CHECK: memref.alloc() : memref<90208xi32>
// CHECK: llvm.call @lstmCudaFill(%{{.*}}, %c0_i32, %c24672_i64)
// The block writes them, as matrices; then they are there for those that fetch, one warp.
// CHECK: gpu.launch
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK: "fence.acq_rel.gpu; fence.proxy.async.global;"
// CHECK-NEXT: nvvm.barrier id = %c7_i32 number_of_threads = %c160_i32
// CHECK: "fence.proxy.async.shared::cta;"
// They are multiplied in the ring, in a loop over stages; those in shared memory and in registers follow.
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args(
// CHECK: mbarrier.try_wait.parity
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, w, d, 1, 1, 1, 0, 0;
// CHECK: mbarrier.arrive.shared::cta.b64 _
// CHECK-NOT: arith.addf
// CHECK: scf.yield
// CHECK: m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, w, d, 1, 1, 1, 0, 0;
// CHECK: m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {{[{][^}]*[}]}}, d, 1, 1, 1, 0;
// Those that fetch wait for the block alone, and ask for as many weights as there are places before they wait for others.
// CHECK: "setmaxnreg.dec.sync.aligned.u32 40;"
// CHECK: nvvm.barrier id = %c7_i32 number_of_threads = %c160_i32
// CHECK-NEXT: "fence.proxy.async.global;"
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK: mbarrier.try_wait.parity
// CHECK: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", {{.*}} %[[FULL:[0-9]+]], %c67584_i32 :
// CHECK: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", {{.*}}, %c65536_i32, %[[FULL]] :
// CHECK: ld.acquire.gpu.global.b32
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK-NOT: try_wait
// CHECK-NOT: expect_tx
// CHECK: cp.async.bulk.shared::cluster.global{{.*}}, %c2048_i32, %
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK: mbarrier.try_wait.parity
// CHECK: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", {{.*}}, %c2048_i32 :
// CHECK: cp.async.bulk.shared::cluster.global{{.*}}, %c2048_i32, %
// CHECK-NOT: cp.async.bulk
// CHECK: lstm.alone
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x20x512xf16>
!state = memref<20x512xf16, strided<[512, 1], offset: ?>>
func.func @halves(%h: !slots, %U: memref<512x1x512xf16>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd(%t)
    %h0 = memref.subview %h[%i, 0, 0] [1, 20, 512] [1, 1, 1] : !slots to !state
    %h1 = memref.subview %h[%j, 0, 0] [1, 20, 512] [1, 1, 1] : !slots to !state
    lstm.phase project(%h0, %U : !state, memref<512x1x512xf16>) outs(%h1 : !state) {
    ^bb0(%p: f32, %old: f16):
      %z = arith.truncf %p : f32 to f16
      lstm.yield %z : f16
    }
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 1 : i64, map_warps = 4 : i64, unit_blocks = 2 : i64, unit_warps = 4 : i64}]}
  return
}
// -----
// f32, split late, a lane's own words; more stages than places: others are asked for with what they are multiplied with.
// CHECK-LABEL: func.func @whole(
// CHECK: gpu.launch
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK: "fence.acq_rel.gpu; fence.proxy.async.global;"
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args(%[[BEFORE:[^ ]*]] = %{{[^,]*}},
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: llvm.load volatile
// CHECK: wgmma.fence.sync.aligned; {{((add.s64 d, [$][0-9]+, [0-9]+; )?wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 [{][^}]*[}], [{][^}]*[}], d, 1, 1, 1; ){24}wgmma.commit_group}}.sync.aligned; wgmma.wait_group.sync.aligned 1; }"
// CHECK: wgmma.fence.sync.aligned; {{((add.s64 d, [$][0-9]+, [0-9]+; )?wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 [{][^}]*[}], [{][^}]*[}], d, 1, 1, 1; ){24}wgmma.commit_group}}.sync.aligned; wgmma.wait_group.sync.aligned 0; }"
// CHECK: %[[SUM:.*]] = arith.addf %[[BEFORE]], %{{.*}} : f32
// CHECK: scf.yield %[[SUM]],
// CHECK: "setmaxnreg.dec.sync.aligned.u32 40;"
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK: expect_tx{{.*}}, %c36864_i32 :
// CHECK: cp.async.bulk{{.*}}, %c32768_i32, %
// CHECK: ld.acquire.gpu.global.b32
// CHECK: cp.async.bulk{{.*}}, %c4096_i32, %
// CHECK: scf.for
// CHECK: mbarrier.try_wait.parity
// CHECK: expect_tx{{.*}} %[[FULL:[0-9]+]], %c36864_i32 :
// CHECK: cp.async.bulk{{.*}}, %c32768_i32, %[[FULL]] :
// CHECK: cp.async.bulk{{.*}}, %c4096_i32, %[[FULL]] :
// CHECK: scf.for
// CHECK: expect_tx{{.*}}, %c4096_i32 :
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x20x512xf32>
!state = memref<20x512xf32, strided<[512, 1], offset: ?>>
func.func @whole(%h: !slots, %U: memref<512x1x512xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd(%t)
    %h0 = memref.subview %h[%i, 0, 0] [1, 20, 512] [1, 1, 1] : !slots to !state
    %h1 = memref.subview %h[%j, 0, 0] [1, 20, 512] [1, 1, 1] : !slots to !state
    lstm.phase project(%h0, %U : !state, memref<512x1x512xf32>) outs(%h1 : !state) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 1 : i64, map_warps = 4 : i64, unit_blocks = 4 : i64, unit_warps = 4 : i64}]}
  return
}
// -----
// The second phase has half of the weights, of which those that still don't fit are streamed, one stage of four.
// CHECK-LABEL: func.func @two_phases(
// CHECK: "setmaxnreg.dec.sync.aligned.u32 40;"
// CHECK: expect_tx{{.*}}, %c36864_i32 :
// CHECK: cp.async.bulk{{.*}}, %c32768_i32, %
// CHECK: ld.acquire.gpu.global.b32
// CHECK: expect_tx{{.*}}, %c20480_i32 :
// CHECK: cp.async.bulk{{.*}}, %c16384_i32, %
// CHECK: ld.acquire.gpu.global.b32
// CHECK: cp.async.bulk{{.*}}, %c4096_i32, %
// CHECK: expect_tx{{.*}}, %c4096_i32 :
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x20x704xf32>
!state = memref<20x704xf32, strided<[704, 1], offset: ?>>
func.func @two_phases(%h: !slots, %g: memref<20x704xf32>, %U: memref<704x2x704xf32>, %V: memref<704x1x704xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd(%t)
    %h0 = memref.subview %h[%i, 0, 0] [1, 20, 704] [1, 1, 1] : !slots to !state
    %h1 = memref.subview %h[%j, 0, 0] [1, 20, 704] [1, 1, 1] : !slots to !state
    lstm.phase project(%h0, %U : !state, memref<704x2x704xf32>) outs(%g : memref<20x704xf32>) {
    ^bb0(%p: f32, %q: f32, %old: f32):
      %z = arith.mulf %p, %q : f32
      lstm.yield %z : f32
    }
    lstm.phase project(%g, %V : memref<20x704xf32>, memref<704x1x704xf32>) outs(%h1 : !state) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 1 : i64, map_warps = 4 : i64, unit_blocks = 11 : i64, unit_warps = 4 : i64}]}
  return
}
// -----
// What fits is not streamed.
// CHECK-LABEL: func.func @fits(
// CHECK: memref.alloc() : memref<[[WORDS:[0-9]+]]xi32>
// CHECK: llvm.call @lstmCudaFill(%{{.*}}, %c0_i32, %c[[WORDS]]_i64)
// CHECK-NOT: nvvm.barrier id = %c7_i32
// CHECK-NOT: fence.acq_rel.gpu
// CHECK: expect_tx{{.*}}, %c[[BYTES:[0-9]+]]_i32 :
// CHECK: cp.async.bulk{{.*}}, %c[[BYTES]]_i32, %
// CHECK-NOT: cp.async.bulk
// CHECK: lstm.alone
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x20x64xf16>
!state = memref<20x64xf16, strided<[64, 1], offset: ?>>
func.func @fits(%h: !slots, %U: memref<64x1x64xf16>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd(%t)
    %h0 = memref.subview %h[%i, 0, 0] [1, 20, 64] [1, 1, 1] : !slots to !state
    %h1 = memref.subview %h[%j, 0, 0] [1, 20, 64] [1, 1, 1] : !slots to !state
    lstm.phase project(%h0, %U : !state, memref<64x1x64xf16>) outs(%h1 : !state) {
    ^bb0(%p: f32, %old: f16):
      %z = arith.truncf %p : f32 to f16
      lstm.yield %z : f16
    }
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 1 : i64, map_warps = 4 : i64, unit_blocks = 1 : i64, unit_warps = 4 : i64}]}
  return
}
