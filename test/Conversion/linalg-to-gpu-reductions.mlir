// RUN: lstm-opt %s --convert-linalg-to-gpu --canonicalize --cse --mlir-print-local-scope | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>

// A warp for each point: its lanes take turns, with four parts under way at the same time and then one, exchange what they
// have in five steps, and the first one adds to what stood there.
// CHECK-LABEL: func.func @sum(
// CHECK-DAG: %[[WARP:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[NEUTRAL:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[ROWS:.*]] = memref.dim %{{.*}}, %[[C0]]
// CHECK: %[[WIDTH:.*]] = memref.dim %{{.*}}, %[[C1]]
// CHECK: arith.muli %[[ROWS]], %[[WARP]]
// CHECK: gpu.launch
// CHECK: %[[LANE:.*]] = arith.remui %[[ID:.*]], %[[WARP]]
// CHECK: %[[ROW:.*]] = arith.divui %[[ID]], %[[WARP]]
// CHECK: %[[MOST:.*]] = arith.maxui %[[WIDTH]], %c96
// CHECK: %[[END:.*]] = arith.subi %[[MOST]], %c96
// CHECK: %[[BEGIN:.*]] = arith.minui %[[LANE]], %[[END]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK: %[[COUNT:.*]] = arith.ceildivui %[[LEFT]], %c128
// CHECK: %[[DONE:.*]] = arith.muli %[[COUNT]], %c128
// CHECK: %[[NEXT:.*]] = arith.addi %[[LANE]], %[[DONE]]
// CHECK: %[[PARTS:.*]]:4 = scf.for %[[I:.*]] = %[[LANE]] to %[[END]] step %c128 iter_args(%{{.*}} = %[[NEUTRAL]], %{{.*}} = %[[NEUTRAL]], %{{.*}} = %[[NEUTRAL]], %{{.*}} = %[[NEUTRAL]])
// CHECK: arith.addi %[[I]], %[[WARP]]
// CHECK: arith.addi %[[I]], %c64
// CHECK: arith.addi %[[I]], %c96
// CHECK: }
// CHECK: arith.addf %[[PARTS]]#0, %[[PARTS]]#1
// CHECK: arith.addf %{{.*}}, %[[PARTS]]#2
// CHECK: %[[FOUR:.*]] = arith.addf %{{.*}}, %[[PARTS]]#3
// CHECK: %[[PART:.*]] = scf.for %{{.*}} = %[[NEXT]] to %[[WIDTH]] step %[[WARP]] iter_args(%{{.*}} = %[[FOUR]]) -> (f32) {
// CHECK: }
// CHECK: %[[BITS:.*]] = arith.bitcast %[[PART]] : f32 to i32
// CHECK: gpu.shuffle xor %[[BITS]], %c16_i32, %c32_i32 : i32
// CHECK: gpu.shuffle xor %{{.*}}, %c8_i32, %c32_i32 : i32
// CHECK: gpu.shuffle xor %{{.*}}, %c4_i32, %c32_i32 : i32
// CHECK: gpu.shuffle xor %{{.*}}, %c2_i32, %c32_i32 : i32
// CHECK: gpu.shuffle xor %{{.*}}, %c1_i32, %c32_i32 : i32
// CHECK-NOT: gpu.shuffle
// CHECK: %[[TOTAL:.*]] = arith.addf
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %[[C0]]
// CHECK: scf.if %[[FIRST]] {
// CHECK: %[[OLD:.*]] = llvm.load
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %[[TOTAL]]
// CHECK: llvm.store %[[NEW]]
func.func @sum(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %n = arith.addf %s, %a : f32
    linalg.yield %n : f32
  }
  return
}

