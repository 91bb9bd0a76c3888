// RUN: lstm-opt %s --lstm-decompose-cells --canonicalize | FileCheck %s
// RUN: lstm-opt %s --lstm-decompose-cells --lstm-verify-rung=rung=L1 -o /dev/null


// CHECK-LABEL: func @lstm
// CHECK: %[[I:.*]] = lstm.gate sigmoid clip 2.0{{.*}} dot(%arg0, %{{.*}}) dot(%arg1, %{{.*}}) scale(%arg2, %{{.*}} : tensor<?x7xf32>, tensor<7xf32>) add(%{{.*}} : tensor<7xf32>) : tensor<?x7xf32>
// CHECK: %[[F:.*]] = lstm.gate sigmoid clip 2.0{{.*}} dot(%arg0, %{{.*}}) dot(%arg1, %{{.*}}) scale(%arg2, %{{.*}})
// CHECK: %[[G:.*]] = lstm.gate relu clip 2.0{{.*}} dot(%arg0, %{{.*}}) dot(%arg1, %{{.*}}) add(%{{.*}} : tensor<7xf32>) : tensor<?x7xf32>
// CHECK: %[[FC:.*]] = arith.mulf %[[F]], %arg2
// CHECK: %[[IG:.*]] = arith.mulf %[[I]], %[[G]]
// CHECK: %[[C:.*]] = arith.addf %[[FC]], %[[IG]]
// o sees the new c.
// CHECK: %[[O:.*]] = lstm.gate sigmoid clip 2.0{{.*}} scale(%[[C]], %{{.*}})
// The output activation is clamped, the returned c is not.
// CHECK: %[[A:.*]] = lstm.gate softsign clip 2.0{{.*}} add(%[[C]] : tensor<?x7xf32>)
// CHECK: %[[M:.*]] = arith.mulf %[[O]], %[[A]]
// CHECK: %[[H:.*]] = lstm.gate identity dot(%[[M]], %arg7 : tensor<?x7xf32>, tensor<7x3xf32>) : tensor<?x3xf32>
// CHECK: return %[[H]], %[[C]]
func.func @lstm(%x: tensor<?x5xf32>, %h: tensor<?x3xf32>, %c: tensor<?x7xf32>, %W: tensor<5x4x7xf32>, %U: tensor<3x4x7xf32>,
                %b: tensor<4x7xf32>, %p: tensor<3x7xf32>, %R: tensor<7x3xf32>) -> (tensor<?x3xf32>, tensor<?x7xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x4x7xf32>) state(%h, %U : tensor<?x3xf32>, tensor<3x4x7xf32>)
      cell(%c : tensor<?x7xf32>) bias(%b : tensor<4x7xf32>) peephole(%p : tensor<3x7xf32>) projection(%R : tensor<7x3xf32>)
      clip 2.0 activations [sigmoid, relu, softsign]
  return %h1, %c1 : tensor<?x3xf32>, tensor<?x7xf32>
}

// f = 1 - i; the peephole of o is the second one.
// CHECK-LABEL: func @coupled
// CHECK: %[[P0:.*]] = tensor.extract_slice %arg5[0, 0] [1, 7]
// CHECK: %[[I:.*]] = lstm.gate sigmoid {{.*}} scale(%arg2, %[[P0]]
// CHECK: lstm.gate affine(-1.000000e+00, 1.000000e+00) add(%[[I]] : tensor<?x7xf32>)
// CHECK: tensor.extract_slice %arg3[0, 1, 0] [5, 1, 7]
// CHECK: tensor.extract_slice %arg3[0, 2, 0] [5, 1, 7]
// CHECK: %[[P1:.*]] = tensor.extract_slice %arg5[1, 0] [1, 7]
// CHECK: lstm.gate sigmoid {{.*}} scale(%{{.*}}, %[[P1]]
func.func @coupled(%x: tensor<?x5xf32>, %h: tensor<?x7xf32>, %c: tensor<?x7xf32>, %W: tensor<5x3x7xf32>, %U: tensor<7x3x7xf32>,
                   %p: tensor<2x7xf32>) -> (tensor<?x7xf32>, tensor<?x7xf32>) {
  %h1, %c1 = lstm.cell input(%x, %W : tensor<?x5xf32>, tensor<5x3x7xf32>) state(%h, %U : tensor<?x7xf32>, tensor<7x3x7xf32>)
      cell(%c : tensor<?x7xf32>) peephole(%p : tensor<2x7xf32>) coupled
  return %h1, %c1 : tensor<?x7xf32>, tensor<?x7xf32>
}

