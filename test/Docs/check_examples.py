"""Runs lstm-opt on each ```mlir block of the documents.

Usage: check_examples.py SOURCE_DIR LSTM_OPT
"""

import pathlib
import re
import subprocess
import sys

# Passes.md shows what passes do with pieces of IR that are no modules.
EXCLUDED = {"Passes.md"}


def blocks(text):
    """Line number and text of each mlir block."""
    for match in re.finditer(r"^```mlir\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, match.start()) + 2, match.group(1)


def main():
    source, lstm_opt = pathlib.Path(sys.argv[1]), sys.argv[2]
    errors = []

    count = 0
    documents = [source / "README.md", *sorted((source / "docs").rglob("*.md"))]
    for document in documents:
        if document.name in EXCLUDED:
            continue
        for line, block in blocks(document.read_text()):
            count += 1
            result = subprocess.run([lstm_opt, "-"], input=block, capture_output=True, text=True)
            if result.returncode:
                errors.append(f"{document}:{line}: example does not parse\n{result.stderr}")

    sections = re.split(r"^### `((?:lstm|cublas)\.\w+)`.*$", (source / "docs/Ops.md").read_text(), flags=re.MULTILINE)
    for name, section in zip(sections[1::2], sections[2::2]):
        if not any(re.search(rf"{re.escape(name)}\b", block) for _, block in blocks(section)):
            errors.append(f"docs/Ops.md: '{name}' has no example that uses it")

    print(f"{count} examples")
    if errors or not count:
        sys.exit("\n".join(errors) or "no examples found")


if __name__ == "__main__":
    main()
