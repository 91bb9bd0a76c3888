// Upstream's transform operations on phases: tiles, fusion, linalg, vectors, scalar loops.
// RUN: split-file %s %t

// On tensors and on memrefs, with a dynamic number of rows and sizes that do not divide. The state that is
// updated in place stays so.
// DEFINE: %{buffers} = one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},canonicalize,cse,canonicalize
// RUN: cat %t/phase.mlir %t/for.mlir | lstm-opt --pass-pipeline="builtin.module(transform-interpreter,canonicalize,cse,%{buffers})" | FileCheck %s --check-prefixes=TILE,FOR
// RUN: cat %t/phase.mlir %t/forall.mlir | lstm-opt --pass-pipeline="builtin.module(transform-interpreter,canonicalize,cse,%{buffers})" | FileCheck %s --check-prefixes=TILE,FORALL
// RUN: cat %t/phase.mlir %t/for.mlir | lstm-opt --pass-pipeline="builtin.module(%{buffers},transform-interpreter,canonicalize,cse)" | FileCheck %s --check-prefixes=TILE,FOR
// RUN: cat %t/phase.mlir %t/forall.mlir | lstm-opt --pass-pipeline="builtin.module(%{buffers},transform-interpreter,canonicalize,cse)" | FileCheck %s --check-prefixes=TILE,FORALL
// TILE-LABEL: func @step
// FOR: scf.for
// FOR: scf.for
// FORALL: scf.forall {{.*}} in (%{{.*}}, 3)
// TILE-NOT: memref.{{alloc|copy}}
// TILE: lstm.phase project(%{{.*}} : memref<?x128xf32, strided<[128, 1], offset: ?>>, memref<128x2x?xf32
// TILE-SAME: ins(%{{.*}}[r, g, u], %{{.*}}[g, u], %{{.*}}[r], %{{.*}} : memref<?x2x?xf32, {{.*}}>, memref<2x?xf32, {{.*}}>, memref<?xi1, {{.*}}>, f32)
// TILE-SAME: attributes {note = "kept"}
// TILE-NOT: memref.{{alloc|copy}}
// TILE: return

// A phase fuses into the loops of the phase that uses it.
// RUN: lstm-opt %t/fuse.mlir --transform-interpreter | FileCheck %s --check-prefix=FUSE
// FUSE-LABEL: func @fuse
// FUSE: scf.for
// FUSE: scf.for
// FUSE: %[[A:.*]] = lstm.phase project
// FUSE: lstm.phase ins(%[[A]][r, u]

// As linalg: a fill, a contraction a pair, an elementwise operation with the phase's region.
// RUN: cat %t/phase.mlir %t/decompose.mlir | lstm-opt --transform-interpreter --canonicalize | FileCheck %s --check-prefix=LINALG
// LINALG-LABEL: func @step
// LINALG-NOT: lstm.phase
// LINALG: %[[FILL:.*]] = linalg.fill {{.*}} -> tensor<?x2x128xf32>
// LINALG: %[[Z:.*]] = linalg.contract {{.*}} ins(%{{.*}} : tensor<?x128xf32>, tensor<128x2x128xf32>) outs(%[[FILL]] : tensor<?x2x128xf32>)
// LINALG-DAG: %[[Z0:.*]] = tensor.extract_slice %[[Z]][0, 0, 0]
// LINALG-DAG: %[[Z1:.*]] = tensor.extract_slice %[[Z]][0, 1, 0]
// LINALG: linalg.generic {{.*}} ins(%[[Z0]], %[[Z1]], {{.*}} attrs = {note = "kept", seen}
// LINALG-NOT: lstm.phase
// LINALG: return

// On memrefs the products are scratch, allocated and freed around the operations that use it; the deallocation
// pipeline leaves it alone.
// RUN: cat %t/phase.mlir %t/decompose.mlir | lstm-opt --pass-pipeline="builtin.module(%{buffers},transform-interpreter,buffer-deallocation-pipeline)" | FileCheck %s --check-prefix=SCRATCH
// SCRATCH-LABEL: func @step
// SCRATCH-NOT: lstm.phase
// SCRATCH: %[[Z:.*]] = memref.alloc(%{{.*}}) {bufferization.manual_deallocation} : memref<?x2x128xf32>
// SCRATCH: linalg.fill {{.*}} outs(%[[Z]] :
// SCRATCH: linalg.contract {{.*}} outs(%[[Z]] :
// SCRATCH: linalg.generic {{.*}} attrs = {note = "kept", seen}
// SCRATCH: memref.dealloc %[[Z]]
// SCRATCH-NOT: memref.{{alloc|dealloc}}
// SCRATCH: return

// A tile as linalg, vectorized by upstream: contraction and map in registers.
// RUN: lstm-opt %t/static.mlir --pass-pipeline="builtin.module(transform-interpreter,canonicalize,cse,func.func(loop-invariant-subset-hoisting),canonicalize)" | FileCheck %s --check-prefix=VECTOR
// VECTOR-LABEL: func @static
// VECTOR: scf.for {{.*}} -> (vector<4x2x16xf32>)
// VECTOR: vector.contract
// VECTOR: math.tanh {{.*}} : vector<4x16xf32>
// VECTOR: vector.transfer_write

