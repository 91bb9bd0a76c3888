# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of NumPy, PyTorch and others as the tensors of compiled programs, without copies.

A kind of array has two functions. `key(array)` is cheap, and equal for arrays that are the same
tensor; None says that it cannot tell. `describe(array, stream)` gives all that the tensor needs.
"""

import ctypes
import sys
from collections import namedtuple

import numpy as np

MAX_RANK = 8
# Of lstm-runtime/tensor.h, and the names that other libraries have for these types.
DTYPES = {"f64": 1, "f32": 2, "f16": 3, "bf16": 4, "i64": 5, "i32": 6, "bool": 7}
NAMES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "uint16": "bf16",
         "int64": "i64", "int32": "i32", "bool": "bool"}
STORAGE = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i64": np.int64,
           "i32": np.int32, "bool": np.bool_}
TORCH_NAMES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "i64": "int64",
               "i32": "int32", "bool": "bool"}
# (type code, bits) of DLPack.
DLPACK_TYPES = {"f64": (2, 64), "f32": (2, 32), "f16": (2, 16), "bf16": (4, 16), "i64": (0, 64), "i32": (0, 32),
                "bool": (6, 8)}
DLPACK_CPU, DLPACK_CUDA, DLPACK_CUDA_MANAGED = 1, 2, 13


class Tensor(ctypes.Structure):
    """lstm_tensor."""

    _fields_ = [("data", ctypes.c_void_p), ("rank", ctypes.c_int64), ("dtype", ctypes.c_int32),
                ("shape", ctypes.c_int64 * MAX_RANK), ("strides", ctypes.c_int64 * MAX_RANK),
                ("owner", ctypes.c_void_p)]

    def set(self, data, dtype, shape, strides):
        rank = len(shape)
        self.data, self.rank, self.dtype, self.owner = data, rank, DTYPES[dtype], None
        self.shape[:rank], self.strides[:rank] = shape, strides

    def sizes(self):
        return tuple(self.shape[:self.rank])


# `strides` counts elements, `device` is None for the host, `keep` is what the memory needs.
Description = namedtuple("Description", "data dtype shape strides device writable keep")


def row_major(shape):
    strides, stride = [], 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= size
    return tuple(reversed(strides))


def count(shape):
    product = 1
    for size in shape:
        product *= size
    return product


def to_elements(strides, itemsize):
    if any(stride % itemsize for stride in strides):
        raise ValueError(f"expects strides in whole elements of {itemsize} bytes, but they are {tuple(strides)} bytes")
    return tuple(stride // itemsize for stride in strides)


def name_of(dtype):
    name = NAMES.get(str(dtype).removeprefix("torch."))
    if name is None:
        raise TypeError(f"elements of type {dtype} are not supported; {', '.join(DTYPES)} are")
    return name


class NumPy:
    on_device = False

    @staticmethod
    def key(array):
        return array.ctypes.data, array.shape, array.strides, array.dtype

    @staticmethod
    def describe(array, stream=None):
        dtype = name_of(array.dtype)
        strides = to_elements(array.strides, array.itemsize)
        return Description(array.ctypes.data, dtype, array.shape, strides, None, array.flags.writeable, array)


class Torch:
    on_device = True

    @staticmethod
    def key(array):
        return array.data_ptr(), array.shape, array.stride(), array.dtype

    @staticmethod
    def describe(array, stream=None):
        if array.device.type not in ("cpu", "cuda"):
            raise TypeError(f"a tensor on the device '{array.device}' is not supported; 'cpu' and 'cuda' are")
        device = array.device.index if array.is_cuda else None
        return Description(array.data_ptr(), name_of(array.dtype), tuple(array.shape), array.stride(), device, True,
                           array)


class Foreign:
    """What has __cuda_array_interface__ or __dlpack__."""

    on_device = True

    @staticmethod
    def key(array):
        return None

    @staticmethod
    def describe(array, stream=None):
        # The device's number is only in DLPack, and some types, too.
        if hasattr(array, "__dlpack_device__"):
            return describe_dlpack(array, stream)
        interface = array.__cuda_array_interface__
        shape, kind = tuple(interface["shape"]), np.dtype(interface["typestr"])
        strides = interface.get("strides")
        strides = row_major(shape) if strides is None else to_elements(strides, kind.itemsize)
        data, read_only = interface["data"]
        return Description(data, name_of(kind), shape, strides, 0, not read_only, array)


KINDS = {np.ndarray: NumPy}


def kind_of(array):
    """Of an array's type, which is remembered; None for what is no array."""
    torch = sys.modules.get("torch")
    if isinstance(array, np.ndarray):
        kind = NumPy
    elif torch and isinstance(array, torch.Tensor):
        kind = Torch
    elif hasattr(type(array), "__dlpack__") or hasattr(type(array), "__cuda_array_interface__"):
        kind = Foreign
    else:
        return None
    KINDS[type(array)] = kind
    return kind