// Reset after the product: the recurrent bias of n is multiplied as well.
// CHECK-LABEL: func @gru_after
// CHECK: %[[R:.*]] = lstm.gate sigmoid dot(%arg0
// CHECK: %[[Z:.*]] = lstm.gate sigmoid dot(%arg0
// CHECK: %[[Q:.*]] = lstm.gate identity dot(%arg1, %{{.*}}) add(%{{.*}} : tensor<7xf32>) : tensor<?x7xf32>
// CHECK: %[[N:.*]] = lstm.gate tanh dot(%arg0, %{{.*}}) scale(%[[R]], %[[Q]] : tensor<?x7xf32>, tensor<?x7xf32>) add(%{{.*}} : tensor<7xf32>)
// CHECK: %[[D:.*]] = arith.subf %arg1, %[[N]]
// CHECK: %[[E:.*]] = arith.mulf %[[Z]], %[[D]]
// CHECK: arith.addf %[[N]], %[[E]]
func.func @gru_after(%x: tensor<?x5xf32>, %h: tensor<?x7xf32>, %W: tensor<5x3x7xf32>, %U: tensor<7x3x7xf32>, %b: tensor<3x7xf32>,
                     %d: tensor<3x7xf32>) -> tensor<?x7xf32> {
  %0 = lstm.gru_cell reset_after input(%x, %W : tensor<?x5xf32>, tensor<5x3x7xf32>) state(%h, %U : tensor<?x7xf32>, tensor<7x3x7xf32>)
      bias(%b : tensor<3x7xf32>) recurrent_bias(%d : tensor<3x7xf32>)
  return %0 : tensor<?x7xf32>
}

// Reset before the product; f16 states, computed in f32.
// CHECK-LABEL: func @gru_before
// CHECK: %[[H:.*]] = arith.extf %arg1
// CHECK: %[[R:.*]] = lstm.gate sigmoid {{.*}} : tensor<?x7xf32>
// CHECK: %[[RH:.*]] = arith.mulf %[[R]], %[[H]]
// CHECK: lstm.gate tanh dot(%arg0, %{{.*}}) dot(%[[RH]], %{{.*}} : tensor<?x7xf32>, tensor<7x7xf16>)
// CHECK: arith.truncf %{{.*}} : tensor<?x7xf32> to tensor<?x7xf16>
func.func @gru_before(%x: tensor<?x5xf16>, %h: tensor<?x7xf16>, %W: tensor<5x3x7xf16>, %U: tensor<7x3x7xf16>) -> tensor<?x7xf16> {
  %0 = lstm.gru_cell reset_before input(%x, %W : tensor<?x5xf16>, tensor<5x3x7xf16>) state(%h, %U : tensor<?x7xf16>, tensor<7x3x7xf16>)
  return %0 : tensor<?x7xf16>
}

// CHECK-LABEL: func @rnn
// CHECK-NEXT: lstm.gate relu clip 1.5{{.*}} dot(%arg0, %arg2 : {{.*}}) dot(%arg1, %arg3 : {{.*}}) add(%arg4 : tensor<7xf32>) : tensor<?x7xf32>
func.func @rnn(%x: tensor<?x5xf32>, %h: tensor<?x7xf32>, %W: tensor<5x7xf32>, %U: tensor<7x7xf32>, %b: tensor<7xf32>) -> tensor<?x7xf32> {
  %0 = lstm.rnn_cell input(%x, %W : tensor<?x5xf32>, tensor<5x7xf32>) state(%h, %U : tensor<?x7xf32>, tensor<7x7xf32>)
      bias(%b : tensor<7xf32>) clip 1.5 activations [relu]
  return %0 : tensor<?x7xf32>
}
