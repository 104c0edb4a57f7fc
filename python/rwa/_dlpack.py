"""DLPack structs and capsules, which let libraries share arrays without copying them."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from typing import Any

from ._library import library

CPU = 1
_DEVICES = {1: "cpu", 2: "cuda", 3: "cuda-host", 10: "rocm", 13: "cuda-managed"}
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}
_NAME = b"dltensor"


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", ctypes.POINTER(c_int64)),
        ("strides", ctypes.POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(self.shape[: self.ndim])

    @property
    def address(self) -> int:
        return (self.data or 0) + self.byte_offset

    @property
    def dtype(self) -> str:
        lanes = "" if self.lanes == 1 else f"x{self.lanes}"
        return f"{_KINDS.get(self.code, f'code {self.code} of ')}{self.bits}{lanes}"

    @property
    def contiguous(self) -> bool:
        """Whether the tensor is row-major without gaps."""
        if not self.strides or 0 in self.sizes:
            return True
        expected = 1
        for size, stride in zip(reversed(self.sizes), reversed(self.strides[: self.ndim])):
            if size != 1 and stride != expected:
                return False
            expected *= size
        return True


class ManagedTensor(ctypes.Structure):
    """DLManagedTensor."""


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(ManagedTensor))
ManagedTensor._fields_ = [("tensor", Tensor), ("context", c_void_p), ("deleter", _Deleter)]

_new = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_get_pointer = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def capsule_of(managed: int) -> Any:
    """Return a capsule that owns the DLManagedTensor at this address."""
    return _new(managed, _NAME, ctypes.cast(library.rwa_capsule_free, c_void_p))


def device_name(device_type: int, number: int) -> str:
    """Return the library's name of a device, such as "cuda:0"."""
    name = _DEVICES.get(device_type, f"device type {device_type}")
    return name if device_type == CPU else f"{name}:{number}"


def tensor_of(capsule: Any) -> Tensor:
    """Return the tensor in another library's capsule, which must outlive it."""
    pointer = _get_pointer(capsule, _NAME)
    return ManagedTensor.from_address(pointer).tensor
