// Generated code runs on the threads of the runtime's team. The program counts them: each adds 1 to a sum
// in its own place, waits for the others, and the first one tells how many there were.

// RUN: lstm-run %s --threads 3 --pass-pipeline="builtin.module(expand-strided-metadata, convert-to-llvm, reconcile-unrealized-casts)" | FileCheck %s
// RUN: env LSTM_NUM_THREADS=3 lstm-run %s --pass-pipeline="builtin.module(expand-strided-metadata, convert-to-llvm, reconcile-unrealized-casts)" | FileCheck %s
// RUN: env LSTM_NUM_THREADS=2 lstm-run %s --threads 3 --pass-pipeline="builtin.module(expand-strided-metadata, convert-to-llvm, reconcile-unrealized-casts)" | FileCheck %s
// RUN: lstm-run %s --threads 1 --pass-pipeline="builtin.module(expand-strided-metadata, convert-to-llvm, reconcile-unrealized-casts)" | FileCheck %s --check-prefix=ONE

// CHECK: result0: i64
// CHECK-NEXT: 3
// ONE: result0: i64
// ONE-NEXT: 1
llvm.func @lstmParallel(!llvm.ptr, !llvm.ptr)
llvm.func @lstmBarrier(i64, i64)

llvm.func internal @body(%sum: !llvm.ptr, %thread: i64, %count: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %old = llvm.atomicrmw add %sum, %one monotonic : !llvm.ptr, i64
  llvm.call @lstmBarrier(%thread, %count) : (i64, i64) -> ()
  %all = llvm.load %sum : !llvm.ptr -> i64
  %same = llvm.icmp "eq" %all, %count : i64
  llvm.cond_br %same, ^end, ^wrong
^wrong:
  llvm.store %thread, %sum : i64, !llvm.ptr
  llvm.br ^end
^end:
  llvm.return
}

func.func @main() -> i64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %sum = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
  llvm.store %zero, %sum : i64, !llvm.ptr
  %body = llvm.mlir.addressof @body : !llvm.ptr
  llvm.call @lstmParallel(%body, %sum) : (!llvm.ptr, !llvm.ptr) -> ()
  %all = llvm.load %sum : !llvm.ptr -> i64
  return %all : i64
}
