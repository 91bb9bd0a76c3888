// One case for each constraint of phases, named by its label; then what does not parse.
// RUN: lstm-opt %s --split-input-file --verify-diagnostics

func.func @phase_c1() {
  // expected-error @below {{'lstm.phase' op expects at least 1 'outs' operand, but got 0 (phase_c1)}}
  "lstm.phase"() <{axes = array<i32>, operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({
    lstm.yield
  }) : () -> ()
  return
}

// -----

func.func @phase_c2(%h: memref<4x8xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects tensors only or memrefs only, but operand #0 has type 'memref<4x8xf32>' and 'outs' operand #0 has type 'tensor<4x8xf32>' (phase_c2)}}
  %r = lstm.phase ins(%h[r, u] : memref<4x8xf32>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%x: f32, %old: f32):
    lstm.yield %x : f32
  }
  return
}

// -----

func.func @phase_c3(%h: tensor<4x8xf32>, %U: tensor<8x1x8xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects as many weights as states to project, but got 1 and 2 (phase_c3)}}
  %r = "lstm.phase"(%h, %h, %U, %to) <{axes = array<i32>, operandSegmentSizes = array<i32: 2, 1, 0, 1>}> ({
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x1x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @phase_c4(%x: tensor<4x8xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects axes for each of 1 'ins' operands, but got 0 (phase_c4)}}
  %r = "lstm.phase"(%x, %to) <{axes = array<i32>, operandSegmentSizes = array<i32: 0, 0, 1, 1>}> ({
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @phase_c4_bits(%x: tensor<4x8xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects axes to be a bit set between 0 and 7, but got 8 (phase_c4)}}
  %r = "lstm.phase"(%x, %to) <{axes = array<i32: 8>, operandSegmentSizes = array<i32: 0, 0, 1, 1>}> ({
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @phase_c5(%to: tensor<8xf32>) {
  // expected-error @below {{'lstm.phase' op expects 'outs' operand #0 to have rank 2, but got type 'tensor<8xf32>' (phase_c5)}}
  %r = lstm.phase outs(%to : tensor<8xf32>) {
  ^bb0(%old: f32):
    lstm.yield %old : f32
  }
  return
}

// -----

func.func @phase_c6(%h: tensor<4x8xf32>, %U: tensor<8x8xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects 'project' pair #0 to have ranks 2 and 3, or 2 and 5, but got types 'tensor<4x8xf32>' and 'tensor<8x8xf32>' (phase_c6)}}
  %r = lstm.phase project(%h, %U : tensor<4x8xf32>, tensor<8x8xf32>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return
}

// -----

func.func @phase_c7(%m: tensor<4xi1>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects 'ins' operand #0 with 2 axes to be a tensor or memref of that rank, but got type 'tensor<4xi1>' (phase_c7)}}
  %r = lstm.phase ins(%m[r, u] : tensor<4xi1>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%x: i1, %old: f32):
    lstm.yield %old : f32
  }
  return
}

// -----

func.func @phase_c7_scalar(%m: tensor<4xi1>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects 'ins' operand #0 with 0 axes to be a scalar, but got type 'tensor<4xi1>' (phase_c7)}}
  %r = lstm.phase ins(%m : tensor<4xi1>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%x: i1, %old: f32):
    lstm.yield %old : f32
  }
  return
}

// -----

func.func @phase_c7_unranked(%m: tensor<*xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects 'ins' operand #0 with 1 axes to be a tensor or memref of that rank, but got type 'tensor<*xf32>' (phase_c7)}}
  %r = lstm.phase ins(%m[r] : tensor<*xf32>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%x: f32, %old: f32):
    lstm.yield %old : f32
  }
  return
}

// -----

func.func @phase_c8(%h: tensor<4x8xf32>, %U: tensor<8x?x8xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects weights of 'project' pair #0 to have a static number of gates, at least 1, but got ? (phase_c8)}}
  %r = lstm.phase project(%h, %U : tensor<4x8xf32>, tensor<8x?x8xf32>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return
}

// -----

func.func @phase_c8_zero(%p: tensor<4x0x8xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects 'ins' operand #0 to have a static number of gates, at least 1, but got 0 (phase_c8)}}
  %r = lstm.phase ins(%p[r, g, u] : tensor<4x0x8xf32>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%old: f32):
    lstm.yield %old : f32
  }
  return
}

// -----

func.func @phase_c9(%h: tensor<4x8xf32>, %U: tensor<8x3x8xf32>, %b: tensor<4x8xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects 'ins' operand #0 to have 3 gates, but got 4 (phase_c9)}}
  %r = lstm.phase project(%h, %U : tensor<4x8xf32>, tensor<8x3x8xf32>) ins(%b[g, u] : tensor<4x8xf32>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%z0: f32, %z1: f32, %z2: f32, %b0: f32, %b1: f32, %b2: f32, %b3: f32, %old: f32):
    lstm.yield %z0 : f32
  }
  return
}

// -----

func.func @phase_c10(%m: tensor<5xi1>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects 'ins' operand #0 to have 4 rows, but got 5 (phase_c10)}}
  %r = lstm.phase ins(%m[r] : tensor<5xi1>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%x: i1, %old: f32):
    lstm.yield %old : f32
  }
  return
}

