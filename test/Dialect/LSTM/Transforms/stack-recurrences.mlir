// RUN: lstm-opt %s --lstm-stack-recurrences --canonicalize --split-input-file | FileCheck %s
// RUN: lstm-opt %s --lstm-stack-recurrences --canonicalize --split-input-file -o /dev/null --remarks-filter=lstm-fuse-recurrences 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: lstm-opt %s --lstm-stack-recurrences="float32=false" --split-input-file | FileCheck %s --check-prefix=SHORT
// RUN: lstm-opt %s --lstm-stack-recurrences="max-bytes=143" --split-input-file | FileCheck %s --check-prefix=BYTES

// Three layers in one direction are one loop: what only the next one reads is no result any more.
// CHECK-LABEL: func @layers(
// CHECK: %[[R:.*]]:4 = lstm.recurrence over(%[[X:.*]] = %arg0 : tensor<?x?x3xf16>) init(%[[A:.*]] = %arg1, %[[B:.*]] = %arg1, %[[C:.*]] = %arg1 : {{.*}}) lengths(%arg2 : tensor<?xi32>) reverse outs(%{{.*}} : tensor<?x?x3xf16>) {
// CHECK-NEXT: %[[A1:.*]] = lstm.gate tanh dot(%[[X]], %arg3 : {{.*}}) dot(%[[A]], %arg3 : {{.*}})
// CHECK-NEXT: %[[B1:.*]] = lstm.gate tanh dot(%[[A1]], %arg3 : {{.*}}) dot(%[[B]], %arg3 : {{.*}})
// CHECK-NEXT: %[[C1:.*]] = lstm.gate tanh dot(%[[B1]], %arg3 : {{.*}}) dot(%[[C]], %arg3 : {{.*}})
// CHECK-NEXT: lstm.yield state(%[[A1]], %[[B1]], %[[C1]] : {{.*}}) out(%[[C1]] : tensor<?x3xf16>)
// CHECK: return %[[R]]#0, %[[R]]#1
// REMARK-COUNT-2: remark: [Passed] FuseRecurrences | {{.*}}Remark="made one loop of two layers"
// Bodies of 16 bits; the weights of all bodies have 18 bytes.
// SHORT-LABEL: func @layers(
// SHORT-COUNT-1: lstm.recurrence
// SHORT-NOT: lstm.recurrence
// BYTES-LABEL: func @layers(
// BYTES-COUNT-1: lstm.recurrence
// BYTES-NOT: lstm.recurrence
func.func @layers(%xs: tensor<?x?x3xf16>, %h0: tensor<?x3xf16>, %len: tensor<?xi32>, %W: tensor<3x3xf16>, %T: index, %B: index) -> (tensor<?x?x3xf16>, tensor<?x3xf16>) {
  %o1 = tensor.empty(%T, %B) : tensor<?x?x3xf16>
  %o2 = tensor.empty(%T, %B) : tensor<?x?x3xf16>
  %o3 = tensor.empty(%T, %B) : tensor<?x?x3xf16>
  %y, %yT = lstm.recurrence over(%x = %xs : tensor<?x?x3xf16>) init(%h = %h0 : tensor<?x3xf16>) lengths(%len : tensor<?xi32>) reverse outs(%o1 : tensor<?x?x3xf16>) {
    %h1 = lstm.gate tanh dot(%x, %W : tensor<?x3xf16>, tensor<3x3xf16>) dot(%h, %W : tensor<?x3xf16>, tensor<3x3xf16>) : tensor<?x3xf16>
    lstm.yield state(%h1 : tensor<?x3xf16>) out(%h1 : tensor<?x3xf16>)
  }
  %z, %zT = lstm.recurrence over(%x = %y : tensor<?x?x3xf16>) init(%h = %h0 : tensor<?x3xf16>) lengths(%len : tensor<?xi32>) reverse outs(%o2 : tensor<?x?x3xf16>) {
    %h1 = lstm.gate tanh dot(%x, %W : tensor<?x3xf16>, tensor<3x3xf16>) dot(%h, %W : tensor<?x3xf16>, tensor<3x3xf16>) : tensor<?x3xf16>
    lstm.yield state(%h1 : tensor<?x3xf16>) out(%h1 : tensor<?x3xf16>)
  }
  %v, %vT = lstm.recurrence over(%x = %z : tensor<?x?x3xf16>) init(%h = %h0 : tensor<?x3xf16>) lengths(%len : tensor<?xi32>) reverse outs(%o3 : tensor<?x?x3xf16>) {
    %h1 = lstm.gate tanh dot(%x, %W : tensor<?x3xf16>, tensor<3x3xf16>) dot(%h, %W : tensor<?x3xf16>, tensor<3x3xf16>) : tensor<?x3xf16>
    lstm.yield state(%h1 : tensor<?x3xf16>) out(%h1 : tensor<?x3xf16>)
  }
  return %v, %yT : tensor<?x?x3xf16>, tensor<?x3xf16>
}

