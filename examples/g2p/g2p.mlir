//===- g2p.mlir - English words to phonemes -------------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GRU encoder reads the characters of a word, a GRU decoder writes its phonemes
// and gets back, at each step, the phoneme that it chose in the step before. The
// weights are those of g2p-en 2.1.0 (Park and Kim, https://github.com/Kyubyong/g2p),
// arguments here, named and laid out as in its checkpoint20.npz:
// GRU weights [3 * 256, 256], gates r z n, reset after the product.
//
// `graphemes` [T, B] holds the characters of B words, `lengths` [B] how many each word
// has, `</s>` included. `phonemes` [20, B] is `</s>` (3) behind the end of a word.
//
//===----------------------------------------------------------------------===//

#ids = affine_map<(b, u) -> (b)>
#rows = affine_map<(b, u) -> (b, u)>

// [3 * H, K] as the checkpoint has it to [K, 3, H].
func.func private @packed(%w: tensor<768x256xf32>) -> tensor<256x3x256xf32> {
  %gates = tensor.expand_shape %w [[0, 1], [2]] output_shape [3, 256, 256]
      : tensor<768x256xf32> into tensor<3x256x256xf32>
  %empty = tensor.empty() : tensor<256x3x256xf32>
  %packed = linalg.transpose ins(%gates : tensor<3x256x256xf32>) outs(%empty : tensor<256x3x256xf32>)
      permutation = [2, 0, 1]
  return %packed : tensor<256x3x256xf32>
}

// The state after the last character of each word. Any other id counts as `<unk>` (1).
func.func private @encode(%emb: tensor<29x256xf32>, %W: tensor<256x3x256xf32>, %U: tensor<256x3x256xf32>,
                          %b: tensor<3x256xf32>, %d: tensor<3x256xf32>,
                          %graphemes: tensor<?x?xi32>, %lengths: tensor<?xi32>) -> tensor<?x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %unknown = arith.constant 1 : i32
  %size = arith.constant 29 : i32
  %T = tensor.dim %graphemes, %c0 : tensor<?x?xi32>
  %B = tensor.dim %graphemes, %c1 : tensor<?x?xi32>
  %empty = tensor.empty(%B) : tensor<?x256xf32>
  %h0 = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x256xf32>) -> tensor<?x256xf32>
  %to = tensor.empty(%T, %B) : tensor<?x?xi32>
  %known = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%graphemes : tensor<?x?xi32>) outs(%to : tensor<?x?xi32>) {
  ^bb0(%id: i32, %o: i32):
    %is_known = arith.cmpi ult, %id, %size : i32
    %k = arith.select %is_known, %id, %unknown : i32
    linalg.yield %k : i32
  } -> tensor<?x?xi32>
  %hT = lstm.recurrence over(%id = %known : tensor<?x?xi32>) init(%h = %h0 : tensor<?x256xf32>)
      lengths(%lengths : tensor<?xi32>) {
    %x = linalg.generic {indexing_maps = [#ids, #rows], iterator_types = ["parallel", "parallel"]}
        ins(%id : tensor<?xi32>) outs(%empty : tensor<?x256xf32>) {
    ^bb0(%i: i32, %o: f32):
      %row = arith.index_cast %i : i32 to index
      %u = linalg.index 1 : index
      %e = tensor.extract %emb[%row, %u] : tensor<29x256xf32>
      linalg.yield %e : f32
    } -> tensor<?x256xf32>
    %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x256xf32>, tensor<256x3x256xf32>)
        state(%h, %U : tensor<?x256xf32>, tensor<256x3x256xf32>)
        bias(%b : tensor<3x256xf32>) recurrent_bias(%d : tensor<3x256xf32>)
    lstm.yield state(%h1 : tensor<?x256xf32>)
  }
  return %hT : tensor<?x256xf32>
}

