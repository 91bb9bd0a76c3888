// RUN: lstm-opt %s --lstm-plan-kernels=always --remarks-filter=lstm-plan-kernels -o %t 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file %t

#rgu = affine_map<(r, g, u) -> (r, g, u)>
#r = affine_map<(r, g, u) -> (r)>

// Gates that are put together for a reduction are written by the phase, and what is a copy of a copy.
// REMARK: remark: [Passed] PlanKernels | {{.*}}one kernel
// CHECK-LABEL: func.func @stacked(
// CHECK: scf.for
// CHECK: %[[FIRST:.*]] = memref.subview %[[GATES:.*]][0, 0, 0]
// CHECK: %[[SECOND:.*]] = memref.subview %[[GATES]][0, 1, 0]
// CHECK: lstm.phase project({{.*}}) outs(%[[A:.*]], %[[B:.*]], %[[FIRST]], %[[AGAIN:.*]], %[[SECOND]] :
// CHECK: ^bb0(%[[P:.*]]: f32, %[[Q:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: lstm.yield %[[P]], %[[Q]], %[[P]], %[[P]], %[[Q]] :
// CHECK-NOT: memref.copy
// CHECK: lstm.kernel
func.func @stacked(%h: memref<?x40xf32>, %U: memref<40x2x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc(%n) : memref<?x40xf32>
  %b = memref.alloc(%n) : memref<?x40xf32>
  %again = memref.alloc(%n) : memref<?x40xf32>
  %gates = memref.alloc(%n) : memref<?x2x40xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x2x40xf32>) outs(%a, %b : memref<?x40xf32>, memref<?x40xf32>) {
    ^bb0(%p: f32, %q: f32, %old: f32, %old1: f32):
      lstm.yield %p, %q : f32, f32
    }
    %first = memref.subview %gates[0, 0, 0] [%n, 1, 40] [1, 1, 1] : memref<?x2x40xf32> to memref<?x40xf32, strided<[80, 1]>>
    memref.copy %a, %first : memref<?x40xf32> to memref<?x40xf32, strided<[80, 1]>>
    memref.copy %first, %again : memref<?x40xf32, strided<[80, 1]>> to memref<?x40xf32>
    %second = memref.subview %gates[0, 1, 0] [%n, 1, 40] [1, 1, 1] : memref<?x2x40xf32> to memref<?x40xf32, strided<[80, 1], offset: 40>>
    memref.copy %b, %second : memref<?x40xf32> to memref<?x40xf32, strided<[80, 1], offset: 40>>
    linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
    linalg.generic {indexing_maps = [#rgu, #r], iterator_types = ["parallel", "reduction", "reduction"]}
        ins(%gates : memref<?x2x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %x: f32):
      %y = arith.addf %x, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%again[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// Not where something reads the target before the copy: the phase may not write it yet.
// REMARK: remark: [Missed] PlanKernels | {{.*}}Remark="libraries: 'memref.copy' stands in the step"
// CHECK-LABEL: func.func @read_before(
// CHECK: lstm.phase {{.*}} outs(%{{.*}} : memref<?x40xf32>)
// CHECK: memref.copy
// CHECK-NOT: lstm.kernel
func.func @read_before(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %a: memref<?x40xf32>, %b: memref<?x40xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%a : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    lstm.phase ins(%b[r, u] : memref<?x40xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
    memref.copy %a, %b : memref<?x40xf32> to memref<?x40xf32>
  }
  return
}

// Nor where the source is written again.
// REMARK: remark: [Missed] PlanKernels | {{.*}}Remark="libraries: 'memref.copy' stands in the step"
// CHECK-LABEL: func.func @shifted(
// CHECK: memref.copy
// CHECK-NOT: lstm.kernel
func.func @shifted(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %a: memref<?x80xf32>, %b: memref<?x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %whole = memref.subview %a[0, 0] [%n, 40] [1, 1] : memref<?x80xf32> to memref<?x40xf32, strided<[80, 1]>>
  %part = memref.subview %a[0, 8] [%n, 40] [1, 1] : memref<?x80xf32> to memref<?x40xf32, strided<[80, 1], offset: 8>>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%whole : memref<?x40xf32, strided<[80, 1]>>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    lstm.phase ins(%h[r, u] : memref<?x40xf32>) outs(%part : memref<?x40xf32, strided<[80, 1], offset: 8>>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
    memref.copy %whole, %b : memref<?x40xf32, strided<[80, 1]>> to memref<?x40xf32>
  }
  return
}
