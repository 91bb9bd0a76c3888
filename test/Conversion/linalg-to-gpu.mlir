// RUN: lstm-opt %s --convert-linalg-to-gpu --canonicalize --cse --mlir-print-local-scope | FileCheck %s

#id1 = affine_map<(i) -> (i)>
#row = affine_map<(i, j) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>

// A thread for each point. What stood in the output is not read where the body does not use it.
// CHECK-LABEL: func.func @elementwise(
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[BLOCK:.*]] = arith.constant 128 : index
// CHECK: %[[POINTS:.*]] = arith.muli %{{.*}}, %[[WIDTH]] : index
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[POINTS]], %[[BLOCK]] : index
// CHECK: %[[X:.*]] = llvm.inttoptr
// CHECK: %[[Y:.*]] = llvm.inttoptr
// CHECK: gpu.launch blocks(%[[B:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %[[BLOCKS]], {{.*}}) threads(%[[T:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %[[BLOCK]],
// CHECK-NOT: memref
// CHECK: %[[FIRST:.*]] = arith.muli %[[B]], %[[BLOCK]]
// CHECK: %[[ID:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[ID]], %[[POINTS]]
// CHECK: scf.if %[[INSIDE]] {
// CHECK: %[[J:.*]] = arith.remui %[[ID]], %[[WIDTH]]
// CHECK: %[[I:.*]] = arith.divui %[[ID]], %[[WIDTH]]
// CHECK: llvm.load
// CHECK-NOT: llvm.load
// CHECK: arith.negf
// CHECK: llvm.getelementptr %[[Y]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: llvm.store
// CHECK-NOT: linalg
func.func @elementwise(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%a: f32, %old: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  return
}

// Here it is.
// CHECK-LABEL: func.func @updated(
// CHECK: gpu.launch
// CHECK: %[[OLD:.*]] = llvm.load
// CHECK: %[[A:.*]] = llvm.load
// CHECK: arith.addf %[[A]], %[[OLD]]
func.func @updated(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %old: f32):
    %n = arith.addf %a, %old : f32
    linalg.yield %n : f32
  }
  return
}

// Rank 3, innermost dimension first. Constant strides are constants, others parameters; an offset, in bytes, is
// part of the pointer.
// CHECK-LABEL: func.func @strides(
// CHECK-DAG: %[[C6:.*]] = arith.constant 6 : i64
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C40:.*]] = arith.constant 40 : index
// CHECK-DAG: %[[C5:.*]] = arith.constant 5 : index
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK: %[[INNER:.*]] = memref.dim %{{.*}}, %[[C2]]
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:3, %{{.*}}:3 = memref.extract_strided_metadata %arg0
// CHECK: %[[WORD:.*]] = arith.index_cast %[[OFFSET]] : index to i64
// CHECK: arith.muli %[[WORD]], %[[TWO]]
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:3, %[[S:.*]]:3 = memref.extract_strided_metadata %arg1
// CHECK: arith.addi %{{.*}}, %[[C6]] : i64
// CHECK: gpu.launch
// CHECK: %[[K:.*]] = arith.remui %[[ID:.*]], %[[INNER]]
// CHECK: %[[REST:.*]] = arith.divui %[[ID]], %[[INNER]]
// CHECK: %[[J:.*]] = arith.remui %[[REST]], %[[C4]]
// CHECK: %[[I:.*]] = arith.divui %[[REST]], %[[C4]]
// CHECK: arith.muli %[[I]], %[[C40]]
// CHECK: arith.muli %[[J]], %[[C5]]
// CHECK: arith.addi %{{.*}}, %[[K]]
// CHECK: arith.muli %[[I]], %[[S]]#0
// CHECK: arith.muli %[[J]], %[[S]]#1
// CHECK: arith.muli %[[K]], %[[C2]]
// CHECK: llvm.getelementptr {{.*}}, f16
// CHECK-NEXT: llvm.store
func.func @strides(%x: memref<?x4x?xf16, strided<[40, 5, 1], offset: ?>>,
                   %y: memref<?x4x?xf16, strided<[?, ?, 2], offset: 3>>) {
  linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<?x4x?xf16, strided<[40, 5, 1], offset: ?>>)
      outs(%y : memref<?x4x?xf16, strided<[?, ?, 2], offset: 3>>) {
  ^bb0(%a: f16, %old: f16):
    linalg.yield %a : f16
  }
  return
}

