// RUN: lstm-opt %s --convert-lstm-to-linalg | FileCheck %s
// RUN: lstm-opt %s --convert-lstm-to-linalg=phases=false | FileCheck %s --check-prefix=GATES
// RUN: lstm-opt %s --convert-lstm-to-linalg=scans=false | FileCheck %s --check-prefix=SCANS
// RUN: lstm-opt %s --convert-lstm-to-linalg=deallocate=false | FileCheck %s --check-prefix=SCRATCH

// Products of f16 are summed in f32; the loop over units is the innermost one.
// CHECK-DAG: #[[$A:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$W:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$Z:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func.func @rank_two(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x80xf16>, %[[C:[^:]*]]: tensor<?x128xf32>, %[[WEIGHT:[^:]*]]: tensor<80x128xf16>, %[[P:[^:]*]]: tensor<128xf32>, %[[B:[^:]*]]: tensor<128xf32>
// CHECK: %[[ZERO:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?x128xf32>)
// CHECK: %[[SUM:.*]] = linalg.contract indexing_maps = [#[[$A]], #[[$W]], #[[$Z]]] ins(%[[X]], %[[WEIGHT]] : tensor<?x80xf16>, tensor<80x128xf16>) outs(%[[ZERO]] : tensor<?x128xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[C]], %[[P]], %[[B]] : {{.*}}) outs(%{{.*}} : tensor<?x128xf16>)
// CHECK: ^bb0(%[[Z0:.*]]: f32, %[[C0:.*]]: f32, %[[P0:.*]]: f32, %[[B0:.*]]: f32, %{{.*}}: f16):
// CHECK: %[[PEEP:.*]] = arith.mulf %[[C0]], %[[P0]] : f32
// CHECK: %[[S0:.*]] = arith.addf %[[Z0]], %[[PEEP]] : f32
// CHECK: %[[S1:.*]] = arith.addf %[[S0]], %[[B0]] : f32
// CHECK: %[[MIN:.*]] = arith.minimumf %[[S1]], %{{.*}} : f32
// CHECK: %[[MAX:.*]] = arith.maximumf %[[MIN]], %{{.*}} : f32
// CHECK: %[[NEG:.*]] = arith.negf %[[MAX]] : f32
// CHECK: %[[EXP:.*]] = math.exp %[[NEG]] : f32
// CHECK: arith.divf
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @rank_two(%x: tensor<?x80xf16>, %c: tensor<?x128xf32>, %W: tensor<80x128xf16>,
                    %p: tensor<128xf32>, %b: tensor<128xf32>) -> tensor<?x128xf16> {
  %i = lstm.gate sigmoid clip 3.0 dot(%x, %W : tensor<?x80xf16>, tensor<80x128xf16>)
      scale(%c, %p : tensor<?x128xf32>, tensor<128xf32>) add(%b : tensor<128xf32>) : tensor<?x128xf16>
  return %i : tensor<?x128xf16>
}

// Gates with one activation are one operation; s [B, H] stands for every gate.
// CHECK-LABEL: func.func @rank_three(
// CHECK: linalg.contract {{.*}} outs(%{{.*}} : tensor<?x2x?xf32>)
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$Z]], #[[$W]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK: math.tanh
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @rank_three(%x: tensor<?x80xf32>, %V: tensor<80x2x?xf32>, %c: tensor<?x?xf32>, %b: tensor<2x?xf32>)
    -> tensor<?x2x?xf32> {
  %g = lstm.gate tanh dot(%x, %V : tensor<?x80xf32>, tensor<80x2x?xf32>)
      scale(%c, %b : tensor<?x?xf32>, tensor<2x?xf32>) : tensor<?x2x?xf32>
  return %g : tensor<?x2x?xf32>
}

