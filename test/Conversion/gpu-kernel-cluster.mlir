// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// A cluster of 3 blocks of 16 units, in each two warps that have 8 units each and sum over half of k: nothing is
// exchanged through memory, and no launch waits for another one.
// CHECK-LABEL: func.func @one(
// CHECK-NOT: memref.alloc
// CHECK-NOT: lstmCudaFill
// CHECK: %[[TILES:.*]] = arith.ceildivui %{{.*}}, %c8
// CHECK: gpu.launch clusters(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %c3, %{{.*}} = %c1, %{{.*}} = %c1) blocks(%[[X:.*]], %{{.*}}, %{{.*}}) in ({{.*}}) threads({{.*}}) in (%{{.*}} = %c128, {{.*}}) dynamic_shared_memory_size
// CHECK-NOT: lstm.together
// A block expects what comes of two slots, and all blocks do, before one writes to another.
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK-COUNT-2: "mbarrier.init.shared::cta.b64 [$0], 1;"
// CHECK: "fence.mbarrier_init.release.cluster;"
// CHECK-NOT: "mbarrier.arrive.shared::cta.b64
// CHECK-COUNT-2: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;"
// CHECK: "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
// The state before the first step goes from a warp to all blocks.
// CHECK: llvm.store %{{.*}} : i16, !llvm.ptr<3>
// CHECK: "bar.warp.sync 0xffffffff;"
// CHECK: "mapa.shared::cluster.u32 $0, $1, $2;"
// CHECK: "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [$0], {$2, $3, $4, $5}, [$1];"
// What is read of a sequence is on its way two steps before, four words at once where they are aligned; the state that
// the step before has mapped is in a register.
// CHECK: scf.if
// CHECK: "cp.async.cg.shared.global [$0], [$1], 16;"
// CHECK-COUNT-4: "cp.async.ca.shared.global [$0], [$1], 4;"
// CHECK-COUNT-2: "cp.async.commit_group;"
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %c0, %{{.*}} = %{{.*}}) -> (index, f32)
// CHECK: %[[LATE:.*]] = arith.cmpi uge
// A slot is waited for and, as it is read only here, the next one in its place expected.
// CHECK: "{ .reg .pred p; wait: mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1; @!p bra wait; }"
// CHECK: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;"
// CHECK: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: "cp.async.wait_group 1; bar.warp.sync 0xffffffff;"
// Each of the two warps gives the other one its part of the other's rows.
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %c64_i32
// CHECK: math.sin
// CHECK: "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [$0], {$2, $3, $4, $5}, [$1];"
// What lanes keep is stored at the end alone.
// CHECK: %[[STORED:.*]] = arith.andi %{{.*}}, %[[LATE]] : i1
// CHECK: scf.if %[[STORED]] {
// CHECK: llvm.store %{{.*}} : f16, !llvm.ptr<1>
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
// CHECK: "cp.async.commit_group;"
// CHECK: "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
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
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 2 : i64, unit_blocks = 3 : i64, unit_warps = 2 : i64}]}
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
  // expected-error @below {{has a plan for a cluster in 'lstm.kernel', but a phase projects what an earlier one has written over}}
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
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 2 : i64, unit_blocks = 3 : i64, unit_warps = 2 : i64}]}
  return
}
// -----
// Two warps that share out k have the even and the odd rows.
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x8x40xf16>
!state = memref<8x40xf16, strided<[40, 1], offset: ?>>
func.func @rows(%h: !slots, %U: memref<40x1x40xf16>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{has a plan in 'lstm.kernel', but in a cluster up to two warps share out a sum}}
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
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 4 : i64, unit_blocks = 3 : i64, unit_warps = 2 : i64}]}
  return
}
