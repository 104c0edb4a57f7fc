"""Recurrent networks with weighted averages: exact, deterministic and fast.

    import rwa

    model = rwa.Model(inputs=3, units=64, outputs=10)
    trainer = rwa.Trainer(model)
    for x, classes in batches:          # x is [T,B,3]: time steps, sequences, features
        loss, _ = trainer.step(x, classes)
    y = rwa.Session(model).run(x)       # [B,10]

Arrays may be NumPy arrays, PyTorch tensors, lists, or any object that supports DLPack or the buffer
protocol. For files and lists of sequences, use `rwa.read` and the estimators; `rwa.torch` provides
the cells as PyTorch modules. `import rwa` imports neither NumPy nor PyTorch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._cells import Cell, cells
from ._devices import Device, devices
from ._errors import (
    ConfigError,
    DivergenceError,
    Error,
    InputError,
    InternalError,
    Interrupted,
    ModelFileError,
    ResourceError,
)
from ._library import version as _version
from ._settings import Setting, settings
from .array import Array
from .model import Model, NetworkPart
from .session import Gradient, Session
from .stream import Stream
from .trainer import StepResult, Trainer, TrainerState

if TYPE_CHECKING:
    from .estimators import (
        SequenceClassifier,
        SequenceForecaster,
        SequenceRegressor,
        SequenceTagger,
    )
    from .export import export_onnx, export_torch, import_torch
    from .sequences import Sequences, read
    from .training import cross_validate, predict, train, tune

__version__ = _version()

# Imported on first use.
_LATER = {
    "read": "sequences",
    "Sequences": "sequences",
    "SequenceClassifier": "estimators",
    "SequenceRegressor": "estimators",
    "SequenceForecaster": "estimators",
    "SequenceTagger": "estimators",
    "export_onnx": "export",
    "export_torch": "export",
    "import_torch": "export",
    "train": "training",
    "cross_validate": "training",
    "tune": "training",
    "predict": "training",
}

__all__ = [
    "Array",
    "Cell",
    "ConfigError",
    "Device",
    "DivergenceError",
    "Error",
    "Gradient",
    "InputError",
    "InternalError",
    "Interrupted",
    "Model",
    "ModelFileError",
    "NetworkPart",
    "ResourceError",
    "SequenceClassifier",
    "SequenceForecaster",
    "SequenceRegressor",
    "SequenceTagger",
    "Sequences",
    "Session",
    "Setting",
    "StepResult",
    "Stream",
    "Trainer",
    "TrainerState",
    "cells",
    "cross_validate",
    "devices",
    "export_onnx",
    "export_torch",
    "import_torch",
    "predict",
    "read",
    "settings",
    "train",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'rwa' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
