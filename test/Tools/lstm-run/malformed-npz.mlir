// Damaged and hostile archives: each has its message, none is a crash, nothing is read that the file cannot hold.

// RUN: split-file %s %t
// RUN: cd %t && %python arrays.py
// RUN: cd %t && lstm-run main.mlir --inputs good.npz | FileCheck %s
// RUN: cd %t && lstm-run main.mlir --inputs python-zip.npz | FileCheck %s
// CHECK: [1, 2]

// RUN: cd %t && not lstm-run main.mlir --inputs truncated.npz 2>&1 | FileCheck %s --check-prefix=UNSOUND
// RUN: cd %t && not lstm-run main.mlir --inputs start-only.npz 2>&1 | FileCheck %s --check-prefix=UNSOUND
// RUN: cd %t && not lstm-run main.mlir --inputs magic.npz 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: cd %t && not lstm-run main.mlir --inputs pickle.npz 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: cd %t && not lstm-run main.mlir --inputs checksum.npz 2>&1 | FileCheck %s --check-prefix=CHECKSUM
// RUN: cd %t && not lstm-run main.mlir --inputs deflate.npz 2>&1 | FileCheck %s --check-prefix=DEFLATE
// RUN: cd %t && not lstm-run main.mlir --inputs short.npz 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: cd %t && not lstm-run main.mlir --inputs claims.npz 2>&1 | FileCheck %s --check-prefix=CLAIMS
// RUN: cd %t && not lstm-run main.mlir --inputs lies-more.npz 2>&1 | FileCheck %s --check-prefix=LIESMORE
// RUN: cd %t && not lstm-run main.mlir --inputs lies-less.npz 2>&1 | FileCheck %s --check-prefix=LIESLESS
// RUN: cd %t && not lstm-run main.mlir --inputs twice.npz 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: cd %t && not lstm-run main.mlir --inputs both.npz 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: cd %t && not lstm-run main.mlir --inputs bzip2.npz 2>&1 | FileCheck %s --check-prefix=BZIP2
// RUN: cd %t && not lstm-run main.mlir --inputs encrypted.npz 2>&1 | FileCheck %s --check-prefix=ENCRYPTED
// RUN: cd %t && not lstm-run main.mlir --inputs no-array.npz 2>&1 | FileCheck %s --check-prefix=NOARRAY
// RUN: cd %t && not lstm-run main.mlir --inputs empty-member.npz 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: cd %t && not lstm-run main.mlir --inputs object.npz 2>&1 | FileCheck %s --check-prefix=OBJECT
// RUN: cd %t && not lstm-run main.mlir --inputs members.npz 2>&1 | FileCheck %s --check-prefix=MEMBERS
// RUN: cd %t && %python fuzz.py lstm-run

// UNSOUND: error: '{{.*}}.npz': not a sound .npz archive: {{.}}
// NEITHER: error: '{{.*}}.npz': neither a .npz archive nor a .npy file
// CHECKSUM: error: {{.*}}'checksum.npz'{{.*}}CRC
// DEFLATE: error: argument 'x' (in 'deflate.npz'): cannot be unpacked: {{.}}
// SHORT: error: argument 'x' (in 'short.npz'): shape 1000000 of '<f4' takes 4000000 bytes, but there are 8
// CLAIMS: error: 'claims.npz': member 'x.npy' claims 1000000000 bytes, more than the file can hold
// LIESMORE: error: argument 'x' (in 'lies-more.npz'): {{.}}
// LIESLESS: error: argument 'x' (in 'lies-less.npz'): {{.}}
// TWICE: error: 'twice.npz': {{.}}
// BOTH: error: 'both.npz': it holds 'x' twice
// BZIP2: error: 'bzip2.npz': member 'x.npy' is neither stored nor deflated
// ENCRYPTED: error: 'encrypted.npz': {{.}}
// NOARRAY: error: argument 'x' (in 'no-array.npz'): not a .npy array (wrong magic bytes)
// EMPTY: error: argument 'x' (in 'empty-member.npz'): too short for a .npy array
// OBJECT: error: argument 'x' (in 'object.npz'): arrays of Python objects ('|O') are not supported
// MEMBERS: error: 'members.npz': it has 4097 members; at most 4096 are read

//--- main.mlir

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

//--- arrays.py

import io
import struct
import warnings
import zipfile
import numpy as np

warnings.simplefilter("ignore")


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def write(name, members, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(name + ".npz", "w", method) as archive:
        for member, data in members:
            archive.writestr(member, data)


def change(name, source, edit):
    data = bytearray(open(source + ".npz", "rb").read())
    data = edit(data) or data
    open(name + ".npz", "wb").write(data)


def set_size(packed, size):
    """Sets the sizes of the only member in its header and in the directory."""

    def edit(data):
        central = data.rindex(b"PK\1\2")
        for start, offset in ((data.index(b"PK\3\4"), 18), (central, 20)):
            if packed is not None:
                data[start + offset : start + offset + 4] = struct.pack("<I", packed)
            data[start + offset + 4 : start + offset + 8] = struct.pack("<I", size)

    return edit


x = np.float32([1, 2])
good = npy(x)
np.savez("good.npz", x=x)
write("python-zip", [("x.npy", good)], zipfile.ZIP_DEFLATED)
change("truncated", "good", lambda data: data[:-30])
change("start-only", "good", lambda data: data[:40])
change("magic", "good", lambda data: b"XX" + data[2:])
open("pickle.npz", "wb").write(b"\x80\x04K\x01.")


def flip(data):
    data[data.index(x.tobytes())] ^= 1


change("checksum", "good", flip)


def scramble(data):
    start = data.index(b"x.npy") + 5
    data[start : start + 8] = b"\xff" * 8


change("deflate", "python-zip", scramble)
write("short", [("x.npy", good[: good.index(b"(2,)")] + b"(1000000,)" + good[good.index(b"(2,)") + 4 :].replace(b"      ", b"", 1))])
change("claims", "python-zip", set_size(None, 10**9))
large = npy(np.zeros(1000, np.float32))
write("large", [("x.npy", large)], zipfile.ZIP_DEFLATED)
change("lies-more", "large", set_size(None, len(large) + 4))
change("lies-less", "large", set_size(None, len(large) - 4))
write("twice", [("x.npy", good), ("x.npy", good)])
write("both", [("x.npy", good), ("x", good)])
write("bzip2", [("x.npy", good)], zipfile.ZIP_BZIP2)


def encrypt(data):
    for magic, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(magic) + offset] |= 1


change("encrypted", "python-zip", encrypt)
write("no-array", [("x.npy", b"these are no magic bytes")])
write("empty-member", [("x.npy", b"")])
np.savez("object.npz", x=np.array([None]))
write("members", [(f"{i}.npy", b"") for i in range(4097)])

//--- fuzz.py

import random
import subprocess
import sys

random.seed(0)
good = open("python-zip.npz", "rb").read()
for i in range(24):
    data = bytearray(good)
    if i % 4 == 0:
        del data[random.randrange(len(data)) :]
    else:
        for _ in range(random.randrange(1, 4)):
            data[random.randrange(len(data))] = random.randrange(256)
    open("fuzz.npz", "wb").write(data)
    run = subprocess.run([sys.argv[1], "main.mlir", "--inputs", "fuzz.npz"], capture_output=True, text=True)
    assert run.returncode in (0, 1), (i, run)
    assert run.returncode == 0 or "error: " in run.stderr, (i, run)
