// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --canonicalize --split-input-file | FileCheck %s
// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --split-input-file | lstm-opt --split-input-file -o /dev/null

#ru = affine_map<(r, u) -> (r, u)>
#r = affine_map<(r, u) -> (r)>

// A variance is exchanged together with the mean: 3 blocks of 16 units, of which 16 lanes have a row, exchange 4 words
// (3 and padding) of the means and of the squares of their parts, beside 48 units in two planes.
// CHECK-LABEL: func.func @variance(
// CHECK-DAG: %[[WORDS:.*]] = arith.constant 104 : index
// CHECK: %[[ALL:.*]] = arith.muli %{{.*}}, %[[WORDS]]
// CHECK: memref.alloc(%[[ALL]]) : memref<?xi32>
// CHECK: gpu.launch
// Warps that map have the products of a unit from shared memory and sum them over the 16 lanes.
// CHECK: } else {
// CHECK: nvvm.barrier id
// CHECK-COUNT-2: arith.addf %{{.*}} : f32
// CHECK: %[[Z:.*]] = arith.addf
// CHECK: "bar.arrive $0, {{[0-9]+}};"
// Units that there are not count for nothing.
// CHECK: %[[OWN:.*]] = arith.select %{{.*}}, %[[Z]], %{{.*}} : f32
// CHECK-COUNT-4: gpu.shuffle xor
// The squares of distances from the mean of what the lanes have.
// CHECK: %[[MEAN:.*]] = arith.divf
// CHECK: %[[DISTANCE:.*]] = arith.subf %[[Z]], %[[MEAN]]
// CHECK: arith.mulf %[[DISTANCE]], %[[DISTANCE]]
// CHECK: arith.bitcast %[[MEAN]] : f32 to i32
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic
// CHECK-COUNT-4: gpu.shuffle xor
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic
// Nobody waits for what it leaves in memory.
// CHECK: llvm.store %[[LEFT:.*]], %{{.*}} : f32, !llvm.ptr<1>
// The next phase asks for the parts of all blocks and waits until they are there.
// CHECK: setp.ne.u32 p, $5, 0; @p ld.relaxed.gpu.global.v4.b32
// CHECK: scf.while
// CHECK: vote.sync.any.pred
// CHECK: scf.condition
// The sum, of the parts' means; then the squares, with those of the distances of the parts' means from it.
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// CHECK: arith.mulf
// CHECK-COUNT-4: gpu.shuffle xor
// CHECK: %[[CENTER:.*]] = arith.divf
// CHECK: arith.subf %{{.*}}, %[[CENTER]]
// CHECK-COUNT-4: gpu.shuffle xor
// No row value is stored: nobody else reads it.
// CHECK: math.sqrt
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic
// CHECK: gpu.terminator
func.func @variance(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 40.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  %q = memref.alloc(%n) : memref<?xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    linalg.fill ins(%zero : f32) outs(%q : memref<?xf32>)
    linalg.generic {indexing_maps = [#ru, #r, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z, %s : memref<?x40xf32>, memref<?xf32>) outs(%q : memref<?xf32>) {
    ^bb0(%e: f32, %sum: f32, %a: f32):
      %m = arith.divf %sum, %count : f32
      %d = arith.subf %e, %m : f32
      %dd = arith.mulf %d, %d : f32
      %y = arith.addf %a, %dd : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %q[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %v: f32, %old: f32):
      %d = math.sqrt %v : f32
      %y = arith.divf %e, %d : f32
      lstm.yield %y : f32
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact"}]}
  return
}

// -----

#ru = affine_map<(r, u) -> (r, u)>
#r = affine_map<(r, u) -> (r)>

// A maximum of what depends on another maximum is a stage of its own; 24 units of a block are three groups of 8 lanes.
// CHECK-LABEL: func.func @maximum(
// CHECK: gpu.launch
// CHECK: } else {
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic
// CHECK: scf.while
// CHECK: arith.maximumf
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK: math.exp
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic
// CHECK: scf.while
// CHECK-COUNT-6: gpu.shuffle xor
// CHECK: arith.mulf
// CHECK: gpu.terminator
func.func @maximum(%h: memref<?x48xf32>, %U: memref<48x1x48xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x48xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  %q = memref.alloc(%n) : memref<?xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x48xf32>, memref<48x1x48xf32>) outs(%z : memref<?x48xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x48xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.maximumf %a, %e : f32
      linalg.yield %y : f32
    }
    linalg.fill ins(%zero : f32) outs(%q : memref<?xf32>)
    linalg.generic {indexing_maps = [#ru, #r, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z, %s : memref<?x48xf32>, memref<?xf32>) outs(%q : memref<?xf32>) {
    ^bb0(%e: f32, %m: f32, %a: f32):
      %d = arith.subf %e, %m : f32
      %x = math.exp %d : f32
      %y = arith.addf %a, %x : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r], %q[r] : memref<?x48xf32>, memref<?xf32>, memref<?xf32>) outs(%h : memref<?x48xf32>) {
    ^bb0(%e: f32, %m: f32, %v: f32, %old: f32):
      %d = arith.mulf %m, %v : f32
      %y = arith.divf %e, %d : f32
      lstm.yield %y : f32
    }
  } {lstm.kernel = [{unit_blocks = 2, row_tiles = 1, splits = 4, map_warps = 6, f32 = "exact"}]}
  return
}

