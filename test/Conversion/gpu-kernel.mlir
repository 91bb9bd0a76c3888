// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --canonicalize --split-input-file | FileCheck %s
// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --split-input-file | lstm-opt --split-input-file -o /dev/null

// One plan for all numbers of rows: 3 blocks of 16 units, of which 4 warps multiply and 2 map.
// CHECK-LABEL: func.func @one(
// CHECK-SAME: %[[H:.*]]: memref<?x40xf32>, %{{.*}}: memref<?x40xf32>, %{{.*}}: memref<40x1x40xf32>, %[[T:.*]]: index)
// A slot for each step of a launch and the initial state, of 48 units in two planes.
// CHECK-DAG: %[[C96:.*]] = arith.constant 96 : index
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C192:.*]] = arith.constant 192 : index
// CHECK-DAG: %[[MISSING:.*]] = arith.constant -1 : i32
// CHECK: %[[ROWS:.*]] = memref.dim %{{.*}}, %c0
// CHECK: %[[STEPS:.*]] = arith.minui %[[T]], %[[C256]]
// CHECK: %[[SLOTS:.*]] = arith.addi %[[STEPS]], %c1
// CHECK: %[[ALL:.*]] = arith.muli %[[SLOTS]], %[[ROWS]]
// CHECK: %[[WORDS:.*]] = arith.muli %[[ALL]], %[[C96]]
// CHECK: memref.alloc(%[[WORDS]]) : memref<?xi32>
// A group of blocks has to be there at the same time.
// CHECK: %[[COUNT:.*]] = llvm.call @lstmCudaGetMultiprocessors()
// CHECK: %[[DEVICE:.*]] = arith.index_cast %[[COUNT]] : i64 to index
// Weights are loaded as pairs of f32.
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint
// CHECK: %[[REST:.*]] = arith.andi %[[ADDRESS]], %c7
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: %[[THERE:.*]] = arith.cmpi uge, %[[DEVICE]], %[[C3]]
// CHECK: %[[IS:.*]] = arith.andi %[[THERE]], %[[ALIGNED]]
// Then the driver is asked whether a block has place.
// CHECK: %[[HAS_PLACE:.*]] = scf.if %[[IS]] -> (i1) {
// CHECK: %[[ANSWER:.*]] = llvm.call @lstmCudaFits(%{{.*}}, %c192_i64, %c0_i64, %{{.*}}) {lstm.launched_kernel = [[KERNEL:distinct\[[0-9]+\]<>]]}
// CHECK: %[[YES:.*]] = arith.cmpi ne, %[[ANSWER]], %c0_i32 : i32
// CHECK: scf.yield %[[YES]] : i1
// CHECK: } else {
// CHECK: scf.yield %false : i1
// CHECK: }
// CHECK: scf.if %[[HAS_PLACE]] {
// Groups share out tiles of 8 rows; nothing is launched for no step.
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[ROWS]], %c8
// CHECK: %[[MOST:.*]] = arith.divui %[[DEVICE]], %[[C3]]
// CHECK: %[[SOME:.*]] = arith.minui %[[MOST]], %[[TILES]]
// CHECK: %[[GROUPS:.*]] = arith.maxui %[[SOME]], %c1
// CHECK: %[[PASSES:.*]] = arith.ceildivui %[[TILES]], %[[GROUPS]]
// CHECK: %[[BLOCKS:.*]] = arith.muli %{{.*}}, %[[C3]]
// CHECK: scf.for %[[BEGIN:.*]] = %c0 to %[[T]] step %[[C256]] {
// CHECK: %[[NEXT:.*]] = arith.addi %[[BEGIN]], %[[C256]]
// CHECK: %[[END:.*]] = arith.minui %[[NEXT]], %[[T]]
// CHECK: llvm.call @lstmCudaFill(%{{.*}}, %[[MISSING]], %{{.*}})
// CHECK: gpu.launch blocks(%[[X:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %[[BLOCKS]], %{{.*}} = %c1, %{{.*}} = %c1) threads({{.*}}) in (%{{.*}} = %[[C192]], {{.*}}) dynamic_shared_memory_size
// Warps that multiply: the weights stay in registers, as the nearest TF32 and the rest.
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK: llvm.inline_asm "cvt.rna.tf32.f32 $0, $1;"
// CHECK: arith.subf
// CHECK: llvm.inline_asm "cvt.rna.tf32.f32 $0, $1;"
// CHECK: %[[STEPS:.*]] = arith.subi %[[END]], %[[BEGIN]] : index
// CHECK: scf.for %{{.*}} = %c0 to %[[STEPS]] step %c1
// Nothing is asked for before the block itself has given its part.
// CHECK: nvvm.barrier id = %c5_i32
// CHECK: llvm.inline_asm has_side_effects "nanosleep.u32 100;"
// CHECK: scf.for
// CHECK: llvm.inline_asm has_side_effects "ld.relaxed.gpu.global.v4.b32 {$0, $1, $2, $3}, [$4];"
// Until no word of any lane is missing.
// CHECK: scf.while
// CHECK: arith.cmpi eq, %{{.*}}, %[[MISSING]]
// CHECK: vote.sync.any.pred
// CHECK: scf.condition
// CHECK: @p ld.relaxed.gpu.global.v4.b32
// CHECK: llvm.inline_asm "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};"
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK: "bar.arrive $0, {{[0-9]+}};", "r,~{memory}"
// Warps that map: they tell the others first; a word is never all ones.
// CHECK: } else {
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK-COUNT-2: "bar.arrive $0, {{[0-9]+}};"
// CHECK: "bar.arrive $0, {{[0-9]+}};", "r,~{memory}" %c5_i32
// CHECK: %[[STEPS:.*]] = arith.subi %[[END]], %[[BEGIN]] : index
// CHECK: scf.for %{{.*}} = %c0 to %[[STEPS]] step %c1
// CHECK: nvvm.barrier id
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: "bar.arrive $0, {{[0-9]+}};"
// CHECK: %[[Y:.*]] = math.tanh
// CHECK: llvm.store %[[Y]], %{{.*}} : f32, !llvm.ptr<1>
// CHECK: %[[IS_MISSING:.*]] = arith.cmpi eq, %[[WORD:.*]], %[[MISSING]]
// CHECK: %[[SAFE:.*]] = arith.select %[[IS_MISSING]], %c2147483647_i32, %[[WORD]]
// CHECK: llvm.store %[[SAFE]], %{{.*}} atomic syncscope("device") monotonic
// CHECK: gpu.terminator
// CHECK-NEXT: } {lstm.launched_kernel = [[KERNEL]], lstm.together}
// CHECK-NEXT: }
// Where the device is too small, the loop stays.
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[T]] step %c1 {
// CHECK-NEXT: lstm.phase
// CHECK-NOT: lstm.kernel
// CHECK: return
func.func @one(%h: memref<?x40xf32>, %g: memref<?x40xf32>, %U: memref<40x1x40xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%g : memref<?x40xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x40xf32>) outs(%h : memref<?x40xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
  return
}

// -----

// The number of rows chooses: up to 8 one kernel, up to 64 another one, above that libraries, for which nothing is
// exchanged.
// CHECK-LABEL: func.func @several(
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[ROWS:.*]] = memref.dim
// CHECK: %[[FEW:.*]] = arith.cmpi ule, %[[ROWS]], %[[C64]]
// CHECK: %[[WORDS:.*]] = arith.select %[[FEW]], %{{.*}}, %c0
// CHECK: memref.alloc(%[[WORDS]]) : memref<?xi32>
// CHECK: %[[DEVICE:.*]] = arith.index_cast
// CHECK: %[[ALL_THERE:.*]] = arith.cmpi uge, %[[DEVICE]], %c4
// CHECK: %[[ARE_THERE:.*]] = arith.andi %[[ALL_THERE]]
// CHECK: %[[UP_TO_8:.*]] = arith.cmpi ule, %[[ROWS]], %[[C8]]
// CHECK: %[[FIRST:.*]] = arith.andi %[[ARE_THERE]], %[[UP_TO_8]]
// CHECK: %[[FIRST_FITS:.*]] = scf.if %[[FIRST]] -> (i1) {
// CHECK: scf.if %[[FIRST_FITS]] {
// CHECK: gpu.launch
// CHECK: lstm.together}
// CHECK: } else {
// CHECK: %[[ALL_THERE2:.*]] = arith.cmpi uge, %[[DEVICE]], %c2
// CHECK: %[[ARE_THERE2:.*]] = arith.andi %[[ALL_THERE2]]
// CHECK: %[[ABOVE_8:.*]] = arith.cmpi ugt, %[[ROWS]], %[[C8]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[ARE_THERE2]], %[[ABOVE_8]]
// CHECK: %[[UP_TO_64:.*]] = arith.cmpi ule, %[[ROWS]], %[[C64]]
// CHECK: %[[SECOND:.*]] = arith.andi %[[BOTH]], %[[UP_TO_64]]
// CHECK: %[[SECOND_FITS:.*]] = scf.if %[[SECOND]] -> (i1) {
// CHECK: scf.if %[[SECOND_FITS]] {
// CHECK: gpu.launch
// CHECK: lstm.together}
// CHECK: } else {
// CHECK-NOT: gpu.launch
// CHECK: scf.for
// CHECK: lstm.phase
// CHECK: return
func.func @several(%h: memref<?x32xf32>, %g: memref<?x32xf32>, %U: memref<32x1x32xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x32xf32>, memref<32x1x32xf32>) outs(%g : memref<?x32xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x32xf32>) outs(%h : memref<?x32xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{max_rows = 8, unit_blocks = 4, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}, {max_rows = 64, unit_blocks = 2, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}, {}]}
  return
}

