// One case for each constraint of scans, named by its label; then what does not parse.
// RUN: lstm-opt %s --split-input-file --verify-diagnostics

func.func @scan_c1(%T: index, %c: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error @below {{'lstm.scan' op expects tensors only or memrefs only, but 'states' operand #1 has type 'memref<4xf32>' and 'states' operand #0 has type 'tensor<4xf32>' (scan_c1)}}
  %r = lstm.scan %t to %T states(%a = %c, %b = %m : tensor<4xf32>, memref<4xf32>) {
    lstm.yield state(%a : tensor<4xf32>)
  }
  return
}

// -----

func.func @scan_c2(%T: index, %x: tensor<f32>) {
  // expected-error @below {{expects 'over' operand #0 to have a dimension to slice, and strides if it is a memref, but got type 'tensor<f32>' (scan_c2)}}
  lstm.scan %t to %T over(%a = %x : tensor<f32>) {
    lstm.yield
  }
  return
}

// -----

func.func @scan_c2_generic(%T: index, %y: tensor<f32>) {
  // expected-error @below {{'lstm.scan' op expects 'outs' operand #0 to have a dimension to slice, and strides if it is a memref, but got type 'tensor<f32>' (scan_c2)}}
  %r = "lstm.scan"(%T, %y) <{operandSegmentSizes = array<i32: 1, 0, 0, 1>, reversed = array<i1: false>, twoSlots = array<i1>}> ({
  ^bb0(%t: index, %a: tensor<f32>):
    lstm.yield out(%a : tensor<f32>)
  }) : (index, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @scan_c2_layout(%T: index, %x: memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>) {
  // expected-error @below {{expects 'over' operand #0 to have a dimension to slice, and strides if it is a memref, but got type 'memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>' (scan_c2)}}
  lstm.scan %t to %T over(%a = %x : memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>) {
    lstm.yield
  }
  return
}

// -----

func.func @scan_c3(%T: index, %c: tensor<4xf32>) {
  // expected-error @below {{'lstm.scan' op expects one 'twoSlots' flag for each of 1 states, but got 0 (scan_c3)}}
  %r = "lstm.scan"(%T, %c) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>, reversed = array<i1>, twoSlots = array<i1>}> ({
  ^bb0(%t: index, %a: tensor<4xf32>):
    lstm.yield state(%a : tensor<4xf32>)
  }) : (index, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scan_c4(%T: index, %y: tensor<?x4xf32>) {
  // expected-error @below {{'lstm.scan' op expects one 'reversed' flag for each of 1 sequences and outputs, but got 2 (scan_c4)}}
  %r = "lstm.scan"(%T, %y) <{operandSegmentSizes = array<i32: 1, 0, 0, 1>, reversed = array<i1: false, true>, twoSlots = array<i1>}> ({
  ^bb0(%t: index, %a: tensor<4xf32>):
    lstm.yield out(%a : tensor<4xf32>)
  }) : (index, tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @scan_c5(%T: index, %hh: tensor<3x4xf32>) {
  // expected-error @below {{'lstm.scan' op expects 'states' operand #0 to have 2 slots on dim #0, but got type 'tensor<3x4xf32>' (scan_c5)}}
  %r = lstm.scan %t to %T states(%h -> %to = %hh : tensor<3x4xf32>) {
    lstm.yield state(%h : tensor<4xf32>)
  }
  return
}

// -----

func.func @scan_c6(%T: index, %x: tensor<5x4xf32>, %w: tensor<?x4xf32>, %y: tensor<6x4xf32>) {
  // expected-error @below {{'lstm.scan' op expects 'outs' operand #0 to have 5 steps, but got 6 (scan_c6)}}
  %r = lstm.scan %t to %T over(%b = %w, %a = %x : tensor<?x4xf32>, tensor<5x4xf32>) outs(%o = %y : tensor<6x4xf32>) {
    lstm.yield out(%a : tensor<4xf32>)
  }
  return
}

// -----

func.func @scan_c7(%T: index, %hh: tensor<2x4xf32>) {
  // expected-error @below {{'lstm.scan' op expects region arguments ('index', 'tensor<4xf32>', 'tensor<4xf32>'), but got ('index', 'tensor<4xf32>') (scan_c7)}}
  %r = "lstm.scan"(%T, %hh) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>, reversed = array<i1>, twoSlots = array<i1: true>}> ({
  ^bb0(%t: index, %h: tensor<4xf32>):
    lstm.yield state(%h : tensor<4xf32>)
  }) : (index, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @scan_c8(%T: index, %c: tensor<4xf32>, %y: tensor<?x4xf32>) {
  // expected-error @below {{'lstm.scan' op expects to yield states ('tensor<4xf32>') and outputs ('tensor<4xf32>'), but got ('tensor<4xf32>', 'tensor<4xf32>') and () (scan_c8)}}
  %r:2 = lstm.scan %t to %T states(%a = %c : tensor<4xf32>) outs(%o = %y : tensor<?x4xf32>) {
    lstm.yield state(%a, %a : tensor<4xf32>, tensor<4xf32>)
  }
  return
}

// -----

func.func @scan_c8_memrefs(%T: index, %c: memref<4xf32>) {
  // expected-error @below {{'lstm.scan' op expects to yield states () and outputs (), but got ('memref<4xf32>') and () (scan_c8)}}
  lstm.scan %t to %T states(%a = %c : memref<4xf32>) {
    lstm.yield state(%a : memref<4xf32>)
  }
  return
}

// -----

func.func @scan_c8_scalars(%T: index, %c: tensor<4xf32>) {
  // expected-error @below {{'lstm.scan' op expects its region to end with lstm.yield of states and outputs (scan_c8)}}
  %r = lstm.scan %t to %T states(%a = %c : tensor<4xf32>) {
    lstm.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c9(%T: index, %c: memref<4x4xf32>) {
  // expected-error @below {{'lstm.scan' op expects states and outputs to be distinct buffers, but 'states' operand #0 and 'outs' operand #0 are the same (scan_c9)}}
  lstm.scan %t to %T states(%a = %c : memref<4x4xf32>) outs(%o = %c : memref<4x4xf32>) {
    lstm.yield
  }
  return
}

// -----

func.func @types(%T: index, %c: tensor<4xf32>) {
  // expected-error @below {{number of operands and types do not match: got 1 operands and 2 types}}
  %r = lstm.scan %t to %T states(%a = %c : tensor<4xf32>, tensor<4xf32>) {
    lstm.yield state(%a : tensor<4xf32>)
  }
  return
}

// -----

func.func @slots_of_a_sequence(%T: index, %x: tensor<?x4xf32>) {
  // expected-error @below {{expected '='}}
  lstm.scan %t to %T over(%a -> %b = %x : tensor<?x4xf32>) {
    lstm.yield
  }
  return
}

// -----

func.func @reversed_state(%T: index, %c: tensor<4xf32>) {
  // expected-error @below {{expected SSA operand}}
  %r = lstm.scan %t to %T states(reverse %a = %c : tensor<4xf32>) {
    lstm.yield state(%a : tensor<4xf32>)
  }
  return
}

// -----

// expected-note @below {{prior use here}}
func.func @steps(%T: i32, %c: tensor<4xf32>) {
  // expected-error @below {{use of value '%T' expects different type than prior uses: 'index' vs 'i32'}}
  %r = lstm.scan %t to %T states(%a = %c : tensor<4xf32>) {
    lstm.yield state(%a : tensor<4xf32>)
  }
  return
}

// -----

func.func @no_region(%T: index) {
  // expected-error @below {{'lstm.scan' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "lstm.scan"(%T) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, reversed = array<i1>, twoSlots = array<i1>}> ({
  }) : (index) -> ()
  return
}
