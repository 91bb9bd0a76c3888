// RUN: lstm-opt %s --pass-pipeline="builtin.module(func.func(lstm-chunk-projections{rows=12}),canonicalize,cse)" | FileCheck %s

// RUN: lstm-opt %s --pass-pipeline="builtin.module(func.func(lstm-chunk-projections))" --remarks-filter=lstm-chunk-projections 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Chunks of ceil(12 / B) steps, at most T and at least one. Rows are 64 bytes further
// apart than they are long.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    %[[T:[^:]*]]: index, %[[B:[^:]*]]: index, %[[X:[^:]*]]: memref<?x6xf32>,
// CHECK:         %[[BATCH:.*]] = arith.maxsi %[[B]], %{{.*}}
// CHECK:         %[[WANTED:.*]] = arith.ceildivsi %c12, %[[BATCH]]
// CHECK:         %[[ATMOST:.*]] = arith.minsi %[[WANTED]], %[[T]]
// CHECK:         %[[C:.*]] = arith.maxsi %[[ATMOST]], %{{.*}}
// CHECK:         %[[ROWS:.*]] = arith.muli %[[C]], %[[B]]
// CHECK:         %[[BUFFER:.*]] = memref.alloc(%[[ROWS]]) : memref<?x36xf32>
// CHECK:         %[[VIEW:.*]] = memref.subview %[[BUFFER]][0, 0] [%[[ROWS]], 20] [1, 1]
// CHECK:         scf.for %[[T0:.*]] = %{{.*}} to %[[T]] step %[[C]] {
// CHECK:           %[[LEFT:.*]] = arith.subi %[[T]], %[[T0]]
// CHECK:           %[[COUNT:.*]] = arith.minsi %[[C]], %[[LEFT]]
// CHECK:           %[[END:.*]] = arith.addi %[[T0]], %[[COUNT]]
// CHECK:           %[[FROM:.*]] = arith.muli %[[T0]], %[[B]]
// CHECK:           %[[PART:.*]] = memref.subview %[[X]][%[[FROM]], 0]
// CHECK:           lstm.phase project(%[[PART]],
// CHECK:           scf.for %[[STEP:.*]] = %[[T0]] to %[[END]]
// CHECK:             %[[SLOT:.*]] = arith.subi %[[STEP]], %[[T0]]
// CHECK:             %[[ROW:.*]] = arith.muli %[[SLOT]], %[[B]]
// CHECK:             %[[STEPS:.*]] = memref.subview %[[VIEW]][%[[ROW]], 0] [%[[B]], 20] [1, 1]
// CHECK:             memref.expand_shape %[[STEPS]] {{\[\[}}0], [1, 2]] output_shape [%[[B]], 4, 5]
// CHECK:         memref.dealloc %[[BUFFER]]
// CHECK-NOT:     memref.dealloc
func.func @forward(%T: index, %B: index, %x: memref<?x6xf32>, %W: memref<6x1x20xf32>, %rows: index, %h: memref<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc(%rows) : memref<?x20xf32>
  lstm.phase project(%x, %W : memref<?x6xf32>, memref<6x1x20xf32>) outs(%p : memref<?x20xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  %e = memref.expand_shape %p [[0, 1], [2, 3]] output_shape [%T, %B, 4, 5] : memref<?x20xf32> into memref<?x?x4x5xf32>
  %steps = memref.dim %e, %c0 : memref<?x?x4x5xf32>
  scf.for %t = %c0 to %steps step %c1 {
    %pt = memref.subview %e[%t, 0, 0, 0] [1, %B, 4, 5] [1, 1, 1, 1]
        : memref<?x?x4x5xf32> to memref<?x4x5xf32, strided<[20, 5, 1], offset: ?>>
    lstm.phase ins(%pt[r, g, u] : memref<?x4x5xf32, strided<[20, 5, 1], offset: ?>>) outs(%h : memref<?x5xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32, %p3: f32, %old: f32):
      %0 = arith.addf %p0, %old : f32
      lstm.yield %0 : f32
    }
  }
  memref.dealloc %p : memref<?x20xf32>
  return
}

// The other way round the chunk begins T - t0 - count rows from the start, and its last
// step is the first to be read.

