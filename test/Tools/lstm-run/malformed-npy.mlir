// Damaged and hostile .npy files: each has its message, none is a crash.

// RUN: split-file %s %t
// RUN: cd %t && %python arrays.py
// RUN: cd %t && lstm-run main.mlir --inputs good.npy | FileCheck %s
// RUN: cd %t && lstm-run main.mlir --inputs python2.npy | FileCheck %s
// CHECK: [1, 2]

// RUN: cd %t && not lstm-run main.mlir --inputs none.npy 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: cd %t && not lstm-run main.mlir --inputs folder.npy 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: cd %t && not lstm-run main.mlir --inputs zero-bytes.npy 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: cd %t && not lstm-run main.mlir --inputs text.npy 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: cd %t && not lstm-run main.mlir --inputs magic-only.npy 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: cd %t && not lstm-run main.mlir --inputs no-length.npy 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: cd %t && not lstm-run main.mlir --inputs version.npy 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: cd %t && not lstm-run main.mlir --inputs header-too-long.npy 2>&1 | FileCheck %s --check-prefix=LENGTH
// RUN: cd %t && not lstm-run main.mlir --inputs header-huge.npy 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: cd %t && not lstm-run main.mlir --entry rank3 --inputs overflow.npy 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: cd %t && not lstm-run main.mlir --entry rank3 --inputs overflow-zero.npy 2>&1 | FileCheck %s --check-prefix=OVERFLOW0
// RUN: cd %t && not lstm-run main.mlir --inputs size-overflow.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: cd %t && not lstm-run main.mlir --inputs negative.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: cd %t && not lstm-run main.mlir --inputs no-tuple.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: cd %t && not lstm-run main.mlir --inputs rank.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: cd %t && not lstm-run main.mlir --inputs short.npy 2>&1 | FileCheck %s --check-prefix=DATASHORT
// RUN: cd %t && not lstm-run main.mlir --inputs long.npy 2>&1 | FileCheck %s --check-prefix=DATALONG
// RUN: cd %t && not lstm-run main.mlir --inputs object.npy 2>&1 | FileCheck %s --check-prefix=OBJECT
// RUN: cd %t && not lstm-run main.mlir --inputs struct.npy 2>&1 | FileCheck %s --check-prefix=STRUCT
// RUN: cd %t && not lstm-run main.mlir --inputs no-dictionary.npy 2>&1 | FileCheck %s --check-prefix=DICTIONARY
// RUN: cd %t && not lstm-run main.mlir --inputs open-string.npy 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: cd %t && not lstm-run main.mlir --inputs no-key.npy 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: cd %t && not lstm-run main.mlir --inputs other-key.npy 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: cd %t && not lstm-run main.mlir --inputs order.npy 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: cd %t && not lstm-run main.mlir --inputs tail.npy 2>&1 | FileCheck %s --check-prefix=TAIL
// RUN: cd %t && not lstm-run main.mlir --inputs unclosed.npy 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: cd %t && not lstm-run main.mlir --entry bool --inputs bool.npy 2>&1 | FileCheck %s --check-prefix=BOOL

// NONE: error: 'none.npy': No such file or directory
// FOLDER: error: 'folder.npy': not a regular file
// NEITHER: error: '{{.*}}.npy': neither a .npz archive nor a .npy file
// SHORT: error: argument 'x' (in '{{.*}}.npy'): too short for a .npy array
// VERSION: error: argument 'x' (in 'version.npy'): unknown .npy version 4.0
// LENGTH: error: argument 'x' (in 'header-too-long.npy'): the header's length is 1000, but there are [[#]] bytes left
// HUGE: error: argument 'x' (in 'header-huge.npy'): the header's length is 4294967295, but
// OVERFLOW: error: argument 'x' (in 'overflow.npy'): the size of shape 4294967296x4294967296x2 overflows
// OVERFLOW0: error: argument 'x' (in 'overflow-zero.npy'): the size of shape 0x4611686018427387904x4611686018427387904 overflows
// SHAPE: error: argument 'x' (in '{{.*}}.npy'): the header is malformed: expected a shape before '
// DATASHORT: error: argument 'x' (in 'short.npy'): shape 2 of '<f4' takes 8 bytes, but there are 7
// DATALONG: error: argument 'x' (in 'long.npy'): shape 2 of '<f4' takes 8 bytes, but there are 9
// OBJECT: error: argument 'x' (in 'object.npy'): arrays of Python objects ('|O') are not supported
// STRUCT: error: argument 'x' (in 'struct.npy'): arrays of structures are not supported
// DICTIONARY: error: argument 'x' (in 'no-dictionary.npy'): the header is malformed: expected '{' before 'hello
// KEY: error: argument 'x' (in '{{.*}}.npy'): the header is malformed: expected {{.*}} before '
// LACKS: error: argument 'x' (in 'no-key.npy'): the header lacks 'descr', 'fortran_order' or 'shape'
// OTHER: error: argument 'x' (in 'other-key.npy'): the header has an unknown or repeated key 'other'
// ORDER: error: argument 'x' (in 'order.npy'): the header is malformed: expected True or False before '1, 'shape'
// TAIL: error: argument 'x' (in 'tail.npy'): the header is malformed: expected the end before ' + 1
// BOOL: error: argument 'x' (in 'bool.npy'): expected booleans to be 0 or 1, but byte 1 is 2

//--- main.mlir

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @rank3(%x: tensor<?x?x?xf32>) {
  return
}
func.func @bool(%x: tensor<?xi1>) {
  return
}

//--- arrays.py

import os
import struct
import numpy as np


def write(name, header, data=np.float32([1, 2]).tobytes(), version=1, length=None):
    header = header.encode()
    length = len(header) if length is None else length
    with open(name + ".npy", "wb") as file:
        file.write(b"\x93NUMPY" + bytes([version, 0]))
        file.write(struct.pack("<H" if version == 1 else "<I", length))
        file.write(header + data)


def header(shape="(2,)", descr="'<f4'", order="False"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


write("good", '  { "shape":( 2 ,),"descr" :"<f4", \'fortran_order\' : True}')
write("python2", header("(2L,)"))
os.makedirs("folder.npy", exist_ok=True)
open("zero-bytes.npy", "wb").close()
open("text.npy", "w").write("this is no array at all")
open("magic-only.npy", "wb").write(b"\x93NUMPY")
open("no-length.npy", "wb").write(b"\x93NUMPY\x02\x00\x01\x00")
write("version", header(), version=4)
write("header-too-long", header(), length=1000)
write("header-huge", header(), version=2, length=2**32 - 1)
write("overflow", header("(4294967296, 4294967296, 2)"))
write("overflow-zero", header("(0, 4611686018427387904, 4611686018427387904)"))
write("size-overflow", header("(18446744073709551617,)"))
write("negative", header("(-1,)"))
write("no-tuple", header("(2)"))
write("rank", header("(" + 100 * "1, " + ")"))
write("short", header(), data=b"1234567")
write("long", header(), data=b"123456789")
np.save("object.npy", np.array([None, {}]))
np.save("struct.npy", np.zeros(2, [("a", "<f4")]))
write("no-dictionary", "hello there, this is no header")
write("open-string", "{'descr: <f4, shape")
write("no-key", "{'descr': '<f4', 'shape': (2,)}")
write("other-key", "{'descr': '<f4', 'other': (2,)}")
write("order", header(order="1"))
write("tail", header().strip() + " + 1")
write("unclosed", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), ")
write("bool", header(descr="'|b1'"), data=bytes([1, 2]))