// -----

func.func @phase_c10_state(%h: tensor<5x8xf32>, %U: tensor<8x1x8xf32>, %to: tensor<?x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects state of 'project' pair #0 to have 4 rows, but got 5 (phase_c10)}}
  %r:2 = lstm.phase project(%h, %U : tensor<5x8xf32>, tensor<8x1x8xf32>) outs(%to, %y : tensor<?x8xf32>, tensor<4x8xf32>) {
  ^bb0(%z: f32, %old0: f32, %old1: f32):
    lstm.yield %z, %z : f32, f32
  }
  return
}

// -----

func.func @phase_c11(%h: tensor<4x8xf32>, %U: tensor<8x1x7xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects weights of 'project' pair #0 to have 8 units, but got 7 (phase_c11)}}
  %r = lstm.phase project(%h, %U : tensor<4x8xf32>, tensor<8x1x7xf32>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return
}

// -----

func.func @phase_c12(%h: tensor<4x5xf32>, %U: tensor<6x1x8xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects weights of 'project' pair #0 to have 5 elements on dim #0, but got 6 (phase_c12)}}
  %r = lstm.phase project(%h, %U : tensor<4x5xf32>, tensor<6x1x8xf32>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return
}

// -----

func.func @phase_c13(%h: tensor<4x8xi32>, %U: tensor<8x1x8xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects 'project' pair #0 to have floating-point elements, but got types 'tensor<4x8xi32>' and 'tensor<8x1x8xf32>' (phase_c13)}}
  %r = lstm.phase project(%h, %U : tensor<4x8xi32>, tensor<8x1x8xf32>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return
}

// -----

func.func @phase_c14(%h: tensor<4x8xf32>, %U: tensor<8x1x8xf16>, %to: tensor<4x8xf16>) {
  // expected-error @below {{'lstm.phase' op expects an accumulator of type 'f32' or a wider one, but got 'f16' (phase_c14)}}
  %r = lstm.phase project(%h, %U : tensor<4x8xf32>, tensor<8x1x8xf16>) outs(%to : tensor<4x8xf16>) {
  ^bb0(%z: f16, %old: f16):
    lstm.yield %z : f16
  }
  return
}

// -----

// No wider, and another type:
func.func @phase_c14_bf16(%h: tensor<4x8xf16>, %U: tensor<8x1x8xf16>, %to: tensor<4x8xbf16>) {
  // expected-error @below {{'lstm.phase' op expects an accumulator of type 'f16' or a wider one, but got 'bf16' (phase_c14)}}
  %r = lstm.phase project(%h, %U : tensor<4x8xf16>, tensor<8x1x8xf16>) outs(%to : tensor<4x8xbf16>) {
  ^bb0(%z: bf16, %old: bf16):
    lstm.yield %z : bf16
  }
  return
}

// -----

func.func @phase_c14_integer(%h: tensor<4x8xf32>, %U: tensor<8x1x8xf32>, %to: tensor<4x8xi32>) {
  // expected-error @below {{'lstm.phase' op expects a floating-point accumulator as first region argument, but got 'i32' (phase_c14)}}
  %r = lstm.phase project(%h, %U : tensor<4x8xf32>, tensor<8x1x8xf32>) outs(%to : tensor<4x8xi32>) {
  ^bb0(%z: i32, %old: i32):
    lstm.yield %z : i32
  }
  return
}

// -----

func.func @phase_c15(%p: tensor<4x2x8xf32>, %to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects region arguments ('f32', 'f32', 'f32'), but got ('f32', 'f32') (phase_c15)}}
  %r = lstm.phase ins(%p[r, g, u] : tensor<4x2x8xf32>) outs(%to : tensor<4x8xf32>) {
  ^bb0(%x: f32, %old: f32):
    lstm.yield %x : f32
  }
  return
}

// -----

func.func @phase_c16(%to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects to yield ('f32'), but got ('f32', 'f32') (phase_c16)}}
  %r = lstm.phase outs(%to : tensor<4x8xf32>) {
  ^bb0(%old: f32):
    lstm.yield %old, %old : f32, f32
  }
  return
}

