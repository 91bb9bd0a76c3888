// RUN: lstm-opt %s --lstm-outline-parallel --split-input-file --verify-diagnostics | FileCheck %s

// Constants are made again, other values pass through a structure. The region may have
// several blocks.

// CHECK-LABEL: llvm.func @f(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr, %[[N:.*]]: i64)
// CHECK:         %[[FRAME:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, i64)>
// CHECK:         %[[S0:.*]] = llvm.insertvalue %[[P]], %{{.*}}[0]
// CHECK:         %[[S1:.*]] = llvm.insertvalue %[[N]], %[[S0]][1]
// CHECK:         llvm.store %[[S1]], %[[FRAME]]
// CHECK:         %[[F:.*]] = llvm.mlir.addressof @f_parallel
// CHECK:         llvm.call @lstmParallel(%[[F]], %[[FRAME]])
// CHECK-NEXT:    llvm.return

// CHECK-LABEL: llvm.func internal @f_parallel(
// CHECK-SAME:    %[[CONTEXT:.*]]: !llvm.ptr, %[[THREAD:.*]]: i64, %[[COUNT:.*]]: i64)
// CHECK:         %[[LOADED:.*]] = llvm.load %[[CONTEXT]]
// CHECK-DAG:     %[[OWN:.*]] = llvm.extractvalue %[[LOADED]][0]
// CHECK-DAG:     llvm.mlir.constant(7 : i64)
// CHECK:         llvm.getelementptr %[[OWN]][%[[THREAD]]]
// CHECK:         llvm.cond_br
// CHECK:         llvm.call @lstmBarrier(%[[THREAD]], %[[COUNT]])
// CHECK:         llvm.return
llvm.func @f(%p: !llvm.ptr, %n: i64) {
  %seven = llvm.mlir.constant(7 : i64) : i64
  lstm.parallel {
  ^bb0(%thread: i64, %count: i64):
    %at = llvm.getelementptr %p[%thread] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %seven, %at : i64, !llvm.ptr
    %more = llvm.icmp "slt" %thread, %n : i64
    llvm.cond_br %more, ^bb1, ^bb2
  ^bb1:
    lstm.barrier
    llvm.br ^bb2
  ^bb2:
    lstm.yield
  }
  llvm.return
}

// -----

func.func @too_early() {
  // expected-error @below {{'lstm.parallel' op expects to be in a function of the LLVM dialect: convert the rest first}}
  lstm.parallel {
  ^bb0(%thread: i64, %count: i64):
    lstm.yield
  }
  return
}

// -----

llvm.func @foreign(%n: i64) {
  %i = builtin.unrealized_conversion_cast %n : i64 to index
  // expected-error @below {{'lstm.parallel' op expects only values of the LLVM dialect from outside, but got type 'index'}}
  lstm.parallel {
  ^bb0(%thread: i64, %count: i64):
    %0 = builtin.unrealized_conversion_cast %i : index to i64
    lstm.yield
  }
  llvm.return
}
