// RUN: lstm-opt %s --pass-pipeline="builtin.module(func.func(lstm-parallelize))" | FileCheck %s

// Two phases of which the second needs all of the first: a barrier between them and
// one at the end of the step. What allocates stays outside, and the copy that no phase
// follows.

// CHECK-LABEL: func.func @two_phases(
// CHECK:         %[[S:.*]] = memref.alloc
// CHECK:         lstm.parallel {
// CHECK-NEXT:    ^bb0(
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        lstm.phase project
// CHECK:             lstm.barrier
// CHECK-NEXT:        lstm.phase project(%[[S]]
// CHECK:             lstm.barrier
// CHECK-NEXT:      }
// CHECK-NEXT:      lstm.yield
// CHECK:         memref.copy
// CHECK-NEXT:    memref.dealloc
func.func @two_phases(%n: index, %h: memref<4x20xf32>, %U: memref<20x1x20xf32>, %to: memref<4x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<4x20xf32>
  scf.for %t = %c0 to %n step %c1 {
    lstm.phase project(%h, %U : memref<4x20xf32>, memref<20x1x20xf32>) outs(%s : memref<4x20xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase project(%s, %U : memref<4x20xf32>, memref<20x1x20xf32>) outs(%h : memref<4x20xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
  }
  memref.copy %h, %to : memref<4x20xf32> to memref<4x20xf32>
  memref.dealloc %s : memref<4x20xf32>
  return
}

// Two phases that have nothing to do with each other, as two directions: one barrier. A team of
// two does one each, and waits once, after the loop.

// CHECK-LABEL: func.func @independent(
// CHECK:         ^bb0(%{{.*}}: i64, %[[COUNT:.*]]: i64):
// CHECK:           %[[OWNED:.*]] = arith.cmpi eq, %[[COUNT]], %c2_i64
// CHECK:           %[[NOT_OWNED:.*]] = arith.xori %[[OWNED]], %true
// CHECK:           scf.for
// CHECK:             lstm.phase {{.*}}lstm.owner = array<i64: 0, 2>
// CHECK-NOT:         lstm.barrier
// CHECK:             lstm.phase {{.*}}lstm.owner = array<i64: 1, 2>
// CHECK:             scf.if %[[NOT_OWNED]] {
// CHECK-NEXT:          lstm.barrier
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.if %[[OWNED]] {
// CHECK-NEXT:        lstm.barrier
// CHECK-NEXT:      }
// CHECK-NEXT:      lstm.yield
// CHECK-NOT:       lstm.barrier
// CHECK:         return
func.func @independent(%n: index, %h: memref<4x20xf32>, %g: memref<4x20xf32>, %U: memref<20x1x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %hs = memref.alloc() : memref<2x4x20xf32>
  %gs = memref.alloc() : memref<2x4x20xf32>
  scf.for %t = %c0 to %n step %c1 {
    %h0 = memref.subview %hs[0, 0, 0] [1, 4, 20] [1, 1, 1] : memref<2x4x20xf32> to memref<4x20xf32, strided<[20, 1]>>
    %g0 = memref.subview %gs[0, 0, 0] [1, 4, 20] [1, 1, 1] : memref<2x4x20xf32> to memref<4x20xf32, strided<[20, 1]>>
    lstm.phase project(%h0, %U : memref<4x20xf32, strided<[20, 1]>>, memref<20x1x20xf32>) outs(%h : memref<4x20xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase project(%g0, %U : memref<4x20xf32, strided<[20, 1]>>, memref<20x1x20xf32>) outs(%g : memref<4x20xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
  }
  memref.dealloc %hs : memref<2x4x20xf32>
  memref.dealloc %gs : memref<2x4x20xf32>
  return
}

// A reduction over units, row by row, is shared out by rows, and so is a copy of what it has
// written, for which no thread waits: it has written these rows itself. What has no rows is done
// by one thread. A branch waits itself.

// CHECK-LABEL: func.func @mixed(
// CHECK:         lstm.parallel {
// CHECK-NEXT:    ^bb0(%[[THREAD:.*]]: i64, %[[COUNT:.*]]: i64):
// CHECK:           scf.for
// CHECK:             lstm.phase
// CHECK:             lstm.barrier
// CHECK:             %[[FROM:.*]] = arith.divui %{{.*}}, %[[NUM:.*]] : index
// CHECK:             %[[TO:.*]] = arith.divui %{{.*}}, %[[NUM]] : index
// CHECK:             scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// CHECK:               scf.for {{.*}} -> (vector<8xf32>)
// CHECK:               scf.for {{.*}} -> (f32)
// CHECK:               vector.reduction <add>
// CHECK-NOT:         lstm.barrier
// CHECK:             scf.for
// CHECK:               memref.store
// CHECK-NOT:         lstm.barrier
// CHECK:             scf.if %{{.*}} {
// CHECK:               %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %{{.*}} : i64
// CHECK:               scf.if %[[FIRST]] {
// CHECK-NEXT:            memref.store
// CHECK:               lstm.barrier
// CHECK-NEXT:        }
// CHECK:             lstm.barrier
// CHECK-NEXT:      }
func.func @mixed(%n: index, %p: i1, %h: memref<4x20xf32>, %U: memref<20x1x20xf32>, %sum: memref<4xf32>,
                 %copy: memref<4xf32>, %flag: memref<i32>, %one: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<4x20xf32>
  scf.for %t = %c0 to %n step %c1 {
    lstm.phase project(%h, %U : memref<4x20xf32>, memref<20x1x20xf32>) outs(%s : memref<4x20xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    linalg.reduce ins(%s : memref<4x20xf32>) outs(%sum : memref<4xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %0 = arith.addf %a, %b : f32
        linalg.yield %0 : f32
      }
    memref.copy %sum, %copy : memref<4xf32> to memref<4xf32>
    scf.if %p {
      memref.store %one, %flag[] : memref<i32>
    }
  }
  memref.dealloc %s : memref<4x20xf32>
  return
}

// A gather of rows: what row it is, is read once a row.

// CHECK-LABEL: func.func @gather(
// CHECK-SAME:    %{{[^:]*}}: index, %{{[^:]*}}: memref<4x20xf32>, %{{[^:]*}}: memref<20x1x20xf32>, %[[TABLE:[^:]*]]: memref<9x20xf32>, %[[ROWS:[^:]*]]: memref<4xindex>
// CHECK:         lstm.phase
// CHECK:         scf.for %[[R:[a-z0-9]+]] =
// CHECK:           %[[ROW:.*]] = memref.load %[[ROWS]][%{{.*}}]
// CHECK:           scf.for %[[U:[a-z0-9]+]] =
// CHECK:             memref.load %[[TABLE]][%[[ROW]], %{{.*}}]
func.func @gather(%n: index, %h: memref<4x20xf32>, %U: memref<20x1x20xf32>, %table: memref<9x20xf32>,
                  %rows: memref<4xindex>, %out: memref<4x20xf32>) {
  lstm.phase project(%h, %U : memref<4x20xf32>, memref<20x1x20xf32>) outs(%out : memref<4x20xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r, u) -> (r)>, affine_map<(r, u) -> (r, u)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%rows : memref<4xindex>) outs(%h : memref<4x20xf32>) {
  ^bb0(%row: index, %old: f32):
    %u = linalg.index 1 : index
    %0 = memref.load %table[%row, %u] : memref<9x20xf32>
    linalg.yield %0 : f32
  }
  lstm.phase project(%h, %U : memref<4x20xf32>, memref<20x1x20xf32>) outs(%out : memref<4x20xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return
}

// An allocation in the loop: the team runs what follows it in each step.

// CHECK-LABEL: func.func @allocates(
// CHECK:         scf.for
// CHECK-NEXT:      memref.alloc
// CHECK-NEXT:      lstm.parallel
// CHECK:             lstm.phase
// CHECK:             lstm.yield
// CHECK:           memref.copy
// CHECK-NEXT:      memref.dealloc
func.func @allocates(%n: index, %h: memref<4x20xf32>, %U: memref<20x1x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %s = memref.alloc() : memref<4x20xf32>
    lstm.phase project(%h, %U : memref<4x20xf32>, memref<20x1x20xf32>) outs(%s : memref<4x20xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    memref.copy %s, %h : memref<4x20xf32> to memref<4x20xf32>
    memref.dealloc %s : memref<4x20xf32>
  }
  return
}

// No product: no team.

// CHECK-LABEL: func.func @no_product(
// CHECK-NOT:     lstm.parallel
func.func @no_product(%h: memref<4x20xf32>, %to: memref<4x20xf32>) {
  lstm.phase ins(%h[r, u] : memref<4x20xf32>) outs(%to : memref<4x20xf32>) {
  ^bb0(%a: f32, %old: f32):
    lstm.yield %a : f32
  }
  return
}

// All that happens in a step happens within rows: who waits does so only where phases are shared
// out by units, as each thread has too few rows. The state's two slots have the same rows.

// CHECK-LABEL: func.func @rows_alone(
// CHECK:         ^bb0(%{{.*}}: i64, %[[COUNT:.*]]: i64):
// CHECK:           %[[ROWS:.*]] = memref.dim %{{.*}}, %c1
// CHECK:           %[[BY_UNITS:.*]] = arith.cmpi ult, %[[ROWS]], %{{.*}}
// CHECK:           scf.for
// CHECK-NOT:         lstm.barrier
// CHECK:             lstm.phase project
// CHECK:             scf.if %[[BY_UNITS]] {
// CHECK-NEXT:          lstm.barrier
// CHECK-NEXT:        }
// CHECK-NOT:         lstm.barrier
// CHECK:             vector.reduction
// CHECK-NOT:         lstm.barrier
// CHECK:             lstm.phase ins
// CHECK-NOT:         lstm.barrier
// CHECK:             scf.if %[[BY_UNITS]] {
// CHECK-NEXT:          lstm.barrier
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      lstm.yield
func.func @rows_alone(%n: index, %B: index, %U: memref<20x1x20xf32>, %s: memref<?x20xf32>, %sum: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %hs = memref.alloc(%B) : memref<2x?x20xf32>
  scf.for %t = %c0 to %n step %c1 {
    %read = arith.remui %t, %c2 : index
    %write = arith.subi %c1, %read : index
    %h = memref.subview %hs[%read, 0, 0] [1, %B, 20] [1, 1, 1] : memref<2x?x20xf32> to memref<?x20xf32, strided<[20, 1], offset: ?>>
    %h1 = memref.subview %hs[%write, 0, 0] [1, %B, 20] [1, 1, 1] : memref<2x?x20xf32> to memref<?x20xf32, strided<[20, 1], offset: ?>>
    lstm.phase project(%h, %U : memref<?x20xf32, strided<[20, 1], offset: ?>>, memref<20x1x20xf32>)
        outs(%h1 : memref<?x20xf32, strided<[20, 1], offset: ?>>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    linalg.reduce ins(%h1 : memref<?x20xf32, strided<[20, 1], offset: ?>>) outs(%sum : memref<?xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %0 = arith.addf %a, %b : f32
        linalg.yield %0 : f32
      }
    lstm.phase ins(%sum[r] : memref<?xf32>) outs(%h1 : memref<?x20xf32, strided<[20, 1], offset: ?>>) {
    ^bb0(%a: f32, %old: f32):
      %0 = arith.mulf %a, %old : f32
      lstm.yield %0 : f32
    }
  }
  memref.dealloc %hs : memref<2x?x20xf32>
  return
}

// Some rows of a state are other ones than its own: every thread waits.

// CHECK-LABEL: func.func @other_rows(
// CHECK:           scf.for
// CHECK:             lstm.phase project
// CHECK-NOT:         scf.if
// CHECK:             lstm.barrier
// CHECK-NEXT:      }
func.func @other_rows(%n: index, %U: memref<20x1x20xf32>, %hs: memref<65x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.subview %hs[0, 0] [64, 20] [1, 1] : memref<65x20xf32> to memref<64x20xf32, strided<[20, 1]>>
  %h1 = memref.subview %hs[1, 0] [64, 20] [1, 1] : memref<65x20xf32> to memref<64x20xf32, strided<[20, 1], offset: 20>>
  scf.for %t = %c0 to %n step %c1 {
    lstm.phase project(%h, %U : memref<64x20xf32, strided<[20, 1]>>, memref<20x1x20xf32>)
        outs(%h1 : memref<64x20xf32, strided<[20, 1], offset: 20>>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
  }
  return
}

// One reads what the other one writes; then one has more work.

// CHECK-LABEL: func.func @not_directions(
// CHECK-NOT:     lstm.owner
// CHECK:         return
func.func @not_directions(%n: index, %U: memref<20x1x20xf32>, %V: memref<30x1x20xf32>, %x: memref<4x30xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %gs = memref.alloc() : memref<2x4x20xf32>
  %g = memref.subview %gs[0, 0, 0] [1, 4, 20] [1, 1, 1] : memref<2x4x20xf32> to memref<4x20xf32, strided<[20, 1]>>
  %g1 = memref.subview %gs[1, 0, 0] [1, 4, 20] [1, 1, 1] : memref<2x4x20xf32> to memref<4x20xf32, strided<[20, 1], offset: 80>>
  %hs = memref.alloc() : memref<2x4x20xf32>
  %h = memref.subview %hs[0, 0, 0] [1, 4, 20] [1, 1, 1] : memref<2x4x20xf32> to memref<4x20xf32, strided<[20, 1]>>
  %h1 = memref.subview %hs[1, 0, 0] [1, 4, 20] [1, 1, 1] : memref<2x4x20xf32> to memref<4x20xf32, strided<[20, 1], offset: 80>>
  scf.for %t = %c0 to %n step %c1 {
    lstm.phase project(%g, %U : memref<4x20xf32, strided<[20, 1]>>, memref<20x1x20xf32>) outs(%h1 : memref<4x20xf32, strided<[20, 1], offset: 80>>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase project(%h, %U : memref<4x20xf32, strided<[20, 1]>>, memref<20x1x20xf32>) outs(%g1 : memref<4x20xf32, strided<[20, 1], offset: 80>>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
  }
  scf.for %t = %c0 to %n step %c1 {
    lstm.phase project(%g, %U : memref<4x20xf32, strided<[20, 1]>>, memref<20x1x20xf32>) outs(%g1 : memref<4x20xf32, strided<[20, 1], offset: 80>>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase project(%x, %V : memref<4x30xf32>, memref<30x1x20xf32>) outs(%h1 : memref<4x20xf32, strided<[20, 1], offset: 80>>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
  }
  memref.dealloc %gs : memref<2x4x20xf32>
  memref.dealloc %hs : memref<2x4x20xf32>
  return
}
