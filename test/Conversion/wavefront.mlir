// RUN: lstm-opt %s --pass-pipeline="builtin.module(lstm-wavefront{chunks=3 steps=2 rows=8},cse)" --split-input-file -o %t
// RUN: FileCheck %s --input-file %t
// RUN: lstm-opt %s --lstm-wavefront="chunks=3 steps=2 rows=8" --split-input-file --remarks-filter=lstm-wavefront 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark
// RUN: lstm-opt %s --lstm-wavefront=chunks=1 --split-input-file | FileCheck %s --check-prefix=ALONE --implicit-check-not=llvm.call
// RUN: lstm-opt %s --lstm-wavefront="steps=2 rows=2 cache-bytes=60" --split-input-file | FileCheck %s --check-prefix=CACHE

// Two layers: the second one has the first one's results projected for a chunk of steps at a time, and so has the first
// one its input. Both buffers of projections hold one chunk.
// REMARK: remark: [Passed] Wavefront {{.*}}"2 loops run side by side, a few steps apart"
// CHECK-LABEL: func.func @layers(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x?x4xf32>
// CHECK-DAG: %[[T:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[B:.*]] = memref.dim %[[X]], %c1
// CHECK-DAG: %[[YS:.*]] = memref.alloc(%[[T]], %[[B]]) : memref<?x?x4xf32>
// Divisions by constants alone: the memory planner may compute sizes where it likes.
// CHECK: %[[THIRD:.*]] = arith.ceildivui %[[T]], %c3
// CHECK: %[[SIXTH:.*]] = arith.ceildivui %[[T]], %c6
// CHECK-DAG: %[[STEPS:.*]] = arith.cmpi uge, %[[SIXTH]], %c2
// CHECK-DAG: %[[SIZE6:.*]] = arith.muli %[[SIXTH]], %[[B]]
// CHECK-DAG: %[[ROWS:.*]] = arith.cmpi uge, %[[SIZE6]], %c8
// CHECK: %[[ENOUGH:.*]] = arith.andi %[[STEPS]], %[[ROWS]]
// CHECK: arith.select %[[ENOUGH]], %[[SIXTH]],
// CHECK: %[[SIZE:.*]] = arith.muli %[[B]], %[[C:[^ ]*]] : index
// CHECK-NEXT: %[[P:.*]] = memref.alloc(%[[SIZE]]) : memref<?x4xf32>
// CHECK: %[[PT:.*]] = memref.expand_shape %[[P]] {{\[\[}}0, 1], [2]] output_shape [%[[C]], %[[B]], 4]
// CHECK: %[[Q:.*]] = memref.alloc(%[[SIZE]]) : memref<?x4xf32>
// CHECK: %[[QT:.*]] = memref.expand_shape %[[Q]]
// CHECK: %[[CHUNKS:.*]] = arith.ceildivui %[[T]], %[[C]]
// CHECK: %[[WAVES:.*]] = arith.addi %[[CHUNKS]], %c1
// CHECK: scf.execute_region {
// CHECK:   scf.for %[[WAVE:.*]] = %c0 to %[[WAVES]] step %c1 {
// The last layer first: it waits for what the others have done in waves before.
// CHECK:     %[[OWN:.*]] = arith.subi %[[WAVE]], %c1
// CHECK:     %[[RUNS:.*]] = arith.cmpi ult, %[[OWN]], %[[CHUNKS]]
// CHECK:     scf.if %[[RUNS]] {
// CHECK:       llvm.call @lstmCudaSetBranch(%c1_i64)
// CHECK:       llvm.call @lstmCudaWaitFor(%c0_i64)
// CHECK:       %[[FIRST:.*]] = arith.muli %[[OWN]], %[[C]]
// CHECK:       %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[C]]
// CHECK:       %[[END:.*]] = arith.minui %[[NEXT]], %[[T]]
// CHECK:       %[[QROWS:.*]] = memref.subview %[[Q]][0, 0]
// CHECK:       linalg.fill {{.*}} outs(%[[QROWS]]
// CHECK:       %[[FIRSTROW:.*]] = arith.muli %[[FIRST]], %[[B]]
// CHECK:       %[[YROWS:.*]] = memref.subview %{{.*}}[%[[FIRSTROW]], 0]
// CHECK:       linalg.matmul ins(%[[YROWS]], %{{.*}}) outs(%[[QROWS]]
// CHECK:       scf.for %[[STEP:.*]] = %[[FIRST]] to %[[END]] step %c1 {
// CHECK:         %[[PLACE:.*]] = arith.subi %[[STEP]], %[[FIRST]]
// CHECK:         memref.subview %[[QT]][%[[PLACE]], 0, 0]
// CHECK:     arith.cmpi ult, %[[WAVE]], %[[CHUNKS]]
// CHECK:     scf.if
// CHECK:       llvm.call @lstmCudaSetBranch(%c0_i64)
// CHECK:       memref.subview %[[P]][0, 0]
// CHECK:       scf.for
// CHECK:         memref.subview %[[YS]][
// CHECK:       llvm.call @lstmCudaRecord(%c0_i64)
// CHECK:   llvm.call @lstmCudaJoin()
// ALONE-LABEL: func.func @layers(
func.func @layers(%x: memref<?x?x4xf32>, %W: memref<4x4xf32>, %V: memref<4x4xf32>, %h: memref<?x4xf32>, %g: memref<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = memref.dim %x, %c0 : memref<?x?x4xf32>
  %B = memref.dim %x, %c1 : memref<?x?x4xf32>
  %ys = memref.alloc(%T, %B) : memref<?x?x4xf32>
  %rows = memref.collapse_shape %x [[0, 1], [2]] : memref<?x?x4xf32> into memref<?x4xf32>
  %n = arith.muli %T, %B : index
  %p = memref.alloc(%n) : memref<?x4xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<?x4xf32>)
  linalg.matmul ins(%rows, %W : memref<?x4xf32>, memref<4x4xf32>) outs(%p : memref<?x4xf32>)
  %pt = memref.expand_shape %p [[0, 1], [2]] output_shape [%T, %B, 4] : memref<?x4xf32> into memref<?x?x4xf32>
  scf.for %t = %c0 to %T step %c1 {
    %own = memref.subview %pt[%t, 0, 0] [1, %B, 4] [1, 1, 1] : memref<?x?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
    %y = memref.subview %ys[%t, 0, 0] [1, %B, 4] [1, 1, 1] : memref<?x?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
    linalg.add ins(%own, %h : memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32>) outs(%h : memref<?x4xf32>)
    linalg.copy ins(%h : memref<?x4xf32>) outs(%y : memref<?x4xf32, strided<[4, 1], offset: ?>>)
  }
  %yrows = memref.collapse_shape %ys [[0, 1], [2]] : memref<?x?x4xf32> into memref<?x4xf32>
  %q = memref.alloc(%n) : memref<?x4xf32>
  linalg.fill ins(%zero : f32) outs(%q : memref<?x4xf32>)
  linalg.matmul ins(%yrows, %V : memref<?x4xf32>, memref<4x4xf32>) outs(%q : memref<?x4xf32>)
  %qt = memref.expand_shape %q [[0, 1], [2]] output_shape [%T, %B, 4] : memref<?x4xf32> into memref<?x?x4xf32>
  scf.for %t = %c0 to %T step %c1 {
    %own = memref.subview %qt[%t, 0, 0] [1, %B, 4] [1, 1, 1] : memref<?x?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
    linalg.add ins(%own, %g : memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32>) outs(%g : memref<?x4xf32>)
  }
  return
}