// A row for all rows, a scalar of the host, an array of rank 0.
// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME: %{{.*}}: memref<8xf32>, %[[S:.*]]: f32,
// CHECK: gpu.launch
// CHECK: %[[J:.*]] = arith.remui
// CHECK: %[[AT:.*]] = arith.index_cast %[[J]] : index to i64
// CHECK: llvm.getelementptr %{{.*}}[%[[AT]]]
// CHECK: %[[A:.*]] = llvm.load
// CHECK: %[[ONE:.*]] = llvm.load
// CHECK: %[[M:.*]] = arith.mulf %[[A]], %[[S]]
// CHECK: arith.addf %[[M]], %[[ONE]]
func.func @broadcast(%row: memref<8xf32>, %s: f32, %one: memref<f32>, %y: memref<?x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>, #id2],
                  iterator_types = ["parallel", "parallel"]}
      ins(%row, %s, %one : memref<8xf32>, f32, memref<f32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %old: f32):
    %m = arith.mulf %a, %b : f32
    %p = arith.addf %m, %c : f32
    linalg.yield %p : f32
  }
  return
}

// An index has 64 bits in memory.
// CHECK-LABEL: func.func @index(
// CHECK: %[[J:.*]] = arith.remui
// CHECK: %[[I:.*]] = arith.divui
// CHECK: %[[SUM:.*]] = arith.addi %[[I]], %[[J]]
// CHECK: %[[WORD:.*]] = arith.index_cast %[[SUM]] : index to i64
// CHECK: llvm.store %[[WORD]], %{{.*}} : i64, !llvm.ptr
func.func @index(%y: memref<?x8xindex>) {
  linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x8xindex>) {
  ^bb0(%old: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.addi %i, %j : index
    linalg.yield %p : index
  }
  return
}

// CHECK-LABEL: func.func @shifted(
// CHECK: affine.apply affine_map<()[s0] -> (s0 + 2)>()
func.func @shifted(%x: memref<?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i + 2)>, #id1], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  }
  return
}

// What data says is an index is kept in bounds; an empty table is not read.
// CHECK-LABEL: func.func @gather(
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK: %{{.*}}, %{{.*}}, %[[SIZES:.*]]:2, %{{.*}}:2 = memref.extract_strided_metadata %arg0
// CHECK: gpu.launch
// CHECK: %[[ROW:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[EMPTY:.*]] = arith.cmpi eq, %[[SIZES]]#0, %{{.*}} : index
// CHECK: %[[LAST:.*]] = arith.subi %[[SIZES]]#0, %[[C1]]
// CHECK: arith.minui %[[ROW]], %[[LAST]]
// CHECK: arith.minui %{{.*}}, %[[C3]]
// CHECK: scf.if %[[EMPTY]] -> (f32) {
// CHECK-NEXT: scf.yield %{{.*}} : f32
// CHECK-NEXT: } else {
// CHECK: llvm.load
// CHECK-NOT: memref.load
func.func @gather(%table: memref<?x4xf32>, %ids: memref<?xi32>, %y: memref<?x4xf32>) {
  linalg.generic {indexing_maps = [#row, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%ids : memref<?xi32>) outs(%y : memref<?x4xf32>) {
  ^bb0(%id: i32, %old: f32):
    %r = arith.index_cast %id : i32 to index
    %j = linalg.index 1 : index
    %v = memref.load %table[%r, %j] : memref<?x4xf32>
    linalg.yield %v : f32
  }
  return
}

// The first failed check writes the address of its message and the values.
// CHECK-LABEL: func.func @check(
// CHECK: %[[RECORD:.*]] = llvm.call @lstmCudaGetCheck()
// CHECK: %[[TEXT:.*]] = llvm.ptrtoint
// CHECK: gpu.launch
// CHECK: %[[FAILS:.*]] = arith.cmpi sgt
// CHECK: scf.if %[[FAILS]] {
// CHECK: %[[SWAP:.*]] = llvm.cmpxchg %[[RECORD]], %{{.*}}, %[[TEXT]] monotonic monotonic : !llvm.ptr, i64
// CHECK: %[[WAS_FIRST:.*]] = llvm.extractvalue %[[SWAP]][1]
// CHECK: scf.if %[[WAS_FIRST]] {
// CHECK: llvm.getelementptr %[[RECORD]][1] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK: llvm.getelementptr %[[RECORD]][3] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NOT: lstm.check
func.func @check(%x: memref<?xi64>, %most: i64, %y: memref<?xi64>) {
  linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%x : memref<?xi64>) outs(%y : memref<?xi64>) {
  ^bb0(%a: i64, %old: i64):
    %ok = arith.cmpi sle, %a, %most : i64
    %i = arith.index_cast %a : i64 to index
    lstm.check %ok, "{0} is too much"(%i : index)
    linalg.yield %a : i64
  }
  return
}

