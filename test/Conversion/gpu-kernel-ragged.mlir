// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --canonicalize --split-input-file | FileCheck %s
// RUN: lstm-opt %s --convert-lstm-to-gpu-kernel --split-input-file | lstm-opt --split-input-file -o /dev/null

// Blocks go on until their longest row has ended: its length is found by the lanes of each warp. Behind the end of a tile the output is
// zero, and the state gets its other place.
// CHECK-LABEL: func.func @forward(
// CHECK: gpu.launch
// CHECK: %[[OWN:.*]] = scf.for %{{.*}} step %c32 iter_args(%{{.*}} = %c0_i32) -> (i32) {
// CHECK: arith.maxsi
// CHECK: }
// CHECK: gpu.shuffle xor %[[OWN]], %c16_i32
// CHECK: gpu.shuffle xor %{{.*}}, %c1_i32
// CHECK: %[[ALL:.*]] = arith.maxsi
// CHECK: %[[SAME:.*]], %{{.*}} = gpu.shuffle idx %[[ALL]], %c0_i32, %c32_i32 : i32
// CHECK: %[[LONGEST:.*]] = arith.index_castui %[[SAME]] : i32 to index
// CHECK: %[[KNOWN:.*]] = arith.minui %[[LONGEST]], %[[T:.*]] : index
// CHECK: %[[LAST:.*]] = arith.minui %[[KNOWN]], %[[END:.*]] : index
// CHECK: %[[STOP:.*]] = arith.maxui %[[BEGIN:.*]], %[[LAST]] : index
// Warps that multiply.
// CHECK: %[[STEPS:.*]] = arith.subi %[[STOP]], %[[BEGIN]] : index
// CHECK: scf.for %{{.*}} = %c0 to %[[STEPS]] step %c1 iter_args(%{{.*}} = %c0, %[[BEHIND:.*]] = %{{.*}}, %[[ENDS:.*]] = %{{.*}}, %{{.*}} = %c0)
// Tiles at the end whose rows have ended are left out.
// CHECK: %[[LEFT:.*]]:2 = scf.while (%{{.*}} = %[[BEHIND]], %[[ITS_END:.*]] = %[[ENDS]])
// CHECK: arith.cmpi ule, %[[ITS_END]], %{{.*}} : index
// CHECK: } do {
// CHECK: arith.subi %{{.*}}, %c1
// CHECK: arith.maxsi
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[LEFT]]#0 step %c1
// CHECK: } else {
// Warps that map.
// CHECK: %[[STEPS:.*]] = arith.subi %[[STOP]], %[[BEGIN]] : index
// CHECK: scf.for %{{.*}} = %c0 to %[[STEPS]] step %c1
// CHECK: scf.while
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args(%[[BEFORE:.*]] = %c0) -> (index) {
// CHECK: arith.maxsi
// CHECK: %[[ENDED:.*]] = arith.maxui %[[BEFORE]], %{{.*}} : index
// CHECK: %[[KNOWN_END:.*]] = arith.minui %[[ENDED]], %[[END]] : index
// CHECK: %[[TILE_END:.*]] = arith.maxui %[[BEGIN]], %[[KNOWN_END]] : index
// CHECK: %[[REST:.*]] = arith.cmpi ult, %[[TILE_END]], %[[END]] : index
// CHECK: scf.if %[[REST]] {
// CHECK: %[[KEPT:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> f16
// CHECK: llvm.store %[[KEPT]], %{{.*}} : f16, !llvm.ptr<1>
// CHECK: scf.for %{{.*}} = %[[TILE_END]] to %[[END]] step %c1 {
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
// CHECK: gpu.terminator
#current = affine_map<(t) -> (t mod 2)>
#next = affine_map<(t) -> ((t + 1) mod 2)>
!state = memref<?x40xf16, strided<[40, 1], offset: ?>>
!out = memref<?x40xf32, strided<[40, 1], offset: ?>>
func.func @forward(%s: memref<2x?x40xf16>, %U: memref<40x1x40xf16>, %len: memref<?xi32>, %y: memref<?x?x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %yt = memref.subview %y[%t, 0, 0] [1, %n, 40] [1, 1, 1] : memref<?x?x40xf32> to !out
    %i = arith.index_cast %t : index to i32
    lstm.phase project(%h, %U : !state, memref<40x1x40xf16>) ins(%len[r], %i, %h[r, u] : memref<?xi32>, i32, !state) outs(%new, %yt : !state, !out) {
    ^bb0(%z: f32, %l: i32, %now: i32, %kept: f16, %old: f16, %old_y: f32):
      %zero = arith.constant 0.0 : f32
      %lives = arith.cmpi slt, %now, %l : i32
      %r = arith.truncf %z : f32 to f16
      %state = arith.select %lives, %r, %kept : f16
      %out = arith.select %lives, %z, %zero : f32
      lstm.yield %state, %out : f16, f32
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact"}]}
  return
}

// -----

// Time runs backwards: a row lives in the last steps. In a cluster no block sends anything if none has a row that lives.
// CHECK-LABEL: func.func @backward(
// CHECK: gpu.launch clusters
// CHECK: %[[LONGEST:.*]] = arith.index_castui %{{.*}} : i32 to index
// CHECK: %[[KNOWN:.*]] = arith.minui %[[LONGEST]], %[[T:.*]] : index
// CHECK: %[[ENDED:.*]] = arith.subi %[[T]], %[[KNOWN]] : index
// CHECK: %[[FIRST:.*]] = arith.minui %[[ENDED]], %[[T]] : index
// CHECK: %[[SOME:.*]] = arith.cmpi {{.*}}%[[FIRST]]
// CHECK: scf.if %[[SOME]] {
// CHECK: scf.for %{{.*}} = %c0 to %[[FIRST]] step %c1 {
// CHECK: %[[ANY:.*]] = arith.cmpi ult, %[[FIRST]], %[[T]] : index
// CHECK: scf.if %[[ANY]] {
// CHECK: st.async
// CHECK: %[[STEPS:.*]] = arith.subi %[[T]], %[[FIRST]] : index
// CHECK: scf.for %{{.*}} = %c0 to %[[STEPS]] step %c1 iter_args
// CHECK: mma.sync
// CHECK: "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
// CHECK-NOT: mma.sync
// CHECK: gpu.terminator
#current = affine_map<(t) -> (t mod 2)>
#next = affine_map<(t) -> ((t + 1) mod 2)>
#back = affine_map<(t)[s] -> (s - t - 1)>
!state = memref<?x40xf16, strided<[40, 1], offset: ?>>
!out = memref<?x40xf32, strided<[40, 1], offset: ?>>
func.func @backward(%s: memref<2x?x40xf16>, %U: memref<40x1x40xf16>, %len: memref<?xi32>, %y: memref<?x?x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %b = affine.apply #back(%t)[%T]
    %yt = memref.subview %y[%b, 0, 0] [1, %n, 40] [1, 1, 1] : memref<?x?x40xf32> to !out
    %i = arith.index_cast %b : index to i32
    lstm.phase project(%h, %U : !state, memref<40x1x40xf16>) ins(%len[r], %i, %h[r, u] : memref<?xi32>, i32, !state) outs(%new, %yt : !state, !out) {
    ^bb0(%z: f32, %l: i32, %now: i32, %kept: f16, %old: f16, %old_y: f32):
      %zero = arith.constant 0.0 : f32
      %lives = arith.cmpi slt, %now, %l : i32
      %r = arith.truncf %z : f32 to f16
      %state = arith.select %lives, %r, %kept : f16
      %out = arith.select %lives, %z, %zero : f32
      lstm.yield %state, %out : f16, f32
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 1, map_warps = 0, unit_warps = 2, f32 = "exact"}]}
  return
}

