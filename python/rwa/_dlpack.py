"""DLPack, by which libraries share arrays without copying them: its structs and its capsules."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from typing import Any

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
        """Whether it is row-major without gaps."""
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

# Capsules are passed as addresses: one that is being destroyed must not be counted again.
_Destructor = ctypes.PYFUNCTYPE(None, c_void_p)
_new = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, _Destructor)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_is_valid = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


@_Destructor
def _destroy(
    capsule: int,
    is_valid: Any = _is_valid,
    get_pointer: Any = _get_pointer,
    type_of: Any = ManagedTensor,
    name: bytes = _NAME,
) -> None:
    # A reader that has taken the tensor over has renamed the capsule.
    if is_valid(capsule, name):
        tensor = type_of.from_address(get_pointer(capsule, name))
        tensor.deleter(tensor)


# A capsule may outlive this module, and what it knows by name, when Python ends.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_destroy))


def capsule_of(managed: int) -> Any:
    """A capsule that owns the DLManagedTensor at this address."""
    return _new(managed, _NAME, _destroy)


def device_name(device_type: int, number: int) -> str:
    """As the library calls it: "cuda:0"."""
    name = _DEVICES.get(device_type, f"device type {device_type}")
    return name if device_type == CPU else f"{name}:{number}"


def tensor_of(capsule: Any) -> Tensor:
    """The tensor in another library's capsule, which is to be kept as long as it is used."""
    pointer = _get_pointer(id(capsule), _NAME)
    return ManagedTensor.from_address(pointer).tensor