// -----

func.func @phase_c16_state(%to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects its region to end with lstm.yield of scalars (phase_c16)}}
  %r = lstm.phase outs(%to : tensor<4x8xf32>) {
  ^bb0(%old: f32):
    lstm.yield state(%old : f32)
  }
  return
}

// -----

func.func @phase_c17(%to: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects operations without memory effects in its region, but got 'memref.alloc' (phase_c17)}}
  %r = lstm.phase outs(%to : tensor<4x8xf32>) {
  ^bb0(%old: f32):
    %m = memref.alloc() : memref<f32>
    lstm.yield %old : f32
  }
  return
}

// -----

func.func @phase_c18(%h: memref<8x8xf32>, %U: memref<8x1x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects 'outs' operand #0 to be another buffer than operand #0, which is read across rows, gates or units (phase_c18)}}
  lstm.phase project(%h, %U : memref<8x8xf32>, memref<8x1x8xf32>) outs(%h : memref<8x8xf32>) {
  ^bb0(%z: f32, %old: f32):
    lstm.yield %z : f32
  }
  return
}

// -----

func.func @phase_c19(%c: memref<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expects 'outs' operands to be distinct buffers, but #0 and #1 are the same (phase_c19)}}
  lstm.phase outs(%c, %c : memref<4x8xf32>, memref<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    lstm.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @phase_c20(%c: memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>) {
  // expected-error @below {{'lstm.phase' op expects memrefs with strided layout, but operand #0 has type 'memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>' (phase_c20)}}
  lstm.phase outs(%c : memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>) {
  ^bb0(%a: f32):
    lstm.yield %a : f32
  }
  return
}

// -----

func.func @axis_order(%h: tensor<4x8xf32>) {
  // expected-error @below {{expects axes in the order r, g, u, each once}}
  %r = lstm.phase ins(%h[u, r] : tensor<4x8xf32>) outs(%h : tensor<4x8xf32>) {
  }
  return
}

// -----

func.func @axis_twice(%h: tensor<4x8xf32>) {
  // expected-error @below {{expects axes in the order r, g, u, each once}}
  %r = lstm.phase ins(%h[r, r] : tensor<4x8xf32>) outs(%h : tensor<4x8xf32>) {
  }
  return
}

// -----

func.func @axis_name(%h: tensor<4x8xf32>) {
  // expected-error @below {{expects an axis r (row), g (gate) or u (unit), but got k}}
  %r = lstm.phase ins(%h[r, k] : tensor<4x8xf32>) outs(%h : tensor<4x8xf32>) {
  }
  return
}

// -----

func.func @types(%h: tensor<4x8xf32>) {
  // expected-error @below {{number of operands and types do not match: got 1 operands and 2 types}}
  %r = lstm.phase outs(%h : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%old: f32):
    lstm.yield %old : f32
  }
  return
}

// -----

func.func @capture(%h: tensor<4x8xf32>, %k: f32) {
  %r = lstm.phase outs(%h : tensor<4x8xf32>) {
  ^bb0(%old: f32):
    // expected-error @below {{use of undeclared SSA value name}}
    lstm.yield %k : f32
  }
  return
}

// -----

func.func @results(%h: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  "lstm.phase"(%h) <{axes = array<i32>, operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
  ^bb0(%old: f32):
    lstm.yield %old : f32
  }) : (tensor<4x8xf32>) -> ()
  return
}

