// A program's own assertion ends the run with its message on stderr, also in the midst of calls.

// RUN: %python -c "import numpy; numpy.save('%t.0.npy', numpy.array(0)); numpy.save('%t.1.npy', numpy.array(1))"
// RUN: lstm-run %s --inputs %t.1.npy | FileCheck %s
// RUN: not lstm-run %s --inputs %t.0.npy 2>&1 >%t.out | FileCheck %s --check-prefix=FAIL
// RUN: count 0 < %t.out

// CHECK: result0: index
// CHECK-NEXT: 1
// FAIL: error: assertion failed: the number is positive
func.func @main(%n: index) -> index {
  %0 = arith.constant 0 : index
  %positive = arith.cmpi sgt, %n, %0 : index
  cf.assert %positive, "the number is positive"
  return %n : index
}
