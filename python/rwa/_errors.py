"""Every exception of the library. Messages say what was found and what was expected."""

from __future__ import annotations


class Error(Exception):
    """The base class: catch this one to catch them all."""


class InternalError(Error):
    """A mistake in the library itself."""


class ConfigError(Error, ValueError):
    """A description or an option that cannot be: an unknown name, a size that is not positive."""


class InputError(Error, ValueError):
    """Data that does not fit the model or itself: shapes that disagree, a class out of range."""


class ModelFileError(Error):
    """A model file that is truncated, altered, of another version, or not a model at all."""


class DivergenceError(Error, ArithmeticError):
    """Training left the finite numbers."""


class Interrupted(Error):
    """A callback asked to stop."""


class ResourceError(Error, OSError):
    """The system refused: a file cannot be opened or written, memory or disk space is short."""


# By the numbers of rwa_result, from 1 on.
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
    """The exception for what a C function has returned."""
    if 0 < result <= len(_CLASSES):
        return _CLASSES[result - 1](words)
    return InternalError(f"unknown result {result}: {words}")
