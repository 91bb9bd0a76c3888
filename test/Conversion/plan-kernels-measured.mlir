// Plans from a file, by the recurrence and the number of rows; the model chooses for what it does not have.
// RUN: split-file %s %t
// RUN: lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/plans.json f32-mode=bf16x3" | FileCheck %s
// RUN: lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/plans.json f32-mode=bf16x3" --remarks-filter=lstm-plan-kernels 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK
// CHECK-LABEL: func.func @rows(
// CHECK: {lstm.kernel = [{f32 = "bf16x3", map_warps = 2 : i64, max_rows = 16 : i64, row_tiles = 2 : i64, splits = 4 : i64, unit_blocks = 5 : i64}, {}]}
// CHECK-LABEL: func.func @known_rows(
// CHECK: {lstm.kernel = [{}]}
// CHECK-LABEL: func.func @other_type(
// CHECK: {lstm.kernel = [{f32 = "bf16x3", {{.*}}]}
// REMARK: Remark="up to 16 rows: one kernel, groups of 5 blocks, tiles of 16 rows, 4 + 2 warps, chosen by measuring: 12.5 us a call with 16 rows; more than 16 rows: libraries, chosen by measuring: 80.0 us a call with 256 rows"
// REMARK: [Missed] {{.*}}Remark="libraries, chosen by measuring: 80.0 us a call with 256 rows"
// REMARK: Remark="{{.*}}us a step with {{[0-9]+}} rows, most of it

// Another mode of f32, another chip: nothing was measured.
// RUN: lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/plans.json" --remarks-filter=lstm-plan-kernels 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=OTHER --implicit-check-not=measuring
// RUN: lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/plans.json f32-mode=bf16x3 chips=sm_80" --remarks-filter=lstm-plan-kernels 2>&1 \
// RUN:   >/dev/null | FileCheck %s --check-prefix=OTHER --implicit-check-not=measuring
// OTHER: most of it

// A plan of the option goes before.
// RUN: lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/plans.json f32-mode=bf16x3 plan=3,1,4,4" | FileCheck %s --check-prefix=GIVEN
// GIVEN: unit_blocks = 3 : i64}]}

// Plans to measure: those predicted to be the fastest, and libraries.
// RUN: lstm-opt %t/ir.mlir --lstm-plan-kernels="candidates-file=%t/candidates.json count=2" -o /dev/null
// RUN: FileCheck %s --check-prefix=CANDIDATES --input-file=%t/candidates.json
// CANDIDATES: "sm_90: 40 units of 40x1xbf16; 40 units": [
// CANDIDATES: "sm_90: 40 units of 40x1xf32; 40 units; f32 by exact": [
// CANDIDATES-NEXT: {
// CANDIDATES-NEXT: "unit_blocks": {{[1-9]+}},
// CANDIDATES-NEXT: "row_tiles": {{[1-9]+}},
// CANDIDATES-NEXT: "splits": {{[1-9]+}},
// CANDIDATES-NEXT: "unit_warps": {{[1-9]+}},
// CANDIDATES-NEXT: "single_rows": 1
// CANDIDATES-NEXT: },
// CANDIDATES: {}
// CANDIDATES-NEXT: ]

