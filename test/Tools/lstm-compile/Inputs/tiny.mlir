// A recurrence of 2 units on 2 inputs, and a scalar.
func.func @main(%xs: tensor<?x?x2xf32>, %h0: tensor<?x2xf32>, %W: tensor<2x2xf32>, %U: tensor<2x2xf32>)
    -> (tensor<?x2xf32> {lstm.name = "hT"}, index {lstm.name = "steps"}) {
  %i0 = arith.constant 0 : index
  %T = tensor.dim %xs, %i0 : tensor<?x?x2xf32>
  %hT = lstm.recurrence over(%x = %xs : tensor<?x?x2xf32>) init(%h = %h0 : tensor<?x2xf32>) {
    %h1 = lstm.gate tanh dot(%x, %W : tensor<?x2xf32>, tensor<2x2xf32>) dot(%h, %U : tensor<?x2xf32>, tensor<2x2xf32>) : tensor<?x2xf32>
    lstm.yield state(%h1 : tensor<?x2xf32>)
  }
  return %hT, %T : tensor<?x2xf32>, index
}

// As many elements as the device says.
func.func @prefix(%n: tensor<index>) -> tensor<?xf32> {
  %size = tensor.extract %n[] : tensor<index>
  %one = arith.constant 1.0 : f32
  %place = tensor.empty(%size) : tensor<?xf32>
  %r = linalg.fill ins(%one : f32) outs(%place : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