// Greedy decoding: the states are h and the phoneme chosen last, and no sequence goes in.
// Four steps at a time, until all words have ended.
func.func private @decode(%emb: tensor<74x256xf32>, %W: tensor<256x3x256xf32>, %U: tensor<256x3x256xf32>,
                          %b: tensor<3x256xf32>, %d: tensor<3x256xf32>,
                          %fc: tensor<256x74xf32>, %fc_b: tensor<74xf32>, %h0: tensor<?x256xf32>) -> tensor<20x?xi32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c20 = arith.constant 20 : index
  %start = arith.constant 2 : i32
  %end = arith.constant 3 : i32
  %first = arith.constant 0 : i32
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant dense<false> : tensor<i1>
  %B = tensor.dim %h0, %c0 : tensor<?x256xf32>
  %rows = tensor.empty(%B) : tensor<?x256xf32>
  %starts = tensor.splat %start[%B] : tensor<?xi32>
  %ends = tensor.splat %end[%B] : tensor<?xi32>
  %firsts = tensor.splat %first[%B] : tensor<?xi32>
  %lows = tensor.splat %lowest[%B] : tensor<?xf32>
  %all_ended = tensor.splat %end[%B] : tensor<20x?xi32>
  %n, %hN, %tokN, %phonemes = scf.while (%t = %c0, %h = %h0, %tok = %starts, %to = %all_ended)
      : (index, tensor<?x256xf32>, tensor<?xi32>, tensor<20x?xi32>)
      -> (index, tensor<?x256xf32>, tensor<?xi32>, tensor<20x?xi32>) {
    %goes_on = arith.cmpi ne, %tok, %ends : tensor<?xi32>
    %any = linalg.reduce { arith.ori } ins(%goes_on : tensor<?xi1>) outs(%none : tensor<i1>) dimensions = [0]
    %any_goes_on = tensor.extract %any[] : tensor<i1>
    %has_room = arith.cmpi ult, %t, %c20 : index
    %more = arith.andi %any_goes_on, %has_room : i1
    scf.condition(%more) %t, %h, %tok, %to : index, tensor<?x256xf32>, tensor<?xi32>, tensor<20x?xi32>
  } do {
  ^bb0(%t: index, %ht: tensor<?x256xf32>, %tokt: tensor<?xi32>, %to: tensor<20x?xi32>):
    %out = tensor.empty(%B) : tensor<4x?xi32>
    %part, %h4, %tok4 = lstm.recurrence init(%h = %ht, %tok = %tokt : tensor<?x256xf32>, tensor<?xi32>)
        steps(%c4 : index) outs(%out : tensor<4x?xi32>) {
      %x = linalg.generic {indexing_maps = [#ids, #rows], iterator_types = ["parallel", "parallel"]}
          ins(%tok : tensor<?xi32>) outs(%rows : tensor<?x256xf32>) {
      ^bb0(%i: i32, %o: f32):
        %row = arith.index_cast %i : i32 to index
        %u = linalg.index 1 : index
        %e = tensor.extract %emb[%row, %u] : tensor<74x256xf32>
        linalg.yield %e : f32
      } -> tensor<?x256xf32>
      %h1 = lstm.gru_cell reset_after input(%x, %W : tensor<?x256xf32>, tensor<256x3x256xf32>)
          state(%h, %U : tensor<?x256xf32>, tensor<256x3x256xf32>)
          bias(%b : tensor<3x256xf32>) recurrent_bias(%d : tensor<3x256xf32>)
      %logits = lstm.gate identity dot(%h1, %fc : tensor<?x256xf32>, tensor<256x74xf32>)
          add(%fc_b : tensor<74xf32>) : tensor<?x74xf32>
      // The first of the largest.
      %max, %best = linalg.generic {indexing_maps = [#rows, #ids, #ids], iterator_types = ["parallel", "reduction"]}
          ins(%logits : tensor<?x74xf32>) outs(%lows, %firsts : tensor<?xf32>, tensor<?xi32>) {
      ^bb0(%v: f32, %m: f32, %mi: i32):
        %k = linalg.index 1 : index
        %i = arith.index_cast %k : index to i32
        %greater = arith.cmpf ogt, %v, %m : f32
        %m1 = arith.select %greater, %v, %m : f32
        %i1 = arith.select %greater, %i, %mi : i32
        linalg.yield %m1, %i1 : f32, i32
      } -> (tensor<?xf32>, tensor<?xi32>)
      %has_ended = arith.cmpi eq, %tok, %ends : tensor<?xi32>
      %tok1 = arith.select %has_ended, %tok, %best : tensor<?xi1>, tensor<?xi32>
      lstm.yield state(%h1, %tok1 : tensor<?x256xf32>, tensor<?xi32>) out(%tok1 : tensor<?xi32>)
    }
    %t4 = arith.addi %t, %c4 : index
    %next = tensor.insert_slice %part into %to[%t, 0] [4, %B] [1, 1] : tensor<4x?xi32> into tensor<20x?xi32>
    scf.yield %t4, %h4, %tok4, %next : index, tensor<?x256xf32>, tensor<?xi32>, tensor<20x?xi32>
  }
  return %phonemes : tensor<20x?xi32>
}

func.func @main(%enc_emb: tensor<29x256xf32> {lstm.name = "enc_emb"},
                %enc_w_ih: tensor<768x256xf32> {lstm.name = "enc_w_ih"},
                %enc_w_hh: tensor<768x256xf32> {lstm.name = "enc_w_hh"},
                %enc_b_ih: tensor<768xf32> {lstm.name = "enc_b_ih"},
                %enc_b_hh: tensor<768xf32> {lstm.name = "enc_b_hh"},
                %dec_emb: tensor<74x256xf32> {lstm.name = "dec_emb"},
                %dec_w_ih: tensor<768x256xf32> {lstm.name = "dec_w_ih"},
                %dec_w_hh: tensor<768x256xf32> {lstm.name = "dec_w_hh"},
                %dec_b_ih: tensor<768xf32> {lstm.name = "dec_b_ih"},
                %dec_b_hh: tensor<768xf32> {lstm.name = "dec_b_hh"},
                %fc_w: tensor<74x256xf32> {lstm.name = "fc_w"},
                %fc_b: tensor<74xf32> {lstm.name = "fc_b"},
                %graphemes: tensor<?x?xi32> {lstm.name = "graphemes"},
                %lengths: tensor<?xi32> {lstm.name = "lengths"}) -> (tensor<20x?xi32> {lstm.name = "phonemes"}) {
  %enc_W = func.call @packed(%enc_w_ih) : (tensor<768x256xf32>) -> tensor<256x3x256xf32>
  %enc_U = func.call @packed(%enc_w_hh) : (tensor<768x256xf32>) -> tensor<256x3x256xf32>
  %enc_b = tensor.expand_shape %enc_b_ih [[0, 1]] output_shape [3, 256] : tensor<768xf32> into tensor<3x256xf32>
  %enc_d = tensor.expand_shape %enc_b_hh [[0, 1]] output_shape [3, 256] : tensor<768xf32> into tensor<3x256xf32>
  %dec_W = func.call @packed(%dec_w_ih) : (tensor<768x256xf32>) -> tensor<256x3x256xf32>
  %dec_U = func.call @packed(%dec_w_hh) : (tensor<768x256xf32>) -> tensor<256x3x256xf32>
  %dec_b = tensor.expand_shape %dec_b_ih [[0, 1]] output_shape [3, 256] : tensor<768xf32> into tensor<3x256xf32>
  %dec_d = tensor.expand_shape %dec_b_hh [[0, 1]] output_shape [3, 256] : tensor<768xf32> into tensor<3x256xf32>
  %fc_to = tensor.empty() : tensor<256x74xf32>
  %fc = linalg.transpose ins(%fc_w : tensor<74x256xf32>) outs(%fc_to : tensor<256x74xf32>) permutation = [1, 0]

  // 256 words at a time: their states stay in the cache, and short words take few steps.
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %T = tensor.dim %graphemes, %c0 : tensor<?x?xi32>
  %B = tensor.dim %graphemes, %c1 : tensor<?x?xi32>
  %words = tensor.dim %lengths, %c0 : tensor<?xi32>
  %same = arith.cmpi eq, %words, %B : index
  lstm.check %same, "expects 'lengths' of {0} words, but got {1}"(%B, %words : index, index)
  %none = arith.constant dense<0> : tensor<i32>
  %empty = tensor.empty(%B) : tensor<20x?xi32>
  %phonemes = scf.for %first = %c0 to %B step %c256 iter_args(%to = %empty) -> (tensor<20x?xi32>) {
    %left = arith.subi %B, %first : index
    %size = arith.minsi %left, %c256 : index
    %lens = tensor.extract_slice %lengths[%first] [%size] [1] : tensor<?xi32> to tensor<?xi32>
    %longest = linalg.reduce { arith.maxsi } ins(%lens : tensor<?xi32>) outs(%none : tensor<i32>) dimensions = [0]
    %max = tensor.extract %longest[] : tensor<i32>
    %most = arith.index_cast %max : i32 to index
    %steps = arith.minsi %most, %T : index
    %ids = tensor.extract_slice %graphemes[0, %first] [%steps, %size] [1, 1] : tensor<?x?xi32> to tensor<?x?xi32>
    %h = func.call @encode(%enc_emb, %enc_W, %enc_U, %enc_b, %enc_d, %ids, %lens)
        : (tensor<29x256xf32>, tensor<256x3x256xf32>, tensor<256x3x256xf32>, tensor<3x256xf32>, tensor<3x256xf32>,
           tensor<?x?xi32>, tensor<?xi32>) -> tensor<?x256xf32>
    %part = func.call @decode(%dec_emb, %dec_W, %dec_U, %dec_b, %dec_d, %fc, %fc_b, %h)
        : (tensor<74x256xf32>, tensor<256x3x256xf32>, tensor<256x3x256xf32>, tensor<3x256xf32>, tensor<3x256xf32>,
           tensor<256x74xf32>, tensor<74xf32>, tensor<?x256xf32>) -> tensor<20x?xi32>
    %next = tensor.insert_slice %part into %to[0, %first] [20, %size] [1, 1] : tensor<20x?xi32> into tensor<20x?xi32>
    scf.yield %next : tensor<20x?xi32>
  }
  return %phonemes : tensor<20x?xi32>
}
