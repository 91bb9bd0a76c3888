//===- LSTMOps.td - Operations of the lstm dialect ---------*- tablegen -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_DIALECT_LSTM_IR_LSTMOPS_TD
#define LSTM_DIALECT_LSTM_IR_LSTMOPS_TD

include "lstm/Dialect/LSTM/IR/LSTMAttrs.td"
include "lstm/Dialect/LSTM/IR/LSTMDialect.td"
include "lstm/Dialect/LSTM/IR/LSTMInterfaces.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def LSTM_TensorOrMemRef : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "ranked tensor or memref">;
def LSTM_FloatTensor : RankedTensorOf<[AnyFloat]>;
def LSTM_FloatMatrix : TensorRankOf<[AnyFloat], [2]>;

//===----------------------------------------------------------------------===//
// yield
//===----------------------------------------------------------------------===//

def LSTM_YieldOp : LSTM_Op<"yield", [Pure, Terminator, AttrSizedOperandSegments,
    ParentOneOf<["RecurrenceOp", "ScanOp", "PhaseOp", "ParallelOp"]>,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>]> {
  let summary = "Ends the body of a recurrence, a scan, a phase or a parallel region";
  let description = [{
    A phase yields scalars, one for each of its `outs`. A recurrence and a scan on
    tensors yield the next states and this step's outputs. A scan on memrefs and a
    parallel region yield nothing.

    ```mlir
    func.func @last(%xs: tensor<?x4x8xf32>, %h0: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %hT = lstm.recurrence over(%x = %xs : tensor<?x4x8xf32>) init(%h = %h0 : tensor<4x8xf32>) {
        lstm.yield state(%x : tensor<4x8xf32>)
      }
      return %hT : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$scalars, Variadic<AnyType>:$state,
                       Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    ($scalars^ `:` type($scalars))?
    (`state` `(` $state^ `:` type($state) `)`)?
    (`out` `(` $outputs^ `:` type($outputs) `)`)? attr-dict
  }];
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, ::mlir::ValueRange{}, ::mlir::ValueRange{}, ::mlir::ValueRange{});
  }]>];
}

//===----------------------------------------------------------------------===//
// recurrence
//===----------------------------------------------------------------------===//

def LSTM_RecurrenceOp : LSTM_Op<"recurrence", [
    AttrSizedOperandSegments, SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable,
    DeclareOpInterfaceMethods<InferTypeOpInterface, ["inferReturnTypes"]>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface,
        ["getInitsMutable", "getLoopResults", "getYieldedValuesMutable"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "A recurrence over time";
  let description = [{
    Runs its body once for each step of time. `over` gives sequences `[T, ...]`,
    of which the body sees the element of its step; `init` gives the carried
    states; `outs` gives the destinations `[T, ...]` of the stacked outputs, whose
    contents are overwritten. `steps` gives T where there is no sequence. The
    body yields the next states and this step's outputs, and may use any value
    from above. Results: the stacked outputs, then the final states.

    A sequence of rank 2 or more has the batch B as dimension 1, a state that is a
    tensor of rank 1 or more has it as dimension 0. `unmasked` in front of a state
    exempts it from that, and from `lengths`.

    `lengths` (`[B]`, i32, each in 0...T) says how many steps each row has. An
    output of a step t >= length is 0; a state keeps the value that its row's last
    step gave it; a row of length 0 returns its initial state.

    `reverse` runs t = length - 1 ... 0 for each row; the output of step t stays
    at index t. In front of a single sequence, state or output it reverses just
    that one (a fused bidirectional layer); body values of different direction
    then belong to different t.

    T = 0 and B = 0 are legal: outputs are empty, final states are the initial ones.

    ```mlir
    func.func @cumsum(%xs: tensor<?x?x8xf32>, %h0: tensor<?x8xf32>, %len: tensor<?xi32>, %ys0: tensor<?x?x8xf32>)
        -> (tensor<?x?x8xf32>, tensor<?x8xf32>) {
      %ys, %hT = lstm.recurrence over(%x = %xs : tensor<?x?x8xf32>) init(%h = %h0 : tensor<?x8xf32>)
          lengths(%len : tensor<?xi32>) reverse outs(%ys0 : tensor<?x?x8xf32>) {
        %h1 = arith.addf %h, %x : tensor<?x8xf32>
        lstm.yield state(%h1 : tensor<?x8xf32>) out(%h1 : tensor<?x8xf32>)
      }
      return %ys, %hT : tensor<?x?x8xf32>, tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$sequences, Variadic<AnyType>:$initArgs,
                       Optional<AnyRankedTensor>:$lengths, Optional<Index>:$steps,
                       Variadic<AnyRankedTensor>:$outs,
                       DenseBoolArrayAttr:$reversed, DenseBoolArrayAttr:$unmasked);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasFolder = 0;
  let hasCanonicalizer = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// Makes the operation with a body block that has its arguments and no
    /// terminator. `reversed` and `unmasked` may be empty: all forward, none.
    OpBuilder<(ins "::mlir::ValueRange":$sequences, "::mlir::ValueRange":$initArgs,
      "::mlir::Value":$lengths, "::mlir::Value":$steps, "::mlir::ValueRange":$outs,
      CArg<"::llvm::ArrayRef<bool>", "{}">:$reversed, CArg<"::llvm::ArrayRef<bool>", "{}">:$unmasked)>];
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    ::mlir::lstm::YieldOp getYield();
    ::mlir::ResultRange getOutputs() { return getResults().take_front(getOuts().size()); }
    ::mlir::ResultRange getFinals() { return getResults().drop_front(getOuts().size()); }
    /// Number of region arguments that are sequence elements, also of a region
    /// that is still to be verified.
    size_t getNumSequenceArgs() {
      return std::min<size_t>(getSequences().size(), getBody().getNumArguments());
    }
    ::mlir::Block::BlockArgListType getSequenceArgs() {
      return getBody().getArguments().take_front(getNumSequenceArgs());
    }
    ::mlir::Block::BlockArgListType getRegionIterArgs() {
      return getBody().getArguments().drop_front(getNumSequenceArgs());
    }
    /// Whether sequence, state or output `i` runs backwards in time.
    bool isSequenceReversed(unsigned i) { return getReversed()[i]; }
    bool isStateReversed(unsigned i) { return getReversed()[getSequences().size() + i]; }
    bool isOutputReversed(unsigned i) {
      return getReversed()[getSequences().size() + getInitArgs().size() + i];
    }
    bool isStateUnmasked(unsigned i) { return getUnmasked()[i]; }
    /// Whether everything runs forwards, or everything backwards.
    bool isUniform();
    /// T: statically known or ShapedType::kDynamic.
    int64_t getStaticSteps();
    /// B: statically known or ShapedType::kDynamic; kDynamic too where nothing has a batch.
    int64_t getStaticBatch();
    /// T as a value in front of the operation.
    ::mlir::OpFoldResult getMixedSteps(::mlir::OpBuilder &builder);
    /// Type of one element of a sequence or stacked output.
    static ::mlir::RankedTensorType getElementOf(::mlir::Type stacked);
  }];
}