// -----

// An output that is not masked has to be computed in each step.
// CHECK-LABEL: func.func @unmasked(
// CHECK: gpu.launch
// CHECK-NOT: arith.maxsi
// CHECK: gpu.terminator
#current = affine_map<(t) -> (t mod 2)>
#next = affine_map<(t) -> ((t + 1) mod 2)>
!state = memref<?x40xf16, strided<[40, 1], offset: ?>>
!out = memref<?x40xf32, strided<[40, 1], offset: ?>>
func.func @unmasked(%s: memref<2x?x40xf16>, %U: memref<40x1x40xf16>, %len: memref<?xi32>, %y: memref<?x?x40xf32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %yt = memref.subview %y[%t, 0, 0] [1, %n, 40] [1, 1, 1] : memref<?x?x40xf32> to !out
    %i = arith.index_cast %t : index to i32
    lstm.phase project(%h, %U : !state, memref<40x1x40xf16>) ins(%len[r], %i, %h[r, u] : memref<?xi32>, i32, !state) outs(%new, %yt : !state, !out) {
    ^bb0(%z: f32, %l: i32, %now: i32, %kept: f16, %old: f16, %old_y: f32):
      %lives = arith.cmpi slt, %now, %l : i32
      %r = arith.truncf %z : f32 to f16
      %state = arith.select %lives, %r, %kept : f16
      lstm.yield %state, %z : f16, f32
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact"}]}
  return
}

// -----

// What an output repeats of a state has to be written in each step.
// CHECK-LABEL: func.func @repeated(
// CHECK: gpu.launch
// CHECK-NOT: arith.maxsi
// CHECK: gpu.terminator
#current = affine_map<(t) -> (t mod 2)>
#next = affine_map<(t) -> ((t + 1) mod 2)>
!state = memref<?x40xf16, strided<[40, 1], offset: ?>>
!out = memref<?x40xf16, strided<[40, 1], offset: ?>>
func.func @repeated(%s: memref<2x?x40xf16>, %U: memref<40x1x40xf16>, %len: memref<?xi32>, %y: memref<?x?x40xf16>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %yt = memref.subview %y[%t, 0, 0] [1, %n, 40] [1, 1, 1] : memref<?x?x40xf16> to !out
    %i = arith.index_cast %t : index to i32
    lstm.phase project(%h, %U : !state, memref<40x1x40xf16>) ins(%len[r], %i, %h[r, u] : memref<?xi32>, i32, !state) outs(%new, %yt : !state, !out) {
    ^bb0(%z: f32, %l: i32, %now: i32, %kept: f16, %old: f16, %old_y: f16):
      %lives = arith.cmpi slt, %now, %l : i32
      %r = arith.truncf %z : f32 to f16
      %state = arith.select %lives, %r, %kept : f16
      lstm.yield %state, %state : f16, f16
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact"}]}
  return
}

// -----

// So has a state of what a step makes anew, whether rows have ended or not.
// CHECK-LABEL: func.func @made_anew(
// CHECK: gpu.launch
// CHECK-NOT: arith.maxsi
// CHECK: gpu.terminator
#current = affine_map<(t) -> (t mod 2)>
#next = affine_map<(t) -> ((t + 1) mod 2)>
!state = memref<?x40xf16, strided<[40, 1], offset: ?>>
func.func @made_anew(%s: memref<2x?x40xf16>, %U: memref<40x1x40xf16>, %len: memref<?xi32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = memref.alloc(%n) : memref<?x40xf16>
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %i = arith.index_cast %t : index to i32
    lstm.phase project(%h, %U : !state, memref<40x1x40xf16>) outs(%own : memref<?x40xf16>) {
    ^bb0(%z: f32, %old: f16):
      %r = arith.truncf %z : f32 to f16
      lstm.yield %r : f16
    }
    lstm.phase ins(%len[r], %i, %own[r, u] : memref<?xi32>, i32, memref<?x40xf16>) outs(%new : !state) {
    ^bb0(%l: i32, %now: i32, %o: f16, %old: f16):
      %lives = arith.cmpi slt, %now, %l : i32
      %twice = arith.addf %o, %o : f16
      %state = arith.select %lives, %twice, %o : f16
      lstm.yield %state : f16
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact"}]}
  return
}

// -----

// Memory that steps of rows that live later begin with goes on changing.
// CHECK-LABEL: func.func @remembers(
// CHECK: gpu.launch
// CHECK-NOT: arith.maxsi
// CHECK: gpu.terminator
#current = affine_map<(t) -> (t mod 2)>
#next = affine_map<(t) -> ((t + 1) mod 2)>
!state = memref<?x40xf16, strided<[40, 1], offset: ?>>
func.func @remembers(%s: memref<2x?x40xf16>, %U: memref<40x1x40xf16>, %len: memref<?xi32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = memref.alloc(%n) : memref<?x40xf16>
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %i = arith.index_cast %t : index to i32
    lstm.phase project(%h, %U : !state, memref<40x1x40xf16>) ins(%own[r, u] : memref<?x40xf16>) outs(%own : memref<?x40xf16>) {
    ^bb0(%z: f32, %o: f16, %old: f16):
      %r = arith.truncf %z : f32 to f16
      %sum = arith.addf %o, %r : f16
      lstm.yield %sum : f16
    }
    lstm.phase ins(%len[r], %i, %h[r, u], %own[r, u] : memref<?xi32>, i32, !state, memref<?x40xf16>) outs(%new : !state) {
    ^bb0(%l: i32, %now: i32, %kept: f16, %o: f16, %old: f16):
      %lives = arith.cmpi slt, %now, %l : i32
      %state = arith.select %lives, %o, %kept : f16
      lstm.yield %state : f16
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact"}]}
  return
}

// -----

// Layers, of which one waits for the other: blocks of both skip the same steps, in each of several kernels, although those
// emitted before use the memory of what the loop has for itself.
// CHECK-LABEL: func.func @layers(
// CHECK: gpu.launch
// CHECK: gpu.shuffle xor %{{.*}}, %c16_i32
// CHECK: arith.maxsi
// CHECK: mma.sync
// CHECK: } else {
// CHECK: gpu.shuffle xor %{{.*}}, %c16_i32
// CHECK: arith.maxsi
// CHECK: mma.sync
// CHECK: gpu.terminator
// CHECK: gpu.launch
// CHECK: gpu.shuffle xor %{{.*}}, %c16_i32
// CHECK: arith.maxsi
// CHECK: mma.sync
// CHECK: } else {
// CHECK: gpu.shuffle xor %{{.*}}, %c16_i32
// CHECK: arith.maxsi
// CHECK: mma.sync
// CHECK: gpu.terminator
#current = affine_map<(t) -> (t mod 2)>
#next = affine_map<(t) -> ((t + 1) mod 2)>
!state = memref<?x40xf16, strided<[40, 1], offset: ?>>
func.func @layers(%s: memref<2x?x40xf16>, %g: memref<?x40xf16>, %U: memref<40x1x40xf16>, %V: memref<40x1x40xf16>, %W: memref<40x1x40xf16>, %len: memref<?xi32>, %n: index, %T: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = memref.alloc(%n) : memref<?x40xf32>
  scf.for %t = %c0 to %T step %c1 {
    %p = affine.apply #current(%t)
    %h = memref.subview %s[%p, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %q = affine.apply #next(%t)
    %new = memref.subview %s[%q, 0, 0] [1, %n, 40] [1, 1, 1] : memref<2x?x40xf16> to !state
    %i = arith.index_cast %t : index to i32
    lstm.phase project(%h, %U : !state, memref<40x1x40xf16>) ins(%len[r], %i, %h[r, u] : memref<?xi32>, i32, !state) outs(%new : !state) {
    ^bb0(%z: f32, %l: i32, %now: i32, %kept: f16, %old: f16):
      %lives = arith.cmpi slt, %now, %l : i32
      %r = arith.truncf %z : f32 to f16
      %state = arith.select %lives, %r, %kept : f16
      lstm.yield %state : f16
    }
    lstm.phase project(%g, %V : memref<?x40xf16>, memref<40x1x40xf16>) outs(%own : memref<?x40xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.phase project(%new, %W : !state, memref<40x1x40xf16>) ins(%len[r], %i, %own[r, u] : memref<?xi32>, i32, memref<?x40xf32>) outs(%g : memref<?x40xf16>) {
    ^bb0(%z: f32, %l: i32, %now: i32, %o: f32, %old: f16):
      %lives = arith.cmpi slt, %now, %l : i32
      %sum = arith.addf %z, %o : f32
      %r = arith.truncf %sum : f32 to f16
      %state = arith.select %lives, %r, %old : f16
      lstm.yield %state : f16
    }
  } {lstm.kernel = [{unit_blocks = 3, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact", max_rows = 64},
                    {unit_blocks = 5, row_tiles = 1, splits = 4, map_warps = 4, f32 = "exact"}]}
  memref.dealloc %own : memref<?x40xf32>
  return
}
