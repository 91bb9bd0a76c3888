# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions of programs for GPUs, and memory of the device."""

import ctypes
import enum
import sys
import threading
import weakref

import numpy as np

from . import arrays
from .arrays import Tensor


class Status(enum.IntEnum):
    """What a call returns; lstm-runtime/tensor.h."""

    OK = 0
    NULL_POINTER = 1
    WRONG_DTYPE = 2
    WRONG_RANK = 3
    WRONG_SHAPE = 4
    CHECK_FAILED = 5
    OUT_OF_MEMORY = 6
    NO_DRIVER = 7
    NO_CUBLAS = 8
    CUDA_ERROR = 9
    CUBLAS_ERROR = 10
    NO_KERNEL = 11
    IN_CAPTURE = 12


class Error(RuntimeError):
    """A call that did not return OK: `status`, and `message` as the program says it."""

    def __init__(self, status, message):
        super().__init__(message)
        try:
            self.status = Status(status)
        except ValueError:
            self.status = status
        self.message = message


class Runtime:
    """The functions of liblstm_cuda_runtime.so that a program is linked to."""

    def __init__(self, library):
        pointer, number, word = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64

        def function(name, *arguments, result=number):
            found = library[f"lstm_cuda_{name}"]
            found.argtypes, found.restype = arguments, result
            return found

        self.create = function("create", ctypes.POINTER(pointer))
        self.destroy = function("destroy", pointer, result=None)
        self.last_error = function("last_error", pointer, result=ctypes.c_char_p)
        self.wait = function("wait", pointer, pointer)
        self.set_workspace = function("set_workspace", pointer, pointer, word)
        self.set_option = function("set_option", pointer, ctypes.c_char_p, word)
        self.get = function("get", pointer, ctypes.c_char_p, result=word)
        self.allocate = function("allocate", pointer, word, ctypes.POINTER(pointer))
        self.free = function("free", pointer, pointer)
        self.copy = function("copy", pointer, pointer, pointer, pointer, word)
        self.free_tensor = function("free_tensor", pointer, ctypes.POINTER(Tensor))
        # Programs linked to the same runtime share sessions.
        self.address = ctypes.cast(self.create, pointer).value


class Session:
    """What calls of programs for GPUs share: workspace, cuBLAS, graphs. One thread at a time has it."""

    def __init__(self, program, device=None):
        if program.target != "cuda":
            raise TypeError(f"a session is for programs for 'cuda', but this one is for '{program.target}'")
        self.runtime, self.lock = program.runtime, threading.RLock()
        handle = ctypes.c_void_p()
        torch = sys.modules.get("torch")
        if torch and torch.cuda.is_available():
            with torch.cuda.device(device):
                self.device = torch.cuda.current_device()
                # Work makes the context current on this thread, also while a stream is captured.
                torch.zeros(1, device=f"cuda:{self.device}")
                status = self.runtime.create(ctypes.byref(handle))
        else:
            self.device = device or 0
            status = self.runtime.create(ctypes.byref(handle))
        if status:
            raise Error(status, self.runtime.last_error(None).decode())
        self.handle = handle.value
        # Also at the interpreter's end, while the driver is still there.
        self._close = weakref.finalize(self, self.runtime.destroy, self.handle)

    def close(self):
        """Waits for the session's work and frees what it holds."""
        self._close()
        self.handle = None

    def check(self, status):
        if status:
            raise Error(status, self.runtime.last_error(self.handle).decode())

    def wait(self, stream=None):
        """Waits for the stream; raises what went wrong on the device since the last call."""
        with self.lock:
            self.check(self.runtime.wait(self.handle, to_stream(stream)))

    def set_option(self, name, value):
        with self.lock:
            self.check(self.runtime.set_option(self.handle, name.encode(), value))

    def set_workspace(self, data, size):
        """Memory by address that the caller owns; None takes it back."""
        with self.lock:
            self.check(self.runtime.set_workspace(self.handle, data, size))

    def get(self, counter):
        with self.lock:
            value = self.runtime.get(self.handle, counter.encode())
        if value == -1:
            raise ValueError(f"unknown counter '{counter}'")
        return value

    def allocate(self, size):
        data = ctypes.c_void_p()
        self.check(self.runtime.allocate(self.handle, size, ctypes.byref(data)))
        return data.value or 0

    def copy(self, target, source, size, stream=None):
        if size:
            self.check(self.runtime.copy(self.handle, stream, target, source, size))


class DeviceArray:
    """A result in memory of a device that the run-time allocated: torch.from_dlpack, jax.dlpack.from_dlpack and
    cupy.asarray take it without a copy. It is freed when nothing holds it any more."""

    def __init__(self, session, tensor, dtype, stream):
        self._session, self._tensor, self._stream = session, tensor, stream
        self.dtype, self.shape, self.device = dtype, tensor.sizes(), session.device
        self.strides = tuple(tensor.strides[:tensor.rank])

    def __del__(self):
        session = getattr(self, "_session", None)
        if session and session.handle and session._close.alive:
            with session.lock:
                session.runtime.free_tensor(session.handle, ctypes.byref(self._tensor))

    @property
    def __cuda_array_interface__(self):
        if self.dtype == "bf16":
            raise AttributeError("__cuda_array_interface__ has no bf16; __dlpack__ does")
        return self._interface(np.dtype(arrays.STORAGE[self.dtype]))

    def _interface(self, dtype):
        return {"shape": self.shape, "typestr": dtype.str, "data": (self._tensor.data or 0, False), "version": 3,
                "strides": tuple(stride * dtype.itemsize for stride in self.strides), "stream": self._stream or 1}

    def __dlpack_device__(self):
        return arrays.DLPACK_CUDA, self.device

    def __dlpack__(self, *, stream=None, **_):
        if stream not in (None, -1, self._stream or 1):
            self._session.wait(self._stream)
        return arrays.export_dlpack(self._tensor.data, self.dtype, self.shape, self.strides, self.device, self)

    def numpy(self):
        """A copy on the host."""
        made = np.empty(self.shape, arrays.STORAGE[self.dtype])
        if self.strides != arrays.row_major(self.shape):
            raise ValueError(f"expects an array in row-major order, but its strides are {self.strides}")
        with self._session.lock:
            self._session.copy(made.ctypes.data, self._tensor.data, made.nbytes, self._stream)
            self._session.wait(self._stream)
        return arrays.as_numpy(made, self.dtype)


class StorageView:
    """bf16 as 16-bit integers, for PyTorch, which has no other way to take memory over with its owner."""

    def __init__(self, array):
        self.device = array.device
        self.__cuda_array_interface__ = array._interface(np.dtype(np.int16))
        self.owner = array


def to_stream(stream):
    """A CUstream: a number, or what PyTorch or CuPy has."""
    if not isinstance(stream, int):
        for name in ("cuda_stream", "ptr"):
            stream = getattr(stream, name, stream)
    return stream or None
