// One-shot bufferization of phases and scans: everything in the buffer that it was given.
// DEFINE: %{buffers} = one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},canonicalize,cse,canonicalize
// RUN: lstm-opt %s --pass-pipeline="builtin.module(%{buffers})" --split-input-file | FileCheck %s

// The functions' arguments are the buffers: no allocation and no copy. What is not read is not written first.
// CHECK-LABEL: func @phase
// CHECK-SAME: (%[[H:.*]]: memref<?x8xf32>, %[[U:.*]]: memref<8x2x8xf32>, %[[P:.*]]: memref<?x2x8xf32>, %[[T:.*]]: i32, %[[C:.*]]: memref<?x8xf32>, %[[TO:.*]]: memref<?x8xf32>)
// CHECK-NEXT: lstm.phase project(%[[H]], %[[U]] : memref<?x8xf32>, memref<8x2x8xf32>) ins(%[[P]][r, g, u], %[[T]] : memref<?x2x8xf32>, i32) outs(%[[C]], %[[TO]] : memref<?x8xf32>, memref<?x8xf32>) attributes {note = "kept"} {
// CHECK-NOT: memref.
// CHECK: return %[[C]], %[[TO]]
func.func @phase(%h: tensor<?x8xf32>, %U: tensor<8x2x8xf32>, %p: tensor<?x2x8xf32>, %t: i32, %c: tensor<?x8xf32>, %to: tensor<?x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %r:2 = lstm.phase project(%h, %U : tensor<?x8xf32>, tensor<8x2x8xf32>) ins(%p[r, g, u], %t : tensor<?x2x8xf32>, i32)
      outs(%c, %to : tensor<?x8xf32>, tensor<?x8xf32>) attributes {note = "kept"} {
  ^bb0(%z0: f32, %z1: f32, %p0: f32, %p1: f32, %k: i32, %c_old: f32, %to_old: f32):
    %s = arith.sitofp %k : i32 to f32
    %0 = arith.addf %z0, %p0 : f32
    %1 = arith.mulf %0, %c_old : f32
    %2 = arith.mulf %z1, %s : f32
    lstm.yield %1, %2 : f32, f32
  }
  return %r#0, %r#1 : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// A state may not be overwritten by the phase that projects it.
// CHECK-LABEL: func @projected_in_place
// CHECK-SAME: (%[[H:.*]]: memref<8x8xf32>, %{{.*}}: memref<8x1x8xf32>)
// CHECK: %[[TO:.*]] = memref.alloc()
// CHECK-NOT: memref.copy
// CHECK: lstm.phase project(%[[H]], {{.*}} outs(%[[TO]] :
// CHECK: return %[[TO]]
func.func @projected_in_place(%h: tensor<8x8xf32>, %U: tensor<8x1x8xf32>) -> tensor<8x8xf32> {
  %r = lstm.phase project(%h, %U : tensor<8x8xf32>, tensor<8x1x8xf32>) outs(%h : tensor<8x8xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return %r : tensor<8x8xf32>
}

// -----

// Elementwise it may be, also before canonicalization made it an output only.
// CHECK-LABEL: func @elementwise_in_place
// CHECK-NOT: memref.{{alloc|copy}}
// CHECK: lstm.phase outs(%arg0 : memref<8x8xf32>)
func.func @elementwise_in_place(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = lstm.phase ins(%c[r, u] : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) {
  ^bb0(%x: f32, %old: f32):
    %y = math.tanh %x : f32
    lstm.yield %y : f32
  }
  return %r : tensor<8x8xf32>
}

// -----

// Across rows, gates or units it may not.
// CHECK-LABEL: func @transposed_in_place
// CHECK: %[[TO:.*]] = memref.alloc()
// CHECK: lstm.phase ins(%arg0[g, u] : memref<8x8xf32>) outs(%[[TO]] : memref<8x8xf32>)
func.func @transposed_in_place(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = lstm.phase ins(%c[g, u] : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32, %3: f32, %4: f32, %5: f32, %6: f32, %7: f32, %old: f32):
    lstm.yield %3 : f32
  }
  return %r : tensor<8x8xf32>
}

// -----

// Two outputs never share a buffer, whether they are read or not.
// CHECK-LABEL: func @equal_outputs
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK-NOT: memref.copy
// CHECK: lstm.phase ins({{.*}}) outs(%[[A]], %[[B]] :
// CHECK: memref.copy %[[C:.*]], %[[D:.*]] :
// CHECK: lstm.phase outs(%[[C]], %[[D]] :
func.func @equal_outputs(%x: tensor<4x8xf32>, %c: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %r:2 = lstm.phase ins(%x[r, u] : tensor<4x8xf32>) outs(%e, %e : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%a: f32, %o0: f32, %o1: f32):
    %y = arith.negf %a : f32
    lstm.yield %a, %y : f32, f32
  }
  %s:2 = lstm.phase outs(%c, %c : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%o0: f32, %o1: f32):
    %y = arith.negf %o0 : f32
    %z = math.exp %o1 : f32
    lstm.yield %z, %y : f32, f32
  }
  return %r#0, %r#1, %s#0, %s#1 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A scan bufferizes to itself: h in two slots, c in place, an output, a sequence that runs backwards.
