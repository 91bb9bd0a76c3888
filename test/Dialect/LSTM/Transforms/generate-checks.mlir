// RUN: lstm-opt %s --lstm-generate-checks --canonicalize --cse | FileCheck %s

// All sizes come from arguments: the checks stand at the start of the function,
// and those of the body follow from what the recurrence itself demands.
// CHECK-LABEL: func.func @lstm(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?x8xf32>, %[[W:[^:]*]]: tensor<8x4x?xf32>, %[[U:[^:]*]]: tensor<?x4x?xf32>, %[[H0:[^:]*]]: tensor<?x?xf32>, %[[C0:[^:]*]]: tensor<?x?xf32>, %[[LEN:[^:]*]]: tensor<?xi32>
// CHECK-DAG: %[[I0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[I1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[B:.*]] = tensor.dim %[[X]], %[[I1]]
// CHECK-DAG: %[[HB:.*]] = tensor.dim %[[H0]], %[[I0]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[B]], %[[HB]] : index
// CHECK: lstm.check %[[SAME]], "'lstm.recurrence' op expects state #0 to have batch {0}, but got {1}"(%[[B]], %[[HB]] : index, index)
// CHECK: lstm.check %{{.*}}, "'lstm.recurrence' op expects state #1 to have batch {0}, but got {1}"
// CHECK: lstm.check %{{.*}}, "'lstm.recurrence' op expects 'lengths' to have batch {0}, but got {1}"
// CHECK: scf.for %[[ROW:.*]] = %[[I0]] to %{{.*}} step %[[I1]] {
// CHECK: %[[L:.*]] = tensor.extract %[[LEN]][%[[ROW]]] : tensor<?xi32>
// CHECK: %[[LENGTH:.*]] = arith.index_cast %[[L]] : i32 to index
// CHECK: %[[OK:.*]] = arith.cmpi ule, %[[LENGTH]], %[[T:.*]] : index
// CHECK: lstm.check %[[OK]], "'lstm.recurrence' op expects lengths[{0}] to be in 0...{1}, but got {2}"(%[[ROW]], %[[T]], %[[LENGTH]] : index, index, index)
// CHECK: }
// The next states have as many units as the states.
// CHECK: lstm.check %{{.*}}, "'lstm.cell' op expects the input weight to have number of units {0}, but got {1}"
// CHECK: lstm.check %{{.*}}, "'lstm.cell' op expects the state weight to have number of units {0}, but got {1}"
// CHECK: lstm.check %{{.*}}, "'lstm.cell' op expects 'state' to have number of units {0}, but got {1}"
// CHECK: lstm.check %{{.*}}, "'lstm.cell' op expects the state weight to have number of units {0}, but got {1}"
// CHECK-NOT: lstm.check
// CHECK: tensor.empty
// CHECK: lstm.recurrence
// CHECK-NOT: lstm.check
// CHECK: return
func.func @lstm(%x: tensor<?x?x8xf32>, %W: tensor<8x4x?xf32>, %U: tensor<?x4x?xf32>, %h0: tensor<?x?xf32>, %c0: tensor<?x?xf32>, %len: tensor<?xi32>)
    -> tensor<?x?x?xf32> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %T = tensor.dim %x, %i0 : tensor<?x?x8xf32>
  %B = tensor.dim %x, %i1 : tensor<?x?x8xf32>
  %H = tensor.dim %h0, %i1 : tensor<?x?xf32>
  %ys0 = tensor.empty(%T, %B, %H) : tensor<?x?x?xf32>
  %ys, %hT, %cT = lstm.recurrence over(%xt = %x : tensor<?x?x8xf32>) init(%h = %h0, %c = %c0 : tensor<?x?xf32>, tensor<?x?xf32>)
      lengths(%len : tensor<?xi32>) outs(%ys0 : tensor<?x?x?xf32>) {
    %h1, %c1 = lstm.cell input(%xt, %W : tensor<?x8xf32>, tensor<8x4x?xf32>) state(%h, %U : tensor<?x?xf32>, tensor<?x4x?xf32>)
        cell(%c : tensor<?x?xf32>)
    lstm.yield state(%h1, %c1 : tensor<?x?xf32>, tensor<?x?xf32>) out(%h1 : tensor<?x?xf32>)
  }
  return %ys : tensor<?x?x?xf32>
}

