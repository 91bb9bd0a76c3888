// RUN: lstm-opt %s --convert-lstm-to-cuda-runtime --canonicalize --cse | FileCheck %s
// RUN: lstm-opt %s --convert-lstm-to-cuda-runtime=graph=false --canonicalize | FileCheck %s --check-prefix=PLAIN
// PLAIN-LABEL: func.func @in_place(
// PLAIN: llvm.call @lstmCudaEnter(%c0_i32)

// A buffer that is returned is the caller's from the begin. Only the work stands under Enter.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[N:.*]]: index) {
// CHECK: %[[SHAPE:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: %[[WORD:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: llvm.store %[[WORD]], %[[SHAPE]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %c4
// CHECK: %[[DATA:.*]] = llvm.call @lstmCudaGetResult(%c0_i64, %[[SHAPE]])
// CHECK: llvm.insertvalue %[[DATA]]
// CHECK: memref.view %{{.*}}[%c0][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK-NOT: lstmCudaCopy
// CHECK: %[[ENTERED:.*]] = llvm.call @lstmCudaEnter(%c1_i32) : (i32) -> i32
// CHECK: %[[RUNS:.*]] = arith.cmpi ne, %[[ENTERED]], %c0_i32
// CHECK: scf.if %[[RUNS]] {
// CHECK-NEXT: llvm.call @lstmCudaCopy(
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @in_place(%x: memref<?xf32>, %n: index) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  return %a : memref<?xf32>
}

// The second time it is a copy.
// CHECK-LABEL: func.func @twice(
// CHECK: lstmCudaGetResult(%c0_i64,
// CHECK: %[[FIRST:.*]] = llvm.inttoptr
// CHECK: lstmCudaGetResult(%c1_i64,
// CHECK: %[[SECOND:.*]] = llvm.inttoptr
// CHECK: lstmCudaEnter(%c1_i32)
// CHECK: lstmCudaCopy(%[[FIRST]], %{{.*}}, %[[BYTES:.*]])
// CHECK: lstmCudaCopy(%[[SECOND]], %[[FIRST]], %[[BYTES]])
func.func @twice(%x: memref<?xf32>, %n: index) -> (memref<?xf32>, memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  return %a, %a : memref<?xf32>, memref<?xf32>
}

// CHECK-LABEL: func.func @argument(
// CHECK: lstmCudaGetResult(%c0_i64,
// CHECK: lstmCudaEnter(%c1_i32)
// CHECK: lstmCudaCopy(
func.func @argument(%x: memref<?xf32>) -> memref<?xf32> {
  return %x : memref<?xf32>
}

// Other shapes of a buffer are the buffer.
// CHECK-LABEL: func.func @shapes(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %[[N:.*]]: index) {
// CHECK: %[[WORD:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: llvm.store %[[WORD]], %[[SHAPE:.*]] : i64
// CHECK: llvm.getelementptr %[[SHAPE]][1]
// CHECK: llvm.store %c4_i64
// CHECK: llvm.getelementptr %[[SHAPE]][2]
// CHECK: llvm.store %c2_i64
// CHECK: lstmCudaGetResult(%c0_i64, %[[SHAPE]])
// CHECK: memref.view %{{.*}} : memref<?xi8> to memref<?x4x2xf32>
// CHECK: %[[M:.*]] = arith.muli %[[N]], %c6
// CHECK: %[[MWORD:.*]] = arith.index_cast %[[M]]
// CHECK: llvm.store %[[MWORD]], %[[FLAT:.*]] : i64
// CHECK: lstmCudaGetResult(%c1_i64, %[[FLAT]])
// CHECK: lstmCudaEnter(%c1_i32)
// CHECK-COUNT-1: lstmCudaCopy
// CHECK-NOT: lstmCudaCopy
func.func @shapes(%x: memref<?xf32>, %n: index) -> (memref<?x4x2xf32>, memref<?xf16>) {
  %c8 = arith.constant 8 : index
  %m = arith.muli %n, %c8 : index
  %a = memref.alloc(%m) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %e = memref.expand_shape %a [[0, 1, 2]] output_shape [%n, 4, 2] : memref<?xf32> into memref<?x4x2xf32>
  %b = memref.alloc(%n) : memref<?x6xf16>
  %c = memref.collapse_shape %b [[0, 1]] : memref<?x6xf16> into memref<?xf16>
  return %e, %c : memref<?x4x2xf32>, memref<?xf16>
}

