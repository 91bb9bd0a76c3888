func.func @main(%x: tensor<7x3x20xf32>, %W: tensor<20x6xf32>, %U: tensor<6x6xf32>, %h0: tensor<3x6xf32>) -> tensor<3x6xf32> {
  %hT = lstm.recurrence over(%xt = %x : tensor<7x3x20xf32>) init(%h = %h0 : tensor<3x6xf32>) {
    %h1 = lstm.gate tanh dot(%xt, %W : tensor<3x20xf32>, tensor<20x6xf32>) dot(%h, %U : tensor<3x6xf32>, tensor<6x6xf32>)
        : tensor<3x6xf32>
    lstm.yield state(%h1 : tensor<3x6xf32>)
  }
  return %hT : tensor<3x6xf32>
}