// What types imply is not checked.
// CHECK-LABEL: func.func @static(
// CHECK-NOT: lstm.check
func.func @static(%x: tensor<5x4x8xf32>, %U: tensor<8x8xf32>, %h0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %hT = lstm.recurrence over(%xt = %x : tensor<5x4x8xf32>) init(%h = %h0 : tensor<4x8xf32>) {
    %h1 = lstm.gate tanh dot(%h, %U : tensor<4x8xf32>, tensor<8x8xf32>) add(%xt : tensor<4x8xf32>) : tensor<4x8xf32>
    lstm.yield state(%h1 : tensor<4x8xf32>)
  }
  return %hT : tensor<4x8xf32>
}

// A batch that is known says what is expected.
// CHECK-LABEL: func.func @known(
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: lstm.check %{{.*}}, "'lstm.recurrence' op expects sequence #0 to have batch {0}, but got {1}"(%[[FOUR]], %{{.*}} : index, index)
func.func @known(%x: tensor<5x?x8xf32>, %h0: tensor<4x8xf32>, %ys0: tensor<5x4x8xf32>) -> tensor<4x8xf32> {
  %ys, %hT = lstm.recurrence over(%xt = %x : tensor<5x?x8xf32>) init(%h = %h0 : tensor<4x8xf32>) outs(%ys0 : tensor<5x4x8xf32>) {
    lstm.yield state(%h : tensor<4x8xf32>) out(%h : tensor<4x8xf32>)
  }
  return %hT : tensor<4x8xf32>
}

// Steps of sequences and outputs; steps must not be negative.
// CHECK-LABEL: func.func @steps(
// CHECK: lstm.check %{{.*}}, "'lstm.recurrence' op expects sequence #1 to have number of steps {0}, but got {1}"
// CHECK: lstm.check %{{.*}}, "'lstm.recurrence' op expects output #0 to have number of steps {0}, but got {1}"
// CHECK: lstm.recurrence
// CHECK: lstm.check %{{.*}}, "'lstm.recurrence' op expects 'steps' to be 0 or more, but got {0}"(%{{.*}} : index)
func.func @steps(%x: tensor<?x4x8xf32>, %y: tensor<?x4x8xf32>, %s0: tensor<4x8xf32>, %ys0: tensor<?x4x8xf32>, %n: i32) -> (tensor<?x4x8xf32>, tensor<4x8xf32>) {
  %ys, %r = lstm.recurrence over(%a = %x, %b = %y : tensor<?x4x8xf32>, tensor<?x4x8xf32>) init(%s = %s0 : tensor<4x8xf32>) outs(%ys0 : tensor<?x4x8xf32>) {
    %s1 = arith.addf %a, %b : tensor<4x8xf32>
    lstm.yield state(%s1 : tensor<4x8xf32>) out(%s1 : tensor<4x8xf32>)
  }
  %steps = arith.index_cast %n : i32 to index
  %q = lstm.recurrence init(%s = %s0 : tensor<4x8xf32>) steps(%steps : index) {
    lstm.yield state(%s : tensor<4x8xf32>)
  }
  return %ys, %q : tensor<?x4x8xf32>, tensor<4x8xf32>
}

// Sizes that the body alone knows are checked there; gates outside of a
// recurrence where they stand.
// CHECK-LABEL: func.func @inside(
// CHECK: lstm.check %{{.*}}, "'lstm.gate' op expects the weight of dot #0 to have number of inputs {0}, but got {1}"
// CHECK: lstm.recurrence
// CHECK: tensor.extract_slice
// CHECK: lstm.check %{{.*}}, "'lstm.gate' op expects the weight of dot #0 to have number of inputs {0}, but got {1}"
// CHECK: lstm.gate
func.func @inside(%x: tensor<4x?xf32>, %W: tensor<?x8xf32>, %n0: index, %T: index) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %g = lstm.gate tanh dot(%x, %W : tensor<4x?xf32>, tensor<?x8xf32>) : tensor<4x8xf32>
  %n, %s = lstm.recurrence init(unmasked %n = %n0, %s = %g : index, tensor<4x8xf32>) steps(%T : index) {
    %some = tensor.extract_slice %s[0, 0] [4, %n] [1, 1] : tensor<4x8xf32> to tensor<4x?xf32>
    %s1 = lstm.gate tanh dot(%some, %W : tensor<4x?xf32>, tensor<?x8xf32>) : tensor<4x8xf32>
    lstm.yield state(%n, %s1 : index, tensor<4x8xf32>)
  }
  return %g, %s : tensor<4x8xf32>, tensor<4x8xf32>
}