// Several at once. Shuffles move 32 bits: less is widened, more goes in halves.
// CHECK-LABEL: func.func @types(
// CHECK-DAG: %[[MINUS_INF:.*]] = arith.constant 0xFFF0000000000000 : f64
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f16
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]], %{{.*}} = %[[MINUS_INF]], %{{.*}} = %c0, %{{.*}} = %[[ZERO]], %{{.*}} = %[[MINUS_INF]], %{{.*}} = %c0,
// CHECK: }
// CHECK: %[[PARTS:.*]]:3 = scf.for {{.*}} -> (f16, f64, index)
// CHECK: }
// CHECK: %[[H:.*]] = arith.bitcast %[[PARTS]]#0 : f16 to i16
// CHECK: %[[WIDE:.*]] = arith.extui %[[H]] : i16 to i32
// CHECK: %[[R:.*]], %{{.*}} = gpu.shuffle xor %[[WIDE]],
// CHECK: arith.trunci %[[R]] : i32 to i16
// CHECK: %[[D:.*]] = arith.bitcast %[[PARTS]]#1 : f64 to i64
// CHECK: %[[LOW:.*]] = arith.trunci %[[D]] : i64 to i32
// CHECK: %[[LOWS:.*]], %{{.*}} = gpu.shuffle xor %[[LOW]],
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[D]], %c32_i64
// CHECK: %[[HIGH:.*]] = arith.trunci %[[SHIFTED]] : i64 to i32
// CHECK: %[[HIGHS:.*]], %{{.*}} = gpu.shuffle xor %[[HIGH]],
// CHECK: %[[L:.*]] = arith.extui %[[LOWS]] : i32 to i64
// CHECK: %[[U:.*]] = arith.extui %[[HIGHS]] : i32 to i64
// CHECK: %[[UP:.*]] = arith.shli %[[U]], %c32_i64
// CHECK: %[[WORD:.*]] = arith.ori %[[L]], %[[UP]]
// CHECK: %[[OTHER:.*]] = arith.bitcast %[[WORD]] : i64 to f64
// CHECK: arith.maximumf %[[PARTS]]#1, %[[OTHER]]
// CHECK: arith.index_cast %[[PARTS]]#2 : index to i64
// CHECK: gpu.shuffle
// CHECK: gpu.shuffle
// CHECK: arith.addi %[[PARTS]]#2,
func.func @types(%x: memref<4x64xf16>, %d: memref<4x64xf64>, %n: memref<4x64xindex>,
                 %a: memref<4xf16>, %b: memref<4xf64>, %c: memref<4xindex>) {
  linalg.generic {indexing_maps = [#id2, #id2, #id2, #row, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %d, %n : memref<4x64xf16>, memref<4x64xf64>, memref<4x64xindex>)
      outs(%a, %b, %c : memref<4xf16>, memref<4xf64>, memref<4xindex>) {
  ^bb0(%p: f16, %q: f64, %r: index, %s: f16, %t: f64, %u: index):
    %1 = arith.addf %s, %p : f16
    %2 = arith.maximumf %t, %q : f64
    %3 = arith.addi %u, %r : index
    linalg.yield %1, %2, %3 : f16, f64, index
  }
  return
}

// To rank 0, over two loops: one warp.
// CHECK-LABEL: func.func @total(
// CHECK: arith.cmpi ult, %{{.*}}, %c32
// CHECK: %[[COUNT:.*]] = arith.muli %{{.*}}, %[[WIDTH:.*]] : index
// CHECK: scf.for %[[N:.*]] = %{{.*}} to %[[COUNT]] step %c32
// CHECK: arith.remui %[[N]], %[[WIDTH]]
// CHECK: arith.divui %[[N]], %[[WIDTH]]
func.func @total(%x: memref<?x?xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %s: f32):
    %n = arith.addf %s, %a : f32
    linalg.yield %n : f32
  }
  return
}

// Parts of an argmax do not combine by one operation: one thread, in order.
// CHECK-LABEL: func.func @argmax(
// CHECK-NOT: gpu.shuffle
// CHECK: %[[M:.*]] = llvm.load
// CHECK: %[[WORD:.*]] = llvm.load %{{.*}} -> i64
// CHECK: %[[AT:.*]] = arith.index_cast %[[WORD]] : i64 to index
// CHECK: %[[R:.*]]:2 = scf.for %[[J:.*]] = %c0 to %c8 step %c1 iter_args(%{{.*}} = %[[M]], %{{.*}} = %[[AT]]) -> (f32, index) {
// CHECK: %[[INNER:.*]]:2 = scf.for
// CHECK: arith.cmpf ogt
// CHECK: scf.yield
// CHECK: scf.yield %[[INNER]]#0, %[[INNER]]#1
// CHECK: llvm.store %[[R]]#0
// CHECK: %[[RAT:.*]] = arith.index_cast %[[R]]#1 : index to i64
// CHECK: llvm.store %[[RAT]]
func.func @argmax(%x: memref<?x8x?xf32>, %y: memref<?xf32>, %z: memref<?xindex>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (i)>],
                  iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : memref<?x8x?xf32>) outs(%y, %z : memref<?xf32>, memref<?xindex>) {
  ^bb0(%a: f32, %m: f32, %at: index):
    %j = linalg.index 1 : index
    %more = arith.cmpf ogt, %a, %m : f32
    %n = arith.select %more, %a, %m : f32
    %k = arith.select %more, %j, %at : index
    linalg.yield %n, %k : f32, index
  }
  return
}

// An output with a place for each iteration, beside a sum: written in the loop.
// CHECK-LABEL: func.func @running(
// CHECK-NOT: gpu.shuffle
// CHECK: scf.for %[[J:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK: %[[S:.*]] = llvm.load
// CHECK: %[[A:.*]] = llvm.load
// CHECK: %[[N:.*]] = arith.addf %[[S]], %[[A]]
// CHECK-DAG: llvm.store %[[N]], %{{.*}}
// CHECK-DAG: llvm.store %[[N]], %{{.*}}
// CHECK: }
func.func @running(%x: memref<?x?xf32>, %each: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#id2, #id2, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%each, %y : memref<?x?xf32>, memref<?xf32>) {
  ^bb0(%a: f32, %old: f32, %s: f32):
    %n = arith.addf %s, %a : f32
    linalg.yield %n, %n : f32, f32
  }
  return
}
