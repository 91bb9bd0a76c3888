// RUN: lstm-opt %s --lstm-outline-kernels | FileCheck %s
// A program without kernels stays as it is.
// CHECK-NOT: gpu
func.func @main(%x: f32) -> f32 {
  return %x : f32
}
