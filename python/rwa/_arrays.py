"""Conversion between the caller's arrays and the library's memory.

Row-major float32 and int32 arrays in CPU memory are read without a copy, whether they come as NumPy
arrays, through DLPack (PyTorch, JAX, …) or through the buffer protocol (array.array, memoryview,
bytes). Everything else is copied if the values survive: other layouts and dtypes of NumPy, PyTorch
and buffers (any number for float32, integers in range for int32), objects with `__array__`,
unaligned memory, and nested lists. The rest is rejected.
"""

from __future__ import annotations

import array
import ctypes
import sys
from typing import Any

from . import _dlpack
from ._errors import InputError
from .array import DTYPES, ITEM_BYTES, Array

_INT32 = range(-(2**31), 2**31)


class Borrowed:
    """The caller's numbers, valid for the lifetime of this object.

    `kind` is the type of array to return results as: "numpy", "torch", or "" for rwa.Array.
    """

    __slots__ = ("address", "shape", "kind", "_owner")

    def __init__(self, address: int, shape: tuple[int, ...], kind: str, owner: Any) -> None:
        self.address = address
        self.shape = shape
        self.kind = kind
        self._owner = owner


def borrow(value: Any, dtype: str, name: str) -> Borrowed:
    """Return the numbers of an array-like `value`; error messages call it `name`."""
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _of_dlpack(_plain_tensor(torch, value, dtype, name), dtype, name, "torch")
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _of_numpy(numpy, value, dtype, name)
    if hasattr(value, "__dlpack__"):
        return _of_dlpack(value, dtype, name, "")
    view = _view(value)
    if view is not None:
        return _of_buffer(view, dtype, name)
    if hasattr(value, "__array__"):  # pandas and the like, which import NumPy anyway
        import numpy

        return _of_numpy(numpy, numpy.asarray(value), dtype, name)
    return _of_lists(value, dtype, name)


def give(result: Array, kind: str) -> Any:
    """Return the result as the kind of array that came in, without a copy."""
    if kind == "numpy":
        return result.numpy()
    if kind == "torch":
        return sys.modules["torch"].from_dlpack(result)
    return result


def _refuse(name: str, found: str, dtype: str) -> InputError:
    return InputError(f"{name} is {found}, expected {dtype}")


def _plain_tensor(torch: Any, value: Any, dtype: str, name: str) -> Any:
    if value.device.type != "cpu":
        raise InputError(
            f"{name} is on device {value.device}, expected cpu: use {name}.cpu()"
        )
    if value.requires_grad:
        raise InputError(f"{name} requires a gradient: use {name}.detach()")
    wanted = getattr(torch, dtype)
    if value.dtype != wanted:
        whole = not (value.dtype.is_floating_point or value.dtype.is_complex)
        if value.dtype.is_complex or (dtype == "int32" and not whole):
            raise _refuse(name, str(value.dtype).replace("torch.", ""), dtype)
        if dtype == "int32" and value.numel() > 0:
            _check_range((int(value.min()), int(value.max())), name)
        value = value.to(wanted)
    value = value.resolve_neg().contiguous()  # a negated view shares memory that is not negated
    return value.clone() if value.data_ptr() % ITEM_BYTES else value


def _of_numpy(numpy: Any, value: Any, dtype: str, name: str) -> Borrowed:
    wanted = numpy.dtype(dtype)
    if value.dtype != wanted:
        kinds = "biu" if dtype == "int32" else "biuf"
        if value.dtype.kind == "O":  # Python numbers
            return _of_lists(value.tolist(), dtype, name, "numpy")
        if value.dtype.kind not in kinds:
            raise _refuse(name, str(value.dtype), dtype)
        if dtype == "int32" and value.size > 0:
            _check_range((int(value.min()), int(value.max())), name)
    value = numpy.require(value, wanted, ("C_CONTIGUOUS", "ALIGNED"))
    return Borrowed(value.__array_interface__["data"][0], value.shape, "numpy", value)


def _of_dlpack(value: Any, dtype: str, name: str, kind: str) -> Borrowed:
    device = value.__dlpack_device__()
    if device[0] != _dlpack.CPU:
        found = _dlpack.device_name(*device)
        raise InputError(f"{name} is on device {found}, expected cpu")
    capsule = value.__dlpack__()
    tensor = _dlpack.tensor_of(capsule)
    if tensor.dtype != dtype:
        raise _refuse(name, tensor.dtype, dtype)
    if not tensor.contiguous:
        raise InputError(f"{name} is not contiguous, expected row-major memory without gaps")
    if tensor.address % ITEM_BYTES:
        raise InputError(f"{name} is not aligned, expected an address divisible by {ITEM_BYTES}")
    return Borrowed(tensor.address, tensor.sizes, kind, capsule)  # the capsule releases the tensor


def _view(value: Any) -> memoryview | None:
    try:
        return memoryview(value)
    except TypeError:
        return None


def _of_buffer(view: memoryview, dtype: str, name: str) -> Borrowed:
    fits = view.format.lstrip("@=<") == DTYPES[dtype].format and view.c_contiguous
    if fits and _address(view) % ITEM_BYTES == 0:
        return Borrowed(_address(view), view.shape or (), "", view)
    try:
        values = view.tolist()
    except NotImplementedError:
        raise _refuse(name, f"a buffer of format {view.format!r}", dtype) from None
    return _of_lists(values, dtype, name)


class _Buffer(ctypes.Structure):
    """Py_buffer."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


def _address(view: memoryview) -> int:
    """Return the address of the first byte; ctypes itself only gives that of writable memory."""
    buffer = _Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(buffer), 0)
    address = buffer.buf or 0
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))  # the view still holds the memory
    return address


def _of_lists(value: Any, dtype: str, name: str, kind: str = "") -> Borrowed:
    shape = _shape_of(value, name)
    numbers = array.array(DTYPES[dtype].format)
    try:
        _collect(value, shape, numbers)
    except (TypeError, OverflowError, ValueError) as error:
        raise InputError(f"{name}: {error}, expected {dtype} of shape {shape}") from error
    return Borrowed(numbers.buffer_info()[0], shape, kind, numbers)


def _is_row(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")


def _shape_of(value: Any, name: str) -> tuple[int, ...]:
    """Return the shape that the first row of each dimension implies."""
    shape: list[int] = []
    while _is_row(value):
        if isinstance(value, (str, dict)):
            raise InputError(f"{name} has the {type(value).__name__} {value!r}, expected numbers")
        shape.append(len(value))
        if not shape[-1]:
            break
        value = value[0]
    return tuple(shape)


def _collect(value: Any, shape: tuple[int, ...], numbers: array.array[Any]) -> None:
    if not shape:
        numbers.append(value)
        return
    if not _is_row(value) or len(value) != shape[0]:
        raise ValueError(f"found the row {value!r:.80}")
    if len(shape) == 1:
        numbers.fromlist(list(value))
        return
    for row in value:
        _collect(row, shape[1:], numbers)


def _check_range(values: tuple[int, int], name: str) -> None:
    for value in values:
        if value not in _INT32:
            raise InputError(f"{name} contains {value}, expected 32-bit integers")
