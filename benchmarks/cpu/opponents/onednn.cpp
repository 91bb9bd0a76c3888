// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One recurrent layer of oneDNN behind a flat interface, for onednn.py.

#include <dnnl.hpp>

#include <cstdio>
#include <unordered_map>

using dnnl::memory;
using Tag = memory::format_tag;

namespace {
struct Layer {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments;

  memory wrap(memory::dims sizes, Tag tag, float *data) {
    return memory({sizes, memory::data_type::f32, tag}, engine, data);
  }
  /// A copy in the layout that the primitive asks for.
  memory pack(memory::dims sizes, float *data, const memory::desc &layout) {
    memory plain = wrap(sizes, Tag::ldigo, data), packed(layout, engine);
    dnnl::reorder(plain, packed).execute(stream, plain, packed);
    stream.wait();
    return packed;
  }
};
} // namespace

/// Weights are [D, I, G, H] and [D, H, G, H] in oneDNN's order of gates, the bias [D, G, H] or
/// for GRU [D, 4, H], states [D, B, H], x [T, B, I], y [T, B, D * H]. Null, and a message, on
/// failure. All but weights are read and written in place.
extern "C" void *layerCreate(int isLSTM, int64_t directions, int64_t steps, int64_t rows, int64_t inputs,
                             int64_t units, float *x, float *h0, float *c0, float *W, float *U, float *bias,
                             float *y, float *hT, float *cT, char *message, size_t messageSize) try {
  auto *layer = new Layer;
  int64_t gates = isLSTM ? 4 : 3;
  auto any = [](memory::dims sizes) {
    return memory::desc(sizes, memory::data_type::f32, Tag::any);
  };
  memory::dims sizesW = {1, directions, inputs, gates, units}, sizesU = {1, directions, units, gates, units};
  memory::dims state = {1, directions, rows, units};
  auto &arguments = layer->arguments;
  arguments = {{DNNL_ARG_SRC_LAYER, layer->wrap({steps, rows, inputs}, Tag::tnc, x)},
               {DNNL_ARG_SRC_ITER, layer->wrap(state, Tag::ldnc, h0)},
               {DNNL_ARG_BIAS, layer->wrap({1, directions, 4, units}, Tag::ldgo, bias)},
               {DNNL_ARG_DST_LAYER, layer->wrap({steps, rows, directions * units}, Tag::tnc, y)},
               {DNNL_ARG_DST_ITER, layer->wrap(state, Tag::ldnc, hT)}};
  if (isLSTM) {
    arguments[DNNL_ARG_SRC_ITER_C] = layer->wrap(state, Tag::ldnc, c0);
    arguments[DNNL_ARG_DST_ITER_C] = layer->wrap(state, Tag::ldnc, cT);
  }
  auto direction = directions == 2 ? dnnl::rnn_direction::bidirectional_concat
                                   : dnnl::rnn_direction::unidirectional_left2right;
  auto kind = dnnl::prop_kind::forward_inference;
  auto of = [&](int argument) { return arguments.at(argument).get_desc(); };
  auto finish = [&](const auto &description, dnnl::primitive primitive) {
    arguments[DNNL_ARG_WEIGHTS_LAYER] = layer->pack(sizesW, W, description.weights_layer_desc());
    arguments[DNNL_ARG_WEIGHTS_ITER] = layer->pack(sizesU, U, description.weights_iter_desc());
    layer->primitive = primitive;
  };
  if (isLSTM) {
    dnnl::lstm_forward::primitive_desc description(
        layer->engine, kind, direction, of(DNNL_ARG_SRC_LAYER), of(DNNL_ARG_SRC_ITER),
        of(DNNL_ARG_SRC_ITER_C), any(sizesW), any(sizesU), of(DNNL_ARG_BIAS), of(DNNL_ARG_DST_LAYER),
        of(DNNL_ARG_DST_ITER), of(DNNL_ARG_DST_ITER_C));
    finish(description, dnnl::lstm_forward(description));
  } else {
    dnnl::lbr_gru_forward::primitive_desc description(
        layer->engine, kind, direction, of(DNNL_ARG_SRC_LAYER), of(DNNL_ARG_SRC_ITER), any(sizesW),
        any(sizesU), of(DNNL_ARG_BIAS), of(DNNL_ARG_DST_LAYER), of(DNNL_ARG_DST_ITER));
    finish(description, dnnl::lbr_gru_forward(description));
  }
  return layer;
} catch (const std::exception &error) {
  std::snprintf(message, messageSize, "%s", error.what());
  return nullptr;
}

/// False on failure.
extern "C" int layerRun(void *handle) try {
  auto *layer = static_cast<Layer *>(handle);
  layer->primitive.execute(layer->stream, layer->arguments);
  layer->stream.wait();
  return true;
} catch (const std::exception &) {
  return false;
}

extern "C" void layerDestroy(void *handle) { delete static_cast<Layer *>(handle); }

extern "C" void libraryVersion(char *text, size_t size) {
  const dnnl_version_t *version = dnnl_version();
  std::snprintf(text, size, "%d.%d.%d", version->major, version->minor, version->patch);
}