//===----------------------------------------------------------------------===//
// gate
//===----------------------------------------------------------------------===//

def LSTM_GateOp : LSTM_Op<"gate", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "An activation of a sum of products";
  let description = [{
    act( clip( sum_k dot(a_k, W_k) + sum_k scale(s_k, p_k) + sum_k add(b_k) ) )

    The result is `[B, H]`, or `[B, G, H]` with one activation for all or one for
    each of the G gates (G is static).

    * `dot(a, W)`: `[B, K]` times `[K, H]` or `[K, G, H]`.
    * `scale(s, p)`: s has the shape of the result, or is `[B, H]` and stands for
      every gate; p has the shape of the result or the last dimensions of it
      (`[H]`, `[G, H]`): a peephole.
    * `add(b)`: likewise `[H]`, `[G, H]` or the shape of the result: a bias.
    * `clip c`: clamps what the activation gets to -c...c.

    Sums, products and the activation are computed in the widest type among the
    operands and the result, at least f32; then the result is rounded to its type.

    ```mlir
    func.func @gates(%x: tensor<?x80xf32>, %h: tensor<?x128xf32>, %c: tensor<?x128xf32>, %W: tensor<80x128xf32>,
                     %U: tensor<128x128xf32>, %p: tensor<128xf32>, %b: tensor<128xf32>, %V: tensor<80x2x128xf32>)
        -> (tensor<?x128xf32>, tensor<?x2x128xf32>) {
      %i = lstm.gate sigmoid dot(%x, %W : tensor<?x80xf32>, tensor<80x128xf32>)
          dot(%h, %U : tensor<?x128xf32>, tensor<128x128xf32>)
          scale(%c, %p : tensor<?x128xf32>, tensor<128xf32>) add(%b : tensor<128xf32>) : tensor<?x128xf32>
      %two = lstm.gate [sigmoid, leaky_relu(0.1)] clip 3.0
          dot(%x, %V : tensor<?x80xf32>, tensor<80x2x128xf32>) : tensor<?x2x128xf32>
      return %i, %two : tensor<?x128xf32>, tensor<?x2x128xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<LSTM_FloatTensor>:$dotLhs, Variadic<LSTM_FloatTensor>:$dotRhs,
                       Variadic<LSTM_FloatTensor>:$scaleLhs, Variadic<LSTM_FloatTensor>:$scaleRhs,
                       Variadic<LSTM_FloatTensor>:$addends,
                       LSTM_ActivationArrayAttr:$activations, OptionalAttr<F64Attr>:$clip);
  let results = (outs LSTM_FloatTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let builders = [
    /// One activation; `dots` and `scales` are pairs; `clip` may be null.
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::lstm::ActivationAttr":$activation,
      "::llvm::ArrayRef<std::pair<::mlir::Value, ::mlir::Value>>":$dots,
      "::llvm::ArrayRef<std::pair<::mlir::Value, ::mlir::Value>>":$scales,
      "::mlir::ValueRange":$addends, CArg<"::mlir::FloatAttr", "{}">:$clip)>];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getResultType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType());
    }
    /// G, or 1 for a result of rank 2.
    int64_t getNumGates() { return getResultType().getRank() == 3 ? getResultType().getDimSize(1) : 1; }
    /// The activation of gate `g`.
    ::mlir::lstm::ActivationAttr getActivation(int64_t g = 0);
    /// Whether the result is the plain sum: identity activations, no clip.
    bool isPlainSum();
    /// The type in which everything is computed.
    ::mlir::FloatType getComputeType();
    ::llvm::SmallVector<std::pair<::mlir::Value, ::mlir::Value>> getDots();
    ::llvm::SmallVector<std::pair<::mlir::Value, ::mlir::Value>> getScales();
  }];
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

class LSTM_CellBase<string mnemonic, list<Trait> traits = []> : LSTM_Op<mnemonic, !listconcat(traits, [Pure,
    DeclareOpInterfaceMethods<InferTypeOpInterface, ["inferReturnTypes"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<RecurrentCellOpInterface>])> {
  let hasVerifier = 1;
}

def LSTM_CellOp : LSTM_CellBase<"cell", [AttrSizedOperandSegments]> {
  let summary = "One step of a long short-term memory cell";
  let description = [{
    With z_k = x W_k + h U_k + b_k for the gates k = i, f, g, o:

        i = F(z_i + p_i * c)    f = F(z_f + p_f * c)    g = G(z_g)
        c1 = f * c + i * g
        o = F(z_o + p_o * c1)   h1 = (o * A(c1)) R

    F, G, A are the activations (default sigmoid, tanh, tanh). Shapes: x `[B, I]`,
    W `[I, 4, H]`, h `[B, P]`, U `[P, 4, H]`, c `[B, H]`, bias `[4, H]`, peepholes
    `[3, H]` in the order i, f, o, projection R `[H, P]`; without a projection
    P = H. `coupled` means f = 1 - i: weights, bias have the 3 gates i, g, o and
    the peepholes are those of i, o. `clip` clamps what every activation gets, A
    included; the returned c1 is not clamped. Results: h1 of the type of h, c1 of
    the type of c.

    Sources: Gers, Schraudolph, Schmidhuber, "Learning precise timing with LSTM
    recurrent networks" (2002), peepholes; Sak, Senior, Beaufays, "Long short-term
    memory based recurrent neural network architectures" (2014), projection; ONNX
    operator LSTM, clip and input_forget.

    ```mlir
    func.func @step(%x: tensor<?x80xf32>, %W: tensor<80x4x128xf32>, %h: tensor<?x128xf32>, %U: tensor<128x4x128xf32>,
                    %c: tensor<?x128xf32>, %b: tensor<4x128xf32>) -> (tensor<?x128xf32>, tensor<?x128xf32>) {
      %h1, %c1 = lstm.cell input(%x, %W : tensor<?x80xf32>, tensor<80x4x128xf32>)
          state(%h, %U : tensor<?x128xf32>, tensor<128x4x128xf32>) cell(%c : tensor<?x128xf32>)
          bias(%b : tensor<4x128xf32>) clip 3.0 activations [hard_sigmoid, tanh, tanh]
      return %h1, %c1 : tensor<?x128xf32>, tensor<?x128xf32>
    }
    ```
  }];
  let arguments = (ins LSTM_FloatTensor:$input, LSTM_FloatTensor:$inputWeight,
                       LSTM_FloatTensor:$state, LSTM_FloatTensor:$stateWeight,
                       LSTM_FloatTensor:$cell,
                       Optional<LSTM_FloatTensor>:$bias, Optional<LSTM_FloatTensor>:$peephole,
                       Optional<LSTM_FloatTensor>:$projection,
                       UnitAttr:$coupled, OptionalAttr<F64Attr>:$clip,
                       OptionalAttr<LSTM_ActivationArrayAttr>:$activations);
  let results = (outs LSTM_FloatTensor:$nextState, LSTM_FloatTensor:$nextCell);
  let assemblyFormat = [{
    `input` `(` $input `,` $inputWeight `:` type($input) `,` type($inputWeight) `)`
    `state` `(` $state `,` $stateWeight `:` type($state) `,` type($stateWeight) `)`
    `cell` `(` $cell `:` type($cell) `)`
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`peephole` `(` $peephole^ `:` type($peephole) `)`)?
    (`projection` `(` $projection^ `:` type($projection) `)`)?
    (`coupled` $coupled^)? (`clip` custom<Clip>($clip)^)?
    (`activations` custom<ActivationList>($activations)^)? attr-dict
  }];
}

def LSTM_GRUCellOp : LSTM_CellBase<"gru_cell", [AttrSizedOperandSegments]> {
  let summary = "One step of a gated recurrent unit";
  let description = [{
        r = F(x W_r + h U_r + b_r + d_r)    z = F(x W_z + h U_z + b_z + d_z)
        n = G(x W_n + b_n + r * (h U_n + d_n))       reset_after
        n = G(x W_n + b_n + (r * h) U_n + d_n)       reset_before
        h1 = (1 - z) * n + z * h

    F, G are the activations (default sigmoid, tanh). Shapes: x `[B, I]`, W
    `[I, 3, H]`, h `[B, H]`, U `[H, 3, H]`, bias b and recurrent_bias d `[3, H]`;
    gates in the order r, z, n. `clip` clamps what every activation gets.

    `reset_before` is the form of Cho et al., "Learning phrase representations
    using RNN encoder-decoder" (2014) and of an ONNX GRU without
    linear_before_reset; `reset_after` is the form of cuDNN and of torch.nn.GRU.
    The two give different numbers, so one of them must be written.

    ```mlir
    func.func @step(%x: tensor<?x80xf32>, %W: tensor<80x3x128xf32>, %h: tensor<?x128xf32>, %U: tensor<128x3x128xf32>,
                    %b: tensor<3x128xf32>, %d: tensor<3x128xf32>) -> tensor<?x128xf32> {
      %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x80xf32>, tensor<80x3x128xf32>)
          state(%h, %U : tensor<?x128xf32>, tensor<128x3x128xf32>) bias(%b : tensor<3x128xf32>)
          recurrent_bias(%d : tensor<3x128xf32>)
      return %h1 : tensor<?x128xf32>
    }
    ```
  }];
  let arguments = (ins LSTM_FloatTensor:$input, LSTM_FloatTensor:$inputWeight,
                       LSTM_FloatTensor:$state, LSTM_FloatTensor:$stateWeight,
                       Optional<LSTM_FloatTensor>:$bias, Optional<LSTM_FloatTensor>:$recurrentBias,
                       BoolAttr:$resetAfter, OptionalAttr<F64Attr>:$clip,
                       OptionalAttr<LSTM_ActivationArrayAttr>:$activations);
  let results = (outs LSTM_FloatTensor:$nextState);
  let assemblyFormat = [{
    custom<ResetForm>($resetAfter)
    `input` `(` $input `,` $inputWeight `:` type($input) `,` type($inputWeight) `)`
    `state` `(` $state `,` $stateWeight `:` type($state) `,` type($stateWeight) `)`
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`recurrent_bias` `(` $recurrentBias^ `:` type($recurrentBias) `)`)?
    (`clip` custom<Clip>($clip)^)?
    (`activations` custom<ActivationList>($activations)^)? attr-dict
  }];
}

def LSTM_RNNCellOp : LSTM_CellBase<"rnn_cell"> {
  let summary = "One step of a plain recurrent cell";
  let description = [{
        h1 = F(x W + h U + b)

    F is the activation (default tanh). Shapes: x `[B, I]`, W `[I, H]`, h `[B, H]`,
    U `[H, H]`, bias `[H]`. `clip` clamps what the activation gets. Source: Elman,
    "Finding structure in time" (1990); ONNX operator RNN.

    ```mlir
    func.func @step(%x: tensor<?x80xf32>, %W: tensor<80x128xf32>, %h: tensor<?x128xf32>, %U: tensor<128x128xf32>)
        -> tensor<?x128xf32> {
      %h1 = lstm.rnn_cell input(%x, %W : tensor<?x80xf32>, tensor<80x128xf32>)
          state(%h, %U : tensor<?x128xf32>, tensor<128x128xf32>) activations [relu]
      return %h1 : tensor<?x128xf32>
    }
    ```
  }];
  let arguments = (ins LSTM_FloatTensor:$input, LSTM_FloatTensor:$inputWeight,
                       LSTM_FloatTensor:$state, LSTM_FloatTensor:$stateWeight,
                       Optional<LSTM_FloatTensor>:$bias, OptionalAttr<F64Attr>:$clip,
                       OptionalAttr<LSTM_ActivationArrayAttr>:$activations);
  let results = (outs LSTM_FloatTensor:$nextState);
  let assemblyFormat = [{
    `input` `(` $input `,` $inputWeight `:` type($input) `,` type($inputWeight) `)`
    `state` `(` $state `,` $stateWeight `:` type($state) `,` type($stateWeight) `)`
    (`bias` `(` $bias^ `:` type($bias) `)`)? (`clip` custom<Clip>($clip)^)?
    (`activations` custom<ActivationList>($activations)^)? attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// phase
//===----------------------------------------------------------------------===//

def LSTM_PhaseOp : LSTM_Op<"phase", [
    AttrSizedOperandSegments, SingleBlock, IsolatedFromAbove,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>,
    DeclareOpInterfaceMethods<TilingInterface, ["getLoopIteratorTypes", "getIterationDomain",
      "getTiledImplementation", "getResultTilePosition", "generateResultTileValue",
      "getIterationDomainTileFromResultTile", "generateScalarImplementation",
      "getIterationDomainTileFromOperandTiles", "getTiledImplementationFromOperandTiles"]>]> {
  let summary = "Project, then map: products with whole states, then scalar work on one row and unit";
  let description = [{
    For every row r and unit u:

        z[g] = sum over pairs (a, W) and k of a[r, k] * W[k, g, u]
        outs[r, u] = region(z[0], ..., z[G-1], ins..., what stood in outs[r, u]...)

    The axes of an `ins` operand stand behind it, in the order r (row), g (gate),
    u (unit), since shapes alone are ambiguous; without axes it is a scalar. The
    region gets G scalars of an operand with a gate axis, one of any other. Its
    last arguments are what stood in each `outs` operand; an unused one is not
    read. So a state that is updated in place is an `outs` operand only.

    Weights may be packed as

        linalg.pack %W padding_value(%zero : f32) outer_dims_perm = [2, 1, 0]
            inner_dims_pos = [1, 2] inner_tiles = [g, u] into %to

    does it: `[ceil(units / u), G / g, k, g, u]`. The meaning stays the same; a tile
    of units then reads one contiguous piece.

    Products are summed in the type of the region's first argument. G is static;
    rows, units and k may be dynamic. The region is isolated: everything enters as
    an operand. Works on tensors or on memrefs. A `project` operand must not be
    written by the same phase, unless in another buffer.

    ```mlir
    func.func @rnn(%h: tensor<?x128xf32>, %U: tensor<128x1x128xf32>, %p: tensor<?x1x128xf32>, %to: tensor<?x128xf32>)
        -> tensor<?x128xf32> {
      %h1 = lstm.phase project(%h, %U : tensor<?x128xf32>, tensor<128x1x128xf32>)
          ins(%p[r, g, u] : tensor<?x1x128xf32>) outs(%to : tensor<?x128xf32>) {
      ^bb0(%z: f32, %x: f32, %old: f32):
        %s = arith.addf %z, %x : f32
        %t = math.tanh %s : f32
        lstm.yield %t : f32
      }
      return %h1 : tensor<?x128xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<LSTM_TensorOrMemRef>:$states, Variadic<LSTM_TensorOrMemRef>:$weights,
                       Variadic<AnyType>:$inputs, Variadic<LSTM_TensorOrMemRef>:$outs,
                       DenseI32ArrayAttr:$axes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// Makes the operation without a body. `axes` holds one bit set of `Axes` an input.
    OpBuilder<(ins "::mlir::ValueRange":$states, "::mlir::ValueRange":$weights, "::mlir::ValueRange":$inputs,
      "::llvm::ArrayRef<int32_t>":$axes, "::mlir::ValueRange":$outs)>];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    ::mlir::lstm::YieldOp getYield();
    /// G: of the weights, else of the first operand with a gate axis, else 0.
    int64_t getNumGates();
    /// Number of leading block arguments that hold the accumulators.
    int64_t getNumAccumulators() { return getWeights().empty() ? 0 : getNumGates(); }
    /// Type in which products are summed.
    ::mlir::Type getAccumulatorType() { return getBody().getArgument(0).getType(); }
    /// Position of the first block argument of input `i`.
    int64_t getInputArgumentIndex(int64_t i);
    /// What stood in output `i`.
    ::mlir::BlockArgument getOutArgument(int64_t i);
    /// Whether the operation reads the operand.
    bool isRead(::mlir::OpOperand &operand);
    /// Whether element (r, u) of the operand serves only element (r, u) of the results.
    bool isElementwise(::mlir::OpOperand &operand);
  }];
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

