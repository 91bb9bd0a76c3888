// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel=chips=sm_90a --canonicalize --split-input-file | FileCheck %s

// Where the weights of warp groups lie, and how those of f32 are split. gpu-kernel-streamed.mlir has those that fit nowhere.

// Weights of f32 are kept whole: as bits, but NaN as one that stays NaN when it is split.
// CHECK-LABEL: func.func @late(
// CHECK-DAG: %[[NAN:.*]] = arith.constant 2143289344 : i32
// CHECK-DAG: %[[MASK:.*]] = arith.constant -8192 : i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK: gpu.launch
// CHECK: llvm.store %c4096_i32, %{{.*}} : i32, !llvm.ptr<3>
// CHECK-NOT: cvt.rna.tf32
// CHECK: %[[IS_NAN:.*]] = arith.cmpf uno, %[[WEIGHT:.*]], %[[WEIGHT]] : f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[WEIGHT]] : f32 to i32
// CHECK: arith.select %[[IS_NAN]], %[[NAN]], %[[BITS]] : i32
// A lane stores its own words by four.
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NOT: : i32, !llvm.ptr<3>
// A loop over stages in shared memory: of two slots at once words are loaded and split; the sums of a stage are added in f32.
// CHECK: "fence.proxy.async.shared::cta;"
// CHECK: scf.for %{{.*}} iter_args(%[[BEFORE:[^ ]*]] = %{{[^,]*}}, {{.*}} {
// CHECK: mbarrier.try_wait.parity
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: %[[HALF:.*]] = llvm.load volatile %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: %[[ROUNDED:.*]] = arith.addi %[[WORD:.*]], %[[HALF]] : i32
// CHECK: %[[LARGE:.*]] = arith.andi %[[ROUNDED]], %[[MASK]] : i32
// CHECK: %[[VALUE:.*]] = arith.bitcast %[[WORD]] : i32 to f32
// CHECK: %[[OF_LARGE:.*]] = arith.bitcast %[[LARGE]] : i32 to f32
// CHECK: %[[LEFT:.*]] = arith.subf %[[VALUE]], %[[OF_LARGE]] : f32
// CHECK: %[[IS_NUMBER:.*]] = arith.cmpf ord, %[[LEFT]], %[[LEFT]] : f32
// CHECK: %[[SMALL:.*]] = arith.select %[[IS_NUMBER]], %[[LEFT]], %[[ZERO]] : f32
// CHECK: arith.bitcast %[[SMALL]] : f32 to i32
// Three products of each of the two halves of a slot.
// CHECK: wgmma.fence.sync.aligned; {{((add.s64 d, [$][0-9]+, [0-9]+; )?wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 [{][^}]*[}], [{][^}]*[}], d, 1, 1, 1; ){12}wgmma.commit_group}}.sync.aligned; wgmma.wait_group.sync.aligned 1; }"
// CHECK: wgmma.fence.sync.aligned; {{((add.s64 d, [$][0-9]+, [0-9]+; )?wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 [{][^}]*[}], [{][^}]*[}], d, 1, 1, 1; ){12}wgmma.commit_group}}.sync.aligned; wgmma.wait_group.sync.aligned 0; }"
// CHECK: mbarrier.arrive.shared::cta.b64 _
// CHECK: %[[SUM:.*]] = arith.addf %[[BEFORE]], %{{.*}} : f32
// CHECK: scf.yield %[[SUM]],
// Those in registers have no loop.
// CHECK: mbarrier.try_wait.parity
// CHECK: {{((add.s64 d, [$][0-9]+, [0-9]+; )?wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 [{][^}]*[}], [{][^}]*[}], d, 1, 1, 1; ){12}wgmma.commit_group}}.sync.aligned; wgmma.wait_group.sync.aligned 0; }"
// CHECK: arith.addf
// CHECK: nvvm.barrier
// Who maps has the state in parts.
// CHECK: cvt.rna.tf32
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x20x384xf32>
!state = memref<20x384xf32, strided<[384, 1], offset: ?>>
func.func @late(%h: !slots, %U: memref<384x1x384xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd(%t)
    %h0 = memref.subview %h[%i, 0, 0] [1, 20, 384] [1, 1, 1] : !slots to !state
    %h1 = memref.subview %h[%j, 0, 0] [1, 20, 384] [1, 1, 1] : !slots to !state
    lstm.phase project(%h0, %U : !state, memref<384x1x384xf32>) outs(%h1 : !state) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 1 : i64, map_warps = 4 : i64, unit_blocks = 6 : i64, unit_warps = 4 : i64}]}
  return
}
// -----
// Sums of many rows take the registers: weights lie in shared memory as matrices, [four of words][row of 64][word].
// CHECK-LABEL: func.func @many_rows(
// CHECK: gpu.launch
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK-NOT: vector<4xi32>
// CHECK: "fence.proxy.async.shared::cta;"
// CHECK: wgmma.fence.sync.aligned; add.s64 d, $22, 0; add.s64 w, $20, 0; wgmma.mma_async.sync.aligned.m64n40k16.f32.f16.f16 {{[{][^}]*[}]}}, w, d, 1, 1, 1, 0, 0; add.s64 d, $22, 80; add.s64 w, $20, 128; wgmma.mma_async
// CHECK-SAME: "=&f,{{.*}},l,l,l,
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x20x64xf16>
!state = memref<20x64xf16, strided<[64, 1], offset: ?>>
func.func @many_rows(%h: !slots, %U: memref<64x1x64xf16>, %T: index) {
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
  } {lstm.kernel = [{f32 = "exact", row_tiles = 5 : i64, splits = 1 : i64, map_warps = 4 : i64, unit_blocks = 1 : i64, unit_warps = 4 : i64}]}
  return
}
// -----
// So do those of few rows that registers do not hold.
// CHECK-LABEL: func.func @both(
// CHECK: "fence.proxy.async.shared::cta;"
// CHECK: m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, w, d, 1, 1, 1, 0, 0;
// CHECK-NOT: arith.addf
// CHECK: m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {{[{][^}]*[}]}}, d, 1, 1, 1, 0;
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x20x512xf16>
!state = memref<20x512xf16, strided<[512, 1], offset: ?>>
func.func @both(%h: !slots, %U: memref<512x1x512xf16>, %T: index) {
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
  } {lstm.kernel = [{f32 = "exact", row_tiles = 1 : i64, splits = 1 : i64, map_warps = 4 : i64, unit_blocks = 4 : i64, unit_warps = 4 : i64}]}
  return
}
