// RUN: lstm-opt %s --lstm-hoist-input-projections=reductions=true --canonicalize --cse --split-input-file | FileCheck %s
// RUN: lstm-opt %s --lstm-hoist-input-projections --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=STEP
// RUN: lstm-opt %s --lstm-hoist-input-projections=addends=false --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=BIAS
// RUN: lstm-opt %s --lstm-hoist-input-projections=lookups=true --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=LOOKUPS

// The part of a gate that depends on the sequence alone, its bias included, is done for all T * B rows at once.
// CHECK-LABEL: func @split
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<?x?x5xf32> into tensor<?x5xf32>
// CHECK: %[[ALL:.*]] = lstm.gate identity dot(%[[ROWS]], %arg1 : tensor<?x5xf32>, tensor<5x2x7xf32>) add(%arg3 : tensor<2x7xf32>) : tensor<?x2x7xf32>
// CHECK: %[[P:.*]] = tensor.expand_shape %[[ALL]] {{\[\[}}0, 1], [2], [3]] output_shape [%{{.*}}, %{{.*}}, 2, 7] : tensor<?x2x7xf32> into tensor<?x?x2x7xf32>
// CHECK: lstm.recurrence over(%[[X:.*]] = %[[P]] : tensor<?x?x2x7xf32>) init(%[[H:.*]] = %arg4 : tensor<?x7xf32>) reverse {
// CHECK-NEXT: lstm.gate [sigmoid, tanh] dot(%[[H]], %arg2 : tensor<?x7xf32>, tensor<7x2x7xf32>) add(%[[X]] : tensor<?x2x7xf32>)
func.func @split(%xs: tensor<?x?x5xf32>, %W: tensor<5x2x7xf32>, %U: tensor<7x2x7xf32>, %b: tensor<2x7xf32>, %h0: tensor<?x7xf32>, %B: index) -> tensor<?x7xf32> {
  %hT = lstm.recurrence over(%x = %xs : tensor<?x?x5xf32>) init(%h = %h0 : tensor<?x7xf32>) reverse {
    %z = lstm.gate [sigmoid, tanh] dot(%x, %W : tensor<?x5xf32>, tensor<5x2x7xf32>) dot(%h, %U : tensor<?x7xf32>, tensor<7x2x7xf32>) add(%b : tensor<2x7xf32>) : tensor<?x2x7xf32>
    %f = tensor.extract_slice %z[0, 0, 0] [%B, 1, 7] [1, 1, 1] : tensor<?x2x7xf32> to tensor<?x7xf32>
    %n = tensor.extract_slice %z[0, 1, 0] [%B, 1, 7] [1, 1, 1] : tensor<?x2x7xf32> to tensor<?x7xf32>
    %h1 = arith.mulf %f, %n : tensor<?x7xf32>
    lstm.yield state(%h1 : tensor<?x7xf32>)
  }
  return %hT : tensor<?x7xf32>
}
// -----
// What leads to a product goes with it (the tanh before), and a reduction over the units (a norm of the input).
// Without `reductions` the latter stays in the step.
// STEP-LABEL: func @chain
// STEP: lstm.gate relu dot(
// STEP: lstm.recurrence
// STEP: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK-LABEL: func @chain
// CHECK: %[[T:.*]] = math.tanh %arg0 : tensor<?x?x5xf32>
// CHECK: lstm.gate relu dot(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: lstm.recurrence
// CHECK-NOT: math.tanh
// CHECK-NOT: linalg.generic
// CHECK: lstm.yield
func.func @chain(%xs: tensor<?x?x5xf32>, %W: tensor<5x7xf32>, %h0: tensor<?x7xf32>, %s0: tensor<?xf32>, %B: index) -> (tensor<?x7xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %hT, %sT = lstm.recurrence over(%x = %xs : tensor<?x?x5xf32>) init(%h = %h0, %s = %s0 : tensor<?x7xf32>, tensor<?xf32>) {
    %t = math.tanh %x : tensor<?x5xf32>
    %p = lstm.gate relu dot(%t, %W : tensor<?x5xf32>, tensor<5x7xf32>) : tensor<?x7xf32>
    %e = tensor.empty(%B) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(r, u) -> (r, u)>, affine_map<(r, u) -> (r)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<?x5xf32>) outs(%f : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %q = arith.addf %a, %o : f32
      linalg.yield %q : f32
    } -> tensor<?xf32>
    %h1 = arith.addf %h, %p : tensor<?x7xf32>
    %s1 = arith.addf %s, %n : tensor<?xf32>
    lstm.yield state(%h1, %s1 : tensor<?x7xf32>, tensor<?xf32>)
  }
  return %hT, %sT : tensor<?x7xf32>, tensor<?xf32>
}
// -----
// A lookup, then a product: a lookup in the product. The row may be a state.
// CHECK-LABEL: func @lookup
// CHECK: %[[P:.*]] = lstm.gate identity dot(%arg0, %arg1 : tensor<29x5xf32>, tensor<5x7xf32>) : tensor<29x7xf32>
// CHECK: lstm.recurrence
// CHECK: %[[ROWS:.*]] = linalg.generic
// CHECK: tensor.extract %[[P]][
// CHECK: lstm.gate tanh dot(%{{.*}}, %arg2 : {{.*}}) add(%[[ROWS]] : tensor<?x7xf32>)
func.func @lookup(%E: tensor<29x5xf32>, %W: tensor<5x7xf32>, %U: tensor<7x7xf32>, %h0: tensor<?x7xf32>, %t0: tensor<?xi32>, %T: index, %B: index) -> (tensor<?x7xf32>, tensor<?xi32>) {
  %hT, %tT = lstm.recurrence init(%h = %h0, %tok = %t0 : tensor<?x7xf32>, tensor<?xi32>) steps(%T : index) {
    %e = tensor.empty(%B) : tensor<?x5xf32>
    %x = linalg.generic {indexing_maps = [affine_map<(r, u) -> (r)>, affine_map<(r, u) -> (r, u)>], iterator_types = ["parallel", "parallel"]}
        ins(%tok : tensor<?xi32>) outs(%e : tensor<?x5xf32>) {
    ^bb0(%i: i32, %o: f32):
      %row = arith.index_cast %i : i32 to index
      %u = linalg.index 1 : index
      %v = tensor.extract %E[%row, %u] : tensor<29x5xf32>
      linalg.yield %v : f32
    } -> tensor<?x5xf32>
    %h1 = lstm.gate tanh dot(%x, %W : tensor<?x5xf32>, tensor<5x7xf32>) dot(%h, %U : tensor<?x7xf32>, tensor<7x7xf32>) : tensor<?x7xf32>
    %tok1 = arith.addi %tok, %tok : tensor<?xi32>
    lstm.yield state(%h1, %tok1 : tensor<?x7xf32>, tensor<?xi32>)
  }
  return %hT, %tT : tensor<?x7xf32>, tensor<?xi32>
}
// -----
// Nothing to hoist: the product's operand mixes both, or two directions; elementwise work alone stays.
// CHECK-LABEL: func @nothing
// CHECK: lstm.recurrence over(%{{.*}} = %arg0, reverse %{{.*}} = %arg1 :
// CHECK-NEXT: math.tanh
// CHECK: lstm.gate identity dot
// CHECK: lstm.gate identity dot
func.func @nothing(%xs: tensor<?x?x7xf32>, %us: tensor<?x?x7xf32>, %W: tensor<7x7xf32>, %h0: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %hT = lstm.recurrence over(%x = %xs, reverse %u = %us : tensor<?x?x7xf32>, tensor<?x?x7xf32>) init(%h = %h0 : tensor<?x7xf32>) {
    %t = math.tanh %x : tensor<?x7xf32>
    %a = arith.addf %x, %u : tensor<?x7xf32>
    %b = arith.addf %t, %h : tensor<?x7xf32>
    %p = lstm.gate identity dot(%a, %W : tensor<?x7xf32>, tensor<7x7xf32>) : tensor<?x7xf32>
    %q = lstm.gate identity dot(%b, %W : tensor<?x7xf32>, tensor<7x7xf32>) : tensor<?x7xf32>
    %h1 = arith.mulf %p, %q : tensor<?x7xf32>
    lstm.yield state(%h1 : tensor<?x7xf32>)
  }
  return %hT : tensor<?x7xf32>
}
// -----
// A product over few elements costs less than storing its result for all steps: with a million steps memory would
// grow by more than the output.
// CHECK-LABEL: func @shallow
// CHECK: lstm.recurrence over(%[[X:.*]] = %arg0 : tensor<?x?x1xf32>)
// CHECK-NEXT: lstm.gate tanh dot(%[[X]], %arg1 : {{.*}}) dot(
func.func @shallow(%xs: tensor<?x?x1xf32>, %W: tensor<1x4xf32>, %U: tensor<4x4xf32>, %h0: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %hT = lstm.recurrence over(%x = %xs : tensor<?x?x1xf32>) init(%h = %h0 : tensor<?x4xf32>) {
    %h1 = lstm.gate tanh dot(%x, %W : tensor<?x1xf32>, tensor<1x4xf32>) dot(%h, %U : tensor<?x4xf32>, tensor<4x4xf32>) : tensor<?x4xf32>
    lstm.yield state(%h1 : tensor<?x4xf32>)
  }
  return %hT : tensor<?x4xf32>
}
// -----
// Without `addends` a sum of a product and a bias is hoisted as the product alone, as GRU has it with reset after. One
// that is rounded, or mapped, would be kept for all steps in a larger type: it is hoisted as it is.
// CHECK-LABEL: func @biased
// CHECK-DAG: lstm.gate identity dot({{.*}}) add(%arg3 : tensor<2x7xf32>)
// CHECK-DAG: lstm.gate identity dot({{.*}}) add(%arg4 : tensor<2x7xbf16>)
// CHECK: lstm.recurrence
// CHECK-NEXT: linalg.generic
// BIAS-LABEL: func @biased
// BIAS-DAG: lstm.gate identity dot({{[^)]*}}) : tensor<?x2x7xf32>
// BIAS-DAG: lstm.gate identity dot({{.*}}) add(%arg4 : tensor<2x7xbf16>)
// BIAS: lstm.recurrence over(%{{.*}}, %[[X:[^ ]*]] = %{{[^ ]*}} : {{.*}}tensor<?x?x2x7xf32>
// BIAS-NEXT: %[[SUM:.*]] = lstm.gate identity add(%arg3 : tensor<2x7xf32>) add(%{{.*}} : tensor<?x2x7xf32>)
#id = affine_map<(r, g, u) -> (r, g, u)>
func.func @biased(%xs: tensor<?x?x5xbf16>, %W: tensor<5x2x7xbf16>, %V: tensor<5x2x7xbf16>, %b: tensor<2x7xf32>, %d: tensor<2x7xbf16>,
                  %h0: tensor<?x2x7xf32>) -> tensor<?x2x7xf32> {
  %hT = lstm.recurrence over(%x = %xs : tensor<?x?x5xbf16>) init(%h = %h0 : tensor<?x2x7xf32>) {
    %p = lstm.gate identity dot(%x, %W : tensor<?x5xbf16>, tensor<5x2x7xbf16>) add(%b : tensor<2x7xf32>) : tensor<?x2x7xf32>
    %q = lstm.gate identity dot(%x, %V : tensor<?x5xbf16>, tensor<5x2x7xbf16>) add(%d : tensor<2x7xbf16>) : tensor<?x2x7xbf16>
    %h1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%p, %q : tensor<?x2x7xf32>, tensor<?x2x7xbf16>) outs(%h : tensor<?x2x7xf32>) {
    ^bb0(%a: f32, %e: bf16, %o: f32):
      %f = arith.extf %e : bf16 to f32
      %s = arith.mulf %a, %f : f32
      %n = arith.addf %s, %o : f32
      linalg.yield %n : f32
    } -> tensor<?x2x7xf32>
    lstm.yield state(%h1 : tensor<?x2x7xf32>)
  }
  return %hT : tensor<?x2x7xf32>
}
// -----
// Rows that a sequence looks up: for all steps at once with `lookups`, else in the step; a state's token stays there.
// STEP-LABEL: func @rows_of_a_table
// STEP: lstm.recurrence
// STEP: tensor.extract
// STEP: tensor.extract
// LOOKUPS-LABEL: func @rows_of_a_table
// LOOKUPS: %[[ROWS:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<?x?xi32>) outs(%{{.*}} : tensor<?x?x7xf32>)
// LOOKUPS: linalg.index 2 : index
// LOOKUPS: tensor.extract %arg0[
// LOOKUPS: lstm.recurrence over(%[[X:.*]] = %[[ROWS]] : tensor<?x?x7xf32>) init(
// LOOKUPS: tensor.extract
// LOOKUPS-NOT: tensor.extract
// LOOKUPS: lstm.gate tanh dot({{.*}} add(%[[X]] : tensor<?x7xf32>)
func.func @rows_of_a_table(%E: tensor<29x7xf32>, %ids: tensor<?x?xi32>, %U: tensor<7x7xf32>, %h0: tensor<?x7xf32>, %t0: tensor<?xi32>, %B: index) -> (tensor<?x7xf32>, tensor<?xi32>) {
  %e = tensor.empty(%B) : tensor<?x7xf32>
  %hT, %tT = lstm.recurrence over(%id = %ids : tensor<?x?xi32>) init(%h = %h0, %tok = %t0 : tensor<?x7xf32>, tensor<?xi32>) {
    %x = linalg.generic {indexing_maps = [affine_map<(r, u) -> (r)>, affine_map<(r, u) -> (r, u)>], iterator_types = ["parallel", "parallel"]}
        ins(%id : tensor<?xi32>) outs(%e : tensor<?x7xf32>) {
    ^bb0(%i: i32, %o: f32):
      %row = arith.index_cast %i : i32 to index
      %u = linalg.index 1 : index
      %v = tensor.extract %E[%row, %u] : tensor<29x7xf32>
      linalg.yield %v : f32
    } -> tensor<?x7xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(r, u) -> (r)>, affine_map<(r, u) -> (r, u)>], iterator_types = ["parallel", "parallel"]}
        ins(%tok : tensor<?xi32>) outs(%e : tensor<?x7xf32>) {
    ^bb0(%i: i32, %o: f32):
      %row = arith.index_cast %i : i32 to index
      %u = linalg.index 1 : index
      %v = tensor.extract %E[%row, %u] : tensor<29x7xf32>
      linalg.yield %v : f32
    } -> tensor<?x7xf32>
    %z = arith.addf %y, %h : tensor<?x7xf32>
    %h1 = lstm.gate tanh dot(%z, %U : tensor<?x7xf32>, tensor<7x7xf32>) add(%x : tensor<?x7xf32>) : tensor<?x7xf32>
    %tok1 = arith.addi %tok, %tok : tensor<?xi32>
    lstm.yield state(%h1, %tok1 : tensor<?x7xf32>, tensor<?xi32>)
  }
  return %hT, %tT : tensor<?x7xf32>, tensor<?xi32>
}
