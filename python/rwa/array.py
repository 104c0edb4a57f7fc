"""rwa.Array: numbers in the library's memory, shared with other libraries without a copy."""

from __future__ import annotations

import ctypes
import math
import sys
from ctypes import c_float, c_int32, c_int64, c_void_p
from typing import Any, NamedTuple

from . import _dlpack
from ._errors import InputError
from ._library import Handle, library
from ._values import whole


class DType(NamedTuple):
    """The names of a dtype in ctypes, DLPack, NumPy and the buffer protocol."""

    c: Any
    dlpack: tuple[int, int]  # DLDataType's code and bits
    interface: str  # of __array_interface__
    format: str  # of the buffer protocol


DTYPES = {
    "float32": DType(c_float, (2, 32), "<f4", "f"),
    "int32": DType(c_int32, (0, 32), "<i4", "i"),
}
ITEM_BYTES = 4


class Array:
    """A row-major array in the library's memory.

    NumPy, PyTorch and others read it without a copy: `numpy.asarray(a)`, `torch.from_dlpack(a)`,
    `memoryview(a.data)`. The memory is freed with its last user.

    >>> a = rwa.Array((2, 3))
    >>> a.tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> a[1].shape
    (3,)
    """

    __slots__ = ("_buffer", "_address", "shape", "dtype")

    def __init__(self, shape: tuple[int, ...], dtype: str = "float32") -> None:
        """Create an array of zeros."""
        if dtype not in DTYPES:
            raise InputError(f"dtype is {dtype!r}, expected one of: {', '.join(DTYPES)}")
        self.shape = tuple(whole(size, "a size of the shape", bits=64) for size in shape)
        if any(size < 0 for size in self.shape):
            raise InputError(f"shape is {self.shape}, expected sizes of 0 or more")
        # Sizes of 0 count as 1, because strides must fit 64 bits too.
        if math.prod(max(size, 1) for size in self.shape) > sys.maxsize // ITEM_BYTES:
            raise InputError(f"shape is {self.shape}, expected at most {sys.maxsize} bytes")
        self.dtype = dtype
        self._buffer = Handle("rwa_buffer_free", library.rwa_buffer_new, self.size * ITEM_BYTES)
        self._address: int = library.rwa_buffer_data(self._buffer)

    def _part(self, first: int, shape: tuple[int, ...]) -> Array:
        """Return a view of the same memory that starts at element `first`."""
        part = Array.__new__(Array)
        part.shape, part.dtype, part._buffer = shape, self.dtype, self._buffer
        part._address = self._address + first * ITEM_BYTES
        return part

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def address(self) -> int:
        """The address of the first element."""
        return self._address

    @property
    def data(self) -> memoryview:
        """The memory itself, readable and writable."""
        block = (DTYPES[self.dtype].c * self.size).from_address(self._address)
        block.owner = self._buffer  # keeps the memory alive for views of it
        flat = memoryview(block).cast("B")
        if self.size == 0 or self.ndim == 0:  # cast() rejects these shapes
            return flat.cast(DTYPES[self.dtype].format)
        return flat.cast(DTYPES[self.dtype].format, self.shape)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {
            "version": 3,
            "shape": self.shape,
            "typestr": DTYPES[self.dtype].interface,
            "data": (self._address, False),
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return _dlpack.CPU, 0

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a capsule for `from_dlpack` of other libraries."""
        if stream is not None:
            raise InputError(f"stream is {stream}, expected None: the array is in CPU memory")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the array is on device cpu, expected {dl_device}")
        if copy:
            return self.copy().__dlpack__()
        sizes = (c_int64 * max(self.ndim, 1))(*self.shape)
        managed = c_void_p()
        library.rwa_buffer_dlpack(
            self._buffer, *DTYPES[self.dtype].dlpack, self.ndim, sizes, ctypes.byref(managed)
        )
        # A slice starts later than its buffer.
        _dlpack.ManagedTensor.from_address(managed.value or 0).tensor.data = self._address
        return _dlpack.capsule_of(managed.value or 0)

    def copy(self) -> Array:
        """Return a copy."""
        other = Array(self.shape, self.dtype)
        ctypes.memmove(other._address, self._address, self.size * ITEM_BYTES)
        return other

    def reshape(self, shape: tuple[int, ...]) -> Array:
        """Return a view of the same memory with another shape of the same size."""
        if math.prod(shape) != self.size or any(size < 0 for size in shape):
            raise InputError(f"shape is {shape}, expected one of size {self.size}")
        return self._part(0, tuple(shape))

    def numpy(self) -> Any:
        """Return a NumPy array that shares the memory."""
        import numpy

        return numpy.asarray(self)

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers."""
        if self.ndim == 0:
            return self.data[0]
        if self.size == 0:
            return _empty_lists(self.shape)
        return self.data.tolist()

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __getitem__(self, place: int | slice) -> Any:
        """Return a row, or with a slice several, as a view; in one dimension a row is a number."""
        row = math.prod(self.shape[1:])
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if step != 1:
                raise IndexError(f"the slice has step {step}, expected 1")
            return self._part(start * row, (max(stop - start, 0), *self.shape[1:]))
        number = place + len(self) if place < 0 else place
        if not 0 <= number < len(self):
            raise IndexError(f"row {place} is out of range for an array of length {len(self)}")
        if self.ndim == 1:
            return self.data[number]
        return self._part(number * row, self.shape[1:])

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.shape, self.dtype, self.data.tobytes())

    def __repr__(self) -> str:
        most = 100
        values = str(self.tolist()) if self.size <= most else "…"
        return f"rwa.Array({values}, shape={self.shape}, dtype={self.dtype!r})"


def _restored(shape: tuple[int, ...], dtype: str, content: bytes) -> Array:
    """Restore an array from its pickle."""
    array = Array(shape, dtype)
    ctypes.memmove(array.address, content, len(content))
    return array


def _empty_lists(shape: tuple[int, ...]) -> list[Any]:
    return [_empty_lists(shape[1:]) for _ in range(shape[0])] if len(shape) > 1 else []