// As scalar loops, without linalg; an output that is not read is not loaded.
// RUN: cat %t/phase.mlir %t/loops.mlir | lstm-opt --pass-pipeline="builtin.module(%{buffers},transform-interpreter,canonicalize)" | FileCheck %s --check-prefix=LOOPS
// LOOPS-LABEL: func @step
// LOOPS-SAME: f32, %{{[^:]*}}: memref<?x128xf32>, %[[TO:[^:]*]]: memref<?x128xf32>)
// LOOPS-NOT: lstm.phase
// LOOPS: scf.for
// LOOPS: scf.for
// LOOPS: scf.for {{.*}} -> (f32)
// LOOPS: scf.for {{.*}} -> (f32)
// LOOPS-NOT: memref.load %[[TO]]
// LOOPS: arith.select
// LOOPS: memref.store %{{.*}}, %[[TO]]
// LOOPS: memref.store
// LOOPS-NOT: linalg

// Half precision is extended before it is multiplied.
// RUN: cat %t/half.mlir %t/loops.mlir | lstm-opt --transform-interpreter | FileCheck %s --check-prefix=HALF
// HALF: %[[A:.*]] = memref.load {{.*}} : memref<?x8xbf16>
// HALF: %[[AE:.*]] = arith.extf %[[A]] : bf16 to f32
// HALF: %[[W:.*]] = memref.load {{.*}} : memref<8x1x16xf16>
// HALF: %[[WE:.*]] = arith.extf %[[W]] : f16 to f32
// HALF: arith.mulf %[[AE]], %[[WE]] : f32

// RUN: cat %t/phase.mlir %t/wrong.mlir | not lstm-opt --transform-interpreter 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: expects lstm.phase, but got func.func

//--- phase.mlir
!s = tensor<?x128xf32>
func.func @step(%h: !s, %U: tensor<128x2x128xf32>, %p: tensor<?x2x128xf32>, %b: tensor<2x128xf32>, %m: tensor<?xi1>, %k: f32,
                %c: !s, %h1: !s) -> (!s, !s) {
  %hn, %cn = lstm.phase project(%h, %U : !s, tensor<128x2x128xf32>)
      ins(%p[r, g, u], %b[g, u], %m[r], %k : tensor<?x2x128xf32>, tensor<2x128xf32>, tensor<?xi1>, f32)
      outs(%h1, %c : !s, !s) attributes {note = "kept"} {
  ^bb0(%z0: f32, %z1: f32, %p0: f32, %p1: f32, %b0: f32, %b1: f32, %live: i1, %s: f32, %h_old: f32, %c0: f32):
    %0 = arith.addf %z0, %p0 : f32
    %1 = arith.addf %z1, %p1 : f32
    %2 = arith.addf %0, %b0 : f32
    %3 = arith.mulf %1, %b1 : f32
    %4 = arith.mulf %2, %c0 : f32
    %5 = arith.mulf %4, %s : f32
    %6 = arith.select %live, %5, %c0 : f32
    lstm.yield %3, %6 : f32, f32
  }
  return %hn, %cn : !s, !s
}
//--- half.mlir
func.func @half(%h: memref<?x8xbf16>, %U: memref<8x1x16xf16>, %to: memref<?x16xf32>) {
  lstm.phase project(%h, %U : memref<?x8xbf16>, memref<8x1x16xf16>) outs(%to : memref<?x16xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return
}
//--- for.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["lstm.phase"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l:2 = transform.structured.tile_using_for %0 tile_sizes [3, 48] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
//--- forall.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match interface{TilingInterface} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_forall %0 tile_sizes [3, 48] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
//--- decompose.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["lstm.phase"]} in %m : (!transform.any_op) -> !transform.any_op
    %g = transform.lstm.decompose_phase %0 : (!transform.any_op) -> !transform.any_op
    transform.annotate %g "seen" : !transform.any_op
    transform.yield
  }
}
//--- loops.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["lstm.phase"]} in %m : (!transform.any_op) -> !transform.any_op
    %l = transform.structured.convert_to_loops %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
//--- wrong.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %g = transform.lstm.decompose_phase %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
//--- static.mlir
func.func @static(%h: tensor<8x128xf32>, %U: tensor<128x2x128xf32>, %h1: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %hn = lstm.phase project(%h, %U : tensor<8x128xf32>, tensor<128x2x128xf32>) outs(%h1 : tensor<8x128xf32>) {
  ^bb0(%z0: f32, %z1: f32, %h_old: f32):
    %0 = math.tanh %z0 : f32
    %1 = arith.mulf %0, %z1 : f32
    lstm.yield %1 : f32
  }
  return %hn : tensor<8x128xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["lstm.phase"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l:2 = transform.structured.tile_using_for %0 tile_sizes [4, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %g = transform.lstm.decompose_phase %t : (!transform.any_op) -> !transform.any_op
    %k = transform.structured.match ops{["linalg.contract"]} in %m : (!transform.any_op) -> !transform.any_op
    %kt, %kl = transform.structured.tile_using_for %k tile_sizes [0, 0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %f2 = transform.structured.vectorize_children_and_apply_patterns %f : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
//--- fuse.mlir
func.func @fuse(%h: tensor<?x128xf32>, %U: tensor<128x1x128xf32>, %e: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %a = lstm.phase project(%h, %U : tensor<?x128xf32>, tensor<128x1x128xf32>) outs(%e : tensor<?x128xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  %b = lstm.phase ins(%a[r, u] : tensor<?x128xf32>) outs(%e : tensor<?x128xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = math.tanh %x : f32
    lstm.yield %y : f32
  }
  return %b : tensor<?x128xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["lstm.phase"]} in %m : (!transform.any_op) -> !transform.any_op
    %a, %b = transform.split_handle %0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %t, %l:2 = transform.structured.fuse %b tile_sizes [4, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
