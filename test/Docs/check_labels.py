"""Compares the labels of constraints in docs/Spec.md, in the verifiers and in the tests.

Usage: check_labels.py SOURCE_DIR
"""

import pathlib
import re
import sys

LABEL = re.compile(r"\b[a-z]+(?:_[a-z]+)*_c\d+\b")


def labels(paths):
    return {label for path in paths for label in LABEL.findall(path.read_text())}


def composed_labels(path):
    """Labels that a verifier shared by several operations puts together: a prefix
    such as "cell_c" in one place, `label << "1)"` in another."""
    text = path.read_text()
    prefixes = re.findall(r'"([a-z_]+_c)"', text)
    return {prefix + number for prefix in prefixes for number in re.findall(r'label << "(\d+)\)"', text)}


def main():
    source = pathlib.Path(sys.argv[1])
    spec = labels([source / "docs/Spec.md"])
    sources = list((source / "lib").rglob("*.cpp"))
    written = labels(sources)
    # Not every operation needs every number of a shared verifier.
    verified = written.union(*map(composed_labels, sources))
    tested = labels((source / "test").rglob("*.mlir"))

    errors = []
    if not spec:
        errors.append("docs/Spec.md has no labels")
    for place, found, all_found in (("lib", verified, written), ("test", tested, tested)):
        errors += [f"{label} is in docs/Spec.md, but not in {place}/" for label in sorted(spec - found)]
        errors += [f"{label} is in {place}/, but not in docs/Spec.md" for label in sorted(all_found - spec)]
    if errors:
        sys.exit("\n".join(errors))


if __name__ == "__main__":
    main()
