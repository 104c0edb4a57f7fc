"""Finds and loads librwa_c.so and declares its functions (see rwa/c_api.h)."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint8, c_void_p
from pathlib import Path
from typing import Any, Callable

from ._errors import ConfigError, error_of
from ._values import plain, whole

API_VERSION = 2


class Struct(ctypes.Structure):
    """A struct of the header that raises InputError for a size that does not fit its field."""

    def __setattr__(self, name: str, value: Any) -> None:
        if dict(self._fields_).get(name) is c_int32:
            value = whole(value, name)
        super().__setattr__(name, value)


class Batch(Struct):
    """rwa_batch."""

    _fields_ = [
        ("x", c_void_p),
        ("symbols", c_void_p),
        ("lengths", c_void_p),
        ("steps", c_int32),
        ("batch", c_int32),
    ]


class Targets(Struct):
    """rwa_targets."""

    _fields_ = [
        ("classes", c_void_p),
        ("values", c_void_p),
        ("lengths", c_void_p),
        ("steps", c_int32),
    ]


# Argument types of the functions that return an rwa_result. Every pointer except a string is a
# c_void_p, which accepts handles, byref() and addresses.
_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "rwa_devices": (c_void_p,),
    "rwa_cells": (c_void_p,),
    "rwa_buffer_new": (c_size_t, c_void_p),
    "rwa_buffer_dlpack": (c_void_p, c_uint8, c_uint8, c_int, c_void_p, c_void_p),
    "rwa_model_new": (c_char_p, c_void_p),
    "rwa_model_load": (c_char_p, c_void_p),
    "rwa_model_save": (c_void_p, c_char_p),
    "rwa_model_config": (c_void_p, c_void_p),
    "rwa_model_describe": (c_void_p, c_void_p),
    "rwa_model_parameters": (c_void_p, c_void_p),
    "rwa_model_weights": (c_void_p, c_void_p, c_void_p),
    "rwa_model_set_weights": (c_void_p, c_void_p, c_size_t),
    "rwa_model_set_parameter": (c_void_p, c_char_p, c_void_p, c_size_t),
    "rwa_model_notes": (c_void_p, c_void_p),
    "rwa_model_set_note": (c_void_p, c_char_p, c_char_p),
    "rwa_session_new": (c_void_p, c_char_p, c_void_p),
    "rwa_session_run": (c_void_p, c_void_p, c_void_p, c_size_t),
    "rwa_session_loss": (c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p),
    "rwa_session_gradient": (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p),
    "rwa_session_shares": (c_void_p, c_void_p, c_void_p, c_size_t),
    "rwa_stream_new": (c_void_p, c_void_p),
    "rwa_stream_step": (c_void_p, c_void_p, c_size_t, c_void_p, c_size_t),
    "rwa_stream_step_symbol": (c_void_p, c_int32, c_void_p, c_size_t),
    "rwa_stream_reset": (c_void_p,),
    "rwa_stream_state": (c_void_p, c_void_p, c_void_p),
    "rwa_stream_set_state": (c_void_p, c_void_p, c_size_t),
    "rwa_trainer_new": (c_void_p, c_char_p, c_void_p),
    "rwa_trainer_step": (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p),
    "rwa_trainer_set_learning_rate": (c_void_p, c_double),
    "rwa_trainer_state": (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p),
    "rwa_trainer_set_state": (c_void_p, c_int64, c_void_p, c_void_p, c_size_t),
    "rwa_layer_new": (c_char_p, c_void_p),
    "rwa_layer_describe": (c_void_p, c_void_p),
    "rwa_layer_forward": (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p),
    "rwa_layer_backward": (c_void_p, c_void_p, c_void_p, c_void_p),
    "rwa_read": (c_void_p, c_size_t, c_char_p, c_void_p),
    "rwa_sequences_new": (c_char_p, c_void_p),
    "rwa_sequences_count": (c_void_p, c_void_p),
    "rwa_sequences_describe": (c_void_p, c_void_p),
    "rwa_sequences_add_words": (c_void_p, c_void_p, c_size_t, c_void_p, c_size_t),
    "rwa_sequences_get": (c_void_p, c_size_t, c_void_p),
    "rwa_sequences_add": (c_void_p, c_void_p),
    "rwa_settings": (c_void_p,),
    "rwa_train": (c_void_p, c_void_p, c_char_p, c_void_p, c_void_p, c_void_p, c_void_p),
    "rwa_cross_validate": (c_void_p, c_char_p, c_void_p, c_void_p, c_void_p),
    "rwa_tune": (c_void_p, c_void_p, c_char_p, c_void_p, c_void_p, c_void_p),
    "rwa_runs_describe": (c_void_p, c_void_p),
    "rwa_runs_model": (c_void_p, c_size_t, c_void_p),
    "rwa_model_data": (c_void_p, c_void_p),
    "rwa_predict": (c_void_p, c_void_p, c_char_p, c_void_p),
    "rwa_predictions_get": (c_void_p, c_void_p, c_void_p, c_void_p),
    "rwa_export_onnx": (c_void_p, c_char_p, c_char_p),
    "rwa_export_torch": (c_void_p, c_char_p),
    "rwa_import_torch": (c_char_p, c_void_p, c_char_p, c_void_p),
}

# Return and argument types of the other functions.
_OTHERS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "rwa_c_api_version": (c_int, ()),
    "rwa_version": (c_char_p, ()),
    "rwa_last_error": (c_char_p, ()),
    "rwa_buffer_data": (c_void_p, (c_void_p,)),
}


class _Library:
    """The functions of the header as attributes. A failure raises an rwa.Error.

    ctypes releases the GIL during a call.
    """

    def __init__(self, path: Path) -> None:
        self._functions = ctypes.CDLL(str(path))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = self._functions[name]
        if name in _ARGUMENTS:
            function.argtypes, function.errcheck = _ARGUMENTS[name], self._check
        elif name.endswith("_free"):
            function.restype, function.argtypes = None, (c_void_p,)
        else:
            function.restype, function.argtypes = _OTHERS[name]
        setattr(self, name, function)  # so that __getattr__ is not called again
        return function

    def _check(self, result: int, function: Any, arguments: tuple[Any, ...]) -> None:
        if result:
            raise error_of(result, self.rwa_last_error().decode(errors="replace"))


def _find() -> Path:
    chosen = os.environ.get("RWA_LIBRARY")
    # Given a name without a folder, dlopen would search the system's folders.
    path = Path(chosen).resolve() if chosen else Path(__file__).with_name("librwa_c.so")
    if not path.is_file():
        raise ImportError(
            f"rwa: found no library {path}: build it with `pip install .` in the source tree, or "
            "set $RWA_LIBRARY to its path"
        )
    return path


def _load() -> _Library:
    path = _find()
    try:
        loaded = _Library(path)
        version = loaded.rwa_c_api_version()
    except (OSError, AttributeError) as error:
        raise ImportError(f"rwa: cannot load the library {path}: {error}") from error
    if version != API_VERSION:
        raise ImportError(
            f"rwa: {path} has version {version} of the C API, expected {API_VERSION}"
        )
    return loaded


library = _load()


class Handle:
    """Owns an object of the library; can be passed to its functions as an argument.

    `make` stores the object through its last argument; the function named `free` releases it.
    """

    __slots__ = ("_as_parameter_", "_free")

    def __init__(self, free: str, make: Callable[..., Any], *arguments: Any) -> None:
        self._as_parameter_ = c_void_p()
        self._free: Callable[[c_void_p], None] = getattr(library, free)
        make(*arguments, ctypes.byref(self._as_parameter_))

    def __del__(self) -> None:
        if getattr(self, "_as_parameter_", None):  # missing or null if __init__ failed
            self._free(self._as_parameter_)

    def __reduce__(self) -> Any:
        raise TypeError("an object of the library cannot be copied or pickled")


def options(**fields: Any) -> bytes:
    """Return options as JSON, without those that are None, which leaves them at their defaults."""
    given = (
        f"{json.dumps(name)}: {_json(name, value)}"
        for name, value in fields.items()
        if value is not None
    )
    return f"{{{', '.join(given)}}}".encode()


def _json(name: str, value: Any) -> str:
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise ConfigError(f"{name} is {value}, expected a number of at most 64 bits")
    try:
        return json.dumps(plain(value), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{name} is {value!r}, expected a value for JSON: {error}") from error


def described(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the JSON that a function stores through its last argument."""
    text = c_char_p()
    function(*arguments, ctypes.byref(text))
    return json.loads(text.value or b"null")


def floats(function: Callable[..., Any], *arguments: Any) -> tuple[int, int]:
    """Return the address and count of the floats of a function with two output arguments."""
    values, count = c_void_p(), c_size_t()
    function(*arguments, ctypes.byref(values), ctypes.byref(count))
    return values.value or 0, count.value


def version() -> str:
    """Return the version of the loaded library, such as "0.2.0"."""
    return library.rwa_version().decode()
