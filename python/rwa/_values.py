"""Conversion of the caller's strings, paths and integers to C, with range checks."""

from __future__ import annotations

import operator
import os
from typing import Any

from ._errors import InputError


def plain(value: Any) -> Any:
    """Convert values of NumPy and PyTorch to Python numbers or lists; return others unchanged."""
    return value.tolist() if hasattr(value, "tolist") else value


def text_of(value: Any, name: str) -> bytes:
    """Encode a string without NUL, which would end it in C. Error messages call it `name`."""
    try:
        encoded = value.encode()
    except (AttributeError, UnicodeEncodeError):
        raise InputError(f"{name} is {value!r}, expected a string") from None
    return _without_nul(encoded, value, name)


def path_of(value: str | bytes | os.PathLike[str]) -> bytes:
    """Encode the path of a file or folder."""
    try:
        encoded = os.fsencode(value)
    except (TypeError, UnicodeEncodeError):
        raise InputError(f"the path is {value!r}, expected a string or a path") from None
    return _without_nul(encoded, value, "the path")


def whole(value: Any, name: str, bits: int = 32) -> int:
    """Return an integer that fits this many bits; ctypes would silently truncate a larger one."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} is {value!r}, expected a whole number") from None
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise InputError(f"{name} is {number}, expected a {bits}-bit integer")
    return number


def _without_nul(encoded: bytes, value: Any, name: str) -> bytes:
    if b"\0" in encoded:
        raise InputError(f"{name} is {value!r}, expected a string without NUL")
    return encoded
