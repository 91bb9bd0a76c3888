// RUN: lstm-opt %s --lstm-plan-kernels=always --remarks-filter=lstm-plan-kernels --split-input-file -o /dev/null 2>&1 | FileCheck %s
// RUN: not lstm-opt %s --lstm-plan-kernels=plan=3,1,2,2,1 --remarks-filter=lstm-plan-kernels --split-input-file -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GIVEN
// RUN: not lstm-opt %s --lstm-plan-kernels=plan=1,1,2,8,1 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=PAIRS
// RUN: lstm-opt %s --lstm-plan-kernels="always candidates-file=%t.json" --split-input-file -o /dev/null
// RUN: FileCheck %s --check-prefix=FILE --input-file %t.json

// Where rows are reduced before anything is projected, no block knows that all others have read the partial folds of two
// steps before.
// CHECK: a kernel a step, groups of
// CHECK-NOT: clusters
// GIVEN: error: lstm-plan-kernels: plan [3, 1, 2, 2, 1] is for a cluster, but a phase projects what an earlier one has written over, or rows are reduced before anything is projected

#ru = affine_map<(r, u) -> (r, u)>
#r = affine_map<(r, u) -> (r)>
func.func @before(%h: memref<?x40xf16>, %z: memref<?x40xf32>, %U: memref<40x1x40xf16>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc(%n) : memref<?xf32>
  scf.for %t = %c0 to %T step %c1 {
    linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase project(%h, %U : memref<?x40xf16>, memref<40x1x40xf16>) ins(%s[r] : memref<?xf32>)
        outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %m: f32, %old: f32):
      %y = arith.mulf %p, %m : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%z[r, u] : memref<?x40xf32>) outs(%h : memref<?x40xf16>) {
    ^bb0(%e: f32, %old: f16):
      %g = arith.truncf %e : f32 to f16
      lstm.yield %g : f16
    }
  }
  return
}

// -----

// Of what is projected before, blocks of a cluster exchange partial folds. The recurrence is not known by its weights
// alone.
// CHECK: one kernel, clusters of 2 blocks
// PAIRS: error: lstm-plan-kernels: plan [1, 1, 2, 8, 1] is not for this recurrence: in a cluster up to 15 pairs of warps share out sums, 7 where rows are reduced
// GIVEN: one kernel, clusters of 3 blocks, tiles of 8 rows, 2 x 2 warps
// FILE: sm_90: 40 units of 40x1xf16; 40 units; row values: 1
// FILE: unit_warps

#ru = affine_map<(r, u) -> (r, u)>
#r = affine_map<(r, u) -> (r)>
func.func @sum(%h: memref<?x40xf16>, %U: memref<40x1x40xf16>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = memref.alloc(%n) : memref<?x40xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf16>, memref<40x1x40xf16>) outs(%z : memref<?x40xf32>) {
    ^bb0(%p: f32, %old: f32):
      lstm.yield %p : f32
    }
    linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
    linalg.generic {indexing_maps = [#ru, #r], iterator_types = ["parallel", "reduction"]}
        ins(%z : memref<?x40xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%e: f32, %a: f32):
      %y = arith.addf %a, %e : f32
      linalg.yield %y : f32
    }
    lstm.phase ins(%z[r, u], %s[r] : memref<?x40xf32>, memref<?xf32>) outs(%h : memref<?x40xf16>) {
    ^bb0(%e: f32, %m: f32, %old: f16):
      %y = arith.mulf %e, %m : f32
      %g = arith.truncf %y : f32 to f16
      lstm.yield %g : f16
    }
  }
  return
}