// -----

// Of rows that are known there is a static number of words to exchange, if there is one of steps. Halves are exchanged in
// pairs and multiplied as they are; exp, tanh and reciprocals come from the special function unit.
// CHECK-LABEL: func.func @halves(
// CHECK: memref.alloc() : memref<160xi32>
// CHECK: gpu.launch
// CHECK-COUNT-2: llvm.inline_asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: mma.sync
// CHECK-NOT: {{math.(exp|tanh)}}
// CHECK: ex2.approx.ftz.f32
// CHECK: rcp.approx.ftz.f32
// CHECK: gpu.shuffle
// CHECK: arith.select %{{.*}}, %c2147450879_i32
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic {alignment = 4 : i64} : i32
// CHECK: lstm.together}
func.func @halves(%h: memref<4x16xf16>, %g: memref<4x16xf16>, %U: memref<16x1x16xf16>) {
  %c0 = arith.constant 0 : index
  %T = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<4x16xf16>, memref<16x1x16xf16>) outs(%g : memref<4x16xf16>) {
    ^bb0(%z: f32, %old: f16):
      %s = math.tanh %z : f32
      %y = arith.truncf %s : f32 to f16
      lstm.yield %y : f16
    }
    lstm.phase ins(%g[r, u] : memref<4x16xf16>) outs(%h : memref<4x16xf16>) {
    ^bb0(%x: f16, %old: f16):
      lstm.yield %x : f16
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
  return
}

