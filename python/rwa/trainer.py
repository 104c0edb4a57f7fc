"""rwa.Trainer: train a model with Adam, one step at a time."""

from __future__ import annotations

import ctypes
import math
import threading
from ctypes import c_double, c_int64, c_size_t, c_void_p
from typing import Any, NamedTuple

from ._arrays import borrow
from ._batch import Batch, Targets
from ._errors import ConfigError, InputError
from ._library import Handle, library, options
from ._values import whole
from .array import ITEM_BYTES, Array
from .model import Model


class StepResult(NamedTuple):
    """The result of one training step."""

    loss: float  # before the step, with dropout applied
    gradient_norm: float  # before clipping


class TrainerState(NamedTuple):
    """The state of a trainer. With it and the weights restored, training resumes bit for bit."""

    steps: int
    mean: Any  # Adam's running mean, in the order of Model.weights
    variance: Any


class Trainer:
    """Trains a model with Adam. No session of the model may run during a step.

    >>> trainer = rwa.Trainer(model, learning_rate=0.003, clip_norm=1)
    >>> for x, classes, lengths in batches:    # x is [T,B,D]
    ...     loss, norm = trainer.step(x, classes, lengths)
    """

    def __init__(
        self,
        model: Model,
        *,
        learning_rate: float | None = None,
        beta1: float | None = None,
        beta2: float | None = None,
        epsilon: float | None = None,
        clip_norm: float | None = None,
        truncate: int | None = None,
        threads: int | None = None,
        memory: str | None = None,
        device: str | None = None,
        share: int | None = None,
    ) -> None:
        """Create a trainer. None means the default, which is the paper's setting.

        Parameters
        ----------
        model : Model
            The model to train.
        learning_rate, beta1, beta2, epsilon : float, optional
            Parameters of Adam.
        clip_norm : float, optional
            Clip gradients to this norm; 0: off.
        truncate : int, optional
            Truncate backpropagation through time to this many steps; 0: off.
        threads, memory, device, share : optional
            See `rwa.Session`.
        """
        fields = dict(locals())
        del fields["self"], fields["model"]
        self.model = model
        self._config = model.config
        self._lock = threading.Lock()
        self._handle = Handle(
            "rwa_trainer_free", library.rwa_trainer_new, model._handle, options(**fields)
        )

    def step(
        self, x: Any, targets: Any, lengths: Any = None, *, target_lengths: Any = None
    ) -> StepResult:
        """Take one training step on a batch; the arguments are those of `Session.loss`.

        Raises DivergenceError, and changes nothing, if the loss or a gradient is not finite.
        """
        batch = Batch(self._config, x, lengths)
        wanted = Targets(self._config, batch, targets, target_lengths)
        loss, norm = c_double(), c_double()
        with self._lock:
            library.rwa_trainer_step(
                self._handle,
                ctypes.byref(batch.struct),
                ctypes.byref(wanted.struct),
                ctypes.byref(loss),
                ctypes.byref(norm),
            )
        return StepResult(loss.value, norm.value)

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate of the following steps."""
        try:
            number = float(rate)
        except (TypeError, ValueError):
            raise ConfigError(f"learning_rate is {rate!r}, expected a number") from None
        with self._lock:
            library.rwa_trainer_set_learning_rate(self._handle, number)

    @property
    def state(self) -> TrainerState:
        """A copy of the trainer's state. Can be set."""
        steps, mean, variance, count = c_int64(), c_void_p(), c_void_p(), c_size_t()
        with self._lock:
            library.rwa_trainer_state(
                self._handle, *(ctypes.byref(out) for out in (steps, mean, variance, count))
            )
            copies = [Array((count.value,)), Array((count.value,))]
            for copy, values in zip(copies, (mean, variance)):
                ctypes.memmove(copy.address, values, count.value * ITEM_BYTES)
        return TrainerState(steps.value, *copies)

    @state.setter
    def state(self, state: TrainerState) -> None:
        mean = borrow(state.mean, "float32", "mean")
        variance = borrow(state.variance, "float32", "variance")
        if mean.shape != variance.shape:
            raise InputError(
                f"mean has shape {list(mean.shape)} and variance {list(variance.shape)}, "
                "expected the same shape"
            )
        steps = whole(state.steps, "steps", bits=64)
        with self._lock:
            library.rwa_trainer_set_state(
                self._handle, steps, mean.address, variance.address, math.prod(mean.shape)
            )