// Scalars go to addresses, before the work: a graph does not replay the host.
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME: %[[X:.*]]: f32, %[[N:.*]]: index, %{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32>, %[[R0:.*]]: !llvm.ptr, %[[R1:.*]]: !llvm.ptr, %[[R2:.*]]: !llvm.ptr) {
// CHECK: %[[P:.*]] = scf.for
// CHECK: %[[WORD:.*]] = arith.index_cast %[[P]] : index to i64
// CHECK: llvm.store %[[WORD]], %[[R0]] : i64
// CHECK: llvm.store %{{.*}}, %[[R1]] : f32
// CHECK: llvm.store %true, %[[R2]] : i1
// CHECK: lstmCudaEnter(%c1_i32)
func.func @scalars(%x: f32, %n: index, %from: memref<4xf32>, %to: memref<4xf32>) -> (index, f32, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  memref.copy %from, %to : memref<4xf32> to memref<4xf32>
  %y = arith.addf %x, %x : f32
  %t = arith.constant true
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%p = %c1) -> index {
    %q = arith.muli %p, %n : index
    scf.yield %q : index
  }
  return %s, %y, %t : index, f32, i1
}

// What the host reads from the device cannot be in a graph.
// CHECK-LABEL: func.func @read(
// CHECK-SAME: %[[R:[^ ]*]]: !llvm.ptr) {
// CHECK: %[[SLOT:.*]] = llvm.alloca %{{.*}} x i32
// CHECK: lstmCudaEnter(%c0_i32)
// CHECK: lstmCudaRead(%[[SLOT]], %{{.*}}, %c4_i64)
// CHECK: %[[V:.*]] = llvm.load %[[SLOT]] : !llvm.ptr -> i32
// CHECK: llvm.store %[[V]], %[[R]]
func.func @read(%x: memref<?xi32>, %i: index) -> i32 {
  %v = memref.load %x[%i] : memref<?xi32>
  return %v : i32
}

// A result's size that is read: its place is asked for when the size is there.
// CHECK-LABEL: func.func @size_from_memory(
// CHECK: lstmCudaEnter(%c0_i32)
// CHECK: lstmCudaRead(
// CHECK: %[[N:.*]] = llvm.load
// CHECK: llvm.store %[[N]], %[[SHAPE:.*]] : i64
// CHECK: lstmCudaGetResult(%c0_i64, %[[SHAPE]])
func.func @size_from_memory(%x: memref<index>) -> memref<?xf32> {
  %n = memref.load %x[] : memref<index>
  %a = memref.alloc(%n) : memref<?xf32>
  return %a : memref<?xf32>
}

// What is allocated in a loop is taken and given back there, and not in a graph.
// CHECK-LABEL: func.func @loop(
// CHECK: lstmCudaEnter(%c0_i32)
// CHECK: scf.for
// CHECK: %[[A:.*]] = llvm.call @lstmCudaAllocate(%c16_i64)
// CHECK: lstmCudaCopy
// CHECK: lstmCudaDeallocate
func.func @loop(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<4xf32>
    memref.copy %x, %a : memref<4xf32> to memref<4xf32>
    memref.dealloc %a : memref<4xf32>
  }
  return
}

// The arena is the session's workspace.
// CHECK-LABEL: func.func @arena(
// CHECK: llvm.call @lstmCudaGetWorkspace(%c256_i64)
// CHECK: lstmCudaEnter(%c1_i32)
// CHECK: lstmCudaCopy
// CHECK-NOT: lstmCudaDeallocate
func.func @arena(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() {lstm.arena} : memref<256xi8>
  %v = memref.view %a[%c0][] : memref<256xi8> to memref<4xf32>
  memref.copy %x, %v : memref<4xf32> to memref<4xf32>
  memref.dealloc %a : memref<256xi8>
  return
}

// A constant has a copy on the device.
// CHECK-LABEL: func.func @constant(
// CHECK: %[[STATE:.*]] = llvm.mlir.addressof @weights_on_device
// CHECK: %[[HOST:.*]] = memref.get_global @weights
// CHECK: memref.extract_aligned_pointer_as_index %[[HOST]]
// CHECK: llvm.getelementptr %[[STATE]][0, 0]
// CHECK: llvm.store
// CHECK: llvm.getelementptr %[[STATE]][0, 1]
// CHECK: llvm.store %c24_i64
// CHECK: llvm.call @lstmCudaGetConstant(%[[STATE]])
// CHECK: lstmCudaEnter(%c1_i32)
memref.global "private" constant @weights : memref<2x3xf32> = dense<1.0>
func.func @constant(%y: memref<2x3xf32>) {
  %w = memref.get_global @weights : memref<2x3xf32>
  memref.copy %w, %y : memref<2x3xf32> to memref<2x3xf32>
  return
}

// No work, no Enter.
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT: lstmCuda
// CHECK: return
func.func @nothing(%x: memref<4xf32>) {
  return
}
// CHECK: func.func private @declared(memref<4xf32>)
func.func private @declared(memref<4xf32>)