// -----

// Three products of bf16 parts, or one of TF32; two instructions each.
// CHECK-LABEL: func.func @bf16x3(
// CHECK-COUNT-6: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: mma.sync
// CHECK-LABEL: func.func @tf32(
// CHECK-COUNT-2: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-NOT: mma.sync
// CHECK: return
func.func @bf16x3(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "bf16x3"}]}
  return
}
func.func @tf32(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "tf32"}]}
  return
}

// -----

// Loops of one region, which run side by side, share out the multiprocessors.
// CHECK-LABEL: func.func @siblings(
// CHECK-COUNT-2: memref.alloc
// CHECK: %[[DEVICE:.*]] = arith.index_cast
// CHECK: arith.divui %[[DEVICE]], %c2
// CHECK: gpu.launch
// CHECK: arith.divui %{{.*}}, %c2
// CHECK: gpu.launch
func.func private @work()
func.func @siblings(%h: memref<4x16xf32>, %g: memref<4x16xf32>, %i: memref<4x16xf32>, %j: memref<4x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.execute_region {
    func.call @work() : () -> ()
    scf.for %t = %c0 to %T step %c1 {
      lstm.phase project(%h, %U : memref<4x16xf32>, memref<16x1x16xf32>) outs(%g : memref<4x16xf32>) {
      ^bb0(%z: f32, %old: f32):
        %y = math.tanh %z : f32
        lstm.yield %y : f32
      }
      lstm.phase ins(%g[r, u] : memref<4x16xf32>) outs(%h : memref<4x16xf32>) {
      ^bb0(%x: f32, %old: f32):
        lstm.yield %x : f32
      }
    } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
    scf.for %t = %c0 to %T step %c1 {
      lstm.phase project(%i, %U : memref<4x16xf32>, memref<16x1x16xf32>) outs(%j : memref<4x16xf32>) {
      ^bb0(%z: f32, %old: f32):
        %y = math.tanh %z : f32
        lstm.yield %y : f32
      }
      lstm.phase ins(%j[r, u] : memref<4x16xf32>) outs(%i : memref<4x16xf32>) {
      ^bb0(%x: f32, %old: f32):
        lstm.yield %x : f32
      }
    } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
    scf.yield
  }
  return
}

// -----

