// RUN: lstm-opt %s --convert-lstm-to-vector=vector-bits=256 --canonicalize --cse | FileCheck %s
// RUN: lstm-opt %s --convert-lstm-to-vector=vector-bits=512 --canonicalize --cse | FileCheck %s --check-prefix=WIDE
// RUN: lstm-opt %s --convert-lstm-to-vector=vector-bits=256 --remarks-filter=convert-lstm-to-vector 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: lstm-opt %s --convert-lstm-to-vector="vector-bits=128 rows=2" --canonicalize --cse -o /dev/null
// RUN: lstm-opt %s --convert-lstm-to-vector -o /dev/null

// Three gates: a tile of 6 rows, one gate and two vectors has 12 accumulators; 16 rows
// are three tiles of nearly equal height: 6, 5 and 5. All sizes are multiples, so there are
// no masks. The body is there once, in a loop over rows and vectors, and gets the
// accumulators by way of memory.

// CHECK-LABEL: func.func @three_gates(
// CHECK-SAME:    %[[H:.*]]: memref<16x64xf32>, %[[U:.*]]: memref<64x3x32xf32>, %[[TO:.*]]: memref<16x32xf32>)
// CHECK:         %[[SCRATCH:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16x3x16xf32>
// CHECK:         scf.for %[[BLOCK:[a-z0-9]+]] =
// CHECK:           %[[UNIT:.*]] = arith.muli %[[BLOCK]], %c16
// CHECK:           scf.for %[[GATE:[a-z0-9]+]] = %c0 to %c3 step %c1
// CHECK:             scf.for %[[TILE:[a-z0-9]+]] = %c0 to %c3 step %c1
// CHECK:               %[[LOW:.*]] = arith.muli %[[TILE]], %c5
// CHECK:               %[[BEFORE:.*]] = arith.minsi %[[TILE]], %c1
// CHECK:               %[[ROW:.*]] = arith.addi %[[LOW]], %[[BEFORE]]
// CHECK:               %[[IS_HIGH:.*]] = arith.cmpi slt, %[[TILE]], %c1
// CHECK:               %[[HEIGHT:.*]] = arith.select %[[IS_HIGH]], %c6, %c5
// CHECK:               scf.index_switch %[[HEIGHT]]
// CHECK:               case 5 {
// CHECK:                 %{{.*}}:10 = scf.for
// CHECK:               default {
// CHECK:                 %[[ACC:.*]]:12 = scf.for %[[K:[a-z0-9]+]] = {{.*}} iter_args({{.*}})
// CHECK:                   %[[W:.*]] = vector.load %[[U]][%[[K]], %[[GATE]], %[[UNIT]]] : memref<64x3x32xf32>, vector<8xf32>
// CHECK:                   %[[A:.*]] = memref.load %[[H]][%[[ROW]], %[[K]]]
// CHECK:                   %[[F:.*]] = vector.broadcast %[[A]] : f32 to vector<8xf32>
// CHECK:                   vector.fma %[[F]], %[[W]], %{{.*}} : vector<8xf32>
// CHECK-NOT:     mask
// CHECK:                 vector.store %[[ACC]]#0, %[[SCRATCH]][%[[ROW]], %[[GATE]], %{{.*}}]
// CHECK:                 vector.store %[[ACC]]#11, %[[SCRATCH]]
// CHECK:           scf.for %[[I:[a-z0-9]+]] = %c0 to %c16
// CHECK:             scf.for %[[OFFSET:[a-z0-9]+]] = %c0 to %c16 step %c8
// CHECK:               %[[AT:.*]] = arith.addi %[[UNIT]], %[[OFFSET]]
// CHECK:               %[[Z0:.*]] = vector.load %[[SCRATCH]][%[[I]], %c0, %[[OFFSET]]]
// CHECK:               %[[Z1:.*]] = vector.load %[[SCRATCH]][%[[I]], %c1, %[[OFFSET]]]
// CHECK:               arith.addf %[[Z0]], %[[Z1]] : vector<8xf32>
// CHECK:               vector.store %{{.*}}, %[[TO]][%[[I]], %[[AT]]]
// CHECK-NOT:     lstm.phase

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

