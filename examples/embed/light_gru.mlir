// A recurrence around a cell that the lstm dialect has never heard of:
//   myrnn-opt light_gru.mlir --lstm-to-phases
func.func @main(%xs: tensor<?x?x80xf32>, %Wz: tensor<80x128xf32>, %Wn: tensor<80x128xf32>,
                %Uz: tensor<128x128xf32>, %Un: tensor<128x128xf32>, %h0: tensor<?x128xf32>,
                %len: tensor<?xi32>) -> tensor<?x128xf32> {
  %hT = lstm.recurrence over(%x = %xs : tensor<?x?x80xf32>) init(%h = %h0 : tensor<?x128xf32>)
      lengths(%len : tensor<?xi32>) {
    %h1 = myrnn.light_gru %x, %h update(%Wz, %Uz) candidate(%Wn, %Un)
        : tensor<?x80xf32>, tensor<?x128xf32>, tensor<80x128xf32>, tensor<128x128xf32>,
          tensor<80x128xf32>, tensor<128x128xf32>
    lstm.yield state(%h1 : tensor<?x128xf32>)
  }
  return %hT : tensor<?x128xf32>
}