// What is wrong with a file.
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/none.json" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels="candidates-file=%t/none/candidates.json" 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels=count=0 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: echo '{"recurrences": {' > %t/bad.json
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/bad.json" 2>&1 | FileCheck %s --check-prefix=PARSE
// RUN: echo '[]' > %t/bad.json
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/bad.json" 2>&1 | FileCheck %s --check-prefix=ARRAY
// RUN: echo '{"recurrences": {"a": []}}' > %t/bad.json
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/bad.json" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: sed 's/"splits": 4/"splits": 0/' %t/plans.json > %t/bad.json
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/bad.json" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: sed 's/"splits": 4/"spilts": 4/' %t/plans.json > %t/bad.json
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/bad.json" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: sed 's/"max_rows": 16, //' %t/plans.json > %t/bad.json
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/bad.json" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: sed 's/"rows": 256/"rows": 256, "max_rows": 256/' %t/plans.json > %t/bad.json
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/bad.json" 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: sed 's/, "microseconds": 80/, "microseconds": "80"/' %t/plans.json > %t/bad.json
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/bad.json" 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: sed 's/"splits": 4/"splits": 4, "single_rows": 2/' %t/plans.json > %t/bad.json
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/bad.json" 2>&1 | FileCheck %s --check-prefix=SINGLE
// RUN: sed 's/"splits": 4/"splits": 32/' %t/plans.json > %t/bad.json
// RUN: not lstm-opt %t/ir.mlir --lstm-plan-kernels="plans-file=%t/bad.json f32-mode=bf16x3" 2>&1 | FileCheck %s --check-prefix=FIT
// NONE: error: lstm-plan-kernels: '{{.*}}none.json': No such file or directory
// NOWHERE: error: lstm-plan-kernels: '{{.*}}none/candidates.json': No such file or directory
// COUNT: error: lstm-plan-kernels: expects count to be positive, but got 0
// SINGLE: error: lstm-plan-kernels: '{{.*}}bad.json': expects 'unit_blocks', 'row_tiles', 'splits', 'map_warps' or 'unit_warps', 'single_rows' of 1 or, as with warp groups, none, and 'per_step' of 1 or, with 'unit_warps', none at plans.recurrences
// PARSE: error: lstm-plan-kernels: '{{.*}}bad.json': [2:0, byte=18]: {{.+}}
// ARRAY: error: lstm-plan-kernels: '{{.*}}bad.json': expects an object at plans.recurrences
// EMPTY: error: lstm-plan-kernels: '{{.*}}bad.json': expects an array of plans at plans.recurrences.a
// ZERO: error: lstm-plan-kernels: '{{.*}}bad.json': expects a positive integer at plans.recurrences.{{.*}}[0].splits
// NAME: error: lstm-plan-kernels: '{{.*}}bad.json': unknown name at plans.recurrences.{{.*}}[0].spilts
// ROWS: error: lstm-plan-kernels: '{{.*}}bad.json': expects a positive integer at plans.recurrences.{{.*}}[0].max_rows
// LAST: error: lstm-plan-kernels: '{{.*}}bad.json': the last plan is for all numbers of rows that are more at plans.recurrences.{{.*}}[1].max_rows
// TIME: error: lstm-plan-kernels: '{{.*}}bad.json': expects a number at plans.recurrences.{{.*}}[1].microseconds
// FIT: ir.mlir:{{.*}}: error: lstm-plan-kernels: plan [5, 2, 32, 2] takes 1088 threads

//--- plans.json
{"gpu": "any", "recurrences": {"sm_90: 40 units of 40x1xf32; 40 units; f32 by bf16x3": [
  {"max_rows": 16, "unit_blocks": 5, "row_tiles": 2, "splits": 4, "map_warps": 2, "rows": 16, "microseconds": 12.5},
  {"rows": 256, "microseconds": 80}]}}
//--- ir.mlir
func.func @rows(%h: memref<?x40xf32>, %g: memref<?x40xf32>, %U: memref<40x1x40xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%g : memref<?x40xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x40xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

func.func @known_rows(%h: memref<17x40xf32>, %g: memref<17x40xf32>, %U: memref<40x1x40xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<17x40xf32>, memref<40x1x40xf32>) outs(%g : memref<17x40xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase ins(%g[r, u] : memref<17x40xf32>) outs(%h : memref<17x40xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}

func.func @other_type(%h: memref<?x40xbf16>, %g: memref<?x40xbf16>, %U: memref<40x1x40xbf16>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xbf16>, memref<40x1x40xbf16>) outs(%g : memref<?x40xbf16>) {
    ^bb0(%z: f32, %old: bf16):
      %t16 = arith.truncf %z : f32 to bf16
      lstm.yield %t16 : bf16
    }
    lstm.phase ins(%g[r, u] : memref<?x40xbf16>) outs(%h : memref<?x40xbf16>) {
    ^bb0(%x: bf16, %old: bf16):
      lstm.yield %x : bf16
    }
  }
  return
}