// -----

func.func @no_region(%h: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %r = "lstm.phase"(%h) <{axes = array<i32>, operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @segments(%h: tensor<4x8xf32>) {
  // expected-error @below {{'lstm.phase' op operand count (1) does not match with the total size (2) specified in attribute 'operandSegmentSizes'}}
  %r = "lstm.phase"(%h) <{axes = array<i32>, operandSegmentSizes = array<i32: 0, 0, 1, 1>}> ({
  ^bb0(%old: f32):
    lstm.yield %old : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @misplaced(%h: f32) {
  // expected-error @below {{'lstm.yield' op expects parent op to be one of 'lstm.recurrence, lstm.scan, lstm.phase, lstm.parallel'}}
  lstm.yield %h : f32
}

// -----

func.func @packed_blocks(%h: tensor<4x6xf32>, %U: tensor<2x1x6x2x8xf32>, %to: tensor<4x20xf32>) -> tensor<4x20xf32> {
  // expected-error @below {{'lstm.phase' op expects weights of 'project' pair #0 to have 3 blocks of units, but got 2 (phase_c11)}}
  %r = lstm.phase project(%h, %U : tensor<4x6xf32>, tensor<2x1x6x2x8xf32>) outs(%to : tensor<4x20xf32>) {
  ^bb0(%z0: f32, %z1: f32, %old: f32):
    lstm.yield %z0 : f32
  }
  return %r : tensor<4x20xf32>
}

// -----

func.func @packed_depth(%h: tensor<4x6xf32>, %U: tensor<3x1x5x2x8xf32>, %to: tensor<4x20xf32>) -> tensor<4x20xf32> {
  // expected-error @below {{'lstm.phase' op expects weights of 'project' pair #0 to have 6 elements on dim #2, but got 5 (phase_c12)}}
  %r = lstm.phase project(%h, %U : tensor<4x6xf32>, tensor<3x1x5x2x8xf32>) outs(%to : tensor<4x20xf32>) {
  ^bb0(%z0: f32, %z1: f32, %old: f32):
    lstm.yield %z0 : f32
  }
  return %r : tensor<4x20xf32>
}

// -----

func.func @packed_dynamic(%h: tensor<4x6xf32>, %U: tensor<3x1x6x2x?xf32>, %to: tensor<4x20xf32>) -> tensor<4x20xf32> {
  // expected-error @below {{'lstm.phase' op expects packed weights of 'project' pair #0 to have blocks of static size, but got type 'tensor<3x1x6x2x?xf32>' (phase_c21)}}
  %r = lstm.phase project(%h, %U : tensor<4x6xf32>, tensor<3x1x6x2x?xf32>) outs(%to : tensor<4x20xf32>) {
  ^bb0(%z0: f32, %z1: f32, %old: f32):
    lstm.yield %z0 : f32
  }
  return %r : tensor<4x20xf32>
}

// -----

func.func @packed_differently(%h: tensor<4x6xf32>, %U: tensor<3x1x6x2x8xf32>, %V: tensor<5x1x6x2x4xf32>,
                              %to: tensor<4x20xf32>) -> tensor<4x20xf32> {
  // expected-error @below {{'lstm.phase' op expects all packed weights to have blocks of the same size, but got types 'tensor<3x1x6x2x8xf32>' and 'tensor<5x1x6x2x4xf32>' (phase_c21)}}
  %r = lstm.phase project(%h, %U : tensor<4x6xf32>, tensor<3x1x6x2x8xf32>)
      project(%h, %V : tensor<4x6xf32>, tensor<5x1x6x2x4xf32>) outs(%to : tensor<4x20xf32>) {
  ^bb0(%z0: f32, %z1: f32, %old: f32):
    lstm.yield %z0 : f32
  }
  return %r : tensor<4x20xf32>
}
