// The level of the elementary functions' accuracy.

// RUN: %python -c "import numpy; x = numpy.linspace(-9, 9, 70000, dtype=numpy.float32).reshape(10, 7000); \
// RUN:   numpy.savez('%t.npz', x=x); numpy.savez('%t-y.npz', y=numpy.tanh(x.astype('f8')).astype('f4'))"
// RUN: lstm-run %s --inputs %t.npz --expect %t-y.npz --tolerance 1e-6 --activations=fast
// RUN: not lstm-run %s --inputs %t.npz --expect %t-y.npz --tolerance 8e-8 --activations=fast 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: lstm-run %s --inputs %t.npz --expect %t-y.npz --tolerance 8e-8
// RUN: lstm-run %s --inputs %t.npz --expect %t-y.npz --tolerance 4e-8 --activations=accurate
// RUN: not lstm-run %s --inputs %t.npz --activations=best 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not lstm-run %s --inputs %t.npz --activations=fast --no-optimize 2>&1 | FileCheck %s --check-prefix=LIBRARY

// FAST: error: result 'y'
// UNKNOWN: for the --activations option: Cannot find option named 'best'
// LIBRARY: error: --no-optimize calls the library, --activations has no effect
func.func @main(%x: tensor<?x7000xf32>) -> (tensor<?x7000xf32> {lstm.name = "y"}) {
  %y = lstm.gate tanh add(%x : tensor<?x7000xf32>) : tensor<?x7000xf32>
  return %y : tensor<?x7000xf32>
}
