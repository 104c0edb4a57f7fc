"""rwa.Array: numbers that come back from the library, without a copy for whoever takes them."""

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
    """A type of numbers, as each of those that take arrays calls it."""

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
    """Numbers in memory of the library, row-major, of one shape and type.

    NumPy, PyTorch and others take it without a copy: `numpy.asarray(a)`, `torch.from_dlpack(a)`,
    `memoryview(a.data)`. The memory goes with the last of those that use it.

    >>> a = rwa.Array((2, 3))
    >>> a.tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> a[1].shape
    (3,)
    """

    __slots__ = ("_buffer", "_address", "shape", "dtype")

    def __init__(self, shape: tuple[int, ...], dtype: str = "float32") -> None:
        """Zeros."""
        if dtype not in DTYPES:
            raise InputError(f"dtype is {dtype!r}, expected one of: {', '.join(DTYPES)}")
        self.shape = tuple(whole(size, "a size of the shape", bits=64) for size in shape)
        if any(size < 0 for size in self.shape):
            raise InputError(f"shape is {self.shape}, expected sizes of 0 or more")
        # As if sizes of 0 were 1: strides, too, are numbers that others count in 64 bits.
        if math.prod(max(size, 1) for size in self.shape) > sys.maxsize // ITEM_BYTES:
            raise InputError(f"shape is {self.shape}, expected at most {sys.maxsize} bytes")
        self.dtype = dtype
        self._buffer = Handle("rwa_buffer_free", library.rwa_buffer_new, self.size * ITEM_BYTES)
        self._address: int = library.rwa_buffer_data(self._buffer)

    def _part(self, first: int, shape: tuple[int, ...]) -> Array:
        """Of the same memory, from its number `first` on."""
        part = Array.__new__(Array)
        part.shape, part.dtype, part._buffer = shape, self.dtype, self._buffer
        part._address = self._address + first * ITEM_BYTES
        return part

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def address(self) -> int:
        """Of the first number."""
        return self._address

    @property
    def data(self) -> memoryview:
        """The memory itself, to be read and written."""
        block = (DTYPES[self.dtype].c * self.size).from_address(self._address)
        block.owner = self._buffer  # as long as somebody looks at it
        flat = memoryview(block).cast("B")
        if self.size == 0 or self.ndim == 0:  # which cast() takes for mistakes
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
        """For `from_dlpack` of other libraries."""
        if stream is not None:
            raise InputError(f"stream is {stream}, expected None: this is memory of the CPU")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"found memory of the cpu, expected that of the device {dl_device}")
        if copy:
            return self.copy().__dlpack__()
        sizes = (c_int64 * max(self.ndim, 1))(*self.shape)
        managed = c_void_p()
        library.rwa_buffer_dlpack(
            self._buffer, *DTYPES[self.dtype].dlpack, self.ndim, sizes, ctypes.byref(managed)
        )
        # A part begins later than its buffer.
        _dlpack.ManagedTensor.from_address(managed.value or 0).tensor.data = self._address
        return _dlpack.capsule_of(managed.value or 0)

    def copy(self) -> Array:
        """The same numbers in memory of their own."""
        other = Array(self.shape, self.dtype)
        ctypes.memmove(other._address, self._address, self.size * ITEM_BYTES)
        return other

    def reshape(self, shape: tuple[int, ...]) -> Array:
        """The same memory in another shape of as many numbers."""
        if math.prod(shape) != self.size or any(size < 0 for size in shape):
            raise InputError(f"shape is {shape}, expected one of {self.size} numbers")
        return self._part(0, tuple(shape))

    def numpy(self) -> Any:
        """As a NumPy array of the same memory."""
        import numpy

        return numpy.asarray(self)

    def tolist(self) -> Any:
        """As numbers of Python, in nested lists."""
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
        """A row or, with a slice, several that follow each other, of the same memory; of a single
        dimension, a number."""
        row = math.prod(self.shape[1:])
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if step != 1:
                raise IndexError(f"the slice has the step {step}, expected rows without gaps")
            return self._part(start * row, (max(stop - start, 0), *self.shape[1:]))
        number = place + len(self) if place < 0 else place
        if not 0 <= number < len(self):
            raise IndexError(f"found the row {place}, expected one of {len(self)}")
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
    """An array from its pickle."""
    array = Array(shape, dtype)
    ctypes.memmove(array.address, content, len(content))
    return array


def _empty_lists(shape: tuple[int, ...]) -> list[Any]:
    return [_empty_lists(shape[1:]) for _ in range(shape[0])] if len(shape) > 1 else []