// CHECK-LABEL: func @scan
// CHECK-SAME: (%[[T:.*]]: index, %[[XS:.*]]: memref<?x?x4x8xf32>, %[[U:.*]]: memref<8x4x8xf32>, %[[HH:.*]]: memref<2x?x8xf32>, %[[C:.*]]: memref<?x8xf32>, %[[YS:.*]]: memref<?x?x8xf32>)
// CHECK-NEXT: lstm.scan %t to %[[T]] over(reverse %x = %[[XS]] : memref<?x?x4x8xf32>) states(%h -> %to = %[[HH]], %c = %[[C]] : memref<2x?x8xf32>, memref<?x8xf32>) outs(%y = %[[YS]] : memref<?x?x8xf32>) attributes {note = "kept"} {
// CHECK-NEXT: lstm.phase project(%h, %[[U]] : memref<?x8xf32, strided<[8, 1], offset: ?>>, memref<8x4x8xf32>)
// CHECK-SAME: ins(%x[r, g, u] : memref<?x4x8xf32, strided<[32, 8, 1], offset: ?>>)
// CHECK-SAME: outs(%to, %c, %y : memref<?x8xf32, strided<[8, 1], offset: ?>>, memref<?x8xf32>, memref<?x8xf32, strided<[8, 1], offset: ?>>)
// CHECK-NOT: memref.
// CHECK: lstm.yield{{$}}
// CHECK-NEXT: }
// CHECK-NEXT: return %[[HH]], %[[C]], %[[YS]]
func.func @scan(%T: index, %xs: tensor<?x?x4x8xf32>, %U: tensor<8x4x8xf32>, %hh: tensor<2x?x8xf32>, %c0: tensor<?x8xf32>,
                %ys: tensor<?x?x8xf32>) -> (tensor<2x?x8xf32>, tensor<?x8xf32>, tensor<?x?x8xf32>) {
  %r:3 = lstm.scan %t to %T over(reverse %x = %xs : tensor<?x?x4x8xf32>)
      states(%h -> %to = %hh, %c = %c0 : tensor<2x?x8xf32>, tensor<?x8xf32>)
      outs(%y = %ys : tensor<?x?x8xf32>) attributes {note = "kept"} {
    %h1, %c1, %y1 = lstm.phase project(%h, %U : tensor<?x8xf32>, tensor<8x4x8xf32>) ins(%x[r, g, u] : tensor<?x4x8xf32>)
        outs(%to, %c, %y : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
    ^bb0(%z0: f32, %z1: f32, %z2: f32, %z3: f32, %x0: f32, %x1: f32, %x2: f32, %x3: f32, %to_old: f32, %cp: f32, %y_old: f32):
      %0 = arith.addf %z0, %x0 : f32
      %1 = arith.mulf %0, %cp : f32
      lstm.yield %0, %1, %0 : f32, f32, f32
    }
    lstm.yield state(%h1, %c1 : tensor<?x8xf32>, tensor<?x8xf32>) out(%y1 : tensor<?x8xf32>)
  }
  return %r#0, %r#1, %r#2 : tensor<2x?x8xf32>, tensor<?x8xf32>, tensor<?x?x8xf32>
}

// -----