// CHECK-LABEL: func.func @backward(
// CHECK-SAME:    %[[T:[^:]*]]: index, %[[B:[^:]*]]: index, %[[X:[^:]*]]: memref<?x6xf32>,
// CHECK:         scf.for %[[T0:.*]] = %{{.*}} to %[[T]] step
// CHECK:           %[[COUNT:.*]] = arith.minsi
// CHECK:           %[[END:.*]] = arith.addi %[[T0]], %[[COUNT]]
// CHECK:           %[[FIRST:.*]] = arith.subi %[[T]], %[[END]]
// CHECK:           %[[FROM:.*]] = arith.muli %[[FIRST]], %[[B]]
// CHECK:           memref.subview %[[X]][%[[FROM]], 0]
// CHECK:           scf.for %[[STEP:.*]] = %[[T0]] to %[[END]]
// CHECK:             %[[DONE:.*]] = arith.subi %[[STEP]], %[[T0]]
// CHECK:             %[[LAST:.*]] = arith.subi %[[COUNT]], %c1
// CHECK:             %[[SLOT:.*]] = arith.subi %[[LAST]], %[[DONE]]
// CHECK:             arith.muli %[[SLOT]], %[[B]]
func.func @backward(%T: index, %B: index, %x: memref<?x6xf32>, %W: memref<6x1x20xf32>, %rows: index, %h: memref<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc(%rows) : memref<?x20xf32>
  lstm.phase project(%x, %W : memref<?x6xf32>, memref<6x1x20xf32>) outs(%p : memref<?x20xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  %e = memref.expand_shape %p [[0, 1], [2, 3]] output_shape [%T, %B, 4, 5] : memref<?x20xf32> into memref<?x?x4x5xf32>
  scf.for %t = %c0 to %T step %c1 {
    %index = affine.apply affine_map<(d0, d1) -> (d1 - d0 - 1)>(%t, %T)
    %pt = memref.subview %e[%index, 0, 0, 0] [1, %B, 4, 5] [1, 1, 1, 1]
        : memref<?x?x4x5xf32> to memref<?x4x5xf32, strided<[20, 5, 1], offset: ?>>
    lstm.phase ins(%pt[r, g, u] : memref<?x4x5xf32, strided<[20, 5, 1], offset: ?>>) outs(%h : memref<?x5xf32>) {
    ^bb0(%p0: f32, %p1: f32, %p2: f32, %p3: f32, %old: f32):
      %0 = arith.addf %p0, %old : f32
      lstm.yield %0 : f32
    }
  }
  memref.dealloc %p : memref<?x20xf32>
  return
}

// The loop writes what the projection reads.

// CHECK-LABEL: func.func @changed(
// CHECK:         lstm.phase project
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @changed(%T: index, %B: index, %x: memref<?x6xf32>, %W: memref<6x1x20xf32>, %rows: index, %y: memref<?x4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc(%rows) : memref<?x20xf32>
  // REMARK: [[@LINE+1]]:{{[0-9]+}}: remark: [Missed] NotChunked | Category:lstm-chunk-projections | {{.*}}what it reads may be written before the loop that reads its result ends
  lstm.phase project(%x, %W : memref<?x6xf32>, memref<6x1x20xf32>) outs(%p : memref<?x20xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  %e = memref.expand_shape %p [[0, 1], [2, 3]] output_shape [%T, %B, 4, 5] : memref<?x20xf32> into memref<?x?x4x5xf32>
  scf.for %t = %c0 to %T step %c1 {
    %pt = memref.subview %e[%t, 0, 0, 0] [1, %B, 4, 5] [1, 1, 1, 1]
        : memref<?x?x4x5xf32> to memref<?x4x5xf32, strided<[20, 5, 1], offset: ?>>
    linalg.copy ins(%pt : memref<?x4x5xf32, strided<[20, 5, 1], offset: ?>>) outs(%y : memref<?x4x5xf32>)
    memref.store %zero, %x[%t, %c0] : memref<?x6xf32>
  }
  memref.dealloc %p : memref<?x20xf32>
  return
}

// The loop comes first: it reads what a call before has left.

// CHECK-LABEL: func.func @before(
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         lstm.phase project
func.func @before(%T: index, %B: index, %x: memref<?x6xf32>, %W: memref<6x1x20xf32>, %rows: index, %y: memref<?x4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc(%rows) : memref<?x20xf32>
  %e = memref.expand_shape %p [[0, 1], [2, 3]] output_shape [%T, %B, 4, 5] : memref<?x20xf32> into memref<?x?x4x5xf32>
  scf.for %t = %c0 to %T step %c1 {
    %pt = memref.subview %e[%t, 0, 0, 0] [1, %B, 4, 5] [1, 1, 1, 1]
        : memref<?x?x4x5xf32> to memref<?x4x5xf32, strided<[20, 5, 1], offset: ?>>
    linalg.copy ins(%pt : memref<?x4x5xf32, strided<[20, 5, 1], offset: ?>>) outs(%y : memref<?x4x5xf32>)
  }
  // REMARK: [[@LINE+1]]:{{[0-9]+}}: remark: [Missed] NotChunked | {{.*}}its result is read by other than a time loop that follows it
  lstm.phase project(%x, %W : memref<?x6xf32>, memref<6x1x20xf32>) outs(%p : memref<?x20xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  memref.dealloc %p : memref<?x20xf32>
  return
}

// What is read is no phase and no linalg operation.

// CHECK-LABEL: func.func @refused(
// CHECK:         memref.alloc(%{{.*}}) : memref<?x20xf32>
// CHECK:         lstm.phase project
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @refused(%T: index, %B: index, %x: memref<?x6xf32>, %W: memref<6x1x20xf32>, %rows: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc(%rows) : memref<?x20xf32>
  // REMARK: [[@LINE+1]]:{{[0-9]+}}: remark: [Missed] NotChunked | {{.*}}its result is read by other than phases and linalg operations
  lstm.phase project(%x, %W : memref<?x6xf32>, memref<6x1x20xf32>) outs(%p : memref<?x20xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  %e = memref.expand_shape %p [[0, 1], [2, 3]] output_shape [%T, %B, 4, 5] : memref<?x20xf32> into memref<?x?x4x5xf32>
  scf.for %t = %c0 to %T step %c1 {
    %pt = memref.subview %e[%t, 0, 0, 0] [1, %B, 4, 5] [1, 1, 1, 1]
        : memref<?x?x4x5xf32> to memref<?x4x5xf32, strided<[20, 5, 1], offset: ?>>
    %a = memref.load %pt[%c0, %c0, %c0] : memref<?x4x5xf32, strided<[20, 5, 1], offset: ?>>
    memref.store %a, %x[%t, %c0] : memref<?x6xf32>
  }
  memref.dealloc %p : memref<?x20xf32>
  return
}