// -----
// Of f32, unless products of f32 are left out. What another one reads, too, stays a result.
// CHECK-LABEL: func @used(
// CHECK: %[[R:.*]]:4 = lstm.recurrence over(%[[X:.*]] = %arg0 : {{.*}}) init({{.*}}) outs(%arg3, %arg4 : {{.*}}) {
// CHECK: lstm.yield state(%[[A:.*]], %[[B:.*]] : {{.*}}) out(%[[A]], %[[B]] : {{.*}})
// CHECK: return %[[R]]#0, %[[R]]#1
// SHORT-LABEL: func @used(
// SHORT-COUNT-2: lstm.recurrence
// Each has two weights of 36 bytes.
// BYTES-LABEL: func @used(
// BYTES-COUNT-2: lstm.recurrence
func.func @used(%xs: tensor<?x?x3xf32>, %h0: tensor<?x3xf32>, %W: tensor<3x3xf32>, %o1: tensor<?x?x3xf32>, %o2: tensor<?x?x3xf32>, %U: tensor<3x3xf32>, %V: tensor<3x3xf32>, %P: tensor<3x3xf32>) -> (tensor<?x?x3xf32>, tensor<?x?x3xf32>) {
  %y, %yT = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) outs(%o1 : tensor<?x?x3xf32>) {
    %h1 = lstm.gate tanh dot(%x, %W : tensor<?x3xf32>, tensor<3x3xf32>) dot(%h, %U : tensor<?x3xf32>, tensor<3x3xf32>) : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>) out(%h1 : tensor<?x3xf32>)
  }
  %z, %zT = lstm.recurrence over(%x = %y : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) outs(%o2 : tensor<?x?x3xf32>) {
    %h1 = lstm.gate tanh dot(%x, %V : tensor<?x3xf32>, tensor<3x3xf32>) dot(%h, %P : tensor<?x3xf32>, tensor<3x3xf32>) : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>) out(%h1 : tensor<?x3xf32>)
  }
  return %y, %z : tensor<?x?x3xf32>, tensor<?x?x3xf32>
}

