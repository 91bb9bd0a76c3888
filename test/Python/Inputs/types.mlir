func.func @halves(%a: tensor<?x3xbf16>, %b: tensor<2xf16>, %s: bf16) -> (tensor<?x3xbf16>, tensor<2xf16>, bf16) {
  %0 = arith.addf %a, %a : tensor<?x3xbf16>
  %1 = arith.addf %b, %b : tensor<2xf16>
  %2 = arith.addf %s, %s : bf16
  return %0, %1, %2 : tensor<?x3xbf16>, tensor<2xf16>, bf16
}

func.func @integers(%a: tensor<?xi64>, %b: tensor<?xi32>, %c: tensor<?xi1>) -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi1>) {
  %0 = arith.addi %a, %a : tensor<?xi64>
  %1 = arith.addi %b, %b : tensor<?xi32>
  %2 = arith.andi %c, %c : tensor<?xi1>
  return %0, %1, %2 : tensor<?xi64>, tensor<?xi32>, tensor<?xi1>
}

func.func @plane(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = arith.mulf %a, %a : tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

func.func @"odd name"(%out: tensor<f32>) -> (tensor<f32> {lstm.name = "the result"}) {
  %0 = arith.negf %out : tensor<f32>
  return %0 : tensor<f32>
}