// One gate and dynamic sizes: tiles of two vectors and as many rows, up to 6, as make
// them nearly equal. The body is there twice, with masks for the last units.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf32>, %[[W:.*]]: memref<?x1x?xf32>, %[[TO:.*]]: memref<?x?xf32>)
// CHECK:         %[[ROWS:.*]] = memref.dim %[[TO]], %c0
// CHECK:         memref.dim %[[TO]], %c1
// CHECK:         scf.for
// CHECK:           scf.for %[[FIRST:[a-z0-9]+]] = %c0 to %[[ROWS]] step %c48
// CHECK:             %[[REST:.*]] = arith.subi %[[ROWS]], %[[FIRST]]
// CHECK:             %[[COUNT:.*]] = arith.minsi %[[REST]], %c48
// CHECK:             %[[UP:.*]] = arith.addi %[[COUNT]], %c5
// CHECK:             %[[TILES:.*]] = arith.divui %[[UP]], %c6
// CHECK:             %[[LOW:.*]] = arith.divui %[[COUNT]], %[[TILES]]
// CHECK:             scf.for %[[TILE:[a-z0-9]+]] = %c0 to %[[TILES]] step %c1
// CHECK:             %[[HEIGHT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[LOW]]
// CHECK:             scf.index_switch %[[HEIGHT]]
// CHECK:             case 1 {
// CHECK:               %{{.*}}:8 = scf.for
// CHECK:                 vector.maskedload %[[W]]
// CHECK:             case 5 {
// CHECK:               %{{.*}}:10 = scf.for
// CHECK:             default {
// CHECK:               %{{.*}}:12 = scf.for
// CHECK:             scf.if
// CHECK:               vector.store %{{.*}}, %[[TO]]
// CHECK:             } else {
// CHECK:               %[[MASK:.*]] = vector.create_mask %{{.*}} : vector<8xi1>
// CHECK:               vector.maskedstore %[[TO]][{{.*}}], %[[MASK]]
func.func @dynamic(%a: memref<?x?xf32>, %W: memref<?x1x?xf32>, %to: memref<?x?xf32>) {
  lstm.phase project(%a, %W : memref<?x?xf32>, memref<?x1x?xf32>) outs(%to : memref<?x?xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return
}

// One row, fewer units than lanes: one masked vector, and steps of k that have
// sums of their own, two gates at a time.

// CHECK-LABEL: func.func @tail(
// CHECK-SAME:    %[[H:.*]]: memref<1x8xf32>, %[[U:.*]]: memref<8x4x5xf32>, %[[TO:.*]]: memref<1x5xf32>)
// CHECK-NOT:     memref.alloc(
// CHECK:         scf.for %[[GROUP:.*]] =
// CHECK:           %[[SUMS:.*]]:8 = scf.for
// CHECK:             vector.maskedload %[[U]]
// CHECK:           arith.addf %[[SUMS]]#0, %[[SUMS]]#2 : vector<8xf32>
// CHECK:         vector.maskedstore %[[TO]][{{.*}}]
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

// Strided units of W are read one by one; bf16 is read and written as i16 and computed
// in f32.

// CHECK-LABEL: func.func @strided_bf16(
// CHECK-SAME:    %[[H:.*]]: memref<2x8xbf16>, %[[U:.*]]: memref<8x1x8xbf16,
// CHECK:         arith.bitcast %[[U]] : memref<8x1x8xbf16, {{.*}}> to memref<8x1x8xi16, {{.*}}>
// CHECK:         vector.insert %{{.*}}, %{{.*}} [%{{.*}}] : i16 into vector<8xi16>
// CHECK:         vector.fma {{.*}} : vector<8xf32>
// CHECK:         vector.{{(masked)?}}store {{.*}} : memref<2x8xi16>, {{.*}}vector<8xi16>
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
// CHECK:           %[[EXP:.*]] = math.exp %{{.*}} : vector<4xf32>
// CHECK:           %[[MASK:.*]] = vector.broadcast %[[VALID]] : i1 to vector<4xi1>
// CHECK:           arith.select %[[MASK]], %[[EXP]], %{{.*}} : vector<4xi1>, vector<4xf32>
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

// The accumulators' memory is allocated outside of the time loop. Packed weights are
// read piece by piece; units that are not there are zeros, so that only the body has masks.

// CHECK-LABEL: func.func @in_loop(
// CHECK-SAME:    %[[U:[^:]*]]: memref<3x1x64x1x16xf32>
// CHECK:         memref.alloca()
// CHECK:         scf.for
// CHECK:           vector.load %[[U]][%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}]
// CHECK:           vector.maskedstore
func.func @in_loop(%n: index, %x: memref<?x36x64xf32>, %U: memref<3x1x64x1x16xf32>, %to: memref<36x42xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %xt = memref.subview %x[%t, 0, 0] [1, 36, 64] [1, 1, 1]
        : memref<?x36x64xf32> to memref<36x64xf32, strided<[64, 1], offset: ?>>
    lstm.phase project(%xt, %U : memref<36x64xf32, strided<[64, 1], offset: ?>>, memref<3x1x64x1x16xf32>)
        outs(%to : memref<36x42xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
  }
  return
}

// Every second step reads the blocks of packed weights, and the gates of a block, from the
// last one to the first; a panel asks for the one that follows in this direction. What the
// body reads of a block is asked for before its products.

// CHECK-LABEL: func.func @sweeps(
// CHECK-SAME:    %[[N:.*]]: index, %[[H:.*]]: memref<?x64xf32>, %[[X:[^:]*]]: memref<?x?x2x48xf32>, %[[U:[^:]*]]: memref<3x2x64x1x16xf32>
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK:         scf.for %[[T:[^ ]*]] =
// CHECK:           %[[FLAT:.*]] = memref.collapse_shape %[[U]] {{\[}}[0, 1, 2], [3, 4]] : memref<3x2x64x1x16xf32> into memref<384x16xf32>
// CHECK:           %[[ODD:.*]] = arith.andi %[[T]], %[[C1]]
// CHECK:           %[[BACK:.*]] = arith.cmpi ne, %[[ODD]], %{{.*}}
// CHECK:           scf.for %[[I:[^ ]*]] =
// CHECK:             %[[TURNED:.*]] = arith.subi %[[C2]], %[[I]]
// CHECK:             %[[BLOCK:.*]] = arith.select %[[BACK]], %[[TURNED]], %[[I]]
// CHECK:             memref.prefetch %{{.*}}, read, locality<3>, data : memref<?x2x48xf32
// CHECK:             memref.prefetch %{{.*}}, read, locality<3>, data : memref<?x2x48xf32
// CHECK:             scf.for %[[J:[^ ]*]] =
// CHECK:               %[[TURNED:.*]] = arith.subi %[[C1]], %[[J]]
// CHECK:               %[[GROUP:.*]] = arith.select %[[BACK]], %[[TURNED]], %[[J]]
// CHECK:               %[[UP:.*]] = arith.minsi
// CHECK:               %[[DOWN:.*]] = arith.maxsi
// CHECK:               %[[NEXT:.*]] = arith.select %[[BACK]], %[[DOWN]], %[[UP]]
// A tile that reads the weights once asks for each step, for the nearest cache.
// CHECK:               case 4 {
// CHECK-COUNT-2:         memref.prefetch %[[FLAT]][{{.*}}], read, locality<3>, data
// CHECK-NOT:             memref.prefetch
// CHECK:                 vector.load %[[U]][%[[BLOCK]], %[[GROUP]],
// One of many asks for its share of the next panel, for the second-level cache.
// CHECK:               default {
// CHECK:                 memref.prefetch %[[FLAT]][{{.*}}], read, locality<2>, data
// CHECK-NOT:             memref.prefetch
// CHECK:                 vector.load %[[U]][%[[BLOCK]], %[[GROUP]],
func.func @sweeps(%n: index, %h: memref<?x64xf32>, %x: memref<?x?x2x48xf32>, %U: memref<3x2x64x1x16xf32>, %to: memref<?x48xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %B = memref.dim %h, %c0 : memref<?x64xf32>
  scf.for %t = %c0 to %n step %c1 {
    %xt = memref.subview %x[%t, 0, 0, 0] [1, %B, 2, 48] [1, 1, 1, 1]
        : memref<?x?x2x48xf32> to memref<?x2x48xf32, strided<[96, 48, 1], offset: ?>>
    lstm.phase project(%h, %U : memref<?x64xf32>, memref<3x2x64x1x16xf32>)
        ins(%xt[r, g, u] : memref<?x2x48xf32, strided<[96, 48, 1], offset: ?>>) outs(%to : memref<?x48xf32>) {
    ^bb0(%z0: f32, %z1: f32, %x0: f32, %x1: f32, %old: f32):
      %0 = arith.addf %z0, %x0 : f32
      %1 = arith.mulf %z1, %x1 : f32
      %2 = arith.addf %0, %1 : f32
      lstm.yield %2 : f32
    }
  }
  return
}

// Four rows that are known are one tile, too.

// CHECK-LABEL: func.func @one_tile(
// CHECK-COUNT-2: memref.prefetch %{{.*}}, read, locality<3>, data : memref<384x16xf32>
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func @one_tile(%h: memref<4x64xf32>, %U: memref<3x2x64x1x16xf32>, %to: memref<4x48xf32>) {
  lstm.phase project(%h, %U : memref<4x64xf32>, memref<3x2x64x1x16xf32>) outs(%to : memref<4x48xf32>) {
  ^bb0(%z0: f32, %z1: f32, %old: f32):
    %0 = arith.addf %z0, %z1 : f32
    lstm.yield %0 : f32
  }
  return
}

// Each thread has its share of the blocks of units.

// CHECK-LABEL: func.func @in_parallel(
// CHECK:         ^bb0(%[[THREAD:.*]]: i64, %[[COUNT:.*]]: i64):
// CHECK-DAG:       %[[T:.*]] = arith.index_cast %[[THREAD]]
// CHECK-DAG:       %[[N:.*]] = arith.index_cast %[[COUNT]]
// CHECK:           %[[FIRST:.*]] = arith.divui %{{.*}}, %[[N]]
// CHECK:           %[[LAST:.*]] = arith.divui %{{.*}}, %[[N]]
// CHECK:           scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
func.func @in_parallel(%a: memref<4x8xf32>, %W: memref<8x1x64xf32>, %to: memref<4x64xf32>) {
  lstm.parallel {
  ^bb0(%thread: i64, %count: i64):
    lstm.phase project(%a, %W : memref<4x8xf32>, memref<8x1x64xf32>) outs(%to : memref<4x64xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.yield
  }
  return
}

// Its share of rows, where there are at least 12 for each thread.

// CHECK-LABEL: func.func @many_rows(
// CHECK-SAME:    %[[A:.*]]: memref<?x8xf32>
// CHECK:         ^bb0(%[[THREAD:.*]]: i64, %[[COUNT:.*]]: i64):
// CHECK:           %[[ROWS:.*]] = memref.dim
// CHECK:           %[[LEAST:.*]] = arith.muli %{{.*}}, %c12
// CHECK:           %[[BY_UNITS:.*]] = arith.cmpi ult, %[[ROWS]], %[[LEAST]]
// CHECK:           %[[BEFORE:.*]] = arith.muli %[[ROWS]], %{{.*}}
// CHECK:           %[[FIRST_ROW:.*]] = arith.divui %[[BEFORE]], %{{.*}}
// CHECK:           %[[AFTER:.*]] = arith.muli %[[ROWS]], %{{.*}}
// CHECK:           %[[END:.*]] = arith.divui %[[AFTER]], %{{.*}}
// CHECK:           %[[FIRST_BLOCK:.*]] = arith.select %[[BY_UNITS]], %{{.*}}, %c0
// CHECK:           %[[LAST_BLOCK:.*]] = arith.select %[[BY_UNITS]], %{{.*}}, %c2
// CHECK:           %[[FIRST:.*]] = arith.select %[[BY_UNITS]], %c0, %[[FIRST_ROW]]
// CHECK:           %[[LAST:.*]] = arith.select %[[BY_UNITS]], %[[ROWS]], %[[END]]
// CHECK:           scf.for %{{.*}} = %[[FIRST_BLOCK]] to %[[LAST_BLOCK]]
// CHECK:             scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
func.func @many_rows(%a: memref<?x8xf32>, %W: memref<8x1x32xf32>, %to: memref<?x32xf32>) {
  lstm.parallel {
  ^bb0(%thread: i64, %count: i64):
    lstm.phase project(%a, %W : memref<?x8xf32>, memref<8x1x32xf32>) outs(%to : memref<?x32xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.yield
  }
  return
}

// How many those are is known at run time alone, even if the number of all rows is known.

// CHECK-LABEL: func.func @known_rows(
// CHECK-COUNT-5: case {{[1-5]}} {
// CHECK:         default {
func.func @known_rows(%a: memref<32x8xf32>, %W: memref<8x1x32xf32>, %to: memref<32x32xf32>) {
  lstm.parallel {
  ^bb0(%thread: i64, %count: i64):
    lstm.phase project(%a, %W : memref<32x8xf32>, memref<8x1x32xf32>) outs(%to : memref<32x32xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.yield
  }
  return
}

// A phase with an owner, where there are as many threads as owners: all of it, or nothing.

// CHECK-LABEL: func.func @owned(
// CHECK:         ^bb0(%[[THREAD:.*]]: i64, %[[COUNT:.*]]: i64):
// CHECK:           %[[OWNED:.*]] = arith.cmpi eq, %[[COUNT]], %c2_i64
// CHECK:           %[[MINE:.*]] = arith.cmpi eq, %[[THREAD]], %c1_i64
// CHECK:           %[[ALL:.*]] = arith.select %[[MINE]], %c4, %c0
// CHECK:           %[[FIRST:.*]] = arith.select %[[OWNED]], %c0, %{{.*}}
// CHECK:           %[[LAST:.*]] = arith.select %[[OWNED]], %[[ALL]], %{{.*}}
// CHECK:           scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
func.func @owned(%a: memref<4x8xf32>, %W: memref<8x1x64xf32>, %to: memref<4x64xf32>) {
  lstm.parallel {
  ^bb0(%thread: i64, %count: i64):
    lstm.phase project(%a, %W : memref<4x8xf32>, memref<8x1x64xf32>) outs(%to : memref<4x64xf32>)
        attributes {lstm.owner = array<i64: 1, 2>} {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.yield
  }
  return
}

// Each thread would read all of W, here more than a megabyte: units.

// CHECK-LABEL: func.func @large_weights(
// CHECK:         %[[ROWS:.*]] = memref.dim
// CHECK-NOT:     arith.select
// CHECK:         scf.for %{{.*}} = %c0 to %[[ROWS]] step %c48
func.func @large_weights(%a: memref<?x8xf32>, %W: memref<8x1x40000xf32>, %to: memref<?x40000xf32>) {
  lstm.parallel {
  ^bb0(%thread: i64, %count: i64):
    lstm.phase project(%a, %W : memref<?x8xf32>, memref<8x1x40000xf32>) outs(%to : memref<?x40000xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.yield
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
