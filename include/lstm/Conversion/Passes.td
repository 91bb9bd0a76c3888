//===- Passes.td - Conversions from the lstm dialect -*- tablegen -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_CONVERSION_PASSES_TD
#define LSTM_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLSTMToLinalgPass : Pass<"convert-lstm-to-linalg"> {
  let summary = "Gates and phases to linalg, on tensors or memrefs";
  let description = [{
    A gate becomes a `linalg.fill`, a contraction for each product and one
    elementwise `linalg.generic`; so does a phase (see its decomposition).
    Contractions accumulate in the gate's compute type.
  }];
  let options = [
    Option<"gates", "gates", "bool", "true", "Convert lstm.gate">,
    Option<"phases", "phases", "bool", "true", "Convert lstm.phase">,
    Option<"scans", "scans", "bool", "true", "Convert those in lstm.scan, too">,
    Option<"deallocate", "deallocate", "bool", "true",
           "Free scratch memory where it is used (on memrefs), instead of leaving that to upstream's passes">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "math::MathDialect", "memref::MemRefDialect", "tensor::TensorDialect"];
}

def ConvertLSTMToSCFPass : Pass<"convert-lstm-to-scf"> {
  let summary = "lstm.scan on memrefs to scf.for";
  let description = [{
    The time loop over slices of the sequences, outputs and state slots. Must run
    before buffer deallocation (which would give every memref argument of the
    region an ownership argument).
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "memref::MemRefDialect",
                           "scf::SCFDialect"];
}

def ConvertLSTMToVectorPass : Pass<"convert-lstm-to-vector"> {
  let summary = "lstm.phase on memrefs to register-tiled vector loops";
  let description = [{
    Tiles rows and units; the accumulators of a tile stay in vector registers while
    k runs, then the region's work is done on vectors of units and stored. Rows and
    units that a full tile does not cover take a narrower tile and masked accesses.
    A phase whose region holds what has no vector form is left alone, with a
    remark. A linalg operation that reduces rows becomes loops with many partial
    sums, too.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "0",
           "Width of a vector register in bits (0: that of this machine)">,
    Option<"rows", "rows", "int64_t", "0", "Rows of a tile (0: chosen)">];
  let statistics = [
    Statistic<"numVectorized", "phases-vectorized", "Phases vectorized">,
    Statistic<"numReductions", "reductions-vectorized", "Reductions of rows vectorized">];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect", "scf::SCFDialect",
                           "vector::VectorDialect"];
}

def LSTMExpandMathPass : Pass<"lstm-expand-math"> {
  let summary = "Elementary functions without calls";
  let description = [{
    Computes `math.exp`, `expm1`, `tanh`, `log`, `log1p`, `erf` and the sigmoid
    `1 / (1 + exp(-x))`, which is seen as one function, with arithmetic on f32;
    f16 and bf16 through f32. f64 is left to the library. Runs on the scalars in
    bodies, before they become vectors or loops, so that each path of a program
    computes the same bits. Infinities, NaN, zeros and large arguments give what
    they should. A sigmoid below the smallest normal number is 0.

    ```mlir
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %s = arith.divf %one, %d : f32
    ```

    becomes, in short,

    ```mlir
    %c = clamp %x to -88.0...30.0
    %e = 2^n * polynomial of r, where %c = n ln 2 + r
    %d = arith.addf %e, %one : f32
    %s = arith.divf %e, %d : f32
    ```

    The worst errors are in [Performance.md](Performance.md).
  }];
  let options = [
    Option<"accuracy", "accuracy", "::mlir::lstm::MathAccuracy",
           "::mlir::lstm::MathAccuracy::Default",
           "fast: 5.5 ulp, default: 2.5 ulp, accurate: 1 ulp",
           [{::llvm::cl::values(
             clEnumValN(::mlir::lstm::MathAccuracy::Fast, "fast", "5.5 ulp"),
             clEnumValN(::mlir::lstm::MathAccuracy::Default, "default", "2.5 ulp"),
             clEnumValN(::mlir::lstm::MathAccuracy::Accurate, "accurate", "1 ulp"))}]>,
    Option<"usesReciprocals", "reciprocals", "bool", "false",
           "Quotients of f32 by approximate reciprocals (fastmath<afn>) and a step of Newton's method: no branches on GPUs">];
  let statistics = [Statistic<"numExpanded", "functions-expanded", "Functions expanded">];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect"];
}

def LSTMPackWeightsPass : Pass<"lstm-pack-weights"> {
  let summary = "Weights of phases in the order in which tiles read them, once and before the loop";
  let description = [{
    Each weight `[k, G, units]` of a phase that has a vector form becomes the result
    of a `linalg.pack`: `[ceil(units / u), G / g, k, g, u]`, where g gates and u units
    are what the registers of a tile hold. The packing stands before the outermost
    loop around the phase; a weight that is made in a loop stays as it is, with a
    remark.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "0",
           "Width of a vector register in bits (0: that of this machine)">];
  let statistics = [Statistic<"numPacked", "phases-packed", "Phases with packed weights">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

def LSTMLowerPacksPass : Pass<"lstm-lower-packs"> {
  let summary = "Packing of weights to loops over vectors, on tensors";
  let description = [{
    A `linalg.pack` as `lstm-pack-weights` makes it becomes loops of
    `vector.transfer_read` and `vector.transfer_write`. Others stay: a `linalg.pack`
    does not bufferize itself.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "scf::SCFDialect",
                           "tensor::TensorDialect", "vector::VectorDialect"];
}

def LSTMSplitPackingPass : Pass<"lstm-split-packing", "ModuleOp"> {
  let summary = "A function of its own for what weights alone decide";
  let description = [{
    On tensors, of a public function `@f` with packed weights (`lstm-pack-weights`) two
    more are made:

        @f_pack(weights) -> packed             @f_packed(others, packed) -> results

    and `@f` calls one, then the other. Weights are the arguments that packed weights
    are made from; there are none if all are constants. `@f_pack` does all that depends on nothing but them, such as joining,
    packing and projecting tables; `@f_packed` takes the other arguments, and those of the
    weights that it still needs, in the order of `@f`. The attribute `lstm.arguments` of
    both gives the numbers that their arguments have in `@f`.
  }];
  let statistics = [Statistic<"numSplit", "functions-split", "Functions split">];
  let dependentDialects = ["func::FuncDialect"];
}

def LSTMChunkProjectionsPass : InterfacePass<"lstm-chunk-projections", "FunctionOpInterface"> {
  let summary = "Hoisted projections a few steps at a time";
  let description = [{
    On memrefs. A phase that stands before a time loop and fills a buffer `[T * B, N]` of
    which each step of the loop reads its own B rows moves into the loop: every C steps
    it fills a buffer `[C * B, N]`. C is such that there are at least `rows` rows, so
    that memory does not grow with T and what a chunk writes is still in the cache when
    it is read. A remark says why the projection of a loop stays whole.

        phase(x) outs(p)                for t0 = 0 to T step C
        for t = 0 to T                    phase(x[t0 * B ...]) outs(p')
          use(p[t])               ->      for t = t0 to min(t0 + C, T)
                                            use(p'[t - t0])
  }];
  let options = [Option<"rows", "rows", "int64_t", "64", "Least number of rows of a chunk">];
  let statistics = [Statistic<"numChunked", "projections-chunked", "Projections done in chunks">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "memref::MemRefDialect",
                           "scf::SCFDialect"];
}

def LSTMParallelizePass : InterfacePass<"lstm-parallelize", "FunctionOpInterface"> {
  let summary = "Loops with phases for a team of threads";
  let description = [{
    On memrefs, the operations of a function from the first one with a product to
    the last become `lstm.parallel`, as far as a team can run them: each thread runs
    the loops, phases and linalg operations are shared out by units or rows, one
    thread does the rest, and a `lstm.barrier` stands where a thread may need
    what another one wrote. Where all threads have rows of their own, which for a phase with
    products is decided at run time, none need wait for another. Nor need they where a loop
    consists of as many groups of phases that have nothing to do with each other, such as
    directions, as there are threads: each thread then does one. What allocates or frees ends a
    region; of a loop that does so the parts of a step become regions.
  }];
  let statistics = [Statistic<"numRegions", "parallel-regions", "Parallel regions made">];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect", "scf::SCFDialect",
                           "vector::VectorDialect"];
}

def LSTMOutlineParallelPass : Pass<"lstm-outline-parallel", "ModuleOp"> {
  let summary = "lstm.parallel to a function and a call of lstmParallel";
  let description = [{
    After everything else is in the LLVM dialect. The function gets a structure with
    what the region uses from outside; calls of

        void lstmParallel(void (*)(void *, int64_t thread, int64_t count), void *)
        void lstmBarrier(int64_t thread, int64_t count)

    run it and wait.
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def LSTMSimplifyMemRefsPass : Pass<"lstm-simplify-memrefs"> {
  let summary = "Replace operations on memrefs whose upstream lowering does not suit";
  let description = [{
    `memref.expand_shape` with several dynamic sizes in a group becomes
    `memref.reinterpret_cast`: expand-strided-metadata takes one at most, and a
    projection of all steps at once is expanded from `[T * B, H]` to `[T, B, H]`.

    `memref.copy` of what is not known to be contiguous becomes `linalg.copy`: its
    lowering to LLVM calls a run-time library with descriptors on the stack.

    Vector transfers of bf16 and f16 become transfers of i16: back ends without these
    types convert masked elements by calls.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "memref::MemRefDialect", "vector::VectorDialect"];
}

def ConvertLSTMToLLVMPass : Pass<"convert-lstm-to-llvm", "ModuleOp"> {
  let summary = "What only LLVM has: calls of lstmCheckFailed, optional fusion";
  let options = [Option<"checkFailed", "check-failed", "std::string", "\"lstmCheckFailed\"",
                        "The function that a failed check calls">];
  let description = [{
    `math.fma` with the flag `contract` becomes `llvm.intr.fmuladd` (on vectors
    `vector.fma`, which means the same): one operation on machines that have it, two
    on others, where the fused one is a slow call. Unlike with flags on a product and
    a sum, all paths of a program get the same of the two.

    `lstm.check` becomes a branch to a call of

        void lstmCheckFailed(const char *message, int64_t v0, int64_t v1, int64_t v2)

    which must not return. The message starts with the operation's location.
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect", "vector::VectorDialect",
                           "LLVM::LLVMDialect"];
}

def LSTMAllowInliningPass : Pass<"lstm-allow-inlining", "ModuleOp"> {
  let summary = "Drop no_inline from functions and calls";
  let description = [{
    The code of a call on a GPU is one function on the host: its buffers have one plan, and
    its work becomes one graph. Only recursion cannot be inlined.
  }];
}

def ConvertLinalgToGPUPass : Pass<"convert-linalg-to-gpu", "ModuleOp"> {
  let summary = "Operations on memrefs to kernels";
  let description = [{
    Each `linalg` operation becomes a `gpu.launch` with a thread for each point of its
    parallel loops, innermost dimension first. A reduction that one operation with a neutral
    element combines gets a warp for each point; any other is done by the point's thread.
    Copies between strided memrefs, stores of scalars, and loops that only check what they
    read become kernels, too.

    Kernels get pointers and strides instead of memrefs. `memref.load` in a body, whose
    indices may be data, is kept in bounds; a `lstm.check` writes to the session's record
    (see `lstmCudaGetCheck` in lstm-runtime/cuda.h), so that it costs no wait.
  }];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels made">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "gpu::GPUDialect",
                           "linalg::LinalgDialect", "LLVM::LLVMDialect", "memref::MemRefDialect",
                           "scf::SCFDialect"];
}

def LSTMPlanKernelsPass : Pass<"lstm-plan-kernels", "ModuleOp"> {
  let summary = "Which recurrences become kernels, and how they are laid out";
  let description = [{
    On memrefs, for GPUs. Marks a time loop whose body is a chain of phases and reductions with how it is to run,
    by the number of rows: as one kernel for all steps, which keeps the weights in registers and
    shared memory, or by libraries. A model of what a step costs on the GPU chooses; numbers of rows share a plan where
    that costs at most 5 %, as each is a kernel to compile. A remark says
    what was chosen, the predicted time and most of what it is, or what is in the way:

    ```mlir
    scf.for %t = %c0 to %T step %c1 { ... } {lstm.kernel = [
      {max_rows = 64, unit_blocks = 16, row_tiles = 1, splits = 8, map_warps = 4, f32 = "exact"}, {} ]}
    ```

    Groups of `unit_blocks` blocks share out the units, groups share out the rows in tiles of
    8 * `row_tiles`; of a block's warps, `splits` multiply and `map_warps` map. With `unit_warps` instead of
    `map_warps` the blocks of a group are a cluster (sm_90), each of so many groups of `splits` warps, up to 2, has some of
    its units and maps what it multiplies, one of `row_tiles` tiles after the other; the cost model considers that for
    products of 16 bits and single rows. With `single_rows` of 1 tiles are rows, of which groups do `row_tiles` at once, and
    f32 is multiplied without tensor cores, which take 8 rows at least. With `unit_warps` of 4 and
    `map_warps`, `splits` warp groups multiply by `wgmma` (sm_90a); the model takes them for many rows and large weights. Their weights
    may be more than a multiprocessor holds, so `unit_blocks` may be few; see convert-lstm-to-gpu-kernel. With `per_step`
    of 1, in place of `unit_warps`, each step is a kernel, or, where it projects or reduces what it gives, several: blocks need not
    be on the device together, so there may be any number. The model takes that where no kernel of all steps fits, or one is predicted to take
    1.2 times as long, if it is faster than libraries. A part without `unit_blocks` is for libraries.

    Phases of a loop are of several parts if these need nothing of each other but what they project, and that in one
    direction, and each has a state: both directions of a layer, or layers. A kernel has a group or cluster of blocks for
    each part, so that a part has its share of the device. Of parts of which one projects what another one gives that
    holds for groups alone; a cluster's blocks and warp groups do all of them. Loops that reduce rows have one part;
    they are for groups, and for clusters if something is projected in a step before rows are reduced.

    A loop becomes a kernel if it counts from 0 by 1, its phases have static weights of f32, f16 or bf16 and sum in f32, at
    least one projects what the loop writes, whole and in one piece, and everything else that
    the loop writes is read at the row and unit where it is written. A recurrence that is known to have one step is no
    loop: there is nothing to keep from one step to the next.

    Between phases may stand `linalg` operations that make a value for each row (`[row]`) or row and gate
    (`[row, gate]`), which later operations of the step read: sums, products, maxima and minima of f32, from
    a constant on, over the units, or the gates and units, of `[row, unit]` or `[row, gate, unit]`, of anything that is
    computed from elements and earlier values of the row; and maps of such values. A phase that writes gates
    side by side (`[row, gate * unit]`), for reductions to read as `[row, gate, unit]`, is made one with gates; what
    the step copies of a phase's results is written by the phase.

    `plans-file` has plans that were measured, by the recurrence and the number of rows; where it has
    none for a recurrence, the model chooses ([Compiling](Compiling.md#measured-plans)).

    The GPU is the least of `chips`: an A100's resources and times below sm_90, those of an H100 from there on.
    An entry "GPU" of the module's `dlti.target_system_spec` says otherwise by positive integers,
    "lstm.multiprocessors" and others ([Compiling](Compiling.md#other-gpus)).
  }];
  let options = [
    ListOption<"plan", "plan", "int64_t", "Unit blocks, row tiles, splits, map warps, 1 for clusters, 2 for warp groups or 3 for a kernel a step (else 0 or nothing), 1 for single rows (else 0 or nothing), for all recurrences">,
    Option<"plansFile", "plans-file", "std::string", "", "Plans that were measured, for recurrences that it names">,
    Option<"candidatesFile", "candidates-file", "std::string", "", "Where to write plans that are worth measuring">,
    Option<"count", "count", "int64_t", "4", "Of those, for each of several numbers of rows">,
    Option<"always", "always", "bool", "false", "Choose a kernel also where libraries are predicted to be faster">,
    ListOption<"chips", "chips", "std::string", "GPUs that the program is for (sm_90)">,
    Option<"float32", "f32-mode", "::mlir::lstm::Float32Mode", "::mlir::lstm::Float32Mode::Exact",
           "How tensor cores multiply f32",
           [{::llvm::cl::values(
               clEnumValN(::mlir::lstm::Float32Mode::Exact, "exact", "three products of TF32 parts, as exact as f32"),
               clEnumValN(::mlir::lstm::Float32Mode::BF16x3, "bf16x3", "three products of bf16 parts, relative error 1e-5"),
               clEnumValN(::mlir::lstm::Float32Mode::TF32, "tf32", "10 bits of mantissa"))}]>];
  let statistics = [Statistic<"numRecurrences", "recurrences", "Recurrences that become kernels">];
  let dependentDialects = ["memref::MemRefDialect"];
}

def ConvertLSTMToGPUKernelPass : Pass<"convert-lstm-to-gpu-kernel", "ModuleOp"> {
  let summary = "Recurrences to kernels that run all of their steps";
  let description = [{
    On memrefs. A loop that lstm-plan-kernels has marked becomes launches of which the number of
    rows chooses one, and stays for numbers of rows that are for libraries, and for devices with
    fewer multiprocessors than a group has blocks, or on which a block or a cluster has no place, as the driver says
    (`lstmCudaFits`). Blocks of a launch wait for each other, so it is one whose blocks all run at the same time
    (`lstmCudaLaunchTogether`).

    What phases project is exchanged through memory: a slot for each step of a launch, which does up to
    256, all ones at first. A
    word is written once and never all ones, so readers ask for it until it is there. Blocks of a cluster write it
    into each other's shared memory, for two slots, where barriers count what comes, in one launch for all steps
    (`lstmCudaLaunchClusters`); clusters do not wait for each other. States that their lanes keep are written to memory in
    the last steps alone. Warp groups get it from memory, too, by copies of a part of k and all rows of a tile into shared
    memory, when a counter says that all blocks have written theirs; slots for four steps are enough. Weights have to lie at multiples of what a lane loads at once, up to 16
    bytes, which is asked for at run time.

    Weights stay in registers, and then in shared memory. Those of warp groups go to shared memory first if tiles have
    more than 32 rows, whose sums take registers. What fits in neither is streamed: each block writes it to memory
    once, and fetches it in each step and for each tile, with what it is multiplied by. With `f32 = "exact"` warp groups
    keep weights whole, and split them into TF32 parts when they multiply them. Where numbers are split, NaN stays NaN, and
    an infinity may become NaN, as one of the parts that it is multiplied by may be 0.

    With `per_step` a first kernel writes weights to memory in the order in which lanes multiply them. The others have no waiting within;
    a block of theirs loads its weights, as far as there are registers, and what no step writes, before it waits for the kernel
    before to end (`griddepcontrol`, `lstmCudaLaunchEarly`, from sm_90 on). Two slots are enough.

    Where all that phases give is masked by the lengths of rows, as lstm-lower-recurrence does, blocks leave out the steps in which none of
    their rows lives: behind the longest one's, or before if time runs backwards. If it runs forwards, groups also leave out the last of
    their tiles, one after the other, as they end: rows in the order of their lengths, the longest first, are best. Blocks write there
    what the masks say, states once and outputs for each step. Blocks of parts that wait for each other do so if all phases are masked alike. A kernel a step does all steps.

    Phases run one after the other in each step, those of each part of a recurrence on blocks of their own, in one launch;
    a part that projects what another one gives follows it, as far behind as it takes. A region is inlined, whatever cell it
    came from. Warps that multiply wait at a barrier until their own block has given what they need of it before they ask for what others give.
    If all products are of f16 and bf16, or of f32 rounded to TF32 (`f32 = "tf32"`), exp, tanh, roots and divisions come from
    the special function unit, with relative errors of 2^-21 (tanh: of 1), unless `approximate` is off.

    Of a reduction over units, neighbouring lanes that have a row fold what they have and exchange it the same
    way, words of f32; who needs the result reads the parts of all blocks and folds them, always in the same order. A
    reduction that needs no result of another one runs together with the phase before it, and a sum of
    squared distances from what is the same for a row, as a variance, needs none: parts are
    sums about their own means. So a layer norm is one exchange. In a cluster the block's warps fold theirs first, and the block
    gives one part of a row to all blocks.

    Where the last slot of a state is copied behind the loop, to memory that nobody uses before, the last step writes it there,
    and the copy is left for no step.
  }];
  let options = [
    Option<"approximates", "approximate", "bool", "true",
           "If all products are of 16 bits or TF32, functions by the special function unit">,
    ListOption<"chips", "chips", "std::string", "GPUs that the program is for (sm_90)">];
  let statistics = [Statistic<"numKernels", "recurrences", "Recurrences made kernels">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "gpu::GPUDialect",
                           "LLVM::LLVMDialect", "math::MathDialect", "memref::MemRefDialect",
                           "NVVM::NVVMDialect", "scf::SCFDialect"];
}

def LSTMWavefrontPass : Pass<"lstm-wavefront", "ModuleOp"> {
  let summary = "Stacked layers side by side, a few steps apart";
  let description = [{
    On memrefs, for GPUs. Time loops that follow each other, of which each needs in its step t no
    more of those before it than their steps 0 to t, as those of stacked layers, run in waves: while
    one does a chunk of its steps, the next does the chunk before. What only fills a buffer that a
    loop reads step by step, as the projection of all inputs, is done for a chunk at a time, and the
    buffer holds one chunk; so it is for single loops, too, which then read it from the device's cache.

        project(x) outs(p)               for w = 0 to K + 1
        for t = 0 to T                     if w - 1 is a chunk
          step(p[t]) outs(y[t])              on branch 1, behind event 0:
        project(y) outs(q)         ->          project(y[chunk w - 1]) outs(q')
        for t = 0 to T                         for t in chunk w - 1: step(q'[...]) outs(z[t])
          step(q[t]) outs(z[t])            if w is a chunk
                                             on branch 0:
                                               project(x[chunk w]) outs(p')
                                               for t in chunk w: step(p'[...]) outs(y[t])
                                               event 0

    The loops stand in one `scf.execute_region`, as those that `lstm-branch-loops` makes, with calls of
    `lstmCudaSetBranch`, `lstmCudaRecord`, `lstmCudaWaitFor` and `lstmCudaJoin` (lstm-runtime/cuda.h). A
    remark says why a loop waits for the whole of the one before it, as it does where
    that one runs backwards.

    With `overlap-projections` what fills the buffer has a branch of its own, of single loops, too: a
    chunk is projected beside the steps of the chunk before. The buffer holds two chunks, which take
    turns. A single loop of independent parts, as of two directions, is left to `lstm-branch-loops`.

        for w = 0 to K
          on branch 1, behind event (w mod 2) from w = 2 on:
            project(x[chunk w]) outs(p'[w mod 2])
            event 2
          on branch 0, behind event 2:
            for t in chunk w: step(p'[w mod 2][...]) outs(y[t])
            event (w mod 2)

    With `kernels` it sees to loops alone for which `lstm-plan-kernels` has a kernel. They run one after the
    other, and a chunk is as long as a launch of a kernel, up to 256 steps; where the number of rows
    chooses libraries, it is what it is without kernels. Loops that `lstm-branch-loops` has put side by
    side have the same chunks.
  }];
  let options = [Option<"chunks", "chunks", "int64_t", "8",
                        "Number of chunks of a loop in waves, as far as there are as many steps; 1: no waves">,
                 Option<"steps", "steps", "int64_t", "16", "Make more chunks as long as they have this number of steps">,
                 Option<"rows", "rows", "int64_t", "1024", "... and their projections this number of rows">,
                 Option<"cacheBytes", "cache-bytes", "int64_t", "40 << 20",
                        "What the device's cache holds: chunks of a single loop that do not fit into it with the "
                        "weights are four times as large">,
                 Option<"overlapProjections", "overlap-projections", "bool", "false",
                        "Project a chunk beside the steps of the chunk before">,
                 Option<"kernels", "kernels", "bool", "false", "Only loops that are to become kernels, without waves">];
  let statistics = [Statistic<"numWavefronts", "wavefronts", "Sets of loops that run in waves">,
                    Statistic<"numOverlapped", "overlapped", "Sets of loops beside which projections run">,
                    Statistic<"numChunked", "loops-chunked", "Single loops that run chunk by chunk">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "LLVM::LLVMDialect", "memref::MemRefDialect", "scf::SCFDialect"];
}

def LSTMBranchLoopsPass : Pass<"lstm-branch-loops", "ModuleOp"> {
  let summary = "Independent parts of a loop side by side";
  let description = [{
    On memrefs, for GPUs. A loop whose body has parts of which none reads or writes what another
    one writes, as the directions of a bidirectional layer, becomes a loop for each part, each
    enqueued on a branch of its own (`lstmCudaSetBranch`, `lstmCudaJoin` in
    lstm-runtime/cuda.h). The loops stand in one `scf.execute_region`, so that
    `lstm-plan-memory`, which must run next, takes their buffers to be in use together.

    With `kernels`, a loop whose parts one kernel can run stays, for `lstm-plan-kernels` to plan.
  }];
  let options = [Option<"kernels", "kernels", "bool", "false", "Leave loops whose parts one kernel can run">];
  let statistics = [Statistic<"numLoops", "loops-split", "Loops split">];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect", "scf::SCFDialect"];
}

def LSTMPlanMemoryPass : InterfacePass<"lstm-plan-memory", "FunctionOpInterface"> {
  let summary = "One allocation for all buffers of a function";
  let description = [{
    On memrefs, before deallocations are inserted. The buffers that a function allocates and does
    not return become parts of one allocation of bytes, marked `lstm.arena`; so do those of its
    branches and loops that do not leave them. Its size is computed at the beginning from the function's arguments. Buffers
    that are never in use at the same time share a place; in a loop, everything is in use from its
    begin to its end. A buffer whose size depends on memory stays as it is. A remark says how
    many bytes the plan takes, and how many the buffers would take one by one.

    ```mlir
    %a = memref.alloc(%n) : memref<?xf32>      // used until %b is
    %b = memref.alloc(%n) : memref<?xf32>
    ```

    becomes

    ```mlir
    %arena = memref.alloc(%bytes) {alignment = 256, lstm.arena} : memref<?xi8>
    %a = memref.view %arena[%c0][%n] : memref<?xi8> to memref<?xf32>
    %b = memref.view %arena[%c0][%n] : memref<?xi8> to memref<?xf32>
    ```
  }];
  let statistics = [Statistic<"numBuffers", "buffers", "Buffers planned">,
                    Statistic<"numPlaces", "places", "Places that they take">];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect"];
}

def ConvertLSTMToCUDARuntimePass : Pass<"convert-lstm-to-cuda-runtime", "ModuleOp"> {
  let summary = "The host's part of a program for GPUs";
  let description = [{
    On functions whose memrefs are on the device, after their work has become kernels and
    calls of libraries. A function loses its results: it asks for their places
    (`lstmCudaGetResult`), and writes them there, without a copy where a result has a buffer
    of its own; scalars go to addresses that follow the arguments. The arena of
    `lstm-plan-memory` becomes the session's workspace, any other allocation one of the
    session's, a constant its copy on the device. What the host reads from the
    device waits for it. All work stands under `lstmCudaEnter`, so that a graph can replay it.
  }];
  let options = [Option<"graph", "graph", "bool", "true", "Let the work become a graph">];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect", "memref::MemRefDialect",
                           "scf::SCFDialect"];
}

def LSTMOutlineKernelsPass : Pass<"lstm-outline-kernels", "ModuleOp"> {
  let summary = "Launches to functions of one gpu.module";
  let description = [{
    Unlike `gpu-kernel-outlining`, which makes a module for each launch: modules are
    loaded one by one. Kernels that do the same become one, also with those outlined before. Constants go into the kernel.
    Fused products of f32 and f64 become instructions, where upstream would call libdevice.
  }];
  let statistics = [Statistic<"numKernels", "kernels", "Kernels outlined">];
  let dependentDialects = ["gpu::GPUDialect", "DLTIDialect", "LLVM::LLVMDialect"];
}

def LSTMCheckGPUTargetPass : Pass<"lstm-check-gpu-target", "ModuleOp"> {
  let summary = "Whether kernels can be compiled, and to what";
  let description = [{
    After kernels have become NVVM, before `lstm-compile-kernels`. A function of libdevice that a kernel
    calls is an error where there is no libdevice: the driver would refuse the code. So is a GPU that LLVM does
    not know.
    A remark says what the program will hold, machine code or PTX, and why.
  }];
  let options = [Option<"toolkit", "toolkit", "std::string", "\"\"",
                        "Folder of the CUDA toolkit; empty: there is none">,
                 Option<"text", "text", "bool", "false", "PTX is made, not machine code">];
}

def LSTMCompileKernelsPass : Pass<"lstm-compile-kernels", "ModuleOp"> {
  let summary = "gpu.module to gpu.binary";
  let description = [{
    As `gpu-module-to-binary`, which compiles a module's kernels one after the other. For machine code, LLVM compiles
    each of them by itself, in as many threads as the context has, and `ptxas`, which makes one object of
    several files, optimizes them in threads, too (`--split-compile`, since CUDA 12.8). The code is the same.
    PTX for drivers has to be one text, and is compiled as one.

    LLVM is told that assembly such as `bar.arrive` is convergent, which the LLVM dialect has no word for: else it would
    let the lanes of a warp reach it one group after the other.
  }];
  let options = [Option<"toolkit", "toolkit", "std::string", "\"\"",
                        "Folder of the CUDA toolkit; empty: there is none">,
                 Option<"text", "text", "bool", "false", "PTX is made, not machine code">];
}

def LSTMLowerLaunchesPass : Pass<"lstm-lower-launches", "ModuleOp"> {
  let summary = "gpu.binary and gpu.launch_func to tables and calls of lstmCudaLaunch";
  let description = [{
    After `lstm-compile-kernels`, before the host's code goes to the LLVM dialect. Unlike upstream's translation it
    embeds the objects of all targets, loads a module when a kernel of it is first launched
    and looks for no name again, keeps parameters in the function's frame, and lets errors reach
    the caller. See lstm-runtime/cuda.h. Launches with `lstm.together` are of blocks that run at the same time, those with
    `lstm.early` begin early; calls with the `lstm.launched_kernel` of a launch get its kernel as their first argument.
  }];
  let options = [Option<"indexBitwidth", "index-bitwidth", "int64_t", "64",
                        "Bits of an index in kernels, as given to convert-gpu-to-nvvm">];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect", "gpu::GPUDialect"];
}

def ConvertLinalgToCuBLASPass : Pass<"convert-linalg-to-cublas"> {
  let summary = "Contractions on memrefs to calls of cuBLAS";
  let description = [{
    A contraction of floats (`linalg.matmul`, `batch_matmul`, `contract`, `matvec`,
    a `linalg.generic` of the same kind, ...) on memory of the device becomes
    `cublas.gemm` or `cublas.gemm_strided_batched`. Dimensions that belong together
    become one, if they lie in memory so; what is transposed in memory becomes
    `transpose_a`, `transpose_b` or, for the destination, a product with A and B in
    the other order. The destination is added to (beta = 1), unless a `linalg.fill`
    with 0 stands before it and nothing in between sees it: then the fill goes, and
    beta is 0.

    What cuBLAS has no form for is left alone, and a remark says why.

    ```mlir
    linalg.fill ins(%zero : f32) outs(%c : memref<?x4x128xf32>)
    linalg.contract indexing_maps = [(r, g, u, k) -> (r, k), (r, g, u, k) -> (k, g, u), (r, g, u, k) -> (r, g, u)]
        ins(%a, %b : memref<?x80xf32>, memref<80x4x128xf32>) outs(%c : memref<?x4x128xf32>)
    ```

    becomes, in short,

    ```mlir
    %b2 = memref.reinterpret_cast %b to sizes: [80, 512], strides: [512, 1]
    %c2 = memref.reinterpret_cast %c to sizes: [%r, 512], strides: [512, 1]
    cublas.gemm ins(%a, %b2 : memref<?x80xf32>, memref<80x512xf32>) outs(%c2 : memref<?x512xf32>)
    ```
  }];
  let options = [
    Option<"allowTF32", "allow-tf32", "bool", "false",
           "Let products of f32 be rounded to TF32: faster, with 10 bits of the fraction">];
  let statistics = [Statistic<"numProducts", "products", "Contractions that became calls">];
  let dependentDialects = ["affine::AffineDialect", "cublas::CuBLASDialect", "memref::MemRefDialect"];
}

def LSTMSplitProductsPass : Pass<"lstm-split-products"> {
  let summary = "Large products of f32 as products of bf16 that are as exact";
  let description = [{
    Tensor cores multiply bf16 some twelve times as fast as other units multiply f32. A number of f32
    is the sum of three of bf16, x = a + m + l and w = p + q + r, by cutting off all but 8 bits of the
    significand, then of what is left. Of the nine products of such parts those that matter are
    a r + m q + l p (2^-16 of the whole), a q + m p (2^-8) and a p. They are summed up in this order,
    each sum a `cublas.gemm`, as the parts stand side by side along k:

    ```mlir
    cublas.gemm ins(%x, %w : memref<?x1024xf32>, memref<1024x4096xf32>) outs(%c : memref<?x4096xf32>)
    ```

    becomes, in short, where %x has at least 1024 rows,

    ```mlir
    %xs = [a m l] : memref<?x3072xbf16>
    %ws = [r q p] : memref<3072x4096xbf16>
    cublas.gemm ins(%xs, %ws) outs(%c)
    cublas.gemm ins(%xs[0 to 2048], %ws[1024 to 3072]) outs(%c) beta 1.0
    cublas.gemm ins(%xs[0 to 512], %ws[2048 to 2560]) outs(%c) beta 1.0
    cublas.gemm ins(%xs[512 to 1024], %ws[2560 to 3072]) outs(%c) beta 1.0
    ```

    Tensor cores cut off what they add, so that the error of a sum grows with its length: that of the
    first parts is done in pieces of `chunk`. An infinity has the parts 1, 0 and infinity, so that no product is
    infinity times 0 that was not before; NaN stays NaN. Numbers below 2^-133 count as 0.

    Products with few rows, columns or elements in a row, and such whose rows of bf16 would not be aligned, are left alone; a
    number of rows that is not known is asked for at run time. So are products in time loops that need what the step before has written.
    The parts of an operand are made before the loops that do not write it. Nothing is freed: runs before
    `lstm-plan-memory`, and after `convert-linalg-to-cublas`.
  }];
  let options = [
    Option<"rows", "rows", "int64_t", "1024", "Least number of rows">,
    Option<"multiplications", "multiplications", "int64_t", "1 << 30", "Least number of multiplications: calls and parts cost time">,
    Option<"width", "width", "int64_t", "256", "Least number of columns, and of elements in a row">,
    Option<"chunk", "chunk", "int64_t", "512", "Most products of first parts that are summed up at once, a multiple of 8">];
  let statistics = [Statistic<"numSplit", "products-split", "Products split">];
  let dependentDialects = ["arith::ArithDialect", "cublas::CuBLASDialect", "linalg::LinalgDialect",
                           "memref::MemRefDialect", "scf::SCFDialect"];
}

def ConvertCuBLASToRuntimePass : Pass<"convert-cublas-to-runtime", "ModuleOp"> {
  let summary = "Calls of cuBLAS to calls of lstmCudaGemm";
  let description = [{
    On memrefs, before these are lowered. `include/lstm-runtime/cuda.h` declares the
    function. A token stands for a stream: the one that an operation depends on is
    cast to the stream of the call, and is the operation's result. Without one the
    stream is null, the session's current branch. More than one dependency is an error.
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect", "LLVM::LLVMDialect"];
}

#endif // LSTM_CONVERSION_PASSES_TD
