# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads programs that lstm-compile made and calls them."""

import ctypes
import json
import os
import sys
import threading

import numpy as np

from . import arrays
from .arrays import KINDS, Tensor
from .session import DeviceArray, Error, Runtime, Session, Status, StorageView, to_stream


class _Dropped:
    def __repr__(self):
        return "DROPPED"


# In `out`, for a result that is not wanted.
DROPPED = _Dropped()

_SCALARS = {"f64": ctypes.c_double, "f32": ctypes.c_float, "f16": ctypes.c_uint16, "bf16": ctypes.c_uint16,
            "i64": ctypes.c_int64, "i32": ctypes.c_int32, "bool": ctypes.c_bool}


def load(path):
    """The program of a library that lstm-compile made."""
    return Program(path)


class _HostMemory:
    """A result that a program for CPUs allocated."""

    def __init__(self, tensor, dtype, free):
        self._tensor, self._free = tensor, free
        kind = np.dtype(arrays.STORAGE[dtype])
        self.__array_interface__ = {
            "shape": tensor.sizes(), "typestr": kind.str, "data": (tensor.data, False), "version": 3,
            "strides": tuple(stride * kind.itemsize for stride in tensor.strides[:tensor.rank])}

    def __del__(self):
        self._free(ctypes.byref(self._tensor))


