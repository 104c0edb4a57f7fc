"""Single values of the caller as C takes them: texts, paths and numbers that it has room for."""

from __future__ import annotations

import operator
import os
from typing import Any

from ._errors import InputError


def plain(value: Any) -> Any:
    """Numbers of Python, or lists of them, in the place of NumPy's and PyTorch's."""
    return value.tolist() if hasattr(value, "tolist") else value


def text_of(value: Any, name: str) -> bytes:
    """`name` is what messages call it. C takes NUL for the end of a text."""
    try:
        encoded = value.encode()
    except (AttributeError, UnicodeEncodeError):
        raise InputError(f"{name} is {value!r}, expected a text") from None
    return _without_nul(encoded, value, name)


def path_of(value: str | bytes | os.PathLike[str]) -> bytes:
    """The name of a file or folder."""
    try:
        encoded = os.fsencode(value)
    except (TypeError, UnicodeEncodeError):
        raise InputError(f"the path is {value!r}, expected a text or a path") from None
    return _without_nul(encoded, value, "the path")


def whole(value: Any, name: str, bits: int = 32) -> int:
    """A whole number of so many bits, of which ctypes would cut off what is larger."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} is {value!r}, expected a whole number") from None
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise InputError(f"{name} is {number}, expected a whole number of {bits} bits")
    return number


def _without_nul(encoded: bytes, value: Any, name: str) -> bytes:
    if b"\0" in encoded:
        raise InputError(f"{name} is {value!r}, expected a text without NUL")
    return encoded