def LSTM_ScanOp : LSTM_Op<"scan", [
    AttrSizedOperandSegments, SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "A recurrence in destination form, on tensors or memrefs";
  let description = [{
    The time loop with every destination chosen. What a state is read from and
    where its next value goes are two region arguments: a state written `%h -> %to`
    lives in two slots of an operand `[2, ...]`, read from slot t mod 2 and written
    to the other one in step t; one written `%c` alone is updated in place.
    Stacked outputs are `outs`, of which the region gets the slice of its step.
    `steps` gives the number of steps. The first region argument counts steps from
    0; a sequence or output with `reverse` in front is indexed by steps - 1 - count.

    Masks of `lengths` are part of the body, not of this operation. On tensors the
    region ends with `lstm.yield state(...) out(...)`, each value computed into its
    destination (else bufferization copies it there) and the results are the
    states' buffers, then the outputs. On memrefs it ends with an empty yield.

    ```mlir
    func.func @decay(%T: index, %xs: tensor<?x4x8xf32>, %hh: tensor<2x4x8xf32>, %ys: tensor<?x4x8xf32>)
        -> (tensor<2x4x8xf32>, tensor<?x4x8xf32>) {
      %r:2 = lstm.scan %t to %T over(%x = %xs : tensor<?x4x8xf32>) states(%h -> %to = %hh : tensor<2x4x8xf32>)
          outs(%y = %ys : tensor<?x4x8xf32>) {
        %n, %o = lstm.phase ins(%x[r, u], %h[r, u] : tensor<4x8xf32>, tensor<4x8xf32>)
            outs(%to, %y : tensor<4x8xf32>, tensor<4x8xf32>) {
        ^bb0(%a: f32, %b: f32, %old0: f32, %old1: f32):
          %s = arith.mulf %a, %b : f32
          lstm.yield %s, %s : f32, f32
        }
        lstm.yield state(%n : tensor<4x8xf32>) out(%o : tensor<4x8xf32>)
      }
      return %r#0, %r#1 : tensor<2x4x8xf32>, tensor<?x4x8xf32>
    }
    ```
  }];
  let arguments = (ins Index:$steps, Variadic<LSTM_TensorOrMemRef>:$sequences,
                       Variadic<LSTM_TensorOrMemRef>:$states, Variadic<LSTM_TensorOrMemRef>:$outs,
                       DenseBoolArrayAttr:$twoSlots, DenseBoolArrayAttr:$reversed);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// Makes the operation with a body block that has its arguments and no
    /// terminator. `reversed` has one flag a sequence, then one an output.
    OpBuilder<(ins "::mlir::Value":$steps, "::mlir::ValueRange":$sequences, "::mlir::ValueRange":$states,
      "::mlir::ValueRange":$outs, "::llvm::ArrayRef<bool>":$twoSlots, "::llvm::ArrayRef<bool>":$reversed)>];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(getOperation(), 1 + getSequences().size(),
                                         getStates().size() + getOuts().size());
    }
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    /// For each region argument behind the step count: where it comes from.
    struct Source {
      ::mlir::Value operand;
      enum Kind { Sequence, StateInPlace, StateRead, StateWrite, Output } kind;
      bool reversed;
      /// The argument is the operand itself, not a slice of it.
      bool isWhole() const { return kind == StateInPlace; }
      /// The region may write to the argument.
      bool isDestination() const { return kind == StateInPlace || kind == StateWrite || kind == Output; }
    };
    ::llvm::SmallVector<Source> getSources();
    /// The destinations of what the region yields: states, then outputs.
    ::llvm::SmallVector<::mlir::BlockArgument> getDestinations();
    /// The type of v[i, ...] for a tensor or memref v.
    static ::mlir::Type getSliceType(::mlir::Type type);
  }];
}