def _to_bits(value, dtype):
    """f16 and bf16 are passed as their bits."""
    if dtype == "f16":
        return int(np.float16(value).view(np.uint16))
    bits = int(np.float32(value).view(np.uint32))
    return 0x7FC0 if value != value else (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def _from_bits(bits, dtype):
    if dtype == "f16":
        return float(np.uint16(bits).view(np.float16))
    return float(np.uint32(bits << 16).view(np.float32))


class _Port:
    """An argument or a result, as the program's table has it."""

    def __init__(self, what, entry):
        self.what, self.name, self.dtype = what, entry["name"], entry["dtype"]
        self.is_tensor = entry["shape"] is not None
        self.shape = tuple(entry["shape"]) if self.is_tensor else None

    @property
    def has_known_shape(self):
        return self.is_tensor and -1 not in self.shape

    def __str__(self):
        sizes = "" if not self.is_tensor else f"[{', '.join('?' if n < 0 else str(n) for n in self.shape)}]"
        return f"{self.name}: {self.dtype}{sizes}"

    def fail(self, kind, message):
        raise kind(f"{self.what} '{self.name}': {message}") from None

    def to_scalar(self, value):
        if isinstance(value, (np.ndarray, np.generic)) and value.ndim == 0:
            value = value.item()
        if self.dtype[0] == "f" or self.dtype == "bf16":
            if not isinstance(value, (int, float)):
                self.fail(TypeError, f"expected a number, but got {type(value).__name__}")
            return _to_bits(value, self.dtype) if self.dtype in ("f16", "bf16") else float(value)
        if self.dtype == "bool":
            if not isinstance(value, (bool, np.bool_)):
                self.fail(TypeError, f"expected True or False, but got {type(value).__name__}")
            return bool(value)
        try:
            value = value.__index__()
        except AttributeError:
            self.fail(TypeError, f"expected an integer, but got {type(value).__name__}")
        bits = int(self.dtype[1:])
        if not -(1 << bits - 1) <= value < 1 << bits - 1:
            self.fail(OverflowError, f"expected an integer of {bits} bits, but got {value}")
        return value

    def from_scalar(self, value):
        return _from_bits(value, self.dtype) if self.dtype in ("f16", "bf16") else value


class _Slot:
    """A tensor of a frame, and what it was filled from."""

    def __init__(self, port):
        self.port, self.tensor = port, Tensor()
        self.address = ctypes.addressof(self.tensor)
        self.key, self.info, self.kind = None, None, None

    def fill(self, array, stream):
        kind = KINDS.get(type(array)) or arrays.kind_of(array)
        if kind is None and isinstance(array, np.generic) and self.port.what == "argument":
            # What NumPy makes of arrays without dimensions.
            array, kind = np.asarray(array), arrays.NumPy
        if kind is None:
            self.port.fail(TypeError, f"expected an array, but got {type(array).__name__}")
        key = kind.key(array)
        if key is None or key != self.key:
            self.key = None
            try:
                info = kind.describe(array, stream)
            except (TypeError, ValueError, BufferError) as error:
                self.port.fail(type(error), str(error))
            if len(info.shape) > arrays.MAX_RANK:
                self.port.fail(ValueError, f"expected rank {arrays.MAX_RANK} at most, but got {len(info.shape)}")
            self.tensor.set(info.data, info.dtype, info.shape, info.strides)
            # No array is kept alive by what is remembered.
            self.info, self.kind, self.key = info._replace(keep=None), kind, key
            return info.keep
        return None

    def forget(self):
        """Of a result: memory of its own."""
        self.key = self.info = self.kind = self.tensor.data = self.tensor.owner = None


class _Frame:
    """What one call at a time of an entry passes."""

    def __init__(self, entry):
        self.inputs = [_Slot(p) if p.is_tensor else None for p in entry.arguments]
        self.outputs = [_Slot(p) if p.is_tensor else None for p in entry.results]
        self.scalars = [None if p.is_tensor else _SCALARS[p.dtype]() for p in entry.results]
        self.tensors = [slot for slot in (*self.inputs, *self.outputs) if slot]
        self.values = [None] * (len(self.inputs) + len(self.outputs))


class Entry:
    """A function of a program. Called with arrays by position or by name; returns its result, or a tuple of them.

    `out` gives places for results, by position or, in a dictionary, by name; a place that is None or left out
    means new memory, DROPPED no result. `stream` and `session` are those of a call on a GPU."""

    def __init__(self, program, entry):
        self.program, self.name = program, entry["name"]
        self.arguments = [_Port("argument", p) for p in entry["arguments"]]
        self.results = [_Port("result", p) for p in entry["results"]]
        self._positions = {p.name: i for i, p in enumerate(self.arguments)}
        self._result_positions = {p.name: i for i, p in enumerate(self.results)}
        self._frames = []
        self._shapes = {}
        self._function = program.library[entry["symbol"]]
        self._function.restype = ctypes.c_int32
        first = [ctypes.c_void_p, ctypes.c_void_p] if program.target == "cuda" else []
        self._function.argtypes = first + [ctypes.c_void_p if p.is_tensor else _SCALARS[p.dtype]
                                           for p in self.arguments] + [ctypes.c_void_p] * len(self.results)
        self._call = self._call_cuda if program.target == "cuda" else self._call_cpu

    def __repr__(self):
        return f"{self.name}({', '.join(map(str, self.arguments))}) -> ({', '.join(map(str, self.results))})"

    def __call__(self, *args, out=None, stream=None, session=None, **named):
        if named or len(args) != len(self.arguments):
            args = self._order(args, named)
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = _Frame(self)
        try:
            return self._call(frame, args, self._places(out), stream, session)
        finally:
            self._frames.append(frame)

    def bind(self, *args, out, session=None, **named):
        """A function that makes this call again and again, on the same memory and at little cost: it takes `stream`
        alone and returns `out`, which has a place for every tensor, or DROPPED. Arrays must be where the program runs."""
        return Bound(self, self._order(args, named), self._places(out), session)

    def _order(self, args, named):
        if len(args) > len(self.arguments):
            raise TypeError(f"'{self.name}' takes {len(self.arguments)} arguments, but {len(args)} are given")
        ordered = list(args) + [None] * (len(self.arguments) - len(args))
        missing = [p.name for p in self.arguments[len(args):] if p.name not in named]
        for name, value in named.items():
            position = self._positions.get(name)
            if position is None:
                raise TypeError(f"'{self.name}' has no argument '{name}'; it has "
                                + ", ".join(f"'{p.name}'" for p in self.arguments))
            if position < len(args):
                raise TypeError(f"argument '{name}' of '{self.name}' is given twice")
            ordered[position] = value
        if missing:
            raise TypeError(f"'{self.name}' misses {', '.join(repr(name) for name in missing)}")
        return ordered

    def _places(self, out):
        """A place for each result, or None."""
        if out is None:
            return None
        if isinstance(out, dict):
            places = [None] * len(self.results)
            for name, place in out.items():
                if name not in self._result_positions:
                    raise TypeError(f"'{self.name}' has no result '{name}'; it has "
                                    + ", ".join(f"'{p.name}'" for p in self.results))
                places[self._result_positions[name]] = place
            return places
        if not isinstance(out, (tuple, list)):
            out = (out,)
        if len(out) != len(self.results):
            raise TypeError(f"'{self.name}' has {len(self.results)} results, but 'out' has {len(out)} places")
        return out

    def _fill_arguments(self, frame, args, stream):
        """Returns what must live until the call's end."""
        keep = []
        values = frame.values
        for i, (slot, value) in enumerate(zip(frame.inputs, args)):
            if slot is None:
                values[i] = self.arguments[i].to_scalar(value)
            else:
                keep.append(slot.fill(value, stream))
                values[i] = slot.address
        return keep

    def _fill_places(self, frame, places, stream):
        keep = []
        at = len(frame.inputs)
        for i, slot in enumerate(frame.outputs):
            place = places[i] if places else None
            if place is DROPPED:
                if slot:
                    slot.forget()
                frame.values[at + i] = None
            elif slot is None:
                if place is not None:
                    self.results[i].fail(TypeError, "is a scalar, which is returned; it has no place")
                frame.values[at + i] = ctypes.addressof(frame.scalars[i])
            else:
                if place is None:
                    slot.forget()
                else:
                    keep.append(slot.fill(place, stream))
                    if not slot.info.writable:
                        slot.port.fail(ValueError, "the place is read-only")
                frame.values[at + i] = slot.address
        return keep

    def _returned(self, frame, places, wrap):
        made = []
        for i, port in enumerate(self.results):
            place = places[i] if places else None
            if place is DROPPED:
                made.append(None)
            elif frame.outputs[i] is None:
                made.append(port.from_scalar(frame.scalars[i].value))
            else:
                made.append(place if place is not None else wrap(frame.outputs[i]))
        return made[0] if len(made) == 1 else tuple(made) if made else None

    # On CPUs

    def _call_cpu(self, frame, args, places, stream, session):
        if stream is not None or session is not None:
            raise TypeError(f"'{self.name}' runs on the CPU, without stream and session")
        keep = self._fill_arguments(frame, args, None), self._fill_places(frame, places, None)
        torch = False
        for slot in frame.tensors:
            if slot.info:
                if slot.info.device is not None:
                    slot.port.fail(TypeError, "the program is for CPUs, but the array is on a GPU")
                torch = torch or slot.kind is arrays.Torch
        status = self._function(*frame.values)
        del keep
        if status:
            raise Error(status, self.program.last_error().decode())

        def wrap(slot):
            tensor = Tensor()
            ctypes.pointer(tensor)[0] = slot.tensor
            array = np.asarray(_HostMemory(tensor, slot.port.dtype, self.program.free))
            slot.forget()
            return arrays.as_torch(array, slot.port.dtype) if torch else arrays.as_numpy(array, slot.port.dtype)

        return self._returned(frame, places, wrap)

    # On GPUs

    def _call_cuda(self, frame, args, places, stream, session):
        torch = device = None
        for slot, value in zip(frame.inputs, args):
            if slot and (KINDS.get(type(value)) or arrays.kind_of(value)) is arrays.Torch:
                # PyTorch's current stream of the device that the first tensor is on.
                torch = sys.modules["torch"]
                if stream is None and value.is_cuda:
                    stream = torch._C._cuda_getCurrentRawStream(value.device.index)
                break
        waits = stream is None and torch is None
        if stream is not None:
            stream = to_stream(stream)
        keep = self._fill_arguments(frame, args, stream), self._fill_places(frame, places, stream)
        on_host = []
        for slot in frame.tensors:
            info = slot.info
            if info is None:
                continue
            if info.device is None:
                on_host.append(slot)
            elif device is None:
                device = info.device
            elif device != info.device:
                slot.port.fail(ValueError, f"expected to be on device {device}, but it is on {info.device}")
        session = session or self.program.session(device)
        if device is not None and device != session.device:
            raise ValueError(f"the arrays are on device {device}, but the session is of device {session.device}")
        with session.lock:
            if session.handle is None:
                raise ValueError("the session is closed")
            if on_host or device is None:
                made = self._call_from_host(frame, places, on_host, device, stream, session)
            elif torch and (places is None or any(place is None for place in places)):
                made = self._call_with_torch(frame, args, places, torch, stream, session)
            else:
                session.check(self._function(session.handle, stream, *frame.values))
                made = self._returned(frame, places, self._wrap_device(None, stream, session))
            if waits and not on_host:
                session.wait(stream)
        del keep
        return made

    def _call_with_torch(self, frame, args, places, torch, stream, session):
        """Results in PyTorch's memory, where their shapes are known: from the program or from a call like this one."""
        key = tuple(slot.info.shape if slot else value for slot, value in zip(frame.inputs, args))
        shapes = self._shapes.get(key) or [p.shape if p.has_known_shape else None for p in self.results]
        given = list(places or [None] * len(self.results))
        for i, (slot, shape) in enumerate(zip(frame.outputs, shapes)):
            if slot and given[i] is None and shape is not None:
                given[i] = arrays.torch_empty(shape, slot.port.dtype, session.device)
                slot.fill(given[i], stream)
        status = self._function(session.handle, stream, *frame.values)
        if status == Status.WRONG_SHAPE and self._shapes.pop(key, None):
            # The results' shapes depend on more than the arguments' shapes.
            given = list(places or [None] * len(self.results))
            self._fill_places(frame, places, stream)
            status = self._function(session.handle, stream, *frame.values)
        session.check(status)
        if key not in self._shapes:
            if len(self._shapes) >= 256:
                self._shapes.clear()
            self._shapes[key] = [slot.tensor.sizes() if slot else None for slot in frame.outputs]
        return self._returned(frame, given, self._wrap_device(torch, stream, session))

    def _wrap_device(self, torch, stream, session):
        def wrap(slot):
            tensor = Tensor()
            ctypes.pointer(tensor)[0] = slot.tensor
            slot.forget()
            array = DeviceArray(session, tensor, slot.port.dtype, stream)
            if not torch:
                return array
            return arrays.as_torch(StorageView(array) if array.dtype == "bf16" else array, array.dtype)
        return wrap

    def _call_from_host(self, frame, places, on_host, device, stream, session):
        """Copies what is on the host to the device and back; waits."""
        memory, back = [], []
        try:
            for slot in on_host:
                info = slot.info
                slot.key = None
                source = _host_array(slot.tensor, info)
                flat = np.ascontiguousarray(source)
                data = session.allocate(max(flat.nbytes, 1))
                memory.append(data)
                slot.tensor.set(data, info.dtype, info.shape, arrays.row_major(info.shape))
                if slot in frame.outputs:
                    back.append((source, data))
                else:
                    session.copy(data, flat.ctypes.data, flat.nbytes, stream)
            session.check(self._function(session.handle, stream, *frame.values))
            fetched = []
            for target, data in back:
                fetched.append((target, np.empty(target.shape, target.dtype)))
                session.copy(fetched[-1][1].ctypes.data, data, target.nbytes, stream)
            session.wait(stream)
            for target, values in fetched:
                target[...] = values
            made = self._returned(frame, places, self._wrap_device(None, stream, session))
            if device is not None:
                return made
            results = made if isinstance(made, tuple) else (made,)
            results = tuple(r.numpy() if isinstance(r, DeviceArray) else r for r in results)
            return results if isinstance(made, tuple) else results[0]
        finally:
            for data in memory:
                session.runtime.free(session.handle, data)


class Bound:
    """What Entry.bind returns."""

    def __init__(self, entry, args, places, session):
        self._entry, self._places, self._frame = entry, places, _Frame(entry)
        self._is_cuda = entry.program.target == "cuda"
        # What was passed stays alive as long as it may be called.
        self._keep = args, entry._fill_arguments(self._frame, args, None), entry._fill_places(self._frame, places, None)
        devices = set()
        for slot, place in zip(self._frame.outputs, places):
            if slot and place is None:
                slot.port.fail(TypeError, "a bound call needs its place")
        for slot in self._frame.tensors:
            if slot.info:
                devices.add(slot.info.device)
                if (slot.info.device is not None) != self._is_cuda:
                    slot.port.fail(TypeError, "a bound call copies nothing: expected memory of "
                                   + ("the GPU" if self._is_cuda else "the host"))
        if len(devices) > 1:
            raise ValueError(f"the arrays are on several devices: {sorted(devices)}")
        device = next(iter(devices), None)
        self._session = session or entry.program.session(device) if self._is_cuda else None
        torch = sys.modules.get("torch")
        is_torch = any(slot.kind is arrays.Torch for slot in self._frame.tensors if slot.info)
        self._current = torch._C._cuda_getCurrentRawStream if self._is_cuda and is_torch else None

    def __call__(self, stream=None):
        entry, values = self._entry, self._frame.values
        if self._is_cuda:
            session = self._session
            if stream is not None:
                stream = to_stream(stream)
            elif self._current:
                stream = self._current(session.device)
            with session.lock:
                if session.handle is None:
                    raise ValueError("the session is closed")
                status = entry._function(session.handle, stream, *values)
                if status:
                    session.check(status)
        else:
            status = entry._function(*values)
            if status:
                raise Error(status, entry.program.last_error().decode())
        return entry._returned(self._frame, self._places, None)


def _host_array(tensor, info):
    """The memory that a tensor describes, as an array."""
    kind = np.dtype(arrays.STORAGE[info.dtype])
    if not info.data or not arrays.count(info.shape):
        return np.empty(info.shape, kind)

    class View:
        __array_interface__ = {"shape": info.shape, "typestr": kind.str, "data": (info.data, not info.writable),
                               "version": 3, "strides": tuple(stride * kind.itemsize for stride in info.strides)}
    return np.asarray(View())


class Program:
    """A compiled program. Its entries are attributes, or items where a name is none of Python's."""

    def __init__(self, path):
        path = os.fspath(path)
        # Without a folder the system would look elsewhere.
        self.path = os.path.abspath(path)
        self.library = ctypes.CDLL(self.path)
        try:
            text = ctypes.addressof(ctypes.c_char.in_dll(self.library, "lstm_program"))
        except ValueError:
            raise ValueError(f"'{path}' is no program of lstm-compile: it has no 'lstm_program'") from None
        table = json.loads(ctypes.string_at(text))
        self.target, self.prefix = table["target"], table["prefix"]
        if self.target == "cpu":
            self.free = self.library[f"{self.prefix}_free"]
            self.free.argtypes, self.free.restype = [ctypes.c_void_p], None
            self.last_error = self.library[f"{self.prefix}_last_error"]
            self.last_error.argtypes, self.last_error.restype = [], ctypes.c_char_p
        elif self.target == "cuda":
            self.runtime = Runtime(self.library)
        else:
            raise ValueError(f"'{path}' is for '{self.target}'; this loader knows 'cpu' and 'cuda'")
        self.entries = {entry["name"]: Entry(self, entry) for entry in table["entries"]}

    def __repr__(self):
        return f"<program '{self.path}' for {self.target}: {'; '.join(map(repr, self.entries.values()))}>"

    def __getitem__(self, name):
        try:
            return self.entries[name]
        except KeyError:
            raise KeyError(f"no entry '{name}'; there is {', '.join(repr(n) for n in self.entries)}") from None

    def __getattr__(self, name):
        entries = self.__dict__.get("entries", {})
        if name in entries:
            return entries[name]
        raise AttributeError(f"no entry '{name}'; there is {', '.join(repr(n) for n in entries)}")

    def set_num_threads(self, count):
        """Of a program for CPUs, from the next call on; 0 brings the default back."""
        if self.target != "cpu":
            raise TypeError("only a program for CPUs has threads")
        function = self.library[f"{self.prefix}_set_num_threads"]
        function.argtypes, function.restype = [ctypes.c_int64], None
        function(count)

    def session(self, device=None):
        """This thread's session on a device (the current one)."""
        if device is None:
            torch = sys.modules.get("torch")
            device = torch.cuda.current_device() if torch and torch.cuda.is_available() else 0
        key = self.runtime.address, device
        session = _local.sessions.get(key)
        if session is None or session.handle is None:
            session = _local.sessions[key] = Session(self, device)
        return session


class _Local(threading.local):
    def __init__(self):
        self.sessions = {}


_local = _Local()
