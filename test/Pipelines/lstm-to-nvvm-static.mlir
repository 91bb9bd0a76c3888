// All sizes are written down: what runs as a kernel with any number of rows does so with one that is known, also where it is 1.
// RUN: lstm-opt %s --lstm-to-nvvm="format=ptx strategy=persistent" --remarks-filter=lstm-plan-kernels -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file %t

// One launch of blocks that wait for each other, or of clusters, and the product of all inputs; the steps' products are for a
// device that is too small.
// CHECK-COUNT-5: llvm.call @lstmCudaGetMultiprocessors()

// An LSTM, of one row.
// REMARK: remark: [Passed] PlanKernels | {{.*}}Remark="one kernel,
func.func @lstm(%x: tensor<5x1x24xbf16>, %W: tensor<24x4x32xbf16>, %U: tensor<32x4x32xbf16>, %b: tensor<4x32xbf16>, %s0: tensor<1x32xbf16>, %s1: tensor<1x32xbf16>) -> (tensor<5x1x32xbf16>, tensor<1x32xbf16>, tensor<1x32xbf16>) {
  %e = tensor.empty() : tensor<5x1x32xbf16>
  %r:3 = lstm.recurrence over(%xt = %x : tensor<5x1x24xbf16>) init(%h0 = %s0, %h1 = %s1 : tensor<1x32xbf16>, tensor<1x32xbf16>) outs(%e : tensor<5x1x32xbf16>) {
    %n0, %n1 = lstm.cell input(%xt, %W : tensor<1x24xbf16>, tensor<24x4x32xbf16>) state(%h0, %U : tensor<1x32xbf16>, tensor<32x4x32xbf16>) cell(%h1 : tensor<1x32xbf16>) bias(%b : tensor<4x32xbf16>)
    lstm.yield state(%n0, %n1 : tensor<1x32xbf16>, tensor<1x32xbf16>) out(%n0 : tensor<1x32xbf16>)
  }
  return %r#0, %r#1, %r#2 : tensor<5x1x32xbf16>, tensor<1x32xbf16>, tensor<1x32xbf16>
}

// One feature, three rows.
// REMARK: remark: [Passed] PlanKernels | {{.*}}Remark="one kernel,
func.func @feature(%x: tensor<5x3x1xbf16>, %W: tensor<1x4x32xbf16>, %U: tensor<32x4x32xbf16>, %b: tensor<4x32xbf16>) -> (tensor<5x3x32xbf16>, tensor<3x32xbf16>, tensor<3x32xbf16>) {
  %zero = arith.constant dense<0.0> : tensor<3x32xbf16>
  %e = tensor.empty() : tensor<5x3x32xbf16>
  %r:3 = lstm.recurrence over(%xt = %x : tensor<5x3x1xbf16>) init(%h0 = %zero, %h1 = %zero : tensor<3x32xbf16>, tensor<3x32xbf16>) outs(%e : tensor<5x3x32xbf16>) {
    %n0, %n1 = lstm.cell input(%xt, %W : tensor<3x1xbf16>, tensor<1x4x32xbf16>) state(%h0, %U : tensor<3x32xbf16>, tensor<32x4x32xbf16>) cell(%h1 : tensor<3x32xbf16>) bias(%b : tensor<4x32xbf16>)
    lstm.yield state(%n0, %n1 : tensor<3x32xbf16>, tensor<3x32xbf16>) out(%n0 : tensor<3x32xbf16>)
  }
  return %r#0, %r#1, %r#2 : tensor<5x3x32xbf16>, tensor<3x32xbf16>, tensor<3x32xbf16>
}

// A GRU whose reset comes before, from the last step to the first.
// REMARK: remark: [Passed] PlanKernels | {{.*}}Remark="one kernel,
func.func @gru(%x: tensor<5x1x16xf32>, %W: tensor<16x3x24xf32>, %U: tensor<24x3x24xf32>, %b: tensor<3x24xf32>) -> (tensor<5x1x24xf32>, tensor<1x24xf32>) {
  %zero = arith.constant dense<0.0> : tensor<1x24xf32>
  %e = tensor.empty() : tensor<5x1x24xf32>
  %r:2 = lstm.recurrence over(%xt = %x : tensor<5x1x16xf32>) init(%h0 = %zero : tensor<1x24xf32>) reverse outs(%e : tensor<5x1x24xf32>) {
    %n0 = lstm.gru_cell reset_before input(%xt, %W : tensor<1x16xf32>, tensor<16x3x24xf32>) state(%h0, %U : tensor<1x24xf32>, tensor<24x3x24xf32>) bias(%b : tensor<3x24xf32>)
    lstm.yield state(%n0 : tensor<1x24xf32>) out(%n0 : tensor<1x24xf32>)
  }
  return %r#0, %r#1 : tensor<5x1x24xf32>, tensor<1x24xf32>
}

