// What a target must be.

// RUN: lstm-opt %s --transform-interpreter --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  func.func @f(%a: f32, %c: i1) -> f32 {
    // expected-note @below {{target op}}
    %0 = arith.addf %a, %a : f32
    return %0 : f32
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.structured.match ops{["arith.addf"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects a target that holds operations, as func.func, but got arith.addf}}
    transform.lstm.decompose_cells %t : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f(%a: f32, %c: i1) -> f32 {
    // expected-note @below {{target op}}
    %0 = arith.addf %a, %a : f32
    return %0 : f32
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.structured.match ops{["arith.addf"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects a target that holds operations, as func.func, but got arith.addf}}
    transform.lstm.hoist_input_projections %t : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f(%a: f32, %c: i1) -> f32 {
    // expected-note @below {{target op}}
    %0 = arith.addf %a, %a : f32
    return %0 : f32
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.structured.match ops{["arith.addf"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects a target that holds operations, as func.func, but got arith.addf}}
    transform.lstm.fuse_recurrences %t : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f(%a: f32, %c: i1) -> f32 {
    // expected-note @below {{target op}}
    %0 = arith.addf %a, %a : f32
    return %0 : f32
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.structured.match ops{["arith.addf"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects a target that holds operations, as func.func, but got arith.addf}}
    transform.lstm.form_phases %t : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f(%a: f32, %c: i1) -> f32 {
    // expected-note @below {{target op}}
    %0 = arith.addf %a, %a : f32
    return %0 : f32
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.structured.match ops{["arith.addf"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects a target that holds operations, as func.func, but got arith.addf}}
    transform.lstm.fuse_gates %t : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f(%a: f32, %c: i1) -> f32 {
    // expected-note @below {{target op}}
    %0 = arith.addf %a, %a : f32
    return %0 : f32
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.structured.match ops{["arith.addf"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects lstm.recurrence, but got arith.addf}}
    %s = transform.lstm.lower_recurrence %t : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f(%a: f32, %c: i1) -> f32 {
    // expected-note @below {{target op}}
    %0 = scf.if %c -> f32 {
      scf.yield %a : f32
    } else {
      %1 = arith.addf %a, %a : f32
      scf.yield %1 : f32
    }
    return %0 : f32
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t = transform.structured.match ops{["scf.if"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects a target isolated from above, as func.func, but got scf.if}}
    transform.lstm.fuse_gates %t : !transform.any_op
    transform.yield
  }
}