# DLPack


class DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", DLDevice), ("ndim", ctypes.c_int32), ("dtype", DLDataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    pass


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


def describe_dlpack(array, stream):
    """Has the producer wait until `stream` may read. The capsule, which is not consumed, keeps the memory."""
    kind, device = array.__dlpack_device__()
    if kind not in (DLPACK_CPU, DLPACK_CUDA, DLPACK_CUDA_MANAGED):
        raise TypeError(f"an array on a device of DLPack's type {kind} is not supported; CPU and CUDA are")
    # 1 is the legacy stream there.
    capsule = array.__dlpack__() if kind == DLPACK_CPU else array.__dlpack__(stream=stream or 1)
    tensor = ctypes.cast(_get_pointer(capsule, b"dltensor"), ctypes.POINTER(DLManagedTensor)).contents.tensor
    types = {value: name for name, value in DLPACK_TYPES.items()} | {(1, 16): "bf16", (1, 8): None}
    dtype = types.get((tensor.dtype.code, tensor.dtype.bits)) if tensor.dtype.lanes == 1 else None
    if dtype is None:
        raise TypeError(f"elements of DLPack's type {tensor.dtype.code} of {tensor.dtype.bits} bits are not supported")
    shape = tuple(tensor.shape[:tensor.ndim])
    strides = tuple(tensor.strides[:tensor.ndim]) if tensor.strides else row_major(shape)
    # Who hands out immutable arrays (JAX) says so only in later versions of the protocol.
    return Description((tensor.data or 0) + tensor.byte_offset, dtype, shape, strides,
                       None if kind == DLPACK_CPU else device, not type(array).__module__.startswith("jax"), capsule)


# What was handed out as DLPack and not deleted yet, by address.
_exported = {}


@DELETER
def _delete(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _delete_capsule(capsule):
    # A consumer renames the capsule and calls the deleter itself.
    if _is_valid(capsule, b"dltensor"):
        _exported.pop(_pointer_of(capsule, b"dltensor"), None)


def export_dlpack(data, dtype, shape, strides, device, owner):
    """A capsule that holds `owner` until it, or who took it over, is gone."""
    sizes, steps = (ctypes.c_int64 * max(len(shape), 1))(*shape), (ctypes.c_int64 * max(len(shape), 1))(*strides)
    code, bits = DLPACK_TYPES[dtype]
    managed = DLManagedTensor(DLTensor(data, DLDevice(DLPACK_CUDA, device), len(shape), DLDataType(code, bits, 1), sizes,
                                       steps, 0), None, _delete)
    _exported[ctypes.addressof(managed)] = (managed, sizes, steps, owner)
    return _new_capsule(ctypes.addressof(managed), b"dltensor", ctypes.cast(_delete_capsule, ctypes.c_void_p))


# Results


def as_numpy(array, dtype):
    """An array of the storage type as one of the type itself, where NumPy has it."""
    if dtype != "bf16":
        return array
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        return array
    return array.view(bfloat16)


def as_torch(array, dtype):
    """From NumPy or from __cuda_array_interface__, neither of which has bf16."""
    torch = sys.modules["torch"]
    if isinstance(array, np.ndarray):
        made = torch.from_numpy(array.view(np.int16) if dtype == "bf16" else array)
    else:
        made = torch.as_tensor(array, device=f"cuda:{array.device}")
    return made.view(torch.bfloat16) if dtype == "bf16" else made


def torch_empty(shape, dtype, device):
    torch = sys.modules["torch"]
    return torch.empty(shape, dtype=getattr(torch, TORCH_NAMES[dtype]), device=f"cuda:{device}")