// A cell of one's own with two phases.
// REMARK: remark: [Passed] PlanKernels | {{.*}}Remark="one kernel,
func.func @own(%x: tensor<5x1x40xf16>, %W: tensor<40x2x40xf16>, %U: tensor<40x2x40xf16>, %b: tensor<2x40xf16>, %s0: tensor<1x40xf16>) -> (tensor<5x1x40xf16>, tensor<1x40xf16>) {
  %e = tensor.empty() : tensor<5x1x40xf16>
  %r:2 = lstm.recurrence over(%xt = %x : tensor<5x1x40xf16>) init(%h0 = %s0 : tensor<1x40xf16>) reverse outs(%e : tensor<5x1x40xf16>) {
    %w0 = tensor.extract_slice %W[0,0,0][40,1,40][1,1,1] : tensor<40x2x40xf16> to tensor<40x40xf16>
    %u0 = tensor.extract_slice %U[0,0,0][40,1,40][1,1,1] : tensor<40x2x40xf16> to tensor<40x40xf16>
    %b0 = tensor.extract_slice %b[0,0][1,40][1,1] : tensor<2x40xf16> to tensor<40xf16>
    %w1 = tensor.extract_slice %W[0,1,0][40,1,40][1,1,1] : tensor<40x2x40xf16> to tensor<40x40xf16>
    %u1 = tensor.extract_slice %U[0,1,0][40,1,40][1,1,1] : tensor<40x2x40xf16> to tensor<40x40xf16>
    %b1 = tensor.extract_slice %b[1,0][1,40][1,1] : tensor<2x40xf16> to tensor<40xf16>
    %f = lstm.gate sigmoid dot(%xt, %w0 : tensor<1x40xf16>, tensor<40x40xf16>) dot(%h0, %u0 : tensor<1x40xf16>, tensor<40x40xf16>) add(%b0 : tensor<40xf16>) : tensor<1x40xf16>
    %fh = arith.mulf %f, %h0 : tensor<1x40xf16>
    %m = lstm.gate tanh dot(%xt, %w1 : tensor<1x40xf16>, tensor<40x40xf16>) dot(%fh, %u1 : tensor<1x40xf16>, tensor<40x40xf16>) add(%b1 : tensor<40xf16>) : tensor<1x40xf16>
    %d = arith.subf %m, %h0 : tensor<1x40xf16>
    %fd = arith.mulf %f, %d : tensor<1x40xf16>
    %n0 = arith.addf %h0, %fd : tensor<1x40xf16>
    lstm.yield state(%n0 : tensor<1x40xf16>) out(%n0 : tensor<1x40xf16>)
  }
  return %r#0, %r#1 : tensor<5x1x40xf16>, tensor<1x40xf16>
}

// One unit, one row, one feature.
// REMARK: remark: [Passed] PlanKernels | {{.*}}Remark="one kernel,
func.func @ones(%x: tensor<2x1x1xf32>, %W: tensor<1x2x1xf32>, %U: tensor<1x2x1xf32>, %b: tensor<2x1xf32>, %s0: tensor<1x1xf32>) -> (tensor<2x1x1xf32>, tensor<1x1xf32>) {
  %e = tensor.empty() : tensor<2x1x1xf32>
  %r:2 = lstm.recurrence over(%xt = %x : tensor<2x1x1xf32>) init(%h0 = %s0 : tensor<1x1xf32>) outs(%e : tensor<2x1x1xf32>) {
    %w0 = tensor.extract_slice %W[0,0,0][1,1,1][1,1,1] : tensor<1x2x1xf32> to tensor<1x1xf32>
    %u0 = tensor.extract_slice %U[0,0,0][1,1,1][1,1,1] : tensor<1x2x1xf32> to tensor<1x1xf32>
    %b0 = tensor.extract_slice %b[0,0][1,1][1,1] : tensor<2x1xf32> to tensor<1xf32>
    %w1 = tensor.extract_slice %W[0,1,0][1,1,1][1,1,1] : tensor<1x2x1xf32> to tensor<1x1xf32>
    %u1 = tensor.extract_slice %U[0,1,0][1,1,1][1,1,1] : tensor<1x2x1xf32> to tensor<1x1xf32>
    %b1 = tensor.extract_slice %b[1,0][1,1][1,1] : tensor<2x1xf32> to tensor<1xf32>
    %f = lstm.gate sigmoid dot(%xt, %w0 : tensor<1x1xf32>, tensor<1x1xf32>) dot(%h0, %u0 : tensor<1x1xf32>, tensor<1x1xf32>) add(%b0 : tensor<1xf32>) : tensor<1x1xf32>
    %fh = arith.mulf %f, %h0 : tensor<1x1xf32>
    %m = lstm.gate tanh dot(%xt, %w1 : tensor<1x1xf32>, tensor<1x1xf32>) dot(%fh, %u1 : tensor<1x1xf32>, tensor<1x1xf32>) add(%b1 : tensor<1xf32>) : tensor<1x1xf32>
    %d = arith.subf %m, %h0 : tensor<1x1xf32>
    %fd = arith.mulf %f, %d : tensor<1x1xf32>
    %n0 = arith.addf %h0, %fd : tensor<1x1xf32>
    lstm.yield state(%n0 : tensor<1x1xf32>) out(%n0 : tensor<1x1xf32>)
  }
  return %r#0, %r#1 : tensor<2x1x1xf32>, tensor<1x1xf32>
}

// One step, which not all rows have.
// REMARK: remark: [Missed] PlanKernels | {{.*}}Remark="libraries: the step stands in no loop, as there is one alone"
func.func @one_step(%x: tensor<1x3x24xf32>, %W: tensor<24x32xf32>, %U: tensor<32x32xf32>, %h0: tensor<3x32xf32>, %len: tensor<3xi32>) -> tensor<3x32xf32> {
  %hT = lstm.recurrence over(%xt = %x : tensor<1x3x24xf32>) init(%h = %h0 : tensor<3x32xf32>) lengths(%len : tensor<3xi32>) {
    %n = lstm.gate tanh dot(%xt, %W : tensor<3x24xf32>, tensor<24x32xf32>) dot(%h, %U : tensor<3x32xf32>, tensor<32x32xf32>) : tensor<3x32xf32>
    lstm.yield state(%n : tensor<3x32xf32>)
  }
  return %hT : tensor<3x32xf32>
}
