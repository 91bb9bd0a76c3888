// RUN: lstm-opt %s --canonicalize --split-input-file | FileCheck %s

// A term with a zero factor is lost, whatever makes the zero.
// CHECK-LABEL: func @zero_weight
// CHECK-NEXT: %[[R:.*]] = lstm.gate tanh dot(%arg0, %arg1 : {{.*}}) add(%arg3 : tensor<7xf32>) : tensor<?x7xf32>
// CHECK-NEXT: return %[[R]]
func.func @zero_weight(%x: tensor<?x5xf32>, %W: tensor<5x7xf32>, %h: tensor<?x7xf32>, %b: tensor<7xf32>, %B: index) -> tensor<?x7xf32> {
  %Z = arith.constant dense<0.0> : tensor<7x7xf32>
  %z = arith.constant dense<-0.0> : tensor<7xf32>
  %zero = arith.constant 0.0 : f32
  %s = tensor.splat %zero[%B] : tensor<?x7xf32>
  %e = tensor.empty(%B) : tensor<?x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32>
  %0 = lstm.gate tanh dot(%x, %W : tensor<?x5xf32>, tensor<5x7xf32>) dot(%h, %Z : tensor<?x7xf32>, tensor<7x7xf32>)
      dot(%f, %Z : tensor<?x7xf32>, tensor<7x7xf32>) scale(%s, %b : tensor<?x7xf32>, tensor<7xf32>)
      add(%z : tensor<7xf32>) add(%b : tensor<7xf32>) : tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}
// -----
// A zero state with a zero weight leaves rows of zeros: the gate stays well-formed.
// CHECK-LABEL: func @only_bias
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<4x7xf32>
// CHECK: lstm.gate tanh add(%arg1 : tensor<7xf32>) add(%[[Z]] : tensor<4x7xf32>)
func.func @only_bias(%U: tensor<7x7xf32>, %b: tensor<7xf32>) -> tensor<4x7xf32> {
  %h = arith.constant dense<0.0> : tensor<4x7xf32>
  %0 = lstm.gate tanh dot(%h, %U : tensor<4x7xf32>, tensor<7x7xf32>) add(%b : tensor<7xf32>) : tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}
// -----
// Nothing to do: the pattern must not report a change.
// CHECK-LABEL: func @normal_form
// CHECK-NEXT: lstm.gate tanh dot(%arg0, %arg1
func.func @normal_form(%x: tensor<?x5xf32>, %W: tensor<5x7xf32>) -> tensor<?x7xf32> {
  %0 = lstm.gate tanh dot(%x, %W : tensor<?x5xf32>, tensor<5x7xf32>) : tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}
// -----
// identity add(x) is x; with another type, a clip or an activation it is not.
// CHECK-LABEL: func @identity
// CHECK-NEXT: %[[C:.*]] = lstm.gate identity clip 1.000000e+00 add(%arg0
// CHECK-NEXT: %[[D:.*]] = lstm.gate identity add(%arg0 : tensor<?x7xf32>) : tensor<?x7xf16>
// CHECK-NEXT: return %arg0, %[[C]], %[[D]]
func.func @identity(%x: tensor<?x7xf32>) -> (tensor<?x7xf32>, tensor<?x7xf32>, tensor<?x7xf16>) {
  %0 = lstm.gate identity add(%x : tensor<?x7xf32>) : tensor<?x7xf32>
  %1 = lstm.gate identity clip 1.0 add(%x : tensor<?x7xf32>) : tensor<?x7xf32>
  %2 = lstm.gate identity add(%x : tensor<?x7xf32>) : tensor<?x7xf16>
  return %0, %1, %2 : tensor<?x7xf32>, tensor<?x7xf32>, tensor<?x7xf16>
}
// -----
// A plain sum that serves one gate becomes part of it; one that serves two, or rounds to f16, does not.
// CHECK-LABEL: func @sums
// CHECK: %[[TWICE:.*]] = lstm.gate identity dot(%arg0, {{.*}}) add(%arg2 : tensor<7xf32>) : tensor<?x7xf32>
// CHECK: %[[HALF:.*]] = lstm.gate identity dot(%arg0, {{.*}}) : tensor<?x7xf16>
// CHECK: lstm.gate tanh dot(%arg0, %arg1 : {{.*}}) add(%[[TWICE]] : tensor<?x7xf32>)
// CHECK: lstm.gate relu add(%[[TWICE]] : tensor<?x7xf32>) add(%[[HALF]] : tensor<?x7xf16>)
func.func @sums(%x: tensor<?x5xf32>, %W: tensor<5x7xf32>, %b: tensor<7xf32>) -> (tensor<?x7xf32>, tensor<?x7xf32>) {
  %p = lstm.gate identity dot(%x, %W : tensor<?x5xf32>, tensor<5x7xf32>) : tensor<?x7xf32>
  %q = lstm.gate identity dot(%x, %W : tensor<?x5xf32>, tensor<5x7xf32>) add(%b : tensor<7xf32>) : tensor<?x7xf32>
  %r = lstm.gate identity dot(%x, %W : tensor<?x5xf32>, tensor<5x7xf32>) : tensor<?x7xf16>
  %0 = lstm.gate tanh add(%p : tensor<?x7xf32>) add(%q : tensor<?x7xf32>) : tensor<?x7xf32>
  %1 = lstm.gate relu add(%q : tensor<?x7xf32>) add(%r : tensor<?x7xf16>) : tensor<?x7xf32>
  return %0, %1 : tensor<?x7xf32>, tensor<?x7xf32>
}
// -----
// CHECK-LABEL: func @check
// CHECK-NEXT: %[[F:.*]] = arith.constant false
// CHECK-NEXT: lstm.check %[[F]], "stays"
// CHECK-NEXT: return
func.func @check() {
  %true = arith.constant true
  %false = arith.constant false
  lstm.check %true, "goes"
  lstm.check %false, "stays"
  return
}
