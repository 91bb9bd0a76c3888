func.func @scalars(%i: index, %n: i32, %f: f32, %d: f64, %h: f16, %on: i1)
    -> (index {lstm.name = "i"}, i32 {lstm.name = "n"}, f32 {lstm.name = "f"}, f64 {lstm.name = "d"}, f16 {lstm.name = "h"}, i1 {lstm.name = "on"}) {
  %i1 = arith.constant 1 : index
  %n1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %d1 = arith.constant 1.0 : f64
  %true = arith.constant true
  %i2 = arith.addi %i, %i1 : index
  %n2 = arith.addi %n, %n1 : i32
  %f2 = arith.addf %f, %f1 : f32
  %d2 = arith.addf %d, %d1 : f64
  %h2 = arith.addf %h, %h : f16
  %off = arith.xori %on, %true : i1
  return %i2, %n2, %f2, %d2, %h2, %off : index, i32, f32, f64, f16, i1
}

func.func @swap(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  return %b, %a : tensor<?xf32>, tensor<?xf32>
}

func.func private @hidden(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.addf %a, %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The prefix's own name, and names that begin with it.
func.func @net() {
  return
}

func.func @net_pack(%a: tensor<?xf32> {lstm.name = "class"})
    -> (tensor<?xf32> {lstm.name = "int"}, tensor<?xf32> {lstm.name = "a b"}) {
  %i0 = arith.constant 0 : index
  %i3 = arith.constant 3 : index
  %n = tensor.dim %a, %i0 : tensor<?xf32>
  %enough = arith.cmpi sge, %n, %i3 : index
  cf.assert %enough, "there are three or more"
  %0 = call @hidden(%a) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %0 : tensor<?xf32>, tensor<?xf32>
}

func.func @constant() -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  return %0, %0 : tensor<3xf32>, tensor<3xf32>
}
