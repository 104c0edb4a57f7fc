"""The exceptions of the library. Messages say what was found and what was expected."""

from __future__ import annotations


class Error(Exception):
    """Base class of all exceptions of rwa."""


class InternalError(Error):
    """A bug in the library itself."""


class ConfigError(Error, ValueError):
    """An invalid configuration or option: an unknown name, a size that is not positive."""


class InputError(Error, ValueError):
    """Data that is inconsistent or does not fit the model: wrong shapes, a class out of range."""


class ModelFileError(Error):
    """A file that is truncated, altered, of another version, or not a model."""


class DivergenceError(Error, ArithmeticError):
    """The loss or a gradient is not finite."""


class Interrupted(Error):
    """A callback stopped the work."""


class ResourceError(Error, OSError):
    """A failure of the system: a file cannot be opened or written, no memory or disk space left."""


# In the order of rwa_result, from 1.
_CLASSES = (
    InternalError,
    ConfigError,
    InputError,
    ModelFileError,
    DivergenceError,
    Interrupted,
    ResourceError,
)


def error_of(result: int, words: str) -> Error:
    """Return the exception for the result of a C function."""
    if 0 < result <= len(_CLASSES):
        return _CLASSES[result - 1](words)
    return InternalError(f"unknown result {result}: {words}")