// -----
// The other way round; from the last state, too; a state that goes on behind the end of a sequence; no product of these; 65 rows. Each would be one but for that.
// CHECK-LABEL: func @apart(
// CHECK-COUNT-2: lstm.recurrence
func.func @apart(%xs: tensor<?x?x3xf32>, %W: tensor<3x3xf32>, %h0: tensor<?x3xf32>, %o1: tensor<?x?x3xf32>, %o2: tensor<?x?x3xf32>) -> tensor<?x?x3xf32> {
  %y, %yT = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) outs(%o1 : tensor<?x?x3xf32>) {
    %h1 = lstm.gate tanh dot(%h, %W : tensor<?x3xf32>, tensor<3x3xf32>) add(%x : tensor<?x3xf32>) : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>) out(%h1 : tensor<?x3xf32>)
  }
  %z, %zT = lstm.recurrence over(%x = %y : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) reverse outs(%o2 : tensor<?x?x3xf32>) {
    %h1 = lstm.gate tanh dot(%h, %W : tensor<?x3xf32>, tensor<3x3xf32>) add(%x : tensor<?x3xf32>) : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>) out(%h1 : tensor<?x3xf32>)
  }
  return %z : tensor<?x?x3xf32>
}
// CHECK-LABEL: func @last(
// CHECK-COUNT-2: lstm.recurrence
func.func @last(%xs: tensor<?x?x3xf32>, %W: tensor<3x3xf32>, %h0: tensor<?x3xf32>, %o1: tensor<?x?x3xf32>, %o2: tensor<?x?x3xf32>) -> tensor<?x?x3xf32> {
  %y, %yT = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) outs(%o1 : tensor<?x?x3xf32>) {
    %h1 = lstm.gate tanh dot(%h, %W : tensor<?x3xf32>, tensor<3x3xf32>) add(%x : tensor<?x3xf32>) : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>) out(%h1 : tensor<?x3xf32>)
  }
  %z, %zT = lstm.recurrence over(%x = %y : tensor<?x?x3xf32>) init(%h = %yT : tensor<?x3xf32>) outs(%o2 : tensor<?x?x3xf32>) {
    %h1 = lstm.gate tanh dot(%h, %W : tensor<?x3xf32>, tensor<3x3xf32>) add(%x : tensor<?x3xf32>) : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>) out(%h1 : tensor<?x3xf32>)
  }
  return %z : tensor<?x?x3xf32>
}
// CHECK-LABEL: func @shown(
// CHECK-COUNT-2: lstm.recurrence
func.func @shown(%xs: tensor<?x?x3xf32>, %W: tensor<3x3xf32>, %h0: tensor<?x3xf32>, %o1: tensor<?x?x3xf32>, %o2: tensor<?x?x3xf32>, %len: tensor<?xi32>) -> tensor<?x?x3xf32> {
  %y, %yT = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) lengths(%len : tensor<?xi32>) outs(%o1 : tensor<?x?x3xf32>) {
    %h1 = lstm.gate tanh dot(%h, %W : tensor<?x3xf32>, tensor<3x3xf32>) add(%x : tensor<?x3xf32>) : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>) out(%h1 : tensor<?x3xf32>)
  }
  %z, %zT = lstm.recurrence over(%x = %y : tensor<?x?x3xf32>) init(unmasked %h = %h0 : tensor<?x3xf32>) lengths(%len : tensor<?xi32>) outs(%o2 : tensor<?x?x3xf32>) {
    %h1 = lstm.gate tanh dot(%h, %W : tensor<?x3xf32>, tensor<3x3xf32>) add(%x : tensor<?x3xf32>) : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>) out(%h1 : tensor<?x3xf32>)
  }
  return %z : tensor<?x?x3xf32>
}
// CHECK-LABEL: func @double(
// CHECK-COUNT-2: lstm.recurrence
func.func @double(%xs: tensor<?x?x3xf64>, %h0: tensor<?x3xf64>, %W: tensor<3x3xf64>, %o1: tensor<?x?x3xf64>, %o2: tensor<?x?x3xf64>) -> tensor<?x?x3xf64> {
  %y, %yT = lstm.recurrence over(%x = %xs : tensor<?x?x3xf64>) init(%h = %h0 : tensor<?x3xf64>) outs(%o1 : tensor<?x?x3xf64>) {
    %h1 = lstm.gate tanh dot(%h, %W : tensor<?x3xf64>, tensor<3x3xf64>) add(%x : tensor<?x3xf64>) : tensor<?x3xf64>
    lstm.yield state(%h1 : tensor<?x3xf64>) out(%h1 : tensor<?x3xf64>)
  }
  %z, %zT = lstm.recurrence over(%x = %y : tensor<?x?x3xf64>) init(%h = %h0 : tensor<?x3xf64>) outs(%o2 : tensor<?x?x3xf64>) {
    %h1 = lstm.gate tanh dot(%h, %W : tensor<?x3xf64>, tensor<3x3xf64>) add(%x : tensor<?x3xf64>) : tensor<?x3xf64>
    lstm.yield state(%h1 : tensor<?x3xf64>) out(%h1 : tensor<?x3xf64>)
  }
  return %z : tensor<?x?x3xf64>
}
// CHECK-LABEL: func @rows(
// CHECK-COUNT-2: lstm.recurrence
func.func @rows(%xs: tensor<?x65x3xf32>, %W: tensor<3x3xf32>, %h0: tensor<65x3xf32>, %o1: tensor<?x65x3xf32>, %o2: tensor<?x65x3xf32>) -> tensor<?x65x3xf32> {
  %y, %yT = lstm.recurrence over(%x = %xs : tensor<?x65x3xf32>) init(%h = %h0 : tensor<65x3xf32>) outs(%o1 : tensor<?x65x3xf32>) {
    %h1 = lstm.gate tanh dot(%h, %W : tensor<65x3xf32>, tensor<3x3xf32>) add(%x : tensor<65x3xf32>) : tensor<65x3xf32>
    lstm.yield state(%h1 : tensor<65x3xf32>) out(%h1 : tensor<65x3xf32>)
  }
  %z, %zT = lstm.recurrence over(%x = %y : tensor<?x65x3xf32>) init(%h = %h0 : tensor<65x3xf32>) outs(%o2 : tensor<?x65x3xf32>) {
    %h1 = lstm.gate tanh dot(%h, %W : tensor<65x3xf32>, tensor<3x3xf32>) add(%x : tensor<65x3xf32>) : tensor<65x3xf32>
    lstm.yield state(%h1 : tensor<65x3xf32>) out(%h1 : tensor<65x3xf32>)
  }
  return %z : tensor<?x65x3xf32>
}
// A norm in the step.
// CHECK-LABEL: func @norm(
// CHECK-COUNT-2: lstm.recurrence
func.func @norm(%xs: tensor<?x?x3xf32>, %W: tensor<3x3xf32>, %h0: tensor<?x3xf32>, %o1: tensor<?x?x3xf32>, %o2: tensor<?x?x3xf32>, %m0: tensor<?xf32>) -> tensor<?x?x3xf32> {
  %y, %yT = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) outs(%o1 : tensor<?x?x3xf32>) {
    %h1 = lstm.gate tanh dot(%h, %W : tensor<?x3xf32>, tensor<3x3xf32>) add(%x : tensor<?x3xf32>) : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>) out(%h1 : tensor<?x3xf32>)
  }
  %z, %zT = lstm.recurrence over(%x = %y : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) outs(%o2 : tensor<?x?x3xf32>) {
    %m = linalg.reduce {arith.addf} ins(%x : tensor<?x3xf32>) outs(%m0 : tensor<?xf32>) dimensions = [1]
    %n = linalg.broadcast ins(%m : tensor<?xf32>) outs(%h : tensor<?x3xf32>) dimensions = [1]
    %h1 = lstm.gate tanh dot(%h, %W : tensor<?x3xf32>, tensor<3x3xf32>) add(%n : tensor<?x3xf32>) : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>) out(%h1 : tensor<?x3xf32>)
  }
  return %z : tensor<?x?x3xf32>
}
// No state is multiplied: what the second one projects is for all steps at once.
// CHECK-LABEL: func @elementwise(
// CHECK-COUNT-2: lstm.recurrence
func.func @elementwise(%xs: tensor<?x?x3xf32>, %W: tensor<3x3xf32>, %h0: tensor<?x3xf32>, %o1: tensor<?x?x3xf32>, %o2: tensor<?x?x3xf32>) -> tensor<?x?x3xf32> {
  %y, %yT = lstm.recurrence over(%x = %xs : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) outs(%o1 : tensor<?x?x3xf32>) {
    %h1 = lstm.gate tanh dot(%h, %W : tensor<?x3xf32>, tensor<3x3xf32>) add(%x : tensor<?x3xf32>) : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>) out(%h1 : tensor<?x3xf32>)
  }
  %z, %zT = lstm.recurrence over(%x = %y : tensor<?x?x3xf32>) init(%h = %h0 : tensor<?x3xf32>) outs(%o2 : tensor<?x?x3xf32>) {
    %h1 = lstm.gate tanh dot(%x, %W : tensor<?x3xf32>, tensor<3x3xf32>) add(%h : tensor<?x3xf32>) : tensor<?x3xf32>
    lstm.yield state(%h1 : tensor<?x3xf32>) out(%h1 : tensor<?x3xf32>)
  }
  return %z : tensor<?x?x3xf32>
}