//===----------------------------------------------------------------------===//
// check
//===----------------------------------------------------------------------===//

def LSTM_CheckOp : LSTM_Op<"check", [MemoryEffects<[MemWrite]>]> {
  let summary = "A condition on run-time values, with a message that names them";
  let description = [{
    Stops the computation with a message if the condition is false. `{0}`, `{1}`,
    `{2}` in the message stand for the values. `cf.assert` carries no values and
    aborts the process; this lowers to a call of `lstmCheckFailed` (see
    `docs/Embedding.md`), which reports and does not return.

    ```mlir
    func.func @same(%a: index, %b: index) {
      %ok = arith.cmpi eq, %a, %b : index
      lstm.check %ok, "expects a batch of {0}, but got {1}"(%a, %b : index, index)
      return
    }
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message, Variadic<Index>:$values);
  let assemblyFormat = "$condition `,` $message (`(` $values^ `:` type($values) `)`)? attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

def LSTM_ParallelOp : LSTM_Op<"parallel", [AutomaticAllocationScope, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A region that every thread of a team runs";
  let description = [{
    All threads of one team run the region, which gets the number of the thread
    and how many there are. It ends when all have ended. Whoever writes the region
    shares the work out and puts `lstm.barrier` where one thread reads what another
    has written; `lstm.phase` shares itself out over its units, or rows if it has no
    products. Lowers to a call of `lstmParallel` (see `docs/Embedding.md`), once
    control flow and memrefs are gone: the region may have several blocks.

    ```mlir
    func.func @squares(%v: memref<?xf32>) {
      lstm.parallel {
      ^bb0(%thread: i64, %count: i64):
        %first = arith.index_cast %thread : i64 to index
        %step = arith.index_cast %count : i64 to index
        %zero = arith.constant 0 : index
        %size = memref.dim %v, %zero : memref<?xf32>
        scf.for %i = %first to %size step %step {
          %x = memref.load %v[%i] : memref<?xf32>
          %y = arith.mulf %x, %x : f32
          memref.store %y, %v[%i] : memref<?xf32>
        }
        lstm.barrier
        lstm.yield
      }
      return
    }
    ```
  }];
  let regions = (region MinSizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  /// Makes the region with its arguments and terminator.
  let builders = [OpBuilder<(ins)>];
  let extraClassDeclaration = [{
    ::mlir::Value getThread() { return getBody().getArgument(0); }
    ::mlir::Value getCount() { return getBody().getArgument(1); }
  }];
}

def LSTM_BarrierOp : LSTM_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until all threads of the team are here";
  let description = [{
    Inside `lstm.parallel`, where all threads take the same path. What any of them
    wrote before, all see after. Lowers to a call of `lstmBarrier`.

    ```mlir
    func.func @wait() {
      lstm.parallel {
      ^bb0(%thread: i64, %count: i64):
        lstm.barrier
        lstm.yield
      }
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif // LSTM_DIALECT_LSTM_IR_LSTMOPS_TD