// The same with the phase in tiles, by hand: no copy either.
// CHECK-LABEL: func @tiled_scan
// CHECK-NOT: memref.{{alloc|copy}}
// CHECK: lstm.scan
// CHECK: scf.for
// CHECK-NOT: memref.{{alloc|copy}}
// CHECK: lstm.phase
// CHECK-NOT: memref.{{alloc|copy}}
// CHECK: return
func.func @tiled_scan(%T: index, %B: index, %U: tensor<8x1x8xf32>, %hh: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = lstm.scan %t to %T states(%h -> %to = %hh : tensor<2x?x8xf32>) {
    %h1 = scf.for %i = %c0 to %B step %c1 iter_args(%all = %to) -> tensor<?x8xf32> {
      %row = tensor.extract_slice %h[%i, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
      %dst = tensor.extract_slice %all[%i, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
      %tile = lstm.phase project(%row, %U : tensor<1x8xf32>, tensor<8x1x8xf32>) outs(%dst : tensor<1x8xf32>) {
      ^bb0(%z: f32, %old: f32):
        lstm.yield %z : f32
      }
      %next = tensor.insert_slice %tile into %all[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
      scf.yield %next : tensor<?x8xf32>
    }
    lstm.yield state(%h1 : tensor<?x8xf32>)
  }
  return %r : tensor<2x?x8xf32>
}

// -----

// What is not computed in its destination is copied there. States that change places need a copy aside.
// CHECK-LABEL: func @swap
// CHECK: lstm.scan
// CHECK-NEXT: memref.copy %x, %y
// CHECK-NEXT: %[[ASIDE:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %c, %[[ASIDE]]
// CHECK-NEXT: memref.copy %[[C1:.*]], %c
// CHECK-NEXT: memref.copy %[[ASIDE]], %[[C1]]
// CHECK-NEXT: lstm.yield
func.func @swap(%T: index, %xs: tensor<?x4xf32>, %a0: tensor<4xf32>, %b0: tensor<4xf32>, %ys: tensor<?x4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>) {
  %r:3 = lstm.scan %t to %T over(%x = %xs : tensor<?x4xf32>) states(%a = %a0, %b = %b0 : tensor<4xf32>, tensor<4xf32>)
      outs(%y = %ys : tensor<?x4xf32>) {
    lstm.yield state(%b, %a : tensor<4xf32>, tensor<4xf32>) out(%x : tensor<4xf32>)
  }
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>
}

// -----

// Where they do not change places, the order of the copies does: a delay line.
// CHECK-LABEL: func @delay
// CHECK: lstm.scan {{.*}} states(%[[A:[^ ]*]] = %arg2, %[[B:[^ ]*]] = %arg3, %[[C:[^ ]*]] = %arg4 :
// CHECK-NEXT: memref.copy %[[B]], %[[C]]
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: memref.copy %x, %[[A]]
// CHECK-NEXT: lstm.yield
func.func @delay(%T: index, %xs: tensor<?x4xf32>, %a0: tensor<4xf32>, %b0: tensor<4xf32>, %c0: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r:3 = lstm.scan %t to %T over(%x = %xs : tensor<?x4xf32>)
      states(%a = %a0, %b = %b0, %c = %c0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    lstm.yield state(%x, %a, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  }
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The next value is not computed over one that becomes another state.
// CHECK-LABEL: func @shift
// CHECK: lstm.scan {{.*}} states(%[[A:[^ ]*]] = %arg2, %[[B:[^ ]*]] = %arg3 :
// CHECK: %[[NEW:.*]] = memref.alloc()
// CHECK: memref.copy %[[A]], %[[NEW]]
// CHECK: lstm.phase ins(%x[r, u] {{.*}} outs(%[[NEW]] :
// CHECK: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: memref.copy %[[NEW]], %[[A]]
// CHECK-NEXT: lstm.yield
func.func @shift(%T: index, %xs: tensor<?x4x8xf32>, %a0: tensor<4x8xf32>, %b0: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %r:2 = lstm.scan %t to %T over(%x = %xs : tensor<?x4x8xf32>) states(%a = %a0, %b = %b0 : tensor<4x8xf32>, tensor<4x8xf32>) {
    %n = lstm.phase ins(%x[r, u] : tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) {
    ^bb0(%v: f32, %old: f32):
      %w = arith.addf %v, %old : f32
      lstm.yield %w : f32
    }
    lstm.yield state(%n, %a : tensor<4x8xf32>, tensor<4x8xf32>)
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What was computed in place of one state and becomes another one leaves before it is overwritten.
// CHECK-LABEL: func @misplaced
// CHECK: lstm.scan {{.*}} states(%[[A:[^ ]*]] = %arg2, %[[B:[^ ]*]] = %arg3 :
// CHECK-NOT: memref.alloc
// CHECK: lstm.phase {{.*}} outs(%[[A]] :
// CHECK: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: memref.copy %x, %[[A]]
// CHECK-NEXT: lstm.yield
func.func @misplaced(%T: index, %xs: tensor<?x4x8xf32>, %a0: tensor<4x8xf32>, %b0: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %r:2 = lstm.scan %t to %T over(%x = %xs : tensor<?x4x8xf32>) states(%a = %a0, %b = %b0 : tensor<4x8xf32>, tensor<4x8xf32>) {
    %n = lstm.phase ins(%x[r, u] : tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) {
    ^bb0(%v: f32, %old: f32):
      %w = arith.addf %v, %old : f32
      lstm.yield %w : f32
    }
    lstm.yield state(%x, %n : tensor<4x8xf32>, tensor<4x8xf32>)
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A scan that reads in its body what it overwrites as a state works on a copy of it, made once.
// CHECK-LABEL: func @captured
// CHECK: %[[COPY:.*]] = memref.alloc()
// CHECK: memref.copy %arg1, %[[COPY]]
// CHECK: lstm.scan %t to %arg0 states(%c = %[[COPY]] :
// CHECK-NOT: memref.{{alloc|copy}}
// CHECK: lstm.phase ins(%arg1[r, u] {{.*}} outs(%c :
func.func @captured(%T: index, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = lstm.scan %t to %T states(%a = %c : tensor<4x8xf32>) {
    %a1 = lstm.phase ins(%c[r, u] : tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) {
    ^bb0(%x: f32, %old: f32):
      %y = arith.addf %x, %old : f32
      lstm.yield %y : f32
    }
    lstm.yield state(%a1 : tensor<4x8xf32>)
  }
  return %r : tensor<4x8xf32>
}

// -----

// The contents of an output are copied only if the body reads them.
// CHECK-LABEL: func @output_overwritten
// CHECK: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: lstm.scan
// CHECK-LABEL: func @output_read
// CHECK: memref.alloc
// CHECK: memref.copy
// CHECK: lstm.scan
func.func @output_overwritten(%T: index, %xs: tensor<?x4x8xf32>, %ys: tensor<?x4x8xf32>) -> (tensor<?x4x8xf32>, tensor<?x4x8xf32>) {
  %r = lstm.scan %t to %T over(%x = %xs : tensor<?x4x8xf32>) outs(%y = %ys : tensor<?x4x8xf32>) {
    %y1 = lstm.phase ins(%x[r, u] : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {
    ^bb0(%v: f32, %old: f32):
      lstm.yield %v : f32
    }
    lstm.yield out(%y1 : tensor<4x8xf32>)
  }
  return %r, %ys : tensor<?x4x8xf32>, tensor<?x4x8xf32>
}
func.func @output_read(%T: index, %xs: tensor<?x4x8xf32>, %ys: tensor<?x4x8xf32>) -> (tensor<?x4x8xf32>, tensor<?x4x8xf32>) {
  %r = lstm.scan %t to %T over(%x = %xs : tensor<?x4x8xf32>) outs(%y = %ys : tensor<?x4x8xf32>) {
    %y1 = lstm.phase ins(%x[r, u] : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {
    ^bb0(%v: f32, %old: f32):
      %w = arith.addf %v, %old : f32
      lstm.yield %w : f32
    }
    lstm.yield out(%y1 : tensor<4x8xf32>)
  }
  return %r, %ys : tensor<?x4x8xf32>, tensor<?x4x8xf32>
}

// -----

// A check has no buffers and stays where it is.
// CHECK-LABEL: func @check
// CHECK: lstm.check
func.func @check(%x: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x8xf32>
  %ok = arith.cmpi eq, %d, %n : index
  lstm.check %ok, "expects a batch of {0}, but got {1}"(%n, %d : index, index)
  return %x : tensor<?x8xf32>
}