// CHECK-LABEL: func.func @fill(
// CHECK-SAME: %[[S:.*]]: f32
// CHECK: llvm.store %[[S]], %{{.*}} : f32, !llvm.ptr
func.func @fill(%s: f32, %y: memref<f32>) {
  linalg.fill ins(%s : f32) outs(%y : memref<f32>)
  return
}

// One thread.
// CHECK-LABEL: func.func @store(
// CHECK-SAME: %[[S:[^:]*]]: i1
// CHECK: arith.cmpi ult, %{{.*}}, %c1
// CHECK: llvm.getelementptr {{.*}}, i1
// CHECK: llvm.store %[[S]], %{{.*}} : i1, !llvm.ptr
func.func @store(%s: i1, %y: memref<?x4xi1>, %i: index) {
  memref.store %s, %y[%i, %i] : memref<?x4xi1>
  return
}

// A copy of other strides is a kernel; others are left to the driver.
// CHECK-LABEL: func.func @copies(
// CHECK: gpu.launch
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK-NOT: gpu.launch
// CHECK: memref.copy %arg1, %arg2
func.func @copies(%x: memref<4x8xf32, strided<[16, 1]>>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  memref.copy %x, %y : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  memref.copy %y, %z : memref<4x8xf32> to memref<4x8xf32>
  return
}

// Loops that only check what they read.
// CHECK-LABEL: func.func @check_loop(
// CHECK-SAME: %{{.*}}: memref<?xi32>, %{{.*}}: index, %[[B:.*]]: index)
// CHECK-NOT: scf.for
// CHECK: arith.ceildivui %[[B]],
// CHECK: gpu.launch
// CHECK: arith.minui
// CHECK: llvm.cmpxchg
func.func @check_loop(%len: memref<?xi32>, %T: index, %B: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %r = %c0 to %B step %c1 {
    %l = memref.load %len[%r] : memref<?xi32>
    %n = arith.index_cast %l : i32 to index
    %ok = arith.cmpi ule, %n, %T : index
    lstm.check %ok, "length {0} of row {1} is more than {2}"(%n, %r, %T : index, index, index)
  }
  return
}

// CHECK-LABEL: func.func @check_loop_from(
// CHECK-SAME: %{{.*}}: memref<?xi32>, %[[FROM:.*]]: index, %[[TO:.*]]: index)
// CHECK: %[[DIFFERENCE:.*]] = arith.subi %[[TO]], %[[FROM]]
// CHECK: arith.maxsi %[[DIFFERENCE]],
// CHECK: gpu.launch
// CHECK: arith.addi %{{.*}}, %[[FROM]]
// CHECK: llvm.cmpxchg
func.func @check_loop_from(%len: memref<?xi32>, %from: index, %to: index) {
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  scf.for %r = %from to %to step %c1 {
    %l = memref.load %len[%r] : memref<?xi32>
    %ok = arith.cmpi sge, %l, %i0 : i32
    lstm.check %ok, "row {0} is negative"(%r : index)
  }
  return
}

// What else loops do stays with the host: other steps, other work, arrays that are found in the loop.
// CHECK-LABEL: func.func @other_loops(
// CHECK: scf.for
// CHECK: lstm.check
// CHECK: scf.for
// CHECK: lstm.check
// CHECK: scf.for
// CHECK: lstm.check
func.func @other_loops(%len: memref<?xi32>, %B: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant 0 : i32
  scf.for %r = %c0 to %B step %c2 {
    %l = memref.load %len[%r] : memref<?xi32>
    %ok = arith.cmpi sge, %l, %i0 : i32
    lstm.check %ok, "negative"
  }
  %sum = scf.for %r = %c0 to %B step %c1 iter_args(%s = %i0) -> i32 {
    %l = memref.load %len[%r] : memref<?xi32>
    %ok = arith.cmpi sge, %l, %i0 : i32
    lstm.check %ok, "negative"
    %s1 = arith.addi %s, %l : i32
    scf.yield %s1 : i32
  }
  scf.for %r = %c0 to %B step %c1 {
    %g = memref.get_global @least : memref<4xi32>
    %l = memref.load %g[%r] : memref<4xi32>
    %ok = arith.cmpi sge, %l, %i0 : i32
    lstm.check %ok, "negative"
  }
  return %sum : i32
}
memref.global "private" constant @least : memref<4xi32> = dense<[1, 2, 3, 4]>
