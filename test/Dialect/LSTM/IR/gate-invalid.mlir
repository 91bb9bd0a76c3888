// RUN: lstm-opt %s --split-input-file --verify-diagnostics
func.func @c1(%a: tensor<7xf32>) {
  // expected-error @below {{expects a result [B, H] or [B, G, H], but got 'tensor<7xf32>' (gate_c1)}}
  %0 = lstm.gate tanh add(%a : tensor<7xf32>) : tensor<7xf32>
  return
}
// -----
func.func @c2(%a: tensor<4x?x7xf32>) {
  // expected-error @below {{expects a static number of gates, but got 'tensor<4x?x7xf32>' (gate_c2)}}
  %0 = lstm.gate tanh add(%a : tensor<4x?x7xf32>) : tensor<4x?x7xf32>
  return
}
// -----
func.func @c3(%a: tensor<4x3x7xf32>) {
  // expected-error @below {{expects 1 or 3 activations, but got 2 (gate_c3)}}
  %0 = lstm.gate [tanh, relu] add(%a : tensor<4x3x7xf32>) : tensor<4x3x7xf32>
  return
}
// -----
func.func @c4() {
  // expected-error @below {{expects at least one term (gate_c4)}}
  %0 = lstm.gate tanh : tensor<?x7xf32>
  return
}
// -----
func.func @c4_pairs(%x: tensor<?x5xf32>) {
  // expected-error @below {{expects the operands of 'dot' and 'scale' in pairs (gate_c4)}}
  %0 = "lstm.gate"(%x) <{activations = [#lstm.act<tanh>], operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>}> : (tensor<?x5xf32>) -> tensor<?x7xf32>
  return
}
// -----
func.func @c5(%a: tensor<?x7xf32>) {
  // expected-error @below {{expects 'clip' to be greater than 0, but got -1.000000e+00 (gate_c5)}}
  %0 = lstm.gate tanh clip -1.0 add(%a : tensor<?x7xf32>) : tensor<?x7xf32>
  return
}
// -----
func.func @c6(%x: tensor<?x5xf32>, %W: tensor<5x2x7xf32>) {
  // expected-error @below {{expects dot #0 to be [B, K], [K, H], but got 'tensor<?x5xf32>', 'tensor<5x2x7xf32>' (gate_c6)}}
  %0 = lstm.gate tanh dot(%x, %W : tensor<?x5xf32>, tensor<5x2x7xf32>) : tensor<?x7xf32>
  return
}
// -----
func.func @c6_rank3(%x: tensor<?x5xf32>, %W: tensor<5x7xf32>) {
  // expected-error @below {{expects dot #0 to be [B, K], [K, G, H], but got 'tensor<?x5xf32>', 'tensor<5x7xf32>' (gate_c6)}}
  %0 = lstm.gate tanh dot(%x, %W : tensor<?x5xf32>, tensor<5x7xf32>) : tensor<?x2x7xf32>
  return
}
// -----
func.func @c7(%x: tensor<?x5xf32>, %W: tensor<6x7xf32>) {
  // expected-error @below {{expects dot #0 to have the same K, but got 5 and 6 (gate_c7)}}
  %0 = lstm.gate tanh dot(%x, %W : tensor<?x5xf32>, tensor<6x7xf32>) : tensor<?x7xf32>
  return
}
// -----
func.func @c8(%x: tensor<3x5xf32>, %W: tensor<5x7xf32>) {
  // expected-error @below {{expects dot #0 to have 4 rows, but got 3 (gate_c8)}}
  %0 = lstm.gate tanh dot(%x, %W : tensor<3x5xf32>, tensor<5x7xf32>) : tensor<4x7xf32>
  return
}
// -----
func.func @c8_units(%x: tensor<?x5xf32>, %W: tensor<5x8xf32>) {
  // expected-error @below {{expects dot #0 to have 7 units, but got 8 (gate_c8)}}
  %0 = lstm.gate tanh dot(%x, %W : tensor<?x5xf32>, tensor<5x8xf32>) : tensor<?x7xf32>
  return
}
// -----
func.func @c8_gates(%x: tensor<?x5xf32>, %W: tensor<5x3x7xf32>) {
  // expected-error @below {{expects dot #0 to have 2 gates, but got 3 (gate_c8)}}
  %0 = lstm.gate tanh dot(%x, %W : tensor<?x5xf32>, tensor<5x3x7xf32>) : tensor<?x2x7xf32>
  return
}
// -----
func.func @c9(%s: tensor<?x8xf32>, %p: tensor<7xf32>) {
  // expected-error @below {{expects the first operand of scale #0 to be [B, H] or to have the shape of the result 'tensor<?x7xf32>', but got 'tensor<?x8xf32>' (gate_c9)}}
  %0 = lstm.gate tanh scale(%s, %p : tensor<?x8xf32>, tensor<7xf32>) : tensor<?x7xf32>
  return
}
// -----
func.func @c9_second(%s: tensor<?x7xf32>, %p: tensor<8xf32>) {
  // expected-error @below {{expects the second operand of scale #0 to have the last dimensions of the result 'tensor<?x7xf32>', but got 'tensor<8xf32>' (gate_c9)}}
  %0 = lstm.gate tanh scale(%s, %p : tensor<?x7xf32>, tensor<8xf32>) : tensor<?x7xf32>
  return
}
// -----
func.func @c10(%x: tensor<?x5xf32>, %W: tensor<5x7xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expects add #0 to have the last dimensions of the result 'tensor<?x7xf32>', but got 'tensor<8xf32>' (gate_c10)}}
  %0 = lstm.gate tanh dot(%x, %W : tensor<?x5xf32>, tensor<5x7xf32>) add(%b : tensor<8xf32>) : tensor<?x7xf32>
  return
}
// -----
func.func @c11(%b: tensor<7xf32>) {
  // expected-error @below {{expects a term that has rows: a 'dot', a 'scale' or an 'add' of the shape of the result (gate_c11)}}
  %0 = lstm.gate tanh add(%b : tensor<7xf32>) : tensor<?x7xf32>
  return
}
// -----
func.func @unknown(%a: tensor<?x7xf32>) {
  // expected-error @below {{unknown activation 'swish'}}
  %0 = lstm.gate swish add(%a : tensor<?x7xf32>) : tensor<?x7xf32>
  return
}
// -----
func.func @parameters(%a: tensor<?x7xf32>) {
  // expected-error @below {{activation 'leaky_relu' takes at most 1 parameters, but got 2}}
  %0 = lstm.gate leaky_relu(0.1, 0.2) add(%a : tensor<?x7xf32>) : tensor<?x7xf32>
  return
}
