// RUN: lstm-opt %s --lstm-pack-weights=vector-bits=256 --remarks-filter=lstm-pack-weights 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: lstm-opt %s --lstm-pack-weights=vector-bits=256 | FileCheck %s
// RUN: lstm-opt %s --lstm-pack-weights=vector-bits=512 | FileCheck %s --check-prefix=WIDE
// RUN: lstm-opt %s --lstm-pack-weights=vector-bits=256 --lstm-lower-packs --canonicalize | FileCheck %s --check-prefix=LOWER

// Four gates: two gates by 8 units with 16 registers, four by 16 with 32. The packing
// stands before the loop; the sizes of blocks need not divide the units.

// CHECK-LABEL: func.func @in_loop(
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0
// CHECK:         %[[U:.*]] = linalg.pack %arg3 padding_value(%[[ZERO]] : f32) outer_dims_perm = [2, 1, 0] inner_dims_pos = [1, 2] inner_tiles = [2, 8] into %{{.*}} : tensor<20x4x20xf32> -> tensor<3x2x20x2x8xf32>
// CHECK:         lstm.recurrence
// CHECK:           lstm.phase project(%{{.*}}, %[[U]] : tensor<?x20xf32>, tensor<3x2x20x2x8xf32>)
// WIDE-LABEL:  func.func @in_loop(
// WIDE:          linalg.pack {{.*}} inner_tiles = [4, 16] {{.*}} -> tensor<2x1x20x4x16xf32>

// LOWER-LABEL: func.func @in_loop(
// LOWER:         %[[EMPTY:.*]] = tensor.empty() : tensor<3x2x20x2x8xf32>
// LOWER:         scf.for %[[BLOCK:[a-z0-9]+]] = {{.*}} iter_args
// LOWER:           scf.for %[[GROUP:[a-z0-9]+]] =
// LOWER:             scf.for %[[K:[a-z0-9]+]] =
// LOWER:               scf.for %[[G:[a-z0-9]+]] = {{.*}} iter_args(%[[TO:[a-z0-9]+]] =
// LOWER:                 %[[V:.*]] = vector.transfer_read %arg3[%[[K]], %{{.*}}, %{{.*}}], %{{.*}} : tensor<20x4x20xf32>, vector<8xf32>
// LOWER:                 vector.transfer_write %[[V]], %[[TO]][%[[BLOCK]], %[[GROUP]], %[[K]], %[[G]], %{{.*}}] {in_bounds = [true]}
// LOWER-NOT:     linalg.pack
func.func @in_loop(%x: tensor<?x?x4x20xf32>, %h0: tensor<?x20xf32>, %e: tensor<?x20xf32>, %U: tensor<20x4x20xf32>) -> tensor<?x20xf32> {
  %hT = lstm.recurrence over(%xt = %x : tensor<?x?x4x20xf32>) init(%h = %h0 : tensor<?x20xf32>) {
    %h1 = lstm.phase project(%h, %U : tensor<?x20xf32>, tensor<20x4x20xf32>) ins(%xt[r, g, u] : tensor<?x4x20xf32>)
        outs(%e : tensor<?x20xf32>) {
    ^bb0(%z0: f32, %z1: f32, %z2: f32, %z3: f32, %p0: f32, %p1: f32, %p2: f32, %p3: f32, %old: f32):
      %0 = arith.mulf %z0, %p1 : f32
      %1 = arith.addf %z2, %p3 : f32
      %2 = arith.mulf %0, %1 : f32
      lstm.yield %2 : f32
    }
    lstm.yield state(%h1 : tensor<?x20xf32>)
  }
  return %hT : tensor<?x20xf32>
}

// Left alone: a weight that is made in the loop, a region without a vector form, and
// fewer rows than a copy is worth.

// CHECK-LABEL: func.func @unpacked(
// CHECK-NOT:     linalg.pack
// CHECK:         return
func.func @unpacked(%x: tensor<?x3x20xf32>, %h0: tensor<3x20xf32>, %e: tensor<3x20xf32>,
                    %U: tensor<20x1x20xf32>) -> (tensor<3x20xf32>, tensor<3x20xf32>, tensor<9x20xf32>) {
  %hT = lstm.recurrence over(%xt = %x : tensor<?x3x20xf32>) init(%h = %h0 : tensor<3x20xf32>) {
    %w = arith.addf %U, %U : tensor<20x1x20xf32>
    // REMARK: pack-weights.mlir:[[@LINE+1]]:{{[0-9]+}}: remark: [Missed] NotPacked | Category:lstm-pack-weights | {{.*}}its weights are made in the loop that it stands in
    %h1 = lstm.phase project(%h, %w : tensor<3x20xf32>, tensor<20x1x20xf32>) ins(%xt[r, u] : tensor<3x20xf32>)
        outs(%e : tensor<3x20xf32>) {
    ^bb0(%z0: f32, %p0: f32, %old: f32):
      %0 = arith.mulf %z0, %p0 : f32
      lstm.yield %0 : f32
    }
    lstm.yield state(%h1 : tensor<3x20xf32>)
  }
  %few = lstm.phase project(%h0, %U : tensor<3x20xf32>, tensor<20x1x20xf32>) outs(%e : tensor<3x20xf32>) {
  ^bb0(%z0: f32, %old: f32):
    lstm.yield %z0 : f32
  }
  %nine = tensor.empty() : tensor<9x20xf32>
  %many = tensor.empty() : tensor<9x20xf32>
  %region = lstm.phase project(%many, %U : tensor<9x20xf32>, tensor<20x1x20xf32>) outs(%nine : tensor<9x20xf32>) {
  ^bb0(%z0: f32, %old: f32):
    %zero = arith.constant 0.0 : f32
    %positive = arith.cmpf ogt, %z0, %zero : f32
    // REMARK: pack-weights.mlir:[[@LINE+1]]:{{[0-9]+}}: remark: [Missed] NotPacked | {{.*}}this operation has no vector form
    %0 = scf.if %positive -> f32 {
      scf.yield %z0 : f32
    } else {
      scf.yield %zero : f32
    }
    lstm.yield %0 : f32
  }
  return %hT, %few, %region : tensor<3x20xf32>, tensor<3x20xf32>, tensor<9x20xf32>
}

// Another linalg.pack is not ours.

// LOWER-LABEL: func.func @other(
// LOWER:         linalg.pack
func.func @other(%a: tensor<8x8xf32>, %to: tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32> {
  %0 = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %to : tensor<8x8xf32> -> tensor<2x2x4x4xf32>
  return %0 : tensor<2x2x4x4xf32>
}

// Where nothing is padded, canonicalization takes the padding away.

// LOWER-LABEL: func.func @not_padded(
// LOWER-NOT:     linalg.pack
// LOWER:         vector.transfer_read {{.*}} {in_bounds = [true]} : tensor<20x4x32xf32>, vector<16xf32>
// LOWER-NOT:     linalg.pack
// LOWER:         return
func.func @not_padded(%U: tensor<20x4x32xf32>, %to: tensor<2x4x20x1x16xf32>) -> tensor<2x4x20x1x16xf32> {
  %0 = linalg.pack %U outer_dims_perm = [2, 1, 0] inner_dims_pos = [1, 2] inner_tiles = [1, 16] into %to
      : tensor<20x4x32xf32> -> tensor<2x4x20x1x16xf32>
  return %0 : tensor<2x4x20x1x16xf32>
}
