// RUN: lstm-opt %s --convert-linalg-to-gpu --split-input-file --verify-diagnostics
#id = affine_map<(i) -> (i)>
func.func @tensors(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'linalg.generic' op expects memrefs where it is to become a kernel}}
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
// -----
#id = affine_map<(i) -> (i)>
func.func @store(%x: memref<4xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %i = linalg.index 0 : index
    // expected-error @below {{'memref.store' op cannot stand in the body of an operation that becomes a kernel}}
    memref.store %a, %x[%i] : memref<4xf32>
    linalg.yield %a : f32
  }
  return
}
// -----
#id = affine_map<(i) -> (i)>
func.func private @f(%a: f32) -> f32
func.func @call(%x: memref<4xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %old: f32):
    // expected-error @below {{'func.call' op cannot stand in the body of an operation that becomes a kernel}}
    %b = func.call @f(%a) : (f32) -> f32
    linalg.yield %b : f32
  }
  return
}
