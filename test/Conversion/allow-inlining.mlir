// RUN: lstm-opt %s --lstm-allow-inlining | FileCheck %s
// RUN: lstm-opt %s --lstm-allow-inlining --inline | FileCheck %s --check-prefix=INLINED
// CHECK-NOT: no_inline
// INLINED-LABEL: func.func @main(
// INLINED-NOT: call
// INLINED: return
func.func private @f(%x: f32) -> f32 attributes {no_inline} {
  %y = arith.negf %x : f32
  return %y : f32
}
func.func private @g(%x: f32) -> f32 {
  %y = arith.negf %x : f32
  return %y : f32
}
func.func @main(%x: f32) -> (f32, f32) {
  %a = call @f(%x) : (f32) -> f32
  %b = call @g(%x) {no_inline} : (f32) -> f32
  return %a, %b : f32, f32
}