// -----

// The second loop needs the last step of the first one first: each one is for itself.
// REMARK: remark: [Missed] NoWavefront {{.*}}"the loop waits for the whole of the one before it: its first step needs more of the loop before it than the first step"
// CHECK-LABEL: func.func @turns(
// CHECK-NOT: llvm.call
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
#back = affine_map<(d0)[s0] -> (s0 - d0 - 1)>
func.func @turns(%x: memref<?x4xf32>, %h: memref<4xf32>, %g: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = memref.dim %x, %c0 : memref<?x4xf32>
  %ys = memref.alloc(%T) : memref<?x4xf32>
  scf.for %t = %c0 to %T step %c1 {
    %own = memref.subview %x[%t, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %y = memref.subview %ys[%t, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%own, %h : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%h : memref<4xf32>)
    linalg.copy ins(%h : memref<4xf32>) outs(%y : memref<4xf32, strided<[1], offset: ?>>)
  }
  scf.for %t = %c0 to %T step %c1 {
    %back = affine.apply #back(%t)[%T]
    %own = memref.subview %ys[%back, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%own, %g : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%g : memref<4xf32>)
  }
  return
}

// -----

// Both run backwards: chunk k of the steps is chunk k of the rows from the end.
// REMARK: remark: [Passed] Wavefront {{.*}}"2 loops
// What stands between the loops comes after both if it needs the first one, else it stays before them.
// CHECK-LABEL: func.func @backwards(
// CHECK-SAME: %{{[^:]*}}: memref<?x4xf32>, %[[H:[^:]*]]: memref<4xf32>, %[[G:[^:]*]]: memref<4xf32>, %[[END:[^:]*]]: memref<4xf32>,
// CHECK: memref.copy %{{.*}}, %[[G]]
// CHECK: scf.execute_region
// CHECK-COUNT-3: scf.for
// CHECK-NOT: scf.for
// CHECK: memref.copy %[[H]], %[[END]]
#back = affine_map<(d0)[s0] -> (s0 - d0 - 1)>
func.func @backwards(%x: memref<?x4xf32>, %h: memref<4xf32>, %g: memref<4xf32>, %end: memref<4xf32>, %start: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = memref.dim %x, %c0 : memref<?x4xf32>
  %ys = memref.alloc(%T) : memref<?x4xf32>
  scf.for %t = %c0 to %T step %c1 {
    %back = affine.apply #back(%t)[%T]
    %own = memref.subview %x[%back, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %y = memref.subview %ys[%back, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%own, %h : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%h : memref<4xf32>)
    linalg.copy ins(%h : memref<4xf32>) outs(%y : memref<4xf32, strided<[1], offset: ?>>)
  }
  memref.copy %h, %end : memref<4xf32> to memref<4xf32>
  memref.copy %start, %g : memref<4xf32> to memref<4xf32>
  scf.for %t = %c0 to %T step %c1 {
    %back = affine.apply #back(%t)[%T]
    %own = memref.subview %ys[%back, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%own, %g : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%g : memref<4xf32>)
  }
  return
}

// -----

// The second loop needs what is computed from the last state of the first one.
// REMARK: remark: [Missed] NoWavefront {{.*}}"the loop waits for the whole of the one before it: it needs what is done between it and the loop before it"
// CHECK-LABEL: func.func @encoder(
// CHECK-NOT: llvm.call
func.func @encoder(%x: memref<?x4xf32>, %h: memref<4xf32>, %g: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = memref.dim %x, %c0 : memref<?x4xf32>
  scf.for %t = %c0 to %T step %c1 {
    %own = memref.subview %x[%t, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%own, %h : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%h : memref<4xf32>)
  }
  memref.copy %h, %g : memref<4xf32> to memref<4xf32>
  scf.for %t = %c0 to %T step %c1 {
    %own = memref.subview %x[%t, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%own, %g : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%g : memref<4xf32>)
  }
  return
}

// -----

// Loops of other numbers of steps, and a buffer of which the loop reads more than the step's own part.
// REMARK: remark: [Missed] NoWavefront {{.*}}it is not known to have as many steps as the loop before it"
// CHECK-LABEL: func.func @others(
// CHECK-NOT: llvm.call
// CHECK: linalg.fill
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
func.func @others(%T: index, %S: index, %h: memref<4xf32>, %g: memref<4xf32>, %one: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc(%T) : memref<?x4xf32>
  linalg.fill ins(%one : f32) outs(%p : memref<?x4xf32>)
  scf.for %t = %c0 to %T step %c1 {
    %first = memref.subview %p[0, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1]>>
    linalg.add ins(%first, %h : memref<4xf32, strided<[1]>>, memref<4xf32>) outs(%h : memref<4xf32>)
  }
  scf.for %t = %c0 to %S step %c1 {
    linalg.add ins(%g, %g : memref<4xf32>, memref<4xf32>) outs(%g : memref<4xf32>)
  }
  return
}

// -----

// A single layer, sizes known: chunks as small as they may be; larger where these do not fit into the cache.
// CHECK-LABEL: func.func @alone(
// CHECK-NOT: llvm.call
// CHECK: %[[P:.*]] = memref.alloc() : memref<10x4xf32>
// CHECK: scf.for %[[FIRST:.*]] = %c0 to %c10 step %c5 {
// CHECK: linalg.fill
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %c1 {
// CACHE-LABEL: func.func @alone(
// CACHE: memref.alloc() : memref<20x4xf32>
func.func @alone(%h: memref<2x4xf32>, %one: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = arith.constant 10 : index
  %p = memref.alloc() : memref<20x4xf32>
  linalg.fill ins(%one : f32) outs(%p : memref<20x4xf32>)
  %pt = memref.expand_shape %p [[0, 1], [2]] output_shape [10, 2, 4] : memref<20x4xf32> into memref<10x2x4xf32>
  scf.for %t = %c0 to %T step %c1 {
    %own = memref.subview %pt[%t, 0, 0] [1, 2, 4] [1, 1, 1] : memref<10x2x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
    linalg.add ins(%own, %h : memref<2x4xf32, strided<[4, 1], offset: ?>>, memref<2x4xf32>) outs(%h : memref<2x4xf32>)
  }
  return
}
