# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks lstm_mlir on a program for GPUs without a GPU: check_cuda.py PROGRAM

The program and its run-time are fakes that work in the host's memory."""

import ctypes
import gc
import pathlib
import sys
import threading
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python_bindings"))
import lstm_mlir  # noqa: E402
from lstm_mlir import DROPPED, arrays  # noqa: E402

program = lstm_mlir.load(sys.argv[1])
session = program.session()
count = session.get


class OnDevice:
    """What CuPy's arrays are to the loader, by either protocol."""

    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        a = self.array
        return {"shape": a.shape, "typestr": a.dtype.str, "data": (a.ctypes.data, False), "strides": a.strides, "version": 3}


class ByDLPack(OnDevice):
    __cuda_array_interface__ = property()
    device = 0

    def __dlpack_device__(self):
        return arrays.DLPACK_CUDA, self.device

    def __dlpack__(self, stream=None):
        self.stream, a = stream, self.array
        return arrays.export_dlpack(a.ctypes.data, "f32", a.shape, [s // 4 for s in a.strides], self.device, a)


def refuses(kind, text, function, *args, **named):
    try:
        function(*args, **named)
    except kind as error:
        assert text in str(error), str(error)
        return error
    raise AssertionError(f"no error '{text}'")


def on_host():
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    y, stream = program.main(x, 2.0)
    assert isinstance(y, np.ndarray) and np.array_equal(y, 2 * x) and stream == 0
    # Strides, places, a result over the argument.
    assert np.array_equal(program.main(x[::2], 3.0)[0], 3 * x[::2])
    place = np.zeros((8, 3), np.float32)
    assert program.main(x=x, scale=2.0, out={"y": place[::2]})[0].base is place
    assert np.array_equal(place[::2], 2 * x) and not place[1::2].any()
    doubled = 2 * x
    program.main(x, 2.0, out=(x, None))
    assert np.array_equal(x, doubled)
    assert program.main(x, 2.0, out=(DROPPED, None))[0] is None
    assert program.main(x[:0], 1.0)[0].shape == (0, 3)
    gc.collect()
    assert count("blocks") == 0
    error = refuses(lstm_mlir.Error, "the session's message", program.main, x[0], 1.0)
    assert error.status == lstm_mlir.Status.WRONG_RANK and count("blocks") == 0


def on_device():
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    for kind in (OnDevice, ByDLPack):
        given, waits = kind(x[::2]), count("waits")
        y, stream = program.main(given, 2.0)
        assert isinstance(y, lstm_mlir.DeviceArray) and np.array_equal(y.numpy(), 2 * x[::2])
        assert stream == 0 and count("waits") > waits and count("blocks") == 1
        # Its memory as others take it over.
        back = arrays.describe_dlpack(y, None)
        assert (back.shape, back.dtype, back.device) == ((2, 3), "f32", 0)
        assert back.data == y.__cuda_array_interface__["data"][0]
        del y
        gc.collect()
        assert count("blocks") == 1, "the capsule keeps the memory"
        assert program.main(kind(x[::2]), 1.0, out=(kind(x[1::2]), None)) and np.array_equal(x[1::2], x[::2])
        del back
        gc.collect()
        assert count("blocks") == 0 and not arrays._exported
        # A stream that the caller gives is his to wait for.
        waits = count("waits")
        assert program.main(kind(x), 2.0, stream=77, out=(DROPPED, None))[1] == 77 and count("waits") == waits
    assert given.stream == 1 and isinstance(given, ByDLPack)
    other = ByDLPack(x)
    other.device = 1
    refuses(ValueError, "result 'y': expected to be on device 0, but it is on 1", program.main, ByDLPack(x), 1.0, out=(other, None))


def bound_calls():
    x, y = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
    given, place = ByDLPack(x), ByDLPack(y)
    call = program.main.bind(given, 2.0, out=(place, None))
    for value in (1, 5):
        x[:] = value
        assert call(stream=9) == (place, 9) and (y == 2 * value).all()
    del given, place, call
    gc.collect()
    assert not arrays._exported
    refuses(TypeError, "argument 'x': a bound call copies nothing: expected memory of the GPU", program.main.bind, x, 2.0, out=(y, None))


def sessions():
    other = lstm_mlir.Session(program)
    assert count("sessions") == 2 and program.session() is session
    x = np.ones((1, 3), np.float32)
    assert program.main(x, 2.0, session=other)[0].tolist() == [[2, 2, 2]]
    other.set_option("branches", 2)
    refuses(lstm_mlir.Error, "the session's message", other.set_option, "none", 2)
    refuses(ValueError, "unknown counter 'none'", other.get, "none")
    program.library.fake_fail(ctypes.c_void_p(other.handle))
    assert refuses(lstm_mlir.Error, "message", other.wait).status == lstm_mlir.Status.CHECK_FAILED
    other.wait()
    other.close()
    refuses(ValueError, "the session is closed", program.main, x, 2.0, session=other)
    seen = []

    def work():
        assert program.main(x, 2.0)[0].tolist() == [[2, 2, 2]]
        seen.append(program.session())

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(s) for s in [*seen, session]}) == 4
    seen.clear()
    del threads, thread
    gc.collect()
    assert count("sessions") == 1, count("sessions")


on_host()
on_device()
bound_calls()
sessions()
