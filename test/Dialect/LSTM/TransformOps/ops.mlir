// Each operation does in its target, and only there, what the pass of its name does.

// RUN: split-file %s %t
// RUN: cat %t/layers.mlir %t/decompose.mlir | lstm-opt --transform-interpreter | FileCheck %s --check-prefix=DECOMPOSE
// RUN: cat %t/layers.mlir %t/hoist.mlir | lstm-opt --transform-interpreter | FileCheck %s --check-prefix=HOIST
// RUN: cat %t/layers.mlir %t/depth.mlir | lstm-opt --transform-interpreter | FileCheck %s --check-prefix=DEPTH
// RUN: cat %t/layers.mlir %t/phases.mlir | lstm-opt --transform-interpreter | FileCheck %s --check-prefix=PHASES
// RUN: cat %t/layers.mlir %t/fuse.mlir | lstm-opt --transform-interpreter | FileCheck %s --check-prefix=FUSE
// RUN: cat %t/layers.mlir %t/pack.mlir | lstm-opt --transform-interpreter | FileCheck %s --check-prefix=PACK
// RUN: lstm-opt %t/gates.mlir --transform-interpreter | FileCheck %s --check-prefix=GATES

// DECOMPOSE-LABEL: func @first
// DECOMPOSE-NOT: lstm.rnn_cell
// DECOMPOSE: lstm.gate tanh
// DECOMPOSE-LABEL: func @second
// DECOMPOSE: lstm.rnn_cell

// The handle of the recurrence that is replaced holds the new one.
// HOIST-LABEL: func @first
// HOIST: %[[P:.*]] = lstm.gate
// HOIST: lstm.recurrence over({{.*}} : tensor<4x3x5xf32>, tensor<4x3x6xf32>) {{.*}} attributes {seen} {
// HOIST-LABEL: func @second
// HOIST-NOT: attributes {seen}

// DEPTH-LABEL: func @first
// DEPTH-NOT: lstm.gate
// DEPTH: lstm.recurrence over({{.*}} : tensor<4x3x5xf32>)

// PHASES-LABEL: func @first
// PHASES: lstm.scan {{.*}} attributes {seen} {
// PHASES: lstm.phase project
// PHASES-LABEL: func @second
// PHASES: lstm.recurrence
// PHASES: lstm.rnn_cell

// PACK-LABEL: func @first
// PACK: linalg.pack {{.*}} inner_tiles = [1, {{[0-9]+}}]
// PACK: lstm.recurrence
// PACK-NOT: linalg.pack
// PACK: lstm.phase project

// FUSE-LABEL: func @first
// FUSE: lstm.recurrence
// FUSE-LABEL: func @second
// FUSE: lstm.recurrence over({{.*}}, {{.*}} : tensor<4x3x5xf32>, tensor<4x3x5xf32>)
// FUSE-NOT: lstm.recurrence over

// GATES-LABEL: func @gates
// GATES: lstm.gate identity dot(%{{.*}}, %{{.*}} : tensor<3x5xf32>, tensor<5x2x6xf32>)
// GATES-NOT: dot(

//--- layers.mlir
func.func @first(%x: tensor<4x3x5xf32>, %W: tensor<5x6xf32>, %U: tensor<6x6xf32>, %b: tensor<6xf32>, %h0: tensor<3x6xf32>)
    -> tensor<3x6xf32> {
  %hT = lstm.recurrence over(%xt = %x : tensor<4x3x5xf32>) init(%h = %h0 : tensor<3x6xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<3x5xf32>, tensor<5x6xf32>) state(%h, %U : tensor<3x6xf32>, tensor<6x6xf32>)
        bias(%b : tensor<6xf32>)
    lstm.yield state(%h1 : tensor<3x6xf32>)
  }
  return %hT : tensor<3x6xf32>
}

func.func @second(%x: tensor<4x3x5xf32>, %W: tensor<5x6xf32>, %U: tensor<6x6xf32>, %b: tensor<6xf32>, %h0: tensor<3x6xf32>)
    -> (tensor<3x6xf32>, tensor<3x6xf32>) {
  %hT = lstm.recurrence over(%xt = %x : tensor<4x3x5xf32>) init(%h = %h0 : tensor<3x6xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<3x5xf32>, tensor<5x6xf32>) state(%h, %U : tensor<3x6xf32>, tensor<6x6xf32>)
        bias(%b : tensor<6xf32>)
    lstm.yield state(%h1 : tensor<3x6xf32>)
  }
  %gT = lstm.recurrence over(%xt = %x : tensor<4x3x5xf32>) init(%h = %h0 : tensor<3x6xf32>) {
    %h1 = lstm.rnn_cell input(%xt, %W : tensor<3x5xf32>, tensor<5x6xf32>) state(%h, %U : tensor<3x6xf32>, tensor<6x6xf32>)
        bias(%b : tensor<6xf32>) activations [relu]
    lstm.yield state(%h1 : tensor<3x6xf32>)
  }
  return %hT, %gT : tensor<3x6xf32>, tensor<3x6xf32>
}

//--- decompose.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} attributes{sym_name = "first"} in %m : (!transform.any_op) -> !transform.any_op
    transform.lstm.decompose_cells %f : !transform.any_op
    transform.yield
  }
}

//--- hoist.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} attributes{sym_name = "first"} in %m : (!transform.any_op) -> !transform.any_op
    transform.lstm.decompose_cells %f : !transform.any_op
    %r = transform.structured.match ops{["lstm.recurrence"]} in %f : (!transform.any_op) -> !transform.any_op
    transform.lstm.hoist_input_projections %r : !transform.any_op
    transform.annotate %r "seen" : !transform.any_op
    transform.yield
  }
}

//--- depth.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    transform.lstm.decompose_cells %m : !transform.any_op
    transform.lstm.hoist_input_projections %m {min_depth = 6} : !transform.any_op
    transform.yield
  }
}

//--- phases.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} attributes{sym_name = "first"} in %m : (!transform.any_op) -> !transform.any_op
    transform.lstm.decompose_cells %f : !transform.any_op
    transform.lstm.form_phases %f {include_functions = false} : !transform.any_op
    %r = transform.structured.match ops{["lstm.recurrence"]} in %f : (!transform.any_op) -> !transform.any_op
    %s = transform.lstm.lower_recurrence %r : (!transform.any_op) -> !transform.any_op
    transform.annotate %s "seen" : !transform.any_op
    transform.yield
  }
}

//--- pack.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} attributes{sym_name = "first"} in %m : (!transform.any_op) -> !transform.any_op
    transform.lstm.decompose_cells %f : !transform.any_op
    transform.lstm.form_phases %f {include_functions = false} : !transform.any_op
    transform.lstm.pack_weights %f {vector_bits = 128} : !transform.any_op
    transform.yield
  }
}

//--- fuse.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    transform.lstm.fuse_recurrences %m : !transform.any_op
    transform.yield
  }
}

//--- gates.mlir
module attributes {transform.with_named_sequence} {
  func.func @gates(%x: tensor<3x5xf32>, %W: tensor<5x6xf32>, %V: tensor<5x6xf32>) -> (tensor<3x6xf32>, tensor<3x6xf32>) {
    %0 = lstm.gate sigmoid dot(%x, %W : tensor<3x5xf32>, tensor<5x6xf32>) : tensor<3x6xf32>
    %1 = lstm.gate tanh dot(%x, %V : tensor<3x5xf32>, tensor<5x6xf32>) : tensor<3x6xf32>
    return %0, %1 : tensor<3x6xf32>, tensor<3x6xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    transform.lstm.fuse_gates %f : !transform.any_op
    transform.yield
  }
}