// Different activations: an operation for each gate.
// CHECK-LABEL: func.func @activations(
// CHECK: %[[SUM:.*]] = linalg.contract
// CHECK: tensor.extract_slice %[[SUM]][0, 0, 0]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK: math.exp
// CHECK: %[[FIRST:.*]] = tensor.insert_slice
// CHECK: tensor.extract_slice %[[FIRST]][0, 1, 0]
// CHECK: tensor.extract_slice %[[SUM]][0, 1, 0]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK: arith.cmpf olt
// CHECK: tensor.insert_slice %{{.*}} into %[[FIRST]][0, 1, 0]
func.func @activations(%x: tensor<?x80xf32>, %V: tensor<80x2x16xf32>, %b: tensor<2x16xf32>) -> tensor<?x2x16xf32> {
  %g = lstm.gate [sigmoid, leaky_relu(0.1)] dot(%x, %V : tensor<?x80xf32>, tensor<80x2x16xf32>)
      add(%b : tensor<2x16xf32>) : tensor<?x2x16xf32>
  return %g : tensor<?x2x16xf32>
}

// Without a product there is no contraction.
// CHECK-LABEL: func.func @softplus(
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic
// CHECK: arith.maximumf
// CHECK: math.absf
// CHECK: math.exp
// CHECK: math.log1p
func.func @softplus(%b: tensor<4x16xf64>) -> tensor<4x16xf64> {
  %g = lstm.gate softplus add(%b : tensor<4x16xf64>) : tensor<4x16xf64>
  return %g : tensor<4x16xf64>
}

// CHECK-LABEL: func.func @phase(
// CHECK-NOT: lstm.phase
// CHECK: linalg.fill
// CHECK: linalg.contract
// CHECK: linalg.generic
// GATES-LABEL: func.func @phase(
// GATES: lstm.phase
func.func @phase(%h: tensor<?x16xf32>, %U: tensor<16x1x16xf32>, %to: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %h1 = lstm.phase project(%h, %U : tensor<?x16xf32>, tensor<16x1x16xf32>) outs(%to : tensor<?x16xf32>) {
  ^bb0(%z: f32, %old: f32):
    %t = math.tanh %z : f32
    lstm.yield %t : f32
  }
  return %h1 : tensor<?x16xf32>
}

// Scratch memory is freed where it is used, or by upstream's passes.
// CHECK-LABEL: func.func @phase_on_memrefs(
// CHECK-NOT: lstm.phase
// CHECK: %[[SUM:.*]] = memref.alloc
// CHECK: linalg.contract
// CHECK: linalg.generic
// CHECK: memref.dealloc %[[SUM]]
// SCRATCH-LABEL: func.func @phase_on_memrefs(
// SCRATCH: memref.alloc
// SCRATCH: linalg.contract
// SCRATCH-NOT: memref.dealloc
// SCRATCH: return
func.func @phase_on_memrefs(%h: memref<?x16xf32>, %U: memref<16x1x16xf32>, %to: memref<?x16xf32>) {
  lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%to : memref<?x16xf32>) {
  ^bb0(%z: f32, %old: f32):
    %t = math.tanh %z : f32
    lstm.yield %t : f32
  }
  return
}

// Those of a scan can wait, until it is a loop that perhaps becomes a kernel.
// CHECK-LABEL: func.func @scan(
// CHECK: lstm.scan
// CHECK-NOT: lstm.phase
// CHECK: linalg.contract
// SCANS-LABEL: func.func @phase(
// SCANS-NOT: lstm.phase
// SCANS-LABEL: func.func @scan(
// SCANS-NOT: linalg
// SCANS: lstm.phase
func.func @scan(%T: index, %hh: tensor<2x?x16xf32>, %U: tensor<16x1x16xf32>) -> tensor<2x?x16xf32> {
  %r = lstm.scan %t to %T states(%h -> %to = %hh : tensor<2x?x16xf32>) {
    %h1 = lstm.phase project(%h, %U : tensor<?x16xf32>, tensor<16x1x16xf32>) outs(%to : tensor<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.yield state(%h1 : tensor<?x16xf32>)
  }
  return %r : tensor<2x?x16xf32>
}
