"""Times g2p.mlir on a dictionary's words beside NumPy, and compares all phonemes.

Writes to standard error; exits 1 if a word differs.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from g2p import PHONEMES, Library, LstmRun, add_arguments, cut, pad, run, tokenize
from reference import Reference

BATCH = 256


def log(*text):
    print(*text, file=sys.stderr, flush=True)


def read_words(path, count):
    """`count` distinct words, evenly spread over the file."""
    with open(path, encoding="utf-8") as file:
        words = sorted({line.strip().lower() for line in file} - {""})
    if len(words) < count:
        sys.exit(f"{path}: {count} words are needed, but it has {len(words)}")
    return [words[i * len(words) // count] for i in range(count)]


def timed(function, repeat):
    """What the function returns, and the median of the seconds it took."""
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = function()
        seconds.append(time.perf_counter() - start)
    return result, statistics.median(seconds)


def in_batches(reference, tokens, repeat):
    order = sorted(range(len(tokens)), key=lambda i: len(tokens[i]))
    chosen = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    batches = [pad([tokens[i] for i in part]) for part in chosen]
    results, seconds = timed(lambda: [reference.batch(*batch) for batch in batches], repeat)
    found = [None] * len(tokens)
    for part, phonemes in zip(chosen, results):
        for i, ids in zip(part, cut(phonemes)):
            found[i] = ids
    return found, seconds


def run_file(tokens, arguments):
    """Who ran, the phonemes, and the median of the seconds, without those of compiling."""
    with tempfile.TemporaryDirectory() as directory:
        timing = pathlib.Path(directory, "timing.json")
        model = LstmRun(arguments, directory, ["--repeat", str(arguments.repeat), "--timing-json", timing])
        found = run(tokens, model)
        times = json.loads(timing.read_text())
    log(f"compiled in {times['compile_us'] / 1e6:.2f} s")
    return model.name, found, times["median_us"] / 1e6


def run_library(tokens, arguments):
    """The same; on a GPU the seconds are also those of copying there and back."""
    model = Library(arguments)
    seconds = []

    def call(*arrays):
        # What is made at the first call does not count.
        model(*arrays)
        phonemes, median = timed(lambda: model(*arrays), arguments.repeat)
        seconds.append(median)
        return phonemes

    return model.name, run(tokens, call), sum(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dictionary", default="/usr/share/dict/words")
    parser.add_argument("--count", type=int, default=12800)
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the median counts")
    add_arguments(parser)
    arguments = parser.parse_args()

    words = read_words(arguments.dictionary, arguments.count)
    tokens = [tokenize(word) for word in words]
    log(f"{len(words)} words of {min(map(len, words))} to {max(map(len, words))} characters")

    name, found, seconds = (run_library if arguments.library else run_file)(tokens, arguments)
    with np.load(arguments.weights) as weights:
        reference = Reference(weights)
    log("NumPy in batches ...")
    batched, batched_seconds = in_batches(reference, tokens, arguments.repeat)
    log("NumPy word by word ...")
    single, single_seconds = timed(lambda: [reference.word(ids) for ids in tokens], 1)

    log(f"{name:22} {len(words) / seconds:10.0f} words/s")
    for numpy_name, other in (("NumPy, batches of 256", batched_seconds), ("NumPy, word by word", single_seconds)):
        log(f"{numpy_name:22} {len(words) / other:10.0f} words/s   {name} is {other / seconds:.2f} times as fast")

    differing = [i for i in range(len(words)) if not found[i] == batched[i] == single[i]]
    for i in differing[:10]:
        for who, ids in ((name, found[i]), ("NumPy, batches", batched[i]), ("NumPy, words", single[i])):
            log(f"{words[i]}: {who}: {' '.join(PHONEMES[id] for id in ids)}")
    log(f"phonemes agree: {len(words) - len(differing)} of {len(words)} words")
    return 1 if differing else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
