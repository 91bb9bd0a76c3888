// What the GPU is comes from the chips of the program and from what the module says of the device "GPU".
// RUN: lstm-opt %s --lstm-plan-kernels="plan=5,1,4,2" | FileCheck %s
// RUN: not lstm-opt %s --lstm-plan-kernels="plan=5,1,32,4" 2>&1 | FileCheck %s --check-prefix=H100
// RUN: not lstm-opt %s --lstm-plan-kernels="plan=5,1,32,4 chips=sm_90a,sm_80" 2>&1 | FileCheck %s --check-prefix=A100
// RUN: not lstm-opt %s --lstm-plan-kernels="plan=5,1,32,4 chips=sm_89" 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: sed 's/"CPU" =/"GPU" =/' %s | not lstm-opt --lstm-plan-kernels="plan=5,1,4,2" 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: sed 's/"CPU" =/"GPU" =/; s/multiprocessors/shared_memory/; s/4 : i64/4096 : i32/' %s \
// RUN:   | not lstm-opt --lstm-plan-kernels="plan=5,1,4,2" 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: sed 's/"CPU" =/"GPU" =/; s/multiprocessors/registers/' %s | not lstm-opt --lstm-plan-kernels="plan=5,1,4,2" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REGISTERS

// CHECK: } {lstm.kernel = [{{{.*}} unit_blocks = 5 : i64}]}
// H100: error: lstm-plan-kernels: {{.*}}, 232448 bytes of shared memory and 132 multiprocessors
// A100: error: lstm-plan-kernels: {{.*}}, 166912 bytes of shared memory and 108 multiprocessors
// SMALL: error: lstm-plan-kernels: {{.*}}, 101376 bytes of shared memory and 108 multiprocessors
// BLOCKS: error: lstm-plan-kernels: plan [5, 1, 4, 2] takes 192 threads {{.*}} groups of 5 blocks, but there are {{.*}} and 4 multiprocessors
// MEMORY: error: lstm-plan-kernels: plan [5, 1, 4, 2] {{.*}} 4096 bytes of shared memory and 132 multiprocessors
// REGISTERS: error: lstm-plan-kernels: plan [5, 1, 4, 2] {{.*}} but there are 0 registers

// Wrong descriptions, also where a plan is already there.
// RUN: sed 's/"CPU" =/"GPU" =/; s/multiprocessors/multi_processors/' %s | not lstm-opt --lstm-plan-kernels 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: sed 's/"CPU" =/"GPU" =/; s/4 : i64/0 : i64/' %s | not lstm-opt --lstm-plan-kernels 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: sed 's/"CPU" =/"GPU" =/; s/4 : i64/"many"/' %s | not lstm-opt --convert-lstm-to-gpu-kernel 2>&1 | FileCheck %s --check-prefix=TYPE
// KEY: error: unknown key "lstm.multi_processors" of device "GPU" in 'dlti.target_system_spec'; there is 'lstm.multiprocessors', 'lstm.shared_memory', {{.*}}, 'lstm.clock'
// ZERO: error: expects "lstm.multiprocessors" of device "GPU" in 'dlti.target_system_spec' to be a positive integer, but got 0 : i64
// TYPE: error: expects "lstm.multiprocessors" of device "GPU" in 'dlti.target_system_spec' to be a positive integer, but got "many"

// The times of a slower way through the cache are longer, those of clusters and libraries are not.
// RUN: sed 's/"CPU" =/"GPU" =/; s/multiprocessors/hand_over_latency/; s/4 : i64/40000/' %s \
// RUN:   | lstm-opt --lstm-plan-kernels --remarks-filter=lstm-plan-kernels 2>&1 >/dev/null | FileCheck %s --check-prefix=SLOW
// SLOW-NOT: groups of
// SLOW: remark: [Passed] PlanKernels | {{.*}} one kernel, clusters of

// What a cluster takes is twice as long at half of the clock.
// RUN: sed 's/"CPU" =/"GPU" =/; s/multiprocessors/clock/; s/4 : i64/1980/' %s \
// RUN:   | lstm-opt --lstm-plan-kernels="plan=3,2,1,2,1,1" --remarks-filter=lstm-plan-kernels 2>&1 >/dev/null | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/"CPU" =/"GPU" =/; s/multiprocessors/clock/; s/4 : i64/990/' %s \
// RUN:   | lstm-opt --lstm-plan-kernels="plan=3,2,1,2,1,1" --remarks-filter=lstm-plan-kernels 2>&1 >/dev/null | FileCheck %s --check-prefix=HALF
// WHOLE: warps, 1.14 us a step
// HALF: warps, 2.28 us a step

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"lstm.multiprocessors" = 4 : i64, "max_vector_op_width" = 64 : i64>>} {
  func.func @main(%h: memref<?x40xf32>, %g: memref<?x40xf32>, %U: memref<40x1x40xf32>, %T: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %t = %c0 to %T step %c1 {
      lstm.phase project(%h, %U : memref<?x40xf32>, memref<40x1x40xf32>) outs(%g : memref<?x40xf32>) {
      ^bb0(%z: f32, %old: f32):
        lstm.yield %z : f32
      }
      lstm.phase ins(%g[r, u] : memref<?x40xf32>) outs(%h : memref<?x40xf32>) {
      ^bb0(%x: f32, %old: f32):
        lstm.yield %x : f32
      }
    }
    return
  }
}
