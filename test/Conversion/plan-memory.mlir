// RUN: lstm-opt %s --pass-pipeline="builtin.module(func.func(lstm-plan-memory),canonicalize,cse)" --allow-unregistered-dialect -o %t
// RUN: FileCheck %s --input-file %t
// RUN: lstm-opt %s --pass-pipeline="builtin.module(func.func(lstm-plan-memory))" --allow-unregistered-dialect \
// RUN:   --remarks-filter=lstm-plan-memory 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark

// Buffers that are not in use at the same time share a place, the largest first, whatever their sizes; the mark stays
// through canonicalization.
// REMARK: plan-memory.mlir:[[@LINE+11]]:{{.*}} remark: [Passed] MemoryPlan | Category:lstm-plan-memory | Remark="4 buffers in 2 places; peak 768 bytes, naive 832 bytes"
// CHECK-LABEL: func.func @share(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C512:.*]] = arith.constant 512 : index
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 256 : i64, lstm.arena} : memref<768xi8>
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%[[C0]]][] : memref<768xi8> to memref<100xf32>
// CHECK: %[[D:.*]] = memref.view %[[ARENA]][%[[C0]]][] : memref<768xi8> to memref<50xi64>
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%[[C512]]][] : memref<768xi8> to memref<4xf32>
// CHECK: memref.copy %{{.*}}, %[[A]]
// CHECK: memref.copy %[[A]], %{{.*}}
// CHECK: memref.copy %{{.*}}, %[[A]]
func.func @share(%x: memref<4xf32>, %y: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %b = memref.alloc() : memref<100xf32>
  %s = memref.subview %b[0] [4] [1] : memref<100xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %s : memref<4xf32> to memref<4xf32, strided<[1]>>
  %c = memref.alloc() : memref<4xf32>
  memref.copy %s, %c : memref<4xf32, strided<[1]>> to memref<4xf32>
  %d = memref.alloc() : memref<50xi64>
  "test.use"(%d, %c) : (memref<50xi64>, memref<4xf32>) -> ()
  return
}

// A small buffer does not take the place that a large one behind it needs: that takes the first one's.
// REMARK: plan-memory.mlir:[[@LINE+6]]:{{.*}}3 buffers in 2 places; peak 4352 bytes, naive 8016 bytes"
// CHECK-LABEL: func.func @large(
// CHECK: memref.alloc() {alignment = 256 : i64, lstm.arena} : memref<4352xi8>
// CHECK: %[[LARGE:.*]] = memref.view %{{.*}}[%c0][] : memref<4352xi8> to memref<1000xf32>
// CHECK: %[[SMALL:.*]] = memref.view %{{.*}}[%c4096][] : memref<4352xi8> to memref<4xf32>
// CHECK: "test.use"(%[[LARGE]], %[[SMALL]])
func.func @large() {
  %a = memref.alloc() : memref<1000xf32>
  "test.use"(%a) : (memref<1000xf32>) -> ()
  %small = memref.alloc() : memref<4xf32>
  "test.use"(%small) : (memref<4xf32>) -> ()
  %b = memref.alloc() : memref<1000xf32>
  "test.use"(%b, %small) : (memref<1000xf32>, memref<4xf32>) -> ()
  return
}

// Sizes that are not known: the first and the last buffer share, the one that is in use with the last does not. What they
// are computed from goes to the begin.
// REMARK: plan-memory.mlir:[[@LINE+10]]:{{.*}}3 buffers in 2 places; peak 512 bytes, naive 10 bytes (a size that is not known counted as 1)
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[N:.*]]: index
// CHECK: %[[M:.*]] = arith.muli %[[N]], %c2
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c256
// CHECK: %[[ARENA:.*]] = memref.alloc(%{{.*}}) {alignment = 256 : i64, lstm.arena} : memref<?xi8>
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%c0][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%[[FIRST]]][%[[M]]] : memref<?xi8> to memref<?xf16>
// CHECK: memref.copy
// CHECK: "test.use"(%[[B]], %[[A]])
func.func @dynamic(%n: index, %y: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %y, %a : memref<?xf32> to memref<?xf32>
  memref.copy %a, %y : memref<?xf32> to memref<?xf32>
  %c2 = arith.constant 2 : index
  %m = arith.muli %n, %c2 : index
  %b = memref.alloc(%m) : memref<?xf16>
  %c = memref.alloc(%n) : memref<?xf32>
  memref.copy %y, %c : memref<?xf32> to memref<?xf32>
  "test.use"(%b, %c) : (memref<?xf16>, memref<?xf32>) -> ()
  return
}

