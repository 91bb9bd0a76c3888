// RUN: lstm-opt %s --convert-lstm-to-vector=vector-bits=256 --canonicalize --cse | FileCheck %s
// RUN: lstm-opt %s --convert-lstm-to-vector=vector-bits=512 --canonicalize --cse | FileCheck %s --check-prefix=WIDE
// RUN: lstm-opt %s --convert-lstm-to-vector=vector-bits=256 --remarks-filter=convert-lstm-to-vector 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: lstm-opt %s --convert-lstm-to-vector="vector-bits=128 rows=2" --canonicalize --cse -o /dev/null
// RUN: lstm-opt %s --convert-lstm-to-vector -o /dev/null

// Three gates: a tile of 4 rows and one vector has 12 accumulators. Enough rows to
// copy the panel; all sizes are multiples, so there are no masks. The body is there
// once, in a loop over the tile's rows.

// CHECK-LABEL: func.func @three_gates(
// CHECK-SAME:    %[[H:.*]]: memref<16x64xf32>, %[[U:.*]]: memref<64x3x32xf32>, %[[TO:.*]]: memref<16x32xf32>)
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK:         %[[PANEL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x3x8xf32>
// CHECK:         %[[SCRATCH:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x4x3x8xf32>
// CHECK:         scf.for %[[UNIT:.*]] = %{{.*}} to %{{.*}} step %[[C8]]
// CHECK:           scf.for %[[K:.*]] =
// CHECK:             scf.for %[[G:.*]] =
// CHECK:               %[[V:.*]] = vector.load %[[U]][%[[K]], %[[G]], %[[UNIT]]] : memref<64x3x32xf32>, vector<8xf32>
// CHECK:               vector.store %[[V]], %[[PANEL]][%[[K]], %[[G]], %{{.*}}]
// CHECK:           scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %[[C4]]
// CHECK:             %[[ACC:.*]]:12 = scf.for %[[K:.*]] = {{.*}} iter_args({{.*}})
// CHECK:               %[[W:.*]] = vector.load %[[PANEL]][%[[K]], %{{.*}}, %{{.*}}] : memref<64x3x8xf32>, vector<8xf32>
// CHECK:               %[[A:.*]] = memref.load %[[H]][%[[ROW]], %[[K]]]
// CHECK:               %[[F:.*]] = vector.broadcast %[[A]] : f32 to vector<8xf32>
// CHECK:               vector.fma %[[F]], %[[W]], %{{.*}} : vector<8xf32>
// CHECK-NOT:     vector.mask
// CHECK:             vector.store %[[ACC]]#0, %[[SCRATCH]][%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}]
// CHECK:             vector.store %[[ACC]]#11, %[[SCRATCH]]
// CHECK:             scf.for %[[I:.*]] = %{{.*}} to %[[C4]]
// CHECK:               %[[R:.*]] = arith.addi %[[ROW]], %[[I]]
// CHECK:               %[[Z0:.*]] = vector.load %[[SCRATCH]]
// CHECK:               %[[Z1:.*]] = vector.load %[[SCRATCH]]
// CHECK:               arith.addf %[[Z0]], %[[Z1]] : vector<8xf32>
// CHECK:               vector.store %{{.*}}, %[[TO]][%[[R]], %[[UNIT]]]
// CHECK-NOT:     lstm.phase
// CHECK:         memref.dealloc %[[PANEL]]

// With 32 registers 8 rows.
// WIDE-LABEL: func.func @three_gates(
// WIDE:         %{{.*}}:24 = scf.for {{.*}} -> (vector<16xf32>,
func.func @three_gates(%h: memref<16x64xf32>, %U: memref<64x3x32xf32>, %to: memref<16x32xf32>) {
  lstm.phase project(%h, %U : memref<16x64xf32>, memref<64x3x32xf32>) outs(%to : memref<16x32xf32>) {
  ^bb0(%z0: f32, %z1: f32, %z2: f32, %old: f32):
    %0 = arith.addf %z0, %z1 : f32
    %1 = arith.mulf %0, %z2 : f32
    lstm.yield %1 : f32
  }
  return
}

// One gate and dynamic sizes: tiles of 6 rows and 2 vectors, a copied panel if
// there are rows enough; fewer rows than a tile has get a wide tile of one row.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf32>, %[[W:.*]]: memref<?x1x?xf32>, %[[TO:.*]]: memref<?x?xf32>)
// CHECK-DAG:     %[[C6:.*]] = arith.constant 6 : index
// CHECK-DAG:     %[[C24:.*]] = arith.constant 24 : index
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
// CHECK:         %[[ROWS:.*]] = memref.dim %[[TO]], %c0
// CHECK:         memref.dim %[[TO]], %c1
// CHECK:         %[[FEW:.*]] = arith.cmpi slt, %[[ROWS]], %[[C6]]
// CHECK:         scf.if %[[FEW]]
// CHECK:           scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK:         } else {
// CHECK:           %[[PACK:.*]] = arith.cmpi sge, %[[ROWS]], %[[C24]]
// CHECK:           scf.for %[[U:.*]] = %{{.*}} to %{{.*}} step %[[C16]]
// CHECK:             %[[PANEL:.*]] = scf.if %[[PACK]] -> (memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>)
// CHECK:               memref.subview %[[W]][0, 0, %[[U]]]
// CHECK:             scf.for %{{.*}} step %[[C6]]
// CHECK:               %{{.*}}:12 = scf.for
// CHECK:           %[[ANY:.*]] = arith.cmpi sgt
// CHECK:           scf.if %[[ANY]]
// CHECK:             %[[PART:.*]] = vector.create_mask %{{.*}} : vector<8xi1>
// CHECK:             scf.for %{{.*}} step %[[C6]]
// CHECK:               scf.for
// CHECK:                 vector.maskedload %{{.*}}, %[[PART]]
// CHECK:               scf.for
// CHECK:                 %[[MASK:.*]] = vector.create_mask %{{.*}} : vector<8xi1>
// CHECK:                 vector.maskedstore %[[TO]][{{.*}}], %[[MASK]]
func.func @dynamic(%a: memref<?x?xf32>, %W: memref<?x1x?xf32>, %to: memref<?x?xf32>) {
  lstm.phase project(%a, %W : memref<?x?xf32>, memref<?x1x?xf32>) outs(%to : memref<?x?xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return
}

// One row, fewer units than lanes: one masked vector, and steps of k that have
// sums of their own. What k leaves takes a loop with the first of them.

// CHECK-LABEL: func.func @tail(
// CHECK-SAME:    %[[H:.*]]: memref<1x8xf32>, %[[U:.*]]: memref<8x4x5xf32>, %[[TO:.*]]: memref<1x5xf32>)
// CHECK-NOT:     memref.alloc
// CHECK:         %[[MASK:.*]] = vector.constant_mask [5] : vector<8xi1>
// CHECK:         %[[SUMS:.*]]:12 = scf.for
// CHECK:           vector.maskedload %[[U]][{{.*}}], %[[MASK]]
// CHECK:         %[[REST:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %[[SUMS]]#0, %{{.*}} = %[[SUMS]]#1
// CHECK:         arith.addf %[[REST]]#0, %[[SUMS]]#4 : vector<8xf32>
// CHECK:         vector.maskedstore %[[TO]][{{.*}}], %[[MASK]]
func.func @tail(%h: memref<1x8xf32>, %U: memref<8x4x5xf32>, %to: memref<1x5xf32>) {
  lstm.phase project(%h, %U : memref<1x8xf32>, memref<8x4x5xf32>) outs(%to : memref<1x5xf32>) {
  ^bb0(%z0: f32, %z1: f32, %z2: f32, %z3: f32, %old: f32):
    %0 = arith.addf %z0, %z1 : f32
    %1 = arith.addf %z2, %z3 : f32
    %2 = arith.mulf %0, %1 : f32
    lstm.yield %2 : f32
  }
  return
}

// Strided units of W are copied, whatever the number of rows; bf16 is read and
// written as i16 and computed in f32.

// CHECK-LABEL: func.func @strided_bf16(
// CHECK-SAME:    %[[H:.*]]: memref<2x8xbf16>, %[[U:.*]]: memref<8x1x8xbf16,
// CHECK:         %[[PANEL:.*]] = memref.alloc() {{.*}} : memref<8x1x8xbf16>
// CHECK:         arith.bitcast %[[U]] : memref<8x1x8xbf16, {{.*}}> to memref<8x1x8xi16, {{.*}}>
// CHECK:         vector.insert %{{.*}}, %{{.*}} [%{{.*}}] : i16 into vector<8xi16>
// CHECK:         vector.fma {{.*}} : vector<8xf32>
// CHECK:         vector.store {{.*}} : memref<2x8xi16>, vector<8xi16>
func.func @strided_bf16(%h: memref<2x8xbf16>, %U: memref<8x1x8xbf16, strided<[16, 16, 2]>>, %to: memref<2x8xbf16>) {
  lstm.phase project(%h, %U : memref<2x8xbf16>, memref<8x1x8xbf16, strided<[16, 16, 2]>>)
      outs(%to : memref<2x8xbf16>) {
  ^bb0(%z: f32, %old: bf16):
    %0 = arith.truncf %z : f32 to bf16
    lstm.yield %0 : bf16
  }
  return
}

// Without products rows are the outer loop. What holds for all units stays a
// scalar as long as it can.

// CHECK-LABEL: func.func @mapped(
// CHECK-SAME:    %[[X:.*]]: memref<4x8xf32>, %[[LEN:.*]]: memref<4xi32>, %[[T:.*]]: i32, %[[C:.*]]: memref<4x8xf32>, %[[Y:.*]]: memref<4x8xf64>)
// CHECK:         scf.for %[[ROW:.*]] =
// CHECK:           %[[L:.*]] = memref.load %[[LEN]][%[[ROW]]]
// CHECK:           %[[VALID:.*]] = arith.cmpi slt, %[[T]], %[[L]] : i32
// CHECK:           %[[MASK:.*]] = vector.broadcast %[[VALID]] : i1 to vector<4xi1>
// CHECK:           arith.select %[[MASK]], %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-NOT:       math.exp
// CHECK:           vector.store {{.*}} : memref<4x8xf64>, vector<4xf64>
func.func @mapped(%x: memref<4x8xf32>, %len: memref<4xi32>, %t: i32, %c: memref<4x8xf32>, %y: memref<4x8xf64>) {
  lstm.phase ins(%x[r, u], %len[r], %t : memref<4x8xf32>, memref<4xi32>, i32)
      outs(%c, %y : memref<4x8xf32>, memref<4x8xf64>) {
  ^bb0(%a: f32, %l: i32, %step: i32, %old: f32, %unused: f64):
    %valid = arith.cmpi slt, %step, %l : i32
    %e = math.exp %a : f32
    %0 = arith.select %valid, %e, %old : f32
    %1 = arith.extf %0 : f32 to f64
    lstm.yield %0, %1 : f32, f64
  }
  return
}

// The panel's buffer and the accumulators' memory are allocated outside of the
// time loop.

// CHECK-LABEL: func.func @in_loop(
// CHECK-DAG:     memref.alloc()
// CHECK-DAG:     memref.alloca()
// CHECK:         scf.for
// CHECK:         memref.dealloc
// CHECK-NEXT:    return
func.func @in_loop(%n: index, %x: memref<?x36x64xf32>, %U: memref<64x1x32xf32>, %to: memref<36x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %xt = memref.subview %x[%t, 0, 0] [1, 36, 64] [1, 1, 1]
        : memref<?x36x64xf32> to memref<36x64xf32, strided<[64, 1], offset: ?>>
    lstm.phase project(%xt, %U : memref<36x64xf32, strided<[64, 1], offset: ?>>, memref<64x1x32xf32>)
        outs(%to : memref<36x32xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
  }
  return
}

// Left alone.

// CHECK-LABEL: func.func @has_region(
// CHECK:         lstm.phase
func.func @has_region(%x: memref<4x8xf32>, %to: memref<4x8xf32>) {
  lstm.phase ins(%x[r, u] : memref<4x8xf32>) outs(%to : memref<4x8xf32>) {
  ^bb0(%a: f32, %old: f32):
    %zero = arith.constant 0.0 : f32
    %positive = arith.cmpf ogt, %a, %zero : f32
    // REMARK: lstm-to-vector.mlir:[[@LINE+1]]:{{[0-9]+}}: remark: [Missed] PhaseNotVectorized | Category:convert-lstm-to-vector | {{.*}}this operation has no vector form
    %0 = scf.if %positive -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %zero : f32
    }
    lstm.yield %0 : f32
  }
  return
}