// What is known only in a branch is allocated there.
// CHECK-LABEL: func.func @branch(
// CHECK-NOT: memref.alloc
// CHECK: scf.if
// CHECK: %[[T:.*]] = memref.load
// CHECK: %[[STEPS:.*]] = arith.minui %[[T]], %c256
// CHECK: arith.addi %[[STEPS]], %c1
// CHECK: memref.alloc(
// CHECK: gpu.launch
func.func @branch(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %p: i1, %n: memref<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.if %p {
    %T = memref.load %n[] : memref<index>
    scf.for %t = %c0 to %T step %c1 {
      lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
      ^bb0(%z: f32, %old: f32):
        %y = math.tanh %z : f32
        lstm.yield %y : f32
      }
      lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
      ^bb0(%x: f32, %old: f32):
        lstm.yield %x : f32
      }
    } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
  }
  return
}

// -----

// A chunk of the steps: launches do these, and what is exchanged has its place before all chunks.
// CHECK-LABEL: func.func @chunk(
// CHECK-SAME: %[[T:[^:]*]]: index, %[[CHUNK:[^:]*]]: index
// CHECK: %[[STEPS:.*]] = arith.minui %[[T]], %c256
// CHECK: memref.alloc(%{{.*}}) : memref<?xi32>
// CHECK: scf.for %[[FIRST:.*]] = %c0 to %[[T]] step %[[CHUNK]] {
// CHECK: %[[LAST:.*]] = arith.minui %{{.*}}, %[[T]]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] step %c256 {
// CHECK: gpu.launch
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] step %c1 {
// CHECK-NEXT: lstm.phase
func.func @chunk(%T: index, %chunk: index, %h: memref<4x16xf32>, %g: memref<4x16xf32>, %U: memref<16x1x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %first = %c0 to %T step %chunk {
    %next = arith.addi %first, %chunk : index
    %end = arith.minui %next, %T : index
    scf.for %t = %first to %end step %c1 {
      lstm.phase project(%h, %U : memref<4x16xf32>, memref<16x1x16xf32>) outs(%g : memref<4x16xf32>) {
      ^bb0(%z: f32, %old: f32):
        lstm.yield %z : f32
      }
      lstm.phase ins(%g[r, u] : memref<4x16xf32>) outs(%h : memref<4x16xf32>) {
      ^bb0(%x: f32, %old: f32):
        lstm.yield %x : f32
      }
    } {lstm.kernel = [{unit_blocks = 1, row_tiles = 1, splits = 4, map_warps = 2, f32 = "exact"}]}
  }
  return
}

// -----
// Blocks of 24 units: a lane has three neighbours, which it loads one by one.
// CHECK-LABEL: func.func @three(
// CHECK-NOT: llvm.ptrtoint
// CHECK: gpu.launch
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
func.func @three(%h: memref<?x40xf32>, %g: memref<?x40xf32>, %U: memref<40x1x40xf32>, %T: index) {
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
  } {lstm.kernel = [{f32 = "exact", map_warps = 2 : i64, row_tiles = 1 : i64, splits = 4 : i64, unit_blocks = 2 : i64}]}
  return
}
// -----

// Without a kernel for any number of rows the loop stays and loses the attribute; without the attribute nothing happens.
// CHECK-LABEL: func.func @libraries(
// CHECK-NOT: {{lstm.kernel|memref.alloc|lstmCuda|gpu.launch|scf.if}}
// CHECK: scf.for
// CHECK: lstm.phase
// CHECK-LABEL: func.func @unmarked(
// CHECK-NOT: {{lstm.kernel|memref.alloc|lstmCuda|gpu.launch|scf.if}}
// CHECK: scf.for
// CHECK: lstm.phase
// CHECK-NOT: {{lstm.kernel|memref.alloc|lstmCuda|gpu.launch|scf.if}}
func.func @libraries(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  } {lstm.kernel = [{}]}
  return
}
func.func @unmarked(%h: memref<?x16xf32>, %g: memref<?x16xf32>, %U: memref<16x1x16xf32>, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    lstm.phase project(%h, %U : memref<?x16xf32>, memref<16x1x16xf32>) outs(%g : memref<?x16xf32>) {
    ^bb0(%z: f32, %old: f32):
      %y = math.tanh %z : f32
      lstm.yield %y : f32
    }
    lstm.phase ins(%g[r, u] : memref<?x16xf32>) outs(%h : memref<?x16xf32>) {
    ^bb0(%x: f32, %old: f32):
      lstm.yield %x : f32
    }
  }
  return
}