// In a loop everything is in use from its begin to its end, what is allocated in it, too: a buffer for all steps.
// REMARK: plan-memory.mlir:[[@LINE+7]]:{{.*}}3 buffers in 3 places; peak 768 bytes, naive 48 bytes"
// CHECK-LABEL: func.func @loop(
// CHECK: memref.alloc() {alignment = 256 : i64, lstm.arena} : memref<768xi8>
// CHECK-COUNT-3: memref.view
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @loop(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    "test.use"(%a) : (memref<4xf32>) -> ()
    "test.use"(%b) : (memref<4xf32>) -> ()
    %in = memref.alloc() : memref<4xf32>
    "test.use"(%in) : (memref<4xf32>) -> ()
  }
  return
}

// Buffers of a branch: what the size is computed from goes first. Those of branches that follow each other share a place.
// REMARK: plan-memory.mlir:[[@LINE+10]]:{{.*}}2 buffers in 1 places; peak 256 bytes, naive 8 bytes (a size that is not known counted as 1)
// CHECK-LABEL: func.func @branches(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[P:.*]]: i1, %[[Q:.*]]: i1
// CHECK: memref.dim %[[X]]
// CHECK: %[[ARENA:.*]] = memref.alloc(%{{.*}}) {alignment = 256 : i64, lstm.arena} : memref<?xi8>
// CHECK: scf.if %[[P]]
// CHECK-NOT: memref.alloc
// CHECK: scf.if %[[Q]]
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @branches(%x: memref<?xf32>, %p: i1, %q: i1) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  scf.if %p {
    %n = memref.dim %x, %c0 : memref<?xf32>
    %m = arith.muli %n, %c2 : index
    %a = memref.alloc(%m) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
  }
  scf.if %q {
    %n = memref.dim %x, %c0 : memref<?xf32>
    %b = memref.alloc(%n) : memref<?xf32>
    "test.use"(%b) : (memref<?xf32>) -> ()
  }
  return
}

// These stay in the loop: what has a size of its step, or one that memory says; what leaves it; what it frees itself.
// CHECK-LABEL: func.func @stay_in_loop(
// CHECK-NOT: lstm.arena
// CHECK: scf.for
// CHECK-COUNT-5: memref.alloc
// CHECK: return
func.func @stay_in_loop(%x: memref<4xf32>, %n: index, %s: memref<index>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x) -> memref<4xf32> {
    %a = memref.alloc(%i) : memref<?xf32>
    %m = arith.addi %i, %c1 : index
    %b = memref.alloc(%m) : memref<?xf32>
    %k = memref.load %s[] : memref<index>
    %c = memref.alloc(%k) : memref<?xf32>
    %d = memref.alloc() : memref<8xf32>
    "test.use"(%a, %b, %c, %d) : (memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<8xf32>) -> ()
    memref.dealloc %d : memref<8xf32>
    %y = memref.alloc() : memref<4xf32>
    "test.use"(%y, %old) : (memref<4xf32>, memref<4xf32>) -> ()
    scf.yield %y : memref<4xf32>
  }
  return %last : memref<4xf32>
}

// These stay: what is returned, perhaps returned, of a size that memory says, with a layout of its own, in another
// memory, aligned more.
// CHECK-LABEL: func.func @stay(
// CHECK-NOT: lstm.arena
// CHECK: return
func.func @stay(%x: memref<4xf32>, %y: memref<?xf32>, %n: memref<index>, %p: i1) -> (memref<4xf32>, memref<4xf32>) {
  %r = memref.alloc() : memref<4xf32>
  %s = memref.alloc() : memref<4xf32>
  %k = memref.load %n[] : memref<index>
  %d = memref.alloc(%k) : memref<?xf32>
  %l = memref.alloc() : memref<4xf32, strided<[2]>>
  %m = memref.alloc() : memref<4xf32, 3>
  %w = memref.alloc() {alignment = 512} : memref<4xf32>
  "test.use"(%r, %s, %d, %l, %m, %w) : (memref<4xf32>, memref<4xf32>, memref<?xf32>, memref<4xf32, strided<[2]>>,
                                       memref<4xf32, 3>, memref<4xf32>) -> ()
  %c = scf.if %p -> memref<4xf32> {
    scf.yield %x : memref<4xf32>
  } else {
    scf.yield %s : memref<4xf32>
  }
  return %r, %c : memref<4xf32>, memref<4xf32>
}

// And what is used in other blocks, of which the order is not known.
// CHECK-LABEL: func.func @blocks(
// CHECK-NOT: lstm.arena
// CHECK: return
func.func @blocks(%p: i1) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  "test.use"(%a) : (memref<4xf32>) -> ()
  "test.use"(%b) : (memref<4xf32>) -> ()
  "test.use"(%a) : (memref<4xf32>) -> ()
  cf.br ^bb2
^bb2:
  return
}
