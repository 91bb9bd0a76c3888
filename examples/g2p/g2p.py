"""English words to phonemes with g2p.mlir, run by lstm-run or as a library of lstm-compile.

Usage: g2p.py [WORD...]
Prints one line a word: the word, a tab, its phonemes.
"""

import argparse
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

GRAPHEMES = ["<pad>", "<unk>", "</s>", *"abcdefghijklmnopqrstuvwxyz"]
PHONEMES = """<pad> <unk> <s> </s>
    AA0 AA1 AA2 AE0 AE1 AE2 AH0 AH1 AH2 AO0 AO1 AO2 AW0 AW1 AW2 AY0 AY1 AY2 B CH D DH
    EH0 EH1 EH2 ER0 ER1 ER2 EY0 EY1 EY2 F G HH IH0 IH1 IH2 IY0 IY1 IY2 JH K L M N NG
    OW0 OW1 OW2 OY0 OY1 OY2 P R S SH T TH UH0 UH1 UH2 UW UW0 UW1 UW2 V W Y Z ZH""".split()
START, END = PHONEMES.index("<s>"), PHONEMES.index("</s>")
MAX_PHONEMES = 20

DEFAULT_WORDS = "hello world compiler recurrent phoneme activationist".split()


def tokenize(word):
    """The ids of a word's characters; the model knows small letters only."""
    unknown = GRAPHEMES.index("<unk>")
    ids = {grapheme: i for i, grapheme in enumerate(GRAPHEMES)}
    return [ids.get(character, unknown) for character in word.lower()] + [ids["</s>"]]


def pad(tokens):
    """Lists of ids as an array [T, B] and their lengths [B]."""
    lengths = np.array([len(ids) for ids in tokens], np.int32)
    graphemes = np.zeros((lengths.max(), len(tokens)), np.int32)
    for column, ids in enumerate(tokens):
        graphemes[: len(ids), column] = ids
    return graphemes, lengths


def cut(phonemes):
    """The columns of [MAX_PHONEMES, B] as lists that stop in front of the first END."""
    columns = np.ascontiguousarray(phonemes.T)
    ended = columns == END
    ends = np.where(ended.any(axis=1), ended.argmax(axis=1), len(phonemes))
    return [column[:end].tolist() for column, end in zip(columns, ends)]


class LstmRun:
    """The model, compiled and run by lstm-run. What goes in and comes out stays in the directory."""

    name = "lstm-run"

    def __init__(self, arguments, directory, options=()):
        self.words, self.phonemes = pathlib.Path(directory, "words.npz"), pathlib.Path(directory, "phonemes.npz")
        self.command = [arguments.lstm_run, HERE / "g2p.mlir", "--inputs", arguments.weights, self.words,
                        "--outputs", self.phonemes, *options]

    def __call__(self, graphemes, lengths):
        np.savez(self.words, graphemes=graphemes, lengths=lengths)
        subprocess.run(self.command, check=True)
        with np.load(self.phonemes) as arrays:
            return arrays["phonemes"]


class Library:
    """The model, compiled by lstm-compile for a CPU or a GPU and called from here."""

    def __init__(self, arguments):
        sys.path.append(str(ROOT / "python_bindings"))
        import lstm_mlir

        program = lstm_mlir.load(arguments.library)
        self.name = f"library for {program.target}"
        with np.load(arguments.weights) as arrays:
            self.given = {name: arrays[name] for name in arrays.files}
        self.function = program["main"]
        if "main_pack" in program.entries:
            # Once, as lstm-run does.
            pack, self.function = program["main_pack"], program["main_packed"]
            packed = pack(*(self.given[port.name] for port in pack.arguments))
            self.given |= {port.name: array for port, array in zip(pack.results, packed)}

    def __call__(self, graphemes, lengths):
        given = self.given | {"graphemes": graphemes, "lengths": lengths}
        return self.function(*(given[port.name] for port in self.function.arguments))


def run(tokens, model):
    """The phonemes of each list of ids."""
    # The model works on 256 words at a time: words of like length share one.
    order = sorted(range(len(tokens)), key=lambda i: len(tokens[i]))
    phonemes = model(*pad([tokens[i] for i in order]))
    found = [None] * len(tokens)
    for i, ids in zip(order, cut(phonemes)):
        found[i] = ids
    return found


def add_arguments(parser):
    parser.add_argument("--weights", default=ROOT / ".cache/checkpoint20.npz", help="the checkpoint of g2p-en 2.1.0")
    parser.add_argument("--lstm-run", default=ROOT / "build/bin/lstm-run", help="the program that compiles and runs")
    parser.add_argument("--library", metavar="FILE.so", help="call this, which lstm-compile made of g2p.mlir, instead")


def main():
    parser = argparse.ArgumentParser(description="Turn English words into phonemes.")
    parser.add_argument("words", nargs="*", metavar="WORD")
    add_arguments(parser)
    arguments = parser.parse_args()
    words = " ".join(arguments.words).split() or DEFAULT_WORDS
    model = Library(arguments) if arguments.library else LstmRun(arguments, ROOT / ".cache")
    found = run([tokenize(word) for word in words], model)
    sys.stdout.reconfigure(errors="surrogateescape")
    for word, phonemes in zip(words, found):
        print(word, " ".join(PHONEMES[i] for i in phonemes), sep="\t")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
