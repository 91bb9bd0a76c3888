// RUN: lstm-opt %s --lstm-lower-recurrence --canonicalize | FileCheck %s
// RUN: lstm-opt %s --lstm-lower-recurrence --canonicalize --lstm-protect-arguments \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --convert-lstm-to-scf --canonicalize --cse --loop-invariant-code-motion \
// RUN:   | FileCheck %s --check-prefix=LOOP
// RUN: lstm-opt %s --lstm-lower-recurrence --convert-lstm-to-linalg --canonicalize --lstm-protect-arguments \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --convert-lstm-to-scf --canonicalize --cse --loop-invariant-code-motion \
// RUN:   | FileCheck %s --check-prefix=LOOP
// RUN: lstm-opt %s --lstm-lower-recurrence=separate --canonicalize | FileCheck %s --check-prefix=SEPARATE

// The phase projects h: two slots. c is read where it is written: in place, as an
// output of the phase. What leaves as state and output is made twice; the masks
// are the phase's.
// CHECK-LABEL: func.func @lstm(
// CHECK-SAME: %[[H0:[^:]*]]: tensor<?x8xf32>, %[[C0:[^:]*]]: tensor<?x8xf32>, %[[LEN:[^:]*]]: tensor<?xi32>
// CHECK: %[[HH:.*]] = tensor.insert_slice %[[H0]] into %{{.*}}[0, 0, 0] {{.*}} into tensor<2x?x8xf32>
// CHECK: %[[R:.*]]:3 = lstm.scan %[[T:.*]] to %[[STEPS:.*]] over(reverse %[[X:.*]] = %{{.*}}) states(%[[H:.*]] -> %[[TO:.*]] = %[[HH]], %[[C:.*]] = %[[C0]] : {{.*}}) outs(reverse %[[Y:.*]] = %{{.*}}) {
// CHECK: %[[STEP:.*]] = affine.apply #{{.*}}(%[[T]])[%[[STEPS]]]
// CHECK: %[[I:.*]] = arith.index_cast %[[STEP]] : index to i32
// CHECK: %[[P:.*]]:3 = lstm.phase project(%[[H]], %{{.*}}) ins(%[[X]][r, g, u], %[[LEN]][r], %[[I]], %[[H]][r, u] : {{.*}}) outs(%[[TO]], %[[C]], %[[Y]] : {{.*}}) {
// CHECK: ^bb0(%{{.*}}, %[[LENGTH:.*]]: i32, %[[AT:.*]]: i32, %[[OLDH:.*]]: f32, %{{.*}}: f32, %[[OLDC:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[LIVE:.*]] = arith.cmpi slt, %[[AT]], %[[LENGTH]] : i32
// CHECK: arith.select %[[LIVE]], %[[NEWH:.*]], %[[OLDH]]
// CHECK: arith.select %[[LIVE]], %{{.*}}, %[[OLDC]]
// CHECK: arith.select %[[LIVE]], %[[NEWH]], %{{.*}}
// CHECK: lstm.yield state(%[[P]]#0, %[[P]]#1 : {{.*}}) out(%[[P]]#2 : {{.*}})
// CHECK: %[[LAST:.*]] = affine.apply #{{.*}}()[%[[STEPS]]]
// CHECK: %[[HT:.*]] = tensor.extract_slice %[[R]]#0[%[[LAST]], 0, 0]
// CHECK: return %[[R]]#2, %[[HT]], %[[R]]#1
// LOOP-LABEL: func.func @lstm(
// LOOP: scf.for
// LOOP-NOT: {{memref.copy|tensor.empty}}
// LOOP: affine.apply #{{.*}}()[
func.func @lstm(%p: tensor<?x?x4x8xf32>, %U: tensor<8x4x8xf32>, %h0: tensor<?x8xf32>, %c0: tensor<?x8xf32>,
                %len: tensor<?xi32>, %ys0: tensor<?x?x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %ys, %hT, %cT = lstm.recurrence over(%x = %p : tensor<?x?x4x8xf32>) init(%h = %h0, %c = %c0 : tensor<?x8xf32>, tensor<?x8xf32>)
      lengths(%len : tensor<?xi32>) reverse outs(%ys0 : tensor<?x?x8xf32>) {
    %i0 = arith.constant 0 : index
    %B = tensor.dim %h, %i0 : tensor<?x8xf32>
    %e = tensor.empty(%B) : tensor<?x8xf32>
    %h1, %c1 = lstm.phase project(%h, %U : tensor<?x8xf32>, tensor<8x4x8xf32>)
        ins(%x[r, g, u], %c[r, u] : tensor<?x4x8xf32>, tensor<?x8xf32>) outs(%e, %e : tensor<?x8xf32>, tensor<?x8xf32>) {
    ^bb0(%zi: f32, %zf: f32, %zg: f32, %zo: f32, %pi: f32, %pf: f32, %pg: f32, %po: f32, %cc: f32, %u0: f32, %u1: f32):
      %b = arith.addf %zf, %pf : f32
      %o = arith.addf %zo, %po : f32
      %cn = arith.mulf %b, %cc : f32
      %hn = arith.mulf %o, %cn : f32
      lstm.yield %hn, %cn : f32, f32
    }
    lstm.yield state(%h1, %c1 : tensor<?x8xf32>, tensor<?x8xf32>) out(%h1 : tensor<?x8xf32>)
  }
  return %ys, %hT, %cT : tensor<?x?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// c is written by the first phase, and its old value read by the second one.
// CHECK-LABEL: func.func @read_by_a_later_phase(
// CHECK: lstm.scan {{.*}} states(%{{.*}} = %{{.*}}, %[[C:.*]] -> %[[TO:.*]] = %{{.*}} : tensor<2x8xf32>, tensor<2x2x8xf32>)
// CHECK: lstm.phase {{.*}} outs(%[[TO]] : {{.*}})
// CHECK: lstm.phase ins(%[[C]][r, u], {{.*}})
// LOOP-LABEL: func.func @read_by_a_later_phase(
// LOOP: scf.for
// LOOP-NOT: memref.copy
// LOOP: return
func.func @read_by_a_later_phase(%T: index, %h0: tensor<2x8xf32>, %c0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %hT, %cT = lstm.recurrence init(%h = %h0, %c = %c0 : tensor<2x8xf32>, tensor<2x8xf32>) steps(%T : index) {
    %e = tensor.empty() : tensor<2x8xf32>
    %c1 = lstm.phase ins(%c[r, u], %h[r, u] : tensor<2x8xf32>, tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %s = arith.addf %a, %b : f32
      lstm.yield %s : f32
    }
    %h1 = lstm.phase ins(%c[r, u], %c1[r, u] : tensor<2x8xf32>, tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %s = arith.mulf %a, %b : f32
      lstm.yield %s : f32
    }
    lstm.yield state(%h1, %c1 : tensor<2x8xf32>, tensor<2x8xf32>)
  }
  return %hT : tensor<2x8xf32>
}

// The second layer projects what the first one has made. Its padded rows matter
// to padded rows alone, so it may read the state's next value.
// CHECK-LABEL: func.func @stack(
// CHECK: lstm.scan {{.*}} states(%[[H:.*]] -> %[[HTO:.*]] = %{{.*}}, %[[K:.*]] -> %[[KTO:.*]] = %{{.*}} : {{.*}})
// CHECK: %[[H1:.*]] = lstm.phase project(%[[H]], %{{.*}}) {{.*}} outs(%[[HTO]] : {{.*}})
// CHECK: %[[K1:.*]] = lstm.phase project(%[[H1]], %{{.*}}) project(%[[K]], %{{.*}}) {{.*}} outs(%[[KTO]] : {{.*}})
// LOOP-LABEL: func.func @stack(
func.func @stack(%T: index, %h0: tensor<2x8xf32>, %len: tensor<2xi32>, %U: tensor<8x1x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %r:2 = lstm.recurrence init(%h = %h0, %k = %h0 : tensor<2x8xf32>, tensor<2x8xf32>) lengths(%len : tensor<2xi32>) steps(%T : index) {
    %e = tensor.empty() : tensor<2x8xf32>
    %h1 = lstm.phase project(%h, %U : tensor<2x8xf32>, tensor<8x1x8xf32>) outs(%e : tensor<2x8xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    %k1 = lstm.phase project(%h1, %U : tensor<2x8xf32>, tensor<8x1x8xf32>) project(%k, %U : tensor<2x8xf32>, tensor<8x1x8xf32>) outs(%e : tensor<2x8xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.yield state(%h1, %k1 : tensor<2x8xf32>, tensor<2x8xf32>)
  }
  return %r#0, %r#1 : tensor<2x8xf32>, tensor<2x8xf32>
}

// A value that something beside rows sees is kept without its mask.
// CHECK-LABEL: func.func @seen_whole(
// CHECK: %[[P:.*]]:2 = lstm.phase
// CHECK: linalg.generic {{.*}} ins(%[[P]]#0 : tensor<2x8xf32>)
// CHECK: lstm.yield state(%[[P]]#1, %{{.*}} : {{.*}})
func.func @seen_whole(%T: index, %h0: tensor<2x8xf32>, %s0: tensor<8xf32>, %len: tensor<2xi32>) -> tensor<8xf32> {
  %hT, %sT = lstm.recurrence init(%h = %h0, unmasked %s = %s0 : tensor<2x8xf32>, tensor<8xf32>) lengths(%len : tensor<2xi32>) steps(%T : index) {
    %e = tensor.empty() : tensor<2x8xf32>
    %h1 = lstm.phase ins(%h[r, u] : tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) {
    ^bb0(%a: f32, %old: f32):
      %t = math.tanh %a : f32
      lstm.yield %t : f32
    }
    %s1 = linalg.generic {indexing_maps = [affine_map<(b, h) -> (b, h)>, affine_map<(b, h) -> (h)>], iterator_types = ["reduction", "parallel"]}
        ins(%h1 : tensor<2x8xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %n = arith.addf %a, %b : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    lstm.yield state(%h1, %s1 : tensor<2x8xf32>, tensor<8xf32>)
  }
  return %sT : tensor<8xf32>
}

// States that change places, one that is delayed, one that passes through, a
// scalar, an element of a sequence, a captured value: two slots where the old
// value is still needed, copies where nothing computes the next one.
// CHECK-LABEL: func.func @copies(
// CHECK-SAME: %{{[^:]*}}: tensor<?x2x3xf32>, %[[K:[^:]*]]: tensor<2x3xf32>
// CHECK: lstm.scan {{.*}} over(%[[X:.*]] = %{{.*}} : {{.*}}) states(%[[A:.*]] -> %[[ATO:.*]] = %{{.*}}, %[[B:.*]] -> %[[BTO:.*]] = %{{.*}}, %[[C:.*]] -> %[[CTO:.*]] = %{{.*}}, %[[D:.*]] = %{{.*}}, %[[E:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}} : {{.*}}) outs(%[[Y:.*]] = %{{.*}} : {{.*}}) {
// CHECK: %[[COUNT:.*]] = tensor.extract %[[N]][] : tensor<index>
// CHECK: %[[C1:.*]] = linalg.add ins(%[[C]], %[[X]] : {{.*}}) outs(%[[CTO]] : {{.*}})
// CHECK: %[[COUNT1:.*]] = arith.addi %[[COUNT]]
// CHECK: %[[A1:.*]] = linalg.copy ins(%[[B]] : {{.*}}) outs(%[[ATO]] : {{.*}})
// CHECK: %[[B1:.*]] = linalg.copy ins(%[[A]] : {{.*}}) outs(%[[BTO]] : {{.*}})
// CHECK: %[[D1:.*]] = linalg.copy ins(%[[C]] : {{.*}}) outs(%[[D]] : {{.*}})
// CHECK: %[[N1:.*]] = tensor.insert %[[COUNT1]] into %[[N]][] : tensor<index>
// CHECK: %[[Y1:.*]] = linalg.copy ins(%[[K]] : {{.*}}) outs(%[[Y]] : {{.*}})
// CHECK: lstm.yield state(%[[A1]], %[[B1]], %[[C1]], %[[D1]], %[[E]], %[[N1]] : {{.*}}) out(%[[Y1]] : {{.*}})
// LOOP-LABEL: func.func @copies(
// LOOP: scf.for
// LOOP-NOT: memref.alloc
// LOOP: affine.apply #{{.*}}()[
func.func @copies(%xs: tensor<?x2x3xf32>, %k: tensor<2x3xf32>, %n0: index, %ys0: tensor<?x2x3xf32>)
    -> (tensor<?x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, index) {
  %i1 = arith.constant 1 : index
  %r:7 = lstm.recurrence over(%x = %xs : tensor<?x2x3xf32>)
      init(%a = %k, %b = %k, %c = %k, %d = %k, %e = %k, %n = %n0 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, index)
      outs(%ys0 : tensor<?x2x3xf32>) {
    %empty = tensor.empty() : tensor<2x3xf32>
    %c1 = linalg.add ins(%c, %x : tensor<2x3xf32>, tensor<2x3xf32>) outs(%empty : tensor<2x3xf32>) -> tensor<2x3xf32>
    %n1 = arith.addi %n, %i1 : index
    lstm.yield state(%b, %a, %c1, %c, %e, %n1 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, index)
        out(%k : tensor<2x3xf32>)
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6
      : tensor<?x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, index
}

// What no phase makes is masked by an operation of its own.
// CHECK-LABEL: func.func @mask(
// CHECK-SAME: %{{[^:]*}}: tensor<?x2x3xi32>, %{{[^:]*}}: tensor<2x3xi32>, %[[LEN:[^:]*]]: tensor<2xi32>
// CHECK: lstm.scan %[[T:.*]] to %{{.*}} over(%[[X:.*]] = %{{.*}}) states(%[[A:.*]] = %{{.*}}) outs(%[[Y:.*]] = %{{.*}}) {
// CHECK: %[[I:.*]] = arith.index_cast %[[T]] : index to i32
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[LEN]] : {{.*}}) outs(%[[A]] : tensor<2x3xi32>)
// CHECK: ^bb0(%[[NEW:.*]]: i32, %[[LENGTH:.*]]: i32, %[[OLD:.*]]: i32):
// CHECK: %[[LIVE:.*]] = arith.cmpi slt, %[[I]], %[[LENGTH]]
// CHECK: arith.select %[[LIVE]], %[[NEW]], %[[OLD]]
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[LEN]] : {{.*}}) outs(%[[Y]] : tensor<2x3xi32>)
func.func @mask(%xs: tensor<?x2x3xi32>, %a0: tensor<2x3xi32>, %len: tensor<2xi32>, %ys0: tensor<?x2x3xi32>) -> (tensor<?x2x3xi32>, tensor<2x3xi32>) {
  %r:2 = lstm.recurrence over(%x = %xs : tensor<?x2x3xi32>) init(%a = %a0 : tensor<2x3xi32>) lengths(%len : tensor<2xi32>)
      outs(%ys0 : tensor<?x2x3xi32>) {
    lstm.yield state(%x : tensor<2x3xi32>) out(%x : tensor<2x3xi32>)
  }
  return %r#0, %r#1 : tensor<?x2x3xi32>, tensor<2x3xi32>
}

// An accumulator is updated where it is, also by a product that reads it.
// CHECK-LABEL: func.func @accumulate(
// CHECK: states(%[[S:.*]] = %{{.*}} : tensor<4x4xf32>)
// CHECK: linalg.matmul {{.*}} outs(%[[S]] : tensor<4x4xf32>)
// LOOP-LABEL: func.func @accumulate(
// LOOP: scf.for
// LOOP-NOT: {{memref.copy|memref.alloc}}
// LOOP: return
func.func @accumulate(%xs: tensor<?x4x4xf32>, %s0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = lstm.recurrence over(%x = %xs : tensor<?x4x4xf32>) init(unmasked %s = %s0 : tensor<4x4xf32>) {
    %s1 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%s : tensor<4x4xf32>) -> tensor<4x4xf32>
    lstm.yield state(%s1 : tensor<4x4xf32>)
  }
  return %r : tensor<4x4xf32>
}

