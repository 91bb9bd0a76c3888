// RUN: lstm-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func @terms
// CHECK: lstm.gate sigmoid dot(%arg0, %arg1 : tensor<?x5xf32>, tensor<5x7xf32>) dot(%arg2, %arg3 : tensor<?x7xf16>, tensor<7x7xf16>)
// CHECK-SAME: scale(%arg2, %arg4 : tensor<?x7xf16>, tensor<7xf32>) add(%arg4 : tensor<7xf32>) add(%arg2 : tensor<?x7xf16>) {note = 1 : i64} : tensor<?x7xf32>
func.func @terms(%x: tensor<?x5xf32>, %W: tensor<5x7xf32>, %h: tensor<?x7xf16>, %U: tensor<7x7xf16>, %b: tensor<7xf32>) -> tensor<?x7xf32> {
  %0 = lstm.gate sigmoid add(%b : tensor<7xf32>) dot(%x, %W : tensor<?x5xf32>, tensor<5x7xf32>)
      scale(%h, %b : tensor<?x7xf16>, tensor<7xf32>) dot(%h, %U : tensor<?x7xf16>, tensor<7x7xf16>) add(%h : tensor<?x7xf16>)
      {note = 1 : i64} : tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}

// Every activation, with and without parameters; defaults are not printed.
// CHECK-LABEL: func @activations
// CHECK: lstm.gate [identity, sigmoid, tanh, relu, hard_sigmoid, leaky_relu, elu, softsign, softplus, affine, thresholded_relu, scaled_tanh, gelu, exp] clip 3.500000e+00 add
// CHECK: lstm.gate [hard_sigmoid(3.000000e-01), hard_sigmoid(2.000000e-01, 2.500000e-01), leaky_relu(1.000000e-01), elu(2.000000e+00), affine(-1.000000e+00, 1.000000e+00), thresholded_relu(5.000000e-01), scaled_tanh(1.700000e+00, 6.000000e-01), affine(2.000000e+00)] add
func.func @activations(%a: tensor<?x14x3xf32>, %b: tensor<?x8x3xf32>) -> (tensor<?x14x3xf32>, tensor<?x8x3xf32>) {
  %0 = lstm.gate [identity, sigmoid, tanh, relu, hard_sigmoid(0.2, 0.5), leaky_relu(0.01), elu(1.0), softsign, softplus, affine(1.0, 0.0), thresholded_relu, scaled_tanh(1.0, 1.0), gelu, exp]
      clip 3.5 add(%a : tensor<?x14x3xf32>) : tensor<?x14x3xf32>
  %1 = lstm.gate [hard_sigmoid(0.3), hard_sigmoid(0.2, 0.25), leaky_relu(0.1), elu(2.0), affine(-1.0, 1.0), thresholded_relu(0.5), scaled_tanh(1.7, 0.6), affine(2.0)]
      add(%b : tensor<?x8x3xf32>) : tensor<?x8x3xf32>
  return %0, %1 : tensor<?x14x3xf32>, tensor<?x8x3xf32>
}

// The attribute alone.
// CHECK-LABEL: func @attribute
// CHECK-SAME: act = #lstm.act<leaky_relu(1.000000e-01)>
func.func @attribute() attributes {act = #lstm.act<leaky_relu(0.1)>} { return }

// CHECK-LABEL: func @cells
// CHECK: lstm.cell input(%arg0, %arg1 : {{.*}}) state(%arg2, %arg3 : {{.*}}) cell(%arg4 : {{.*}}) bias(%arg5 : {{.*}}) peephole(%arg6 : {{.*}}) projection(%arg7 : {{.*}}) coupled clip 2.000000e+00 activations [sigmoid, relu, softsign]
// CHECK: lstm.cell input({{.*}}) state({{.*}}) cell({{.*}} : tensor<?x6xf32>){{$}}
func.func @cells(%x: tensor<?x5xf32>, %W: tensor<5x3x6xf32>, %h: tensor<?x4xf32>, %U: tensor<4x3x6xf32>, %c: tensor<?x6xf32>,
                 %b: tensor<3x6xf32>, %p: tensor<2x6xf32>, %R: tensor<6x4xf32>, %W4: tensor<5x4x6xf32>, %U4: tensor<6x4x6xf32>) -> tensor<?x4xf32> {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x3x6xf32>) state(%h, %U : tensor<?x4xf32>, tensor<4x3x6xf32>) cell(%c : tensor<?x6xf32>)
      bias(%b : tensor<3x6xf32>) peephole(%p : tensor<2x6xf32>) projection(%R : tensor<6x4xf32>) coupled clip 2.0 activations [sigmoid, relu, softsign]
  %h2, %c2 = lstm.cell input(%x, %W4 : tensor<?x5xf32>, tensor<5x4x6xf32>) state(%c, %U4 : tensor<?x6xf32>, tensor<6x4x6xf32>) cell(%c : tensor<?x6xf32>)
  return %h1 : tensor<?x4xf32>
}

// CHECK-LABEL: func @gru
// CHECK: lstm.gru_cell reset_after input({{.*}}) state({{.*}}) recurrent_bias(%arg4 : tensor<3x6xf32>) activations [hard_sigmoid, relu]
// CHECK: lstm.gru_cell reset_before input({{.*}}) state({{.*}}) bias(%arg4 : tensor<3x6xf32>) clip 1.000000e+00
// CHECK: lstm.rnn_cell input({{.*}}) state({{.*}}) bias({{.*}}) clip 1.000000e+00 activations [relu]
func.func @gru(%x: tensor<?x5xf32>, %W: tensor<5x3x6xf32>, %h: tensor<?x6xf32>, %U: tensor<6x3x6xf32>, %b: tensor<3x6xf32>,
               %V: tensor<5x6xf32>, %R: tensor<6x6xf32>, %d: tensor<6xf32>) -> (tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>) {
  %0 = lstm.gru_cell reset_after input(%x, %W : tensor<?x5xf32>, tensor<5x3x6xf32>) state(%h, %U : tensor<?x6xf32>, tensor<6x3x6xf32>)
      recurrent_bias(%b : tensor<3x6xf32>) activations [hard_sigmoid, relu]
  %1 = lstm.gru_cell reset_before input(%x, %W : tensor<?x5xf32>, tensor<5x3x6xf32>) state(%h, %U : tensor<?x6xf32>, tensor<6x3x6xf32>)
      bias(%b : tensor<3x6xf32>) clip 1.0
  %2 = lstm.rnn_cell input(%x, %V : tensor<?x5xf32>, tensor<5x6xf32>) state(%h, %R : tensor<?x6xf32>, tensor<6x6xf32>)
      bias(%d : tensor<6xf32>) clip 1.0 activations [relu]
  return %0, %1, %2 : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>
}
