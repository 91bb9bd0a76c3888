// RUN: lstm-opt %s --split-input-file --verify-diagnostics
func.func @cell_c1(%x: tensor<?x5xf32>, %W: tensor<5x24xf32>, %h: tensor<?x6xf32>, %U: tensor<6x4x6xf32>, %c: tensor<?x6xf32>) {
  // expected-error @below {{expects 'input_weight' to be [I, 4, H], but got 'tensor<5x24xf32>' (cell_c1)}}
  %0, %1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x24xf32>) state(%h, %U : tensor<?x6xf32>, tensor<6x4x6xf32>) cell(%c : tensor<?x6xf32>)
  return
}
// -----
func.func @cell_c2(%x: tensor<?x5xf32>, %W: tensor<5x3x6xf32>, %h: tensor<?x6xf32>, %U: tensor<6x4x6xf32>, %c: tensor<?x6xf32>) {
  // expected-error @below {{expects 'input_weight' dim #1 to be 4 gates, but got 3 (cell_c2)}}
  %0, %1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x3x6xf32>) state(%h, %U : tensor<?x6xf32>, tensor<6x4x6xf32>) cell(%c : tensor<?x6xf32>)
  return
}
// -----
func.func @cell_c2_coupled(%x: tensor<?x5xf32>, %W: tensor<5x4x6xf32>, %h: tensor<?x6xf32>, %U: tensor<6x4x6xf32>, %c: tensor<?x6xf32>) {
  // expected-error @below {{expects 'input_weight' dim #1 to be 3 gates, but got 4 (cell_c2)}}
  %0, %1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x4x6xf32>) state(%h, %U : tensor<?x6xf32>, tensor<6x4x6xf32>) cell(%c : tensor<?x6xf32>) coupled
  return
}
// -----
func.func @cell_c2_dynamic(%x: tensor<?x5xf32>, %W: tensor<5x4x6xf32>, %h: tensor<?x6xf32>, %U: tensor<6x?x6xf32>, %c: tensor<?x6xf32>) {
  // expected-error @below {{expects 'state_weight' dim #1 to be 4 gates, but got ? (cell_c2)}}
  %0, %1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x4x6xf32>) state(%h, %U : tensor<?x6xf32>, tensor<6x?x6xf32>) cell(%c : tensor<?x6xf32>)
  return
}
// -----
func.func @cell_c2_peephole(%x: tensor<?x5xf32>, %W: tensor<5x4x6xf32>, %h: tensor<?x6xf32>, %U: tensor<6x4x6xf32>, %c: tensor<?x6xf32>, %p: tensor<4x6xf32>) {
  // expected-error @below {{expects 'peephole' dim #0 to be 3 gates, but got 4 (cell_c2)}}
  %0, %1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x4x6xf32>) state(%h, %U : tensor<?x6xf32>, tensor<6x4x6xf32>) cell(%c : tensor<?x6xf32>) peephole(%p : tensor<4x6xf32>)
  return
}
// -----
func.func @cell_c3(%x: tensor<?x5xf32>, %W: tensor<5x4x6xf32>, %h: tensor<?x6xf32>, %U: tensor<7x4x6xf32>, %c: tensor<?x6xf32>) {
  // expected-error @below {{expects 'state_weight' dim #0 to be H = 6 as in 'cell', but got 7 (cell_c3)}}
  %0, %1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x4x6xf32>) state(%h, %U : tensor<?x6xf32>, tensor<7x4x6xf32>) cell(%c : tensor<?x6xf32>)
  return
}
// -----
func.func @cell_c3_batch(%x: tensor<3x5xf32>, %W: tensor<5x4x6xf32>, %h: tensor<2x6xf32>, %U: tensor<6x4x6xf32>, %c: tensor<?x6xf32>) {
  // expected-error @below {{expects 'state' dim #0 to be B = 3 as in 'input', but got 2 (cell_c3)}}
  %0, %1 = lstm.cell input(%x, %W : tensor<3x5xf32>, tensor<5x4x6xf32>) state(%h, %U : tensor<2x6xf32>, tensor<6x4x6xf32>) cell(%c : tensor<?x6xf32>)
  return
}
// -----
func.func @cell_c3_bias(%x: tensor<?x5xf32>, %W: tensor<5x4x6xf32>, %h: tensor<?x6xf32>, %U: tensor<6x4x6xf32>, %c: tensor<?x6xf32>, %b: tensor<4x5xf32>) {
  // expected-error @below {{expects 'bias' dim #1 to be H = 6 as in 'cell', but got 5 (cell_c3)}}
  %0, %1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x4x6xf32>) state(%h, %U : tensor<?x6xf32>, tensor<6x4x6xf32>) cell(%c : tensor<?x6xf32>) bias(%b : tensor<4x5xf32>)
  return
}
// -----
func.func @cell_c3_projection(%x: tensor<?x5xf32>, %W: tensor<5x4x6xf32>, %h: tensor<?x6xf32>, %U: tensor<6x4x6xf32>, %c: tensor<?x6xf32>, %R: tensor<6x3xf32>) {
  // expected-error @below {{expects 'projection' dim #1 to be P = 6 as in 'state', but got 3 (cell_c3)}}
  %0, %1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x4x6xf32>) state(%h, %U : tensor<?x6xf32>, tensor<6x4x6xf32>) cell(%c : tensor<?x6xf32>) projection(%R : tensor<6x3xf32>)
  return
}
// -----
func.func @cell_c4(%x: tensor<?x5xf32>, %W: tensor<5x4x6xf32>, %h: tensor<?x6xf32>, %U: tensor<6x4x6xf32>, %c: tensor<?x6xf32>) {
  // expected-error @below {{expects 'clip' to be greater than 0, but got 0.000000e+00 (cell_c4)}}
  %0, %1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x4x6xf32>) state(%h, %U : tensor<?x6xf32>, tensor<6x4x6xf32>) cell(%c : tensor<?x6xf32>) clip 0.0
  return
}
// -----
func.func @cell_c5(%x: tensor<?x5xf32>, %W: tensor<5x4x6xf32>, %h: tensor<?x6xf32>, %U: tensor<6x4x6xf32>, %c: tensor<?x6xf32>) {
  // expected-error @below {{expects 3 activations, but got 2 (cell_c5)}}
  %0, %1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x4x6xf32>) state(%h, %U : tensor<?x6xf32>, tensor<6x4x6xf32>) cell(%c : tensor<?x6xf32>) activations [tanh, relu]
  return
}
// -----
func.func @gru_cell_c1(%x: tensor<5x3xf32>, %W: tensor<3x3x4xf32>, %h: tensor<4xf32>, %U: tensor<4x3x4xf32>) {
  // expected-error @below {{expects 'state' to be [B, H], but got 'tensor<4xf32>' (gru_cell_c1)}}
  %0 = lstm.gru_cell reset_after input(%x, %W : tensor<5x3xf32>, tensor<3x3x4xf32>) state(%h, %U : tensor<4xf32>, tensor<4x3x4xf32>)
  return
}
// -----
func.func @gru_cell_c2(%x: tensor<5x3xf32>, %W: tensor<3x3x4xf32>, %h: tensor<5x4xf32>, %U: tensor<4x4x4xf32>) {
  // expected-error @below {{expects 'state_weight' dim #1 to be 3 gates, but got 4 (gru_cell_c2)}}
  %0 = lstm.gru_cell reset_after input(%x, %W : tensor<5x3xf32>, tensor<3x3x4xf32>) state(%h, %U : tensor<5x4xf32>, tensor<4x4x4xf32>)
  return
}
// -----
func.func @gru_cell_c3(%x: tensor<5x3xf32>, %W: tensor<3x3x4xf32>, %h: tensor<2x4xf32>, %U: tensor<4x3x4xf32>) {
  // expected-error @below {{expects 'input' dim #0 to be B = 2 as in 'state', but got 5 (gru_cell_c3)}}
  %0 = lstm.gru_cell reset_after input(%x, %W : tensor<5x3xf32>, tensor<3x3x4xf32>) state(%h, %U : tensor<2x4xf32>, tensor<4x3x4xf32>)
  return
}
// -----
func.func @gru_cell_c3_recurrent_bias(%x: tensor<5x3xf32>, %W: tensor<3x3x4xf32>, %h: tensor<5x4xf32>, %U: tensor<4x3x4xf32>, %d: tensor<3x3xf32>) {
  // expected-error @below {{expects 'recurrent_bias' dim #1 to be H = 4 as in 'state', but got 3 (gru_cell_c3)}}
  %0 = lstm.gru_cell reset_after input(%x, %W : tensor<5x3xf32>, tensor<3x3x4xf32>) state(%h, %U : tensor<5x4xf32>, tensor<4x3x4xf32>) recurrent_bias(%d : tensor<3x3xf32>)
  return
}
// -----
func.func @gru_cell_c4(%x: tensor<5x3xf32>, %W: tensor<3x3x4xf32>, %h: tensor<5x4xf32>, %U: tensor<4x3x4xf32>) {
  // expected-error @below {{expects 'clip' to be greater than 0, but got -2.000000e+00 (gru_cell_c4)}}
  %0 = lstm.gru_cell reset_after input(%x, %W : tensor<5x3xf32>, tensor<3x3x4xf32>) state(%h, %U : tensor<5x4xf32>, tensor<4x3x4xf32>) clip -2.0
  return
}
// -----
func.func @gru_cell_c5(%x: tensor<5x3xf32>, %W: tensor<3x3x4xf32>, %h: tensor<5x4xf32>, %U: tensor<4x3x4xf32>) {
  // expected-error @below {{expects 2 activations, but got 3 (gru_cell_c5)}}
  %0 = lstm.gru_cell reset_after input(%x, %W : tensor<5x3xf32>, tensor<3x3x4xf32>) state(%h, %U : tensor<5x4xf32>, tensor<4x3x4xf32>) activations [tanh, relu, exp]
  return
}
// -----
func.func @gru_form(%x: tensor<5x3xf32>, %W: tensor<3x3x4xf32>, %h: tensor<5x4xf32>, %U: tensor<4x3x4xf32>) {
  // expected-error @below {{expected 'reset_after' or 'reset_before': the two forms of a GRU give different numbers}}
  %0 = lstm.gru_cell  input(%x, %W : tensor<5x3xf32>, tensor<3x3x4xf32>) state(%h, %U : tensor<5x4xf32>, tensor<4x3x4xf32>)
  return
}
// -----
func.func @rnn_cell_c1(%x: tensor<5x3xf32>, %W: tensor<3x1x4xf32>, %h: tensor<5x4xf32>, %U: tensor<4x4xf32>) {
  // expected-error @below {{expects 'input_weight' to be [I, H], but got 'tensor<3x1x4xf32>' (rnn_cell_c1)}}
  %0 = lstm.rnn_cell input(%x, %W : tensor<5x3xf32>, tensor<3x1x4xf32>) state(%h, %U : tensor<5x4xf32>, tensor<4x4xf32>)
  return
}
// -----
func.func @rnn_cell_c3(%x: tensor<5x3xf32>, %W: tensor<2x4xf32>, %h: tensor<5x4xf32>, %U: tensor<4x4xf32>) {
  // expected-error @below {{expects 'input_weight' dim #0 to be I = 3 as in 'input', but got 2 (rnn_cell_c3)}}
  %0 = lstm.rnn_cell input(%x, %W : tensor<5x3xf32>, tensor<2x4xf32>) state(%h, %U : tensor<5x4xf32>, tensor<4x4xf32>)
  return
}
// -----
func.func @rnn_cell_c4(%x: tensor<5x3xf32>, %W: tensor<3x4xf32>, %h: tensor<5x4xf32>, %U: tensor<4x4xf32>) {
  // expected-error @below {{expects 'clip' to be greater than 0, but got 0.000000e+00 (rnn_cell_c4)}}
  %0 = lstm.rnn_cell input(%x, %W : tensor<5x3xf32>, tensor<3x4xf32>) state(%h, %U : tensor<5x4xf32>, tensor<4x4xf32>) clip 0.0
  return
}
// -----
func.func @rnn_cell_c5(%x: tensor<5x3xf32>, %W: tensor<3x4xf32>, %h: tensor<5x4xf32>, %U: tensor<4x4xf32>) {
  // expected-error @below {{expects 1 activations, but got 2 (rnn_cell_c5)}}
  %0 = lstm.rnn_cell input(%x, %W : tensor<5x3xf32>, tensor<3x4xf32>) state(%h, %U : tensor<5x4xf32>, tensor<4x4xf32>) activations [tanh, relu]
  return
}