// What phases make into one destination keeps it, unless they are to stay apart; what has a destination keeps that.
// CHECK-LABEL: func.func @apart(
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x4xf32>
// CHECK: lstm.phase {{.*}} outs(%[[E]], %[[E]] : tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK: lstm.phase {{.*}} outs(%[[E]] : tensor<2x4xf32>)
// SEPARATE-LABEL: func.func @apart(
// SEPARATE-DAG: %[[A:.*]] = tensor.empty() : tensor<2x4xf32>
// SEPARATE-DAG: %[[B:.*]] = tensor.empty() : tensor<2x4xf32>
// SEPARATE-DAG: %[[C:.*]] = tensor.empty() : tensor<2x4xf32>
// SEPARATE: lstm.scan {{.*}} states(%[[S:.*]] = %arg0 : tensor<2x4xf32>)
// SEPARATE: lstm.phase {{.*}} outs(%[[A]], %[[B]] : tensor<2x4xf32>, tensor<2x4xf32>)
// SEPARATE: lstm.phase {{.*}} outs(%[[C]] : tensor<2x4xf32>)
// SEPARATE: lstm.phase {{.*}} outs(%[[S]] : tensor<2x4xf32>)
func.func @apart(%h0: tensor<2x4xf32>, %U: tensor<4x2x4xf32>, %V: tensor<4x1x4xf32>, %T: index) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %r = lstm.recurrence init(%h = %h0 : tensor<2x4xf32>) steps(%T : index) {
    %a:2 = lstm.phase project(%h, %U : tensor<2x4xf32>, tensor<4x2x4xf32>) outs(%e, %e : tensor<2x4xf32>, tensor<2x4xf32>) {
    ^bb0(%z0: f32, %z1: f32, %old: f32, %old1: f32):
      lstm.yield %z0, %z1 : f32, f32
    }
    %b = lstm.phase project(%a#0, %V : tensor<2x4xf32>, tensor<4x1x4xf32>) ins(%a#1[r, u] : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) {
    ^bb0(%z: f32, %x: f32, %old: f32):
      %m = arith.mulf %z, %x : f32
      lstm.yield %m : f32
    }
    %c = lstm.phase project(%b, %V : tensor<2x4xf32>, tensor<4x1x4xf32>) outs(%e : tensor<2x4xf32>) {
    ^bb0(%z: f32, %old: f32):
      lstm.yield %z : f32
    }
    lstm.yield state(%c : tensor<2x4xf32>)
  }
  return %r : tensor<2x4xf32>
}
