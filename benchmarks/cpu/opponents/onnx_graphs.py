# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime: the operators LSTM and GRU, and other cells as a graph of operators, one Scan
over the projected inputs, which is faster than a graph unrolled over the steps."""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def version():
    return onnxruntime.__version__


class Graph:
    """Nodes, and the constants they read. Names of a body must not be the outer graph's."""

    def __init__(self, prefix=""):
        self.prefix, self.nodes, self.constants = prefix, [], []

    def op(self, kind, *inputs, **attributes):
        name = f"{self.prefix}{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def split(self, value, count, size):
        names = [f"{value}_{k}" for k in range(count)]
        self.nodes.append(helper.make_node("Split", [value, self.sizes(count, size)], names, axis=1))
        return names

    def sizes(self, count, size):
        return self.constant(f"{self.prefix}sizes_{len(self.nodes)}", np.full(count, size, np.int64))

    def finish(self, name, inputs, outputs):
        described = [[helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n, shape in values.items()]
                     for values in (inputs, outputs)]
        return helper.make_graph(self.nodes, name, *described, self.constants)


# Cells as graphs: from the projected input and the states, by name, to the new states.


def peephole(g, a, xt, h, c, n):
    p = [g.constant(f"p{k}", a["p"][k]) for k in range(3)]
    i, f, z, o = g.split(g.op("Add", xt, g.op("MatMul", h, "U")), 4, n)
    i = g.op("Sigmoid", g.op("Add", i, g.op("Mul", p[0], c)))
    f = g.op("Sigmoid", g.op("Add", f, g.op("Mul", p[1], c)))
    c1 = g.op("Add", g.op("Mul", f, c), g.op("Mul", i, g.op("Tanh", z)))
    o = g.op("Sigmoid", g.op("Add", o, g.op("Mul", p[2], c1)))
    return g.op("Mul", o, g.op("Tanh", c1)), c1


def layer_norm_lstm(g, a, xt, h, c, n):
    scale = {name: g.constant(name, a[name].ravel()) for name in ("gain_h", "shift_h", "gain_c", "shift_c")}
    z = g.op("LayerNormalization", g.op("MatMul", h, "U"), scale["gain_h"], scale["shift_h"], epsilon=1e-5)
    i, f, z, o = g.split(g.op("Add", xt, z), 4, n)
    i, f, o = (g.op("Sigmoid", gate) for gate in (i, f, o))
    c1 = g.op("Add", g.op("Mul", f, c), g.op("Mul", i, g.op("Tanh", z)))
    y = g.op("LayerNormalization", c1, scale["gain_c"], scale["shift_c"], epsilon=1e-5)
    return g.op("Mul", o, g.op("Tanh", y)), c1


def mgu(g, a, xt, h, c, n):
    xf, xn = g.split(xt, 2, n)
    f = g.op("Sigmoid", g.op("Add", xf, g.op("MatMul", h, "U")))
    candidate = g.op("Tanh", g.op("Add", xn, g.op("MatMul", g.op("Mul", f, h), "Un")))
    return g.op("Add", h, g.op("Mul", f, g.op("Sub", candidate, h))), None


