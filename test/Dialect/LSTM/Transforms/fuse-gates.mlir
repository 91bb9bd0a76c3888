// RUN: lstm-opt %s --lstm-fuse-gates --canonicalize --cse --split-input-file | FileCheck %s
// RUN: lstm-opt %s --lstm-fuse-gates --split-input-file --remark-format=emitRemark --remarks-filter=lstm-fuse-gates -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Slices of one weight are that weight; biases likewise. x and h make one sum.
// CHECK-LABEL: func @packed
// CHECK: lstm.recurrence
// CHECK: %[[Z:.*]] = lstm.gate identity dot(%{{.*}}, %arg1 : tensor<?x5xf32>, tensor<5x2x7xf32>) dot(%{{.*}}, %arg2 : tensor<?x7xf32>, tensor<7x2x7xf32>) add(%arg3 : tensor<2x7xf32>) : tensor<?x2x7xf32>
// CHECK: %[[A:.*]] = tensor.extract_slice %[[Z]][0, 0, 0]
// CHECK: %[[B:.*]] = tensor.extract_slice %[[Z]][0, 1, 0]
// CHECK: lstm.gate tanh add(%[[B]] : tensor<?x7xf32>) : tensor<?x7xf32>
// CHECK: lstm.gate sigmoid add(%[[A]] : tensor<?x7xf32>) : tensor<?x7xf32>
// REMARK: made one product of 2
func.func @packed(%xs: tensor<?x?x5xf32>, %W: tensor<5x2x7xf32>, %U: tensor<7x2x7xf32>, %b: tensor<2x7xf32>, %h0: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %W0 = tensor.extract_slice %W[0, 0, 0] [5, 1, 7] [1, 1, 1] : tensor<5x2x7xf32> to tensor<5x7xf32>
  %W1 = tensor.extract_slice %W[0, 1, 0] [5, 1, 7] [1, 1, 1] : tensor<5x2x7xf32> to tensor<5x7xf32>
  %U0 = tensor.extract_slice %U[0, 0, 0] [7, 1, 7] [1, 1, 1] : tensor<7x2x7xf32> to tensor<7x7xf32>
  %U1 = tensor.extract_slice %U[0, 1, 0] [7, 1, 7] [1, 1, 1] : tensor<7x2x7xf32> to tensor<7x7xf32>
  %b0 = tensor.extract_slice %b[0, 0] [1, 7] [1, 1] : tensor<2x7xf32> to tensor<7xf32>
  %b1 = tensor.extract_slice %b[1, 0] [1, 7] [1, 1] : tensor<2x7xf32> to tensor<7xf32>
  %hT = lstm.recurrence over(%x = %xs : tensor<?x?x5xf32>) init(%h = %h0 : tensor<?x7xf32>) {
    // The second gate of the weight comes first here.
    %n = lstm.gate tanh dot(%x, %W1 : tensor<?x5xf32>, tensor<5x7xf32>) dot(%h, %U1 : tensor<?x7xf32>, tensor<7x7xf32>) add(%b1 : tensor<7xf32>) : tensor<?x7xf32>
    %f = lstm.gate sigmoid dot(%x, %W0 : tensor<?x5xf32>, tensor<5x7xf32>) dot(%h, %U0 : tensor<?x7xf32>, tensor<7x7xf32>) add(%b0 : tensor<7xf32>) : tensor<?x7xf32>
    %h1 = arith.mulf %f, %n : tensor<?x7xf32>
    lstm.yield state(%h1 : tensor<?x7xf32>)
  }
  return %hT : tensor<?x7xf32>
}
// -----
// Weights of their own are packed once, in front of the loop. A GRU with reset before: r and z fuse, n
// cannot, for its operand depends on r.
// CHECK-LABEL: func @reset_before
// CHECK: %[[E:.*]] = tensor.empty() : tensor<7x2x7xf32>
// CHECK: %[[P0:.*]] = tensor.insert_slice %arg0 into %[[E]][0, 0, 0] [7, 1, 7]
// CHECK: %[[P1:.*]] = tensor.insert_slice %arg1 into %[[P0]][0, 1, 0] [7, 1, 7]
// CHECK: lstm.recurrence
// CHECK: lstm.gate identity dot(%{{.*}}, %[[P1]] : tensor<?x7xf32>, tensor<7x2x7xf32>) : tensor<?x2x7xf32>
// CHECK: %[[RH:.*]] = arith.mulf
// CHECK: lstm.gate tanh dot(%[[RH]], %arg2 : tensor<?x7xf32>, tensor<7x7xf32>) : tensor<?x7xf32>
// REMARK: made one product of 2
// REMARK: the product's operand depends on another product of the same step
func.func @reset_before(%Ur: tensor<7x7xf32>, %Uz: tensor<7x7xf32>, %Un: tensor<7x7xf32>, %h0: tensor<?x7xf32>, %T: index) -> tensor<?x7xf32> {
  %hT = lstm.recurrence init(%h = %h0 : tensor<?x7xf32>) steps(%T : index) {
    %r = lstm.gate sigmoid dot(%h, %Ur : tensor<?x7xf32>, tensor<7x7xf32>) : tensor<?x7xf32>
    %z = lstm.gate sigmoid dot(%h, %Uz : tensor<?x7xf32>, tensor<7x7xf32>) : tensor<?x7xf32>
    %rh = arith.mulf %r, %h : tensor<?x7xf32>
    %n = lstm.gate tanh dot(%rh, %Un : tensor<?x7xf32>, tensor<7x7xf32>) : tensor<?x7xf32>
    %h1 = arith.mulf %z, %n : tensor<?x7xf32>
    lstm.yield state(%h1 : tensor<?x7xf32>)
  }
  return %hT : tensor<?x7xf32>
}
// -----
// Products as other importers emit them: matmul on a zero fill, a bias by broadcast or in a generic,
// a weight that lies [H, K].
// CHECK-LABEL: func @raised
// CHECK: %[[W:.*]] = tensor.insert_slice %{{.*}}, 1, 0]
// CHECK: lstm.recurrence
// CHECK-NOT: linalg.matmul
// CHECK: lstm.gate identity dot(%{{.*}}, %[[W]] : tensor<?x7xf32>, tensor<7x2x7xf32>) add(%{{.*}} : tensor<2x7xf32>) : tensor<?x2x7xf32>
// CHECK-NOT: linalg.broadcast
// CHECK-NOT: linalg.matmul
// CHECK: lstm.yield
func.func @raised(%U0: tensor<7x7xf32>, %U1: tensor<7x7xf32>, %b0: tensor<7xf32>, %b1: tensor<7xf32>, %h0: tensor<?x7xf32>, %T: index, %B: index) -> tensor<?x7xf32> {
  %zero = arith.constant 0.0 : f32
  %hT = lstm.recurrence init(%h = %h0 : tensor<?x7xf32>) steps(%T : index) {
    %e = tensor.empty(%B) : tensor<?x7xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32>
    %p = linalg.matmul ins(%h, %U0 : tensor<?x7xf32>, tensor<7x7xf32>) outs(%f : tensor<?x7xf32>) -> tensor<?x7xf32>
    %q = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%h, %U1 : tensor<?x7xf32>, tensor<7x7xf32>) outs(%f : tensor<?x7xf32>) -> tensor<?x7xf32>
    %c = linalg.broadcast ins(%b0 : tensor<7xf32>) outs(%e : tensor<?x7xf32>) dimensions = [0]
    %s = arith.addf %p, %c : tensor<?x7xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(r, u) -> (r, u)>, affine_map<(r, u) -> (u)>, affine_map<(r, u) -> (r, u)>],
                         iterator_types = ["parallel", "parallel"]} ins(%q, %b1 : tensor<?x7xf32>, tensor<7xf32>) outs(%e : tensor<?x7xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
    } -> tensor<?x7xf32>
    %g = math.tanh %s : tensor<?x7xf32>
    %h1 = arith.mulf %g, %t : tensor<?x7xf32>
    lstm.yield state(%h1 : tensor<?x7xf32>)
  }
  return %hT : tensor<?x7xf32>
}
// -----
// Nothing to fuse: other operands, other element types, a weight that the step itself makes.
// CHECK-LABEL: func @apart
// CHECK: lstm.recurrence
// CHECK: lstm.gate tanh dot(%{{.*}}, %arg0 : tensor<?x7xf32>, tensor<7x7xf32>)
// CHECK: lstm.gate tanh dot(%{{.*}}, %arg1 : tensor<?x7xf32>, tensor<7x7xf32>)
// CHECK: lstm.gate tanh dot(%{{.*}}, %{{.*}} : tensor<?x7xf32>, tensor<7x7xf32>)
func.func @apart(%U0: tensor<7x7xf32>, %U1: tensor<7x7xf32>, %h0: tensor<?x7xf32>, %g0: tensor<?x7xf32>, %m0: tensor<7x7xf32>, %T: index) -> (tensor<?x7xf32>, tensor<?x7xf32>) {
  %hT, %gT, %mT = lstm.recurrence init(%h = %h0, %g = %g0, unmasked %m = %m0 : tensor<?x7xf32>, tensor<?x7xf32>, tensor<7x7xf32>) steps(%T : index) {
    %h1 = lstm.gate tanh dot(%h, %U0 : tensor<?x7xf32>, tensor<7x7xf32>) : tensor<?x7xf32>
    %g1 = lstm.gate tanh dot(%g, %U1 : tensor<?x7xf32>, tensor<7x7xf32>) : tensor<?x7xf32>
    %k1 = lstm.gate tanh dot(%h, %m : tensor<?x7xf32>, tensor<7x7xf32>) : tensor<?x7xf32>
    %l1 = arith.addf %g1, %k1 : tensor<?x7xf32>
    %m1 = arith.addf %m, %m : tensor<7x7xf32>
    lstm.yield state(%h1, %l1, %m1 : tensor<?x7xf32>, tensor<?x7xf32>, tensor<7x7xf32>)
  }
  return %hT, %gT : tensor<?x7xf32>, tensor<?x7xf32>
}
// -----
// So it is with inputs of one feature.
// CHECK-LABEL: func @one_feature
// CHECK: lstm.gate identity dot(%{{.*}}, %arg1 : tensor<?x1xf32>, tensor<1x2x7xf32>)
// REMARK: made one product of 2
func.func @one_feature(%xs: tensor<?x?x1xf32>, %W: tensor<1x2x7xf32>, %h0: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %W0 = tensor.extract_slice %W[0, 0, 0] [1, 1, 7] [1, 1, 1] : tensor<1x2x7xf32> to tensor<1x7xf32>
  %W1 = tensor.extract_slice %W[0, 1, 0] [1, 1, 7] [1, 1, 1] : tensor<1x2x7xf32> to tensor<1x7xf32>
  %hT = lstm.recurrence over(%x = %xs : tensor<?x?x1xf32>) init(%h = %h0 : tensor<?x7xf32>) {
    %n = lstm.gate tanh dot(%x, %W1 : tensor<?x1xf32>, tensor<1x7xf32>) : tensor<?x7xf32>
    %f = lstm.gate sigmoid dot(%x, %W0 : tensor<?x1xf32>, tensor<1x7xf32>) : tensor<?x7xf32>
    %h1 = arith.mulf %f, %n : tensor<?x7xf32>
    %h2 = arith.addf %h1, %h : tensor<?x7xf32>
    lstm.yield state(%h2 : tensor<?x7xf32>)
  }
  return %hT : tensor<?x7xf32>
}
