// RUN: lstm-opt %s --lstm-form-phases --canonicalize --cse --split-input-file | FileCheck %s
// RUN: lstm-opt %s --lstm-form-phases --lstm-verify-rung=rung=L2 --split-input-file -o /dev/null

// A product takes along what depends on it and what is there: a slice of the sequence, a bias, a peephole, the old state, a
// splat, a broadcast, a generic. One phase.
// CHECK-LABEL: func @one
// CHECK: lstm.recurrence over(%[[X:.*]] = %arg0 : tensor<?x?x2x7xf32>) init(%[[H:.*]] = %arg1, %[[C:.*]] = %arg2
// CHECK: lstm.phase project(%[[H]], %arg3 : tensor<?x7xf32>, tensor<7x2x7xf32>) ins(
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<?x7xf32>, tensor<?x7xf32>) {
// CHECK-NEXT: ^bb0(%[[Z0:.*]]: f32, %[[Z1:.*]]: f32,
// CHECK-NOT: lstm.phase
// CHECK: lstm.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK: lstm.yield state(
func.func @one(%ps: tensor<?x?x2x7xf32>, %h0: tensor<?x7xf32>, %c0: tensor<?x7xf32>, %U: tensor<7x2x7xf32>, %b: tensor<2x7xf32>,
               %p: tensor<7xf32>, %B: index, %k: f32) -> (tensor<?x7xf32>, tensor<?x7xf32>) {
  %hT, %cT = lstm.recurrence over(%x = %ps : tensor<?x?x2x7xf32>) init(%h = %h0, %c = %c0 : tensor<?x7xf32>, tensor<?x7xf32>) {
    %z = lstm.gate [sigmoid, tanh] dot(%h, %U : tensor<?x7xf32>, tensor<7x2x7xf32>) add(%x : tensor<?x2x7xf32>) add(%b : tensor<2x7xf32>) : tensor<?x2x7xf32>
    %f = tensor.extract_slice %z[0, 0, 0] [%B, 1, 7] [1, 1, 1] : tensor<?x2x7xf32> to tensor<?x7xf32>
    %g = tensor.extract_slice %z[0, 1, 0] [%B, 1, 7] [1, 1, 1] : tensor<?x2x7xf32> to tensor<?x7xf32>
    %o = lstm.gate relu clip 2.0 scale(%c, %p : tensor<?x7xf32>, tensor<7xf32>) add(%f : tensor<?x7xf32>) : tensor<?x7xf32>
    %ks = tensor.splat %k[%B] : tensor<?x7xf32>
    %m = arith.mulf %g, %ks : tensor<?x7xf32>
    %e = tensor.empty(%B) : tensor<?x7xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(r, u) -> (r, u)>, affine_map<(r, u) -> (u)>, affine_map<(r, u) -> (r, u)>], iterator_types = ["parallel", "parallel"]}
        ins(%m, %p : tensor<?x7xf32>, tensor<7xf32>) outs(%e : tensor<?x7xf32>) {
    ^bb0(%a: f32, %q: f32, %old: f32):
      %s = arith.maximumf %a, %q : f32
      linalg.yield %s : f32
    } -> tensor<?x7xf32>
    %c1 = arith.addf %n, %c : tensor<?x7xf32>
    lstm.yield state(%o, %c1 : tensor<?x7xf32>, tensor<?x7xf32>)
  }
  return %hT, %cT : tensor<?x7xf32>, tensor<?x7xf32>
}
// -----
// A product of what another product made: two phases; what only the second needs of the first leaves it. A weight
// [K, H] is seen as [K, 1, H].
// CHECK-LABEL: func @two
// CHECK: %[[V:.*]] = tensor.expand_shape %arg2 {{\[\[}}0], [1, 2]] output_shape [7, 1, 3] : tensor<7x3xf32> into tensor<7x1x3xf32>
// CHECK: lstm.recurrence
// CHECK: %[[M:.*]] = lstm.phase project(%{{.*}}, %{{.*}} : tensor<?x3xf32>, tensor<3x1x7xf32>) outs(%{{.*}} : tensor<?x7xf32>)
// CHECK: %[[N:.*]] = lstm.phase project(%[[M]], %[[V]] : tensor<?x7xf32>, tensor<7x1x3xf32>) ins(%{{.*}}[r, u] : tensor<?x3xf32>) outs(%{{.*}} : tensor<?x3xf32>)
// CHECK: lstm.yield state(%[[N]] : tensor<?x3xf32>)
func.func @two(%h0: tensor<?x3xf32>, %U: tensor<3x7xf32>, %V: tensor<7x3xf32>, %T: index) -> tensor<?x3xf32> {
  %hT = lstm.recurrence init(%h = %h0 : tensor<?x3xf32>) steps(%T : index) {
    %m = lstm.gate tanh dot(%h, %U : tensor<?x3xf32>, tensor<3x7xf32>) : tensor<?x7xf32>
    %n = lstm.gate identity dot(%m, %V : tensor<?x7xf32>, tensor<7x3xf32>) : tensor<?x3xf32>
    %s = arith.addf %n, %h : tensor<?x3xf32>
    lstm.yield state(%s : tensor<?x3xf32>)
  }
  return %hT : tensor<?x3xf32>
}
// -----
// No product at all is one phase as well; what depends on states alone is not made twice.
// CHECK-LABEL: func @elementwise
// CHECK: %[[R:.*]]:2 = lstm.phase ins(%{{.*}}[r, u], %{{.*}}[r, u] : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<?x7xf64>, tensor<?x7xf64>)
// CHECK-NOT: lstm.phase
// CHECK: lstm.yield state(
func.func @elementwise(%xs: tensor<?x?x7xf64>, %h0: tensor<?x7xf64>, %c0: tensor<?x7xf64>) -> (tensor<?x7xf64>, tensor<?x7xf64>) {
  %hT, %cT = lstm.recurrence over(%x = %xs : tensor<?x?x7xf64>) init(%h = %h0, %c = %c0 : tensor<?x7xf64>, tensor<?x7xf64>) {
    %a = math.tanh %h : tensor<?x7xf64>
    %b = arith.addf %a, %x : tensor<?x7xf64>
    lstm.yield state(%b, %a : tensor<?x7xf64>, tensor<?x7xf64>)
  }
  return %hT, %cT : tensor<?x7xf64>, tensor<?x7xf64>
}
// -----
// A reduction over the units stays, between two phases. All gates that it needs leave as one matrix.
// CHECK-LABEL: func @reduction
// CHECK: lstm.recurrence
// CHECK: %[[Z:.*]] = lstm.phase project(%{{.*}}, %{{.*}} : tensor<?x7xf32>, tensor<7x1x14xf32>) outs(%{{.*}} : tensor<?x14xf32>)
// CHECK: %[[G:.*]] = tensor.expand_shape %[[Z]]
// CHECK: %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction"]
// CHECK: %[[A:.*]] = tensor.extract_slice %[[G]][0, 0, 0]
// CHECK: %[[B:.*]] = tensor.extract_slice %[[G]][0, 1, 0]
// CHECK: %[[N:.*]] = lstm.phase ins(%[[A]][r, u], %[[S]][r], %[[B]][r, u] : tensor<?x7xf32>, tensor<?xf32>, tensor<?x7xf32>)
// CHECK: lstm.yield state(%[[N]]
func.func @reduction(%h0: tensor<?x7xf32>, %U: tensor<7x2x7xf32>, %T: index, %B: index) -> tensor<?x7xf32> {
  %zero = arith.constant 0.0 : f32
  %hT = lstm.recurrence init(%h = %h0 : tensor<?x7xf32>) steps(%T : index) {
    %z = lstm.gate identity dot(%h, %U : tensor<?x7xf32>, tensor<7x2x7xf32>) : tensor<?x2x7xf32>
    %e = tensor.empty(%B) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(r, g, u) -> (r, g, u)>, affine_map<(r, g, u) -> (r)>], iterator_types = ["parallel", "reduction", "reduction"]}
        ins(%z : tensor<?x2x7xf32>) outs(%f : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %q = arith.addf %a, %o : f32
      linalg.yield %q : f32
    } -> tensor<?xf32>
    %ee = tensor.empty(%B) : tensor<?x7xf32>
    %sb = linalg.broadcast ins(%s : tensor<?xf32>) outs(%ee : tensor<?x7xf32>) dimensions = [1]
    %a = tensor.extract_slice %z[0, 0, 0] [%B, 1, 7] [1, 1, 1] : tensor<?x2x7xf32> to tensor<?x7xf32>
    %b = tensor.extract_slice %z[0, 1, 0] [%B, 1, 7] [1, 1, 1] : tensor<?x2x7xf32> to tensor<?x7xf32>
    %c = arith.subf %a, %sb : tensor<?x7xf32>
    %d = arith.mulf %c, %b : tensor<?x7xf32>
    lstm.yield state(%d : tensor<?x7xf32>)
  }
  return %hT : tensor<?x7xf32>
}
// -----
// A sequence with another number of gates than the product enters slice by slice.
// CHECK-LABEL: func @other_gates
// CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}}[0, 2, 0]
// CHECK: lstm.phase project(%{{.*}}, %arg2 : tensor<?x7xf32>, tensor<7x2x7xf32>) ins(%[[S]][r, u] : tensor<?x7xf32>)
func.func @other_gates(%ps: tensor<?x?x3x7xf32>, %h0: tensor<?x7xf32>, %U: tensor<7x2x7xf32>, %B: index) -> tensor<?x7xf32> {
  %hT = lstm.recurrence over(%x = %ps : tensor<?x?x3x7xf32>) init(%h = %h0 : tensor<?x7xf32>) {
    %z = lstm.gate tanh dot(%h, %U : tensor<?x7xf32>, tensor<7x2x7xf32>) : tensor<?x2x7xf32>
    %a = tensor.extract_slice %z[0, 0, 0] [%B, 1, 7] [1, 1, 1] : tensor<?x2x7xf32> to tensor<?x7xf32>
    %b = tensor.extract_slice %z[0, 1, 0] [%B, 1, 7] [1, 1, 1] : tensor<?x2x7xf32> to tensor<?x7xf32>
    %y = tensor.extract_slice %x[0, 2, 0] [%B, 1, 7] [1, 1, 1] : tensor<?x3x7xf32> to tensor<?x7xf32>
    %c = arith.addf %a, %y : tensor<?x7xf32>
    %d = arith.mulf %c, %b : tensor<?x7xf32>
    lstm.yield state(%d : tensor<?x7xf32>)
  }
  return %hT : tensor<?x7xf32>
}
// -----
// Outside of a recurrence a gate is a phase of its own; with one activation all gates are units of one matrix.
// CHECK-LABEL: func @function
// CHECK: lstm.phase project(%arg0, %{{.*}} : tensor<?x5xf32>, tensor<5x1x14xf32>) ins(%{{.*}}[u] : tensor<14xf32>) outs(%{{.*}} : tensor<?x14xf32>)
// CHECK: tensor.expand_shape {{.*}} : tensor<?x14xf32> into tensor<?x2x7xf32>
// CHECK: lstm.phase project(%arg0, %arg1 : tensor<?x5xf32>, tensor<5x2x7xf32>) outs(%{{.*}}, %{{.*}} : tensor<?x7xf32>, tensor<?x7xf32>)
func.func @function(%x: tensor<?x5xf32>, %W: tensor<5x2x7xf32>, %b: tensor<2x7xf32>) -> (tensor<?x2x7xf32>, tensor<?x2x7xf32>) {
  %0 = lstm.gate sigmoid dot(%x, %W : tensor<?x5xf32>, tensor<5x2x7xf32>) add(%b : tensor<2x7xf32>) : tensor<?x2x7xf32>
  %1 = lstm.gate [tanh, relu] dot(%x, %W : tensor<?x5xf32>, tensor<5x2x7xf32>) : tensor<?x2x7xf32>
  return %0, %1 : tensor<?x2x7xf32>, tensor<?x2x7xf32>
}
// -----
// A slice of a state that a product needs stays a view: no phase copies it.
// CHECK-LABEL: func @view
// CHECK: lstm.recurrence init(%[[S:.*]] = %arg0 : tensor<2x4x1xf64>)
// CHECK: %[[V:.*]] = tensor.extract_slice %[[S]][0, 2, 0]
// CHECK-NOT: lstm.phase ins
// CHECK: lstm.phase project(%[[V]],
func.func @view(%s0: tensor<2x4x1xf64>, %W: tensor<1x4x1xf64>, %T: index) -> tensor<2x4x1xf64> {
  %sT = lstm.recurrence init(%s = %s0 : tensor<2x4x1xf64>) steps(%T : index) {
    %v = tensor.extract_slice %s[0, 2, 0] [2, 1, 1] [1, 1, 1] : tensor<2x4x1xf64> to tensor<2x1xf64>
    %n = lstm.gate identity dot(%v, %W : tensor<2x1xf64>, tensor<1x4x1xf64>) : tensor<2x4x1xf64>
    lstm.yield state(%n : tensor<2x4x1xf64>)
  }
  return %sT : tensor<2x4x1xf64>
}
// -----
// A tensor of rank 0 enters a phase as its element.
// CHECK-LABEL: func @rank0
// CHECK: %[[E:.*]] = tensor.extract %{{.*}}[] : tensor<f32>
// CHECK: lstm.phase ins(%{{.*}}[r, u], %[[E]] : tensor<3x5xf32>, f32)
func.func @rank0(%xs: tensor<?xf32>, %h0: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %hT = lstm.recurrence over(%x = %xs : tensor<?xf32>) init(%h = %h0 : tensor<3x5xf32>) {
    %e = tensor.empty() : tensor<3x5xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%h, %x : tensor<3x5xf32>, tensor<f32>) outs(%e : tensor<3x5xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.maximumf %a, %b : f32
      linalg.yield %m : f32
    } -> tensor<3x5xf32>
    lstm.yield state(%n : tensor<3x5xf32>)
  }
  return %hT : tensor<3x5xf32>
}
// -----
// A value known to be empty stays as it is, beside a state that is not.
// CHECK-LABEL: func @empty
// CHECK: lstm.recurrence
// CHECK-NEXT: arith.mulf %{{.*}}, %{{.*}} : tensor<0x2x1xf32>
// CHECK-NEXT: lstm.yield state(
func.func @empty(%n0: index, %k: index, %h0: tensor<0x2x1xf32>, %c: tensor<0x2x1xf32>) -> (index, tensor<0x2x1xf32>) {
  %T = arith.constant 2 : index
  %nT, %hT = lstm.recurrence init(%n = %n0, %h = %h0 : index, tensor<0x2x1xf32>) steps(%T : index) {
    %h1 = arith.mulf %c, %h : tensor<0x2x1xf32>
    lstm.yield state(%k, %h1 : index, tensor<0x2x1xf32>)
  }
  return %nT, %hT : index, tensor<0x2x1xf32>
}
// -----
// Of one row, a slice has lost the dimension of gates, too, whichever of two sizes of 1 is taken for it.
// CHECK-LABEL: func @one_row
// CHECK: lstm.recurrence
// CHECK: lstm.phase project(%{{.*}}, %arg1 : tensor<1x7xf32>, tensor<7x2x7xf32>) outs(%{{.*}} : tensor<1x7xf32>) {
// CHECK-NOT: lstm.phase
// CHECK: lstm.yield state(
func.func @one_row(%h0: tensor<1x7xf32>, %U: tensor<7x2x7xf32>, %T: index) -> tensor<1x7xf32> {
  %hT = lstm.recurrence init(%h = %h0 : tensor<1x7xf32>) steps(%T : index) {
    %z = lstm.gate [sigmoid, tanh] dot(%h, %U : tensor<1x7xf32>, tensor<7x2x7xf32>) : tensor<1x2x7xf32>
    %f = tensor.extract_slice %z[0, 0, 0] [1, 1, 7] [1, 1, 1] : tensor<1x2x7xf32> to tensor<1x7xf32>
    %g = tensor.extract_slice %z[0, 1, 0] [1, 1, 7] [1, 1, 1] : tensor<1x2x7xf32> to tensor<1x7xf32>
    %h1 = arith.mulf %f, %g : tensor<1x7xf32>
    lstm.yield state(%h1 : tensor<1x7xf32>)
  }
  return %hT : tensor<1x7xf32>
}
// -----
// What has lost the dimension of rows has gates in their place: no part of a phase of one row.
// CHECK-LABEL: func @gates_as_rows
// CHECK: lstm.phase project(
// CHECK: %[[G:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0] [1, 2, 7] [1, 1, 1] : tensor<1x2x7xf32> to tensor<2x7xf32>
// CHECK: lstm.phase ins(%[[G]][r, u] : tensor<2x7xf32>)
func.func @gates_as_rows(%h0: tensor<1x7xf32>, %U: tensor<7x2x7xf32>, %T: index) -> tensor<1x7xf32> {
  %hT = lstm.recurrence init(%h = %h0 : tensor<1x7xf32>) steps(%T : index) {
    %z = lstm.gate [sigmoid, tanh] dot(%h, %U : tensor<1x7xf32>, tensor<7x2x7xf32>) : tensor<1x2x7xf32>
    %g = tensor.extract_slice %z[0, 0, 0] [1, 2, 7] [1, 1, 1] : tensor<1x2x7xf32> to tensor<2x7xf32>
    %t = math.sin %g : tensor<2x7xf32>
    %h1 = tensor.extract_slice %t[1, 0] [1, 7] [1, 1] : tensor<2x7xf32> to tensor<1x7xf32>
    lstm.yield state(%h1 : tensor<1x7xf32>)
  }
  return %hT : tensor<1x7xf32>
}