def custom(case, a):
    """The inputs are projected at once; weights of the body are the outer graph's."""
    g, body, n = Graph(), Graph("step_"), case.H
    step = {"peephole": peephole, "layer_norm_lstm": layer_norm_lstm, "mgu": mgu}[case.cell]
    if case.cell == "mgu":
        W, b = (np.concatenate([a[k + "f"], a[k + "n"]], axis=-1) for k in "Wb")
        g.constant("Un", a["Un"])
        U = a["Uf"]
    else:
        W, U, b = (a[k].reshape(*a[k].shape[:-2], -1) for k in "WUb")
    g.constant("U", U)
    projected = g.op("MatMul", "x", g.constant("W", W))
    if case.cell == "layer_norm_lstm":
        projected = g.op("LayerNormalization", projected, g.constant("gain_x", a["gain_x"].ravel()),
                         g.constant("shift_x", (a["shift_x"] + a["b"]).ravel()), epsilon=1e-5)
    else:
        projected = g.op("Add", projected, g.constant("b", b))
    states = [name for name in ("h0", "c0") if name in a]
    shape = [case.B, n]
    h1, c1 = step(body, a, "xt", "h", "c" if len(states) == 2 else None, n)
    made = [body.op("Identity", h1)] + ([body.op("Identity", c1)] if c1 else []) + [body.op("Identity", h1)]
    inner = body.finish("step", {**dict.fromkeys(("h", "c")[:len(states)], shape), "xt": [case.B, b.size]},
                        dict.fromkeys(made, shape))
    outputs = ["hT", "cT"][:len(states)] + ["ys"]
    g.nodes.append(helper.make_node("Scan", [*states, projected], outputs, body=inner, num_scan_inputs=1))
    inputs = {"x": [case.T, case.B, case.I], **dict.fromkeys(states, shape)}
    return g.finish("layer", inputs, {"ys": [case.T, *shape], **dict.fromkeys(outputs[:-1], shape)})


def gates(array, order, axis):
    return np.take(array, order, axis=axis)


def textbook(case, a):
    kind, count, order = ("GRU", 3, [1, 0, 2]) if case.cell == "gru" else ("LSTM", 4, [0, 3, 1, 2])
    g, n, directions = Graph(), case.H, case.definition.directions
    inputs, outputs, read = {"x": [case.T, case.B, case.I]}, {}, "x"
    states = ("h0", "c0") if kind == "LSTM" else ("h0",)
    for number in range(case.definition.layers):
        sides = [f"_{side}_{number}" for side in "fb"] if directions == 2 else [""]

        def matrix(name):
            return np.stack([gates(a[name + side], order, 1).reshape(-1, count * n).T for side in sides])

        def bias(side):
            recurrent = a["d" + side] if "d" + side in a else np.zeros((count, n), np.float32)
            return np.concatenate([gates(v, order, 0).ravel() for v in (a["b" + side], recurrent)])
        weights = [g.constant(f"{name}{number}", array)
                   for name, array in (("W", matrix("W")), ("R", matrix("U")),
                                       ("B", np.stack([bias(side) for side in sides])))]
        initial = [f"{state}{number}" for state in states]
        final = [f"{state}_last{number}" for state in states]
        inputs |= {name: [directions, case.B, n] for name in initial}
        outputs |= {name: [directions, case.B, n] for name in final}
        more = {"linear_before_reset": 1} if kind == "GRU" else {}
        if directions == 2:
            more["direction"] = "bidirectional"
        g.nodes.append(helper.make_node(kind, [read, *weights, "", *initial], [f"Y{number}", *final],
                                        hidden_size=n, **more))
        # [T, D, B, H] to [T, B, D * H].
        turned = g.op("Transpose", f"Y{number}", perm=[0, 2, 1, 3])
        read = g.op("Reshape", turned, g.constant(f"shape{number}", np.array([0, 0, -1], np.int64)))
    g.nodes.append(helper.make_node("Identity", [read], ["ys"]))
    graph = g.finish("layer", inputs, {"ys": [case.T, case.B, directions * n], **outputs})
    feed = {"x": a["x"]}
    for number in range(case.definition.layers):
        sides = [f"_{side}_{number}" for side in "fb"] if directions == 2 else [""]
        feed |= {f"{state}{number}": np.stack([a[state + side] for side in sides]) for state in states}
    return graph, feed


def prepare(case, a, threads):
    if case.cell in ("lstm", "gru", "bidirectional"):
        graph, feed = textbook(case, a)
    else:
        graph = custom(case, a)
        feed = {name: a[name] for name in ("x", "h0", "c0") if name in a}
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, feed), lambda made: made[0]
