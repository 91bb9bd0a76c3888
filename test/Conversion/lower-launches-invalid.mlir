// RUN: lstm-opt %s --lstm-lower-launches --split-input-file --verify-diagnostics
module attributes {gpu.container_module} {
  // expected-error @below {{expects code for NVIDIA targets, but got one for #rocdl.target}}
  gpu.binary @kernels [#gpu.object<#rocdl.target, bin = "code">]
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @f() {
    %c1 = arith.constant 1 : index
    // expected-error @below {{'gpu.launch_func' op launches a kernel of which there is no code}}
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "cubin">]
  func.func @dependency(%t: !gpu.async.token) {
    %c1 = arith.constant 1 : index
    // expected-error @below {{'gpu.launch_func' op has a stream or tokens, which this lowering does not know}}
    %r = gpu.launch_func async [%t] @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "cubin">]
  func.func @token() {
    %c1 = arith.constant 1 : index
    // expected-error @below {{'gpu.launch_func' op has a stream or tokens}}
    %r = gpu.launch_func async @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.wait [%r]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "cubin">]
  llvm.func @stream(%s: !llvm.ptr) {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    // expected-error @below {{'gpu.launch_func' op has a stream or tokens}}
    gpu.launch_func <%s : !llvm.ptr> @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) : i64
    llvm.return
  }
}
