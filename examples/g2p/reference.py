"""The g2p model in NumPy, word by word and in batches: what the compiled model is compared with.

Both are float32 and do only what has to be done: in a batch of words of like length, only the
rows whose word has not ended go on.
"""

import numpy as np

from g2p import END, MAX_PHONEMES, START


class Cell:
    """A GRU with the reset gate after the product; weights as in the checkpoint, [3 * H, K], gates r z n."""

    def __init__(self, weights, prefix):
        self.w = np.ascontiguousarray(weights[prefix + "_w_ih"].T)
        self.u = np.ascontiguousarray(weights[prefix + "_w_hh"].T)
        self.b = weights[prefix + "_b_ih"]
        self.d = weights[prefix + "_b_hh"]
        self.size = self.u.shape[0]

    def __call__(self, x, h):
        i = x @ self.w
        i += self.b
        s = h @ self.u
        s += self.d
        n = 2 * self.size
        rz = 1 / (1 + np.exp(-(i[..., :n] + s[..., :n])))
        r, z = rz[..., : self.size], rz[..., self.size :]
        candidate = np.tanh(i[..., n:] + r * s[..., n:])
        return candidate + z * (h - candidate)


class Reference:
    def __init__(self, weights):
        self.encoder = Cell(weights, "enc")
        self.decoder = Cell(weights, "dec")
        self.enc_emb = weights["enc_emb"]
        self.dec_emb = weights["dec_emb"]
        self.fc_w = np.ascontiguousarray(weights["fc_w"].T)
        self.fc_b = weights["fc_b"]

    def word(self, ids):
        """The phonemes of one word, given the ids of its characters."""
        h = np.zeros(self.encoder.size, np.float32)
        for i in ids:
            h = self.encoder(self.enc_emb[i], h)
        token, phonemes = START, []
        for _ in range(MAX_PHONEMES):
            h = self.decoder(self.dec_emb[token], h)
            token = int(np.argmax(h @ self.fc_w + self.fc_b))
            if token == END:
                break
            phonemes.append(token)
        return phonemes

    def batch(self, graphemes, lengths):
        """The phonemes [MAX_PHONEMES, B] of graphemes [T, B], shorter words first; END behind a word."""
        steps, rows = graphemes.shape
        h = np.zeros((rows, self.encoder.size), np.float32)
        ended = np.searchsorted(lengths, np.arange(steps), side="right")
        for ids, first in zip(graphemes, ended):
            h[first:] = self.encoder(self.enc_emb[ids[first:]], h[first:])

        phonemes = np.full((MAX_PHONEMES, rows), END, np.int32)
        going = np.arange(rows)
        token = np.full(rows, START)
        for t in range(MAX_PHONEMES):
            h = self.decoder(self.dec_emb[token], h)
            token = np.argmax(h @ self.fc_w + self.fc_b, axis=1)
            phonemes[t, going] = token
            more = token != END
            if not more.all():
                going, token, h = going[more], token[more], h[more]
            if not going.size:
                break
        return phonemes
