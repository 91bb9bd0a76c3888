"""Writes weights drawn at random, of the shapes that examples/g2p/g2p.mlir takes, to an .npz."""

import sys

import numpy as np

SIZE = 256
random = np.random.default_rng(7)
shapes = {"fc_w": (74, SIZE), "fc_b": (74,)}
for part, symbols in (("enc", 29), ("dec", 74)):
    shapes[part + "_emb"] = (symbols, SIZE)
    shapes[part + "_w_ih"] = shapes[part + "_w_hh"] = (3 * SIZE, SIZE)
    shapes[part + "_b_ih"] = shapes[part + "_b_hh"] = (3 * SIZE,)
np.savez(sys.argv[1], **{name: random.normal(0, 0.1, shape).astype("f") for name, shape in shapes.items()})