// -----

#ru = affine_map<(r, u) -> (r, u)>
#r = affine_map<(r, u) -> (r)>
#even = affine_map<(d0) -> (d0 mod 2)>
#odd = affine_map<(d0) -> ((d0 + 1) mod 2)>
!slots = memref<2x8x40xf32>
!state = memref<8x40xf32, strided<[40, 1], offset: ?>>

// What was the state is folded, not what the phase has just made of it.
// CHECK-LABEL: func.func @state_before(
// CHECK: } else {
// CHECK: "bar.arrive $0, {{[0-9]+}};"
// CHECK: nvvm.barrier id
// CHECK: %[[OLD:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK: arith.select %{{.*}}, %[[OLD]], %{{.*}} : f32
// CHECK: gpu.shuffle xor
// CHECK: llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr<1>
func.func @state_before(%h: !slots, %out: memref<8x40xf32>, %U: memref<40x1x40xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %T step %c1 {
    %i = affine.apply #even(%t)
    %j = affine.apply #odd(%t)
    %h0 = memref.subview %h[%i, 0, 0] [1, 8, 40] [1, 1, 1] : !slots to !state
    %h1 = memref.subview %h[%j, 0, 0] [1, 8, 40] [1, 1, 1] : !slots to !state
    lstm.phase project(%h0, %U : !state, memref<40x1x40xf32>) outs(%h1 : !state) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    linalg.fill ins(%zero : f32) outs(%s : memref<8xf32>)
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%h0 : !state) outs(%s : memref<8xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%h1[r, u], %s[r] : !state, memref<8xf32>) outs(%out : memref<8x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  } {lstm.kernel = [{f32 = "exact", map_warps = 4 : i64, row_tiles = 1 : i64, splits = 4 : i64, unit_blocks = 3 : i64}]}
  return
}

// -----

#ru = affine_map<(r, u) -> (r, u)>
#r = affine_map<(r, u) -> (r)>

// In a cluster of 3 blocks of 16 units a block gives one part, with both moments, to all; two slots of it are expected, as
// of the state.
// CHECK-LABEL: func.func @cluster(
// CHECK-NOT: memref.alloc(%{{.*}}) : memref<?xi32>
// CHECK: gpu.launch clusters
// CHECK-COUNT-4: "mbarrier.init.shared::cta.b64 [$0], 1;"
// CHECK-COUNT-4: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;"
// CHECK: "mma.sync.aligned
// Eight lanes, every fourth, have units of a row: they exchange means and squares, which are zero at first, at the same time.
// CHECK: gpu.shuffle xor %{{.*}}, %c16_i32, %c32_i32
// CHECK-COUNT-2: gpu.shuffle xor %{{.*}}, %c8_i32, %c32_i32
// CHECK-COUNT-2: gpu.shuffle xor %{{.*}}, %c4_i32, %c32_i32
// CHECK-COUNT-2: llvm.store %{{.*}} : i32, !llvm.ptr<3>
// What both warps have of a row makes the block's part.
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %c64_i32
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [$0], {$2, $3}, [$1];"
// The next phase has products in registers; it waits for the parts, and expects those that come in their place.
// CHECK-NOT: llvm.load %{{.*}} !llvm.ptr<1>
// CHECK: mbarrier.try_wait.parity
// CHECK: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;"
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK: "sqrt.approx.ftz.f32
// CHECK: gpu.terminator
func.func @cluster(%h: memref<?x48xf16>, %U: memref<48x1x48xf16>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 48.0 : f32
  %z = memref.alloc(%n) : memref<?x48xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  %q = memref.alloc(%n) : memref<?xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x48xf16>, memref<48x1x48xf16>) outs(%z : memref<?x48xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x48xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    linalg.fill ins(%zero : f32) outs(%q : memref<?xf32>)
    linalg.generic {indexing_maps = [#ru, #r, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z, %s : memref<?x48xf32>, memref<?xf32>) outs(%q : memref<?xf32>) {
    ^bb0(%e: f32, %sum: f32, %a: f32):
      %m = arith.divf %sum, %count : f32
      %d = arith.subf %e, %m : f32
      %dd = arith.mulf %d, %d : f32
      %y = arith.addf %a, %dd : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %q[r] : memref<?x48xf32>, memref<?xf32>) outs(%h : memref<?x48xf16>) {
    ^bb0(%e: f32, %v: f32, %old: f16):
      %d = math.sqrt %v : f32
      %y = arith.divf %e, %d : f32
      %g = arith.truncf %y : f32 to f16
      lstm.yield %g : f16
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 2, map_warps = 0, unit_warps = 2, f32 = "exact"}]}
  return
}
