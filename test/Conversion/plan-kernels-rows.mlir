// RUN: lstm-opt %s --lstm-plan-kernels=always --remarks-filter=lstm-plan-kernels --split-input-file -o %t 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file %t

// Loops that make values of rows between their phases.

#ru = affine_map<(r, u) -> (r, u)>
#r = affine_map<(r, u) -> (r)>
#rgu = affine_map<(r, g, u) -> (r, g, u)>
#rOfThree = affine_map<(r, g, u) -> (r)>
#row = affine_map<(r) -> (r)>

// A mean, a variance from it, and a map of both; all begin with what a fill outside of the loop or in it has set.
// REMARK: remark: [Passed] PlanKernels | Category:lstm-plan-kernels | Remark="{{.*}}one kernel
// CHECK-LABEL: func.func @variance(
// CHECK: } {lstm.kernel = [{
func.func @variance(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  %q = memref.alloc(%n) : memref<?xf32>
  %w = memref.alloc(%n) : memref<?xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    linalg.fill ins(%zero : f32) outs(%q : memref<?xf32>)
    linalg.generic {indexing_maps = [#ru, #r, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z, %s : memref<?x40xf32>, memref<?xf32>) outs(%q : memref<?xf32>) {
    ^bb0(%e: f32, %b: f32, %a: f32):
      %d = arith.subf %e, %b : f32
      %dd = arith.mulf %d, %d : f32
      %y = arith.addf %a, %dd : f32
      linalg.yield %y : f32
    }
    linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
        ins(%s, %q : memref<?xf32>, memref<?xf32>) outs(%w : memref<?xf32>) {
    ^bb0(%b: f32, %v: f32, %a: f32):
      %d = math.sqrt %v : f32
      %y = arith.addf %b, %d : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %w[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// Of the state before a phase, and a maximum of what is computed from a value of another one's row.
// REMARK: remark: [Passed] PlanKernels | Category:lstm-plan-kernels | Remark="{{.*}}one kernel
// CHECK-LABEL: func.func @state(
// CHECK: } {lstm.kernel = [{
func.func @state(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  %q = memref.alloc(%n) : memref<?xf32>
  scf.for %t = %c0 to %T step %c1 {
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%h : memref<?x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    linalg.fill ins(%zero : f32) outs(%q : memref<?xf32>)
    linalg.generic {indexing_maps = [#ru, #r, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z, %s : memref<?x40xf32>, memref<?xf32>) outs(%q : memref<?xf32>) {
    ^bb0(%e: f32, %b: f32, %a: f32):
      %d = arith.subf %e, %b : f32
      %y = arith.maximumf %a, %d : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %q[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// Gates side by side are split, as the threads that map a unit have all of its gates.
// REMARK: remark: [Passed] PlanKernels | Category:lstm-plan-kernels | Remark="{{.*}}one kernel
// CHECK-LABEL: func.func @wide(
// CHECK: %[[MATRIX:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : memref<40x1x160xf32> into memref<40x160xf32>
// CHECK: %[[WEIGHT:.*]] = memref.expand_shape %[[MATRIX]] {{.*}} into memref<40x4x40xf32>
// CHECK: %[[BIAS:.*]] = memref.expand_shape %{{.*}} : memref<160xf32> into memref<4x40xf32>
// CHECK: %[[LAST:.*]] = memref.subview %{{.*}}[0, 3, 0] [%{{.*}}, 1, 40] [1, 1, 1] : memref<?x4x40xf32> to memref<?x40xf32, strided<[160, 1], offset: 120>>
// CHECK: lstm.phase project(%{{.*}}, %[[WEIGHT]] : {{.*}}) ins(%[[BIAS]][g, u] : {{.*}}) outs({{.*}}, %[[LAST]] :
// CHECK: lstm.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32, f32
// CHECK: } {lstm.kernel = [{
func.func @wide(%h: memref<?x40xf32>, %U: memref<40x1x160xf32>, %n: index, %T: index, %b: memref<160xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  %wide = memref.alloc(%n) : memref<?x160xf32>
  %gates = memref.expand_shape %wide [[0], [1, 2]] output_shape [%n, 4, 40] : memref<?x160xf32> into memref<?x4x40xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x160xf32>) ins(%b[u] : memref<160xf32>) outs(%wide : memref<?x160xf32>) {
    ^bb0(%p: f32, %c: f32, %old: f32):
      %y = arith.addf %p, %c : f32
      lstm.yield %y : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#rgu, #rOfThree], iterator_types = ["parallel", "reduction", "reduction"]}
        ins(%gates : memref<?x4x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%gates[r, g, u], %s[r] : memref<?x4x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %e1: f32, %e2: f32, %e3: f32, %m: f32, %old: f32):
      %y = arith.mulf %e3, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// -----

#ru = affine_map<(r, u) -> (r, u)>
#r = affine_map<(r, u) -> (r)>
#rgu = affine_map<(r, g, u) -> (r, g, u)>
#rOfThree = affine_map<(r, g, u) -> (r)>
#row = affine_map<(r) -> (r)>
#u = affine_map<(r, u) -> (u)>

// What is in the way; the loop stays as it was.
// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: 'memref.copy' stands in the step"
// CHECK-LABEL: func.func @other_copy(
// CHECK-NOT: lstm.kernel
func.func @other_copy(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    memref.copy %z, %h : memref<?x40xf32> to memref<?x40xf32>
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: 'memref.copy' writes what is used outside of the steps"
// CHECK-LABEL: func.func @read_later(
// CHECK-NOT: lstm.kernel
func.func @read_later(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  %c = memref.cast %s : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a value of a row is read before it is made"
// CHECK-LABEL: func.func @of_the_step_before(
// CHECK-NOT: lstm.kernel
func.func @of_the_step_before(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a value of a row is read before it is made"
// CHECK-LABEL: func.func @of_the_step_before_too(
// CHECK-NOT: lstm.kernel
func.func @of_the_step_before_too(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  %q = memref.alloc(%n) : memref<?xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#ru, #r, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z, %q : memref<?x40xf32>, memref<?xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %b: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    linalg.fill ins(%zero : f32) outs(%q : memref<?xf32>)
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%q : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a phase reads a value of a row as something else"
// CHECK-LABEL: func.func @elementwise(
// CHECK-NOT: lstm.kernel
func.func @elementwise(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index, %x: memref<?x40xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  %w = memref.alloc(%n) : memref<?x40xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    linalg.generic {indexing_maps = [#ru, #ru], iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<?x40xf32>) outs(%w : memref<?x40xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = math.tanh %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %w[r, u] : memref<?x40xf32>, memref<?x40xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: an operation on rows has several results"
// CHECK-LABEL: func.func @two_results(
// CHECK-NOT: lstm.kernel
func.func @two_results(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  %q = memref.alloc(%n) : memref<?xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#ru, #r, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%s, %q : memref<?xf32>, memref<?xf32>) {
    ^bb0(%e: f32, %a: f32, %b: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y, %y : f32, f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a reduction reads elements in another order than row, gate, unit"
// CHECK-LABEL: func.func @over_rows(
// CHECK-NOT: lstm.kernel
func.func @over_rows(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  %w = memref.alloc() : memref<40xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    linalg.fill ins(%zero : f32) outs(%w : memref<40xf32>)
    linalg.generic {indexing_maps = [#ru, #u], iterator_types = ["reduction", "parallel"]}
        ins(%z : memref<?x40xf32>) outs(%w : memref<40xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a reduction is over something else than units, or gates and units, of elements"
// CHECK-LABEL: func.func @two_factors(
// CHECK-NOT: lstm.kernel
func.func @two_factors(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index, %m: memref<?xf32>, %w: memref<40xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#r, #u, #r], iterator_types = ["parallel", "reduction"]}
        ins(%m, %w : memref<?xf32>, memref<40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %b: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a reduction is over a number of units that is not static"
// CHECK-LABEL: func.func @any_units(
// CHECK-NOT: lstm.kernel
func.func @any_units(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index, %x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: 'linalg.index' stands in the body of an operation on rows"
// CHECK-LABEL: func.func @numbers_of_units(
// CHECK-NOT: lstm.kernel
func.func @numbers_of_units(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %i = linalg.index 1 : index
      %j = arith.index_cast %i : index to i32
      %f = arith.sitofp %j : i32 to f32
      %y = arith.addf %a, %f : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a value of a row is not f32"
// CHECK-LABEL: func.func @doubles(
// CHECK-NOT: lstm.kernel
func.func @doubles(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  %w = memref.alloc(%n) : memref<?xf64>
  %d0 = arith.constant 0.0 : f64
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    linalg.fill ins(%d0 : f64) outs(%w : memref<?xf64>)
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%w : memref<?xf64>) {
    ^bb0(%e: f32, %a: f64):
      %d = arith.extf %e : f32 to f64
      %y = arith.addf %a, %d : f64
      linalg.yield %y : f64
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a value of a row is made of what it was before"
// CHECK-LABEL: func.func @sum_of_steps(
// CHECK-NOT: lstm.kernel
func.func @sum_of_steps(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index, %m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%m : memref<?xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a reduction combines by something else than a sum, a product, a maximum or a minimum"
// CHECK-LABEL: func.func @differences(
// CHECK-NOT: lstm.kernel
func.func @differences(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.subf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a reduction combines something else than what it was before"
// CHECK-LABEL: func.func @half_of_the_rest(
// CHECK-NOT: lstm.kernel
func.func @half_of_the_rest(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %b = arith.mulf %a, %e : f32
      %y = arith.addf %a, %b : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a reduction does not begin with a constant"
// CHECK-LABEL: func.func @goes_on(
// CHECK-NOT: lstm.kernel
func.func @goes_on(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: a reduction is over another number of units than a phase has"
// CHECK-LABEL: func.func @other_width(
// CHECK-NOT: lstm.kernel
func.func @other_width(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index, %x: memref<?x24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<?x24xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}

// REMARK: remark: [Missed] PlanKernels | Category:lstm-plan-kernels | Remark="libraries: an operation on rows reads what the loop writes at other places than its own"
// CHECK-LABEL: func.func @shifted(
// CHECK-NOT: lstm.kernel
func.func @shifted(%h: memref<?x40xf32>, %U: memref<40x1x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %init = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
  scf.for %t = %c0 to %T step %c1 {
    %part = memref.subview %z[1, 0] [%n, 40] [1, 1] : memref<?x40xf32> to memref<?x40xf32, strided<[40, 1], offset: 40>>
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    memref.copy %init, %s : memref<?xf32> to memref<?xf32>
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%part : memref<?x40xf32, strided<[40, 1], offset: 40>>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%e: f32, %m: f32, %old: f32):
      %y = arith.mulf %e, %m : f32
      lstm.yield %y : f32
    }
  }
  return
}
