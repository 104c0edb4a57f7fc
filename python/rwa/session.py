"""rwa.Session: runs batches through a model, and computes losses and gradients."""

from __future__ import annotations

import ctypes
import threading
from ctypes import c_double
from typing import Any, NamedTuple

from ._arrays import give
from ._batch import Batch, Targets, rows_of
from ._errors import InputError
from ._library import Handle, library, options
from ._values import whole
from .array import Array
from .model import Model


class Gradient(NamedTuple):
    """A loss and its gradient."""

    loss: float
    weights: Any  # [parameters]; Model.split() has them by name
    x: Any = None  # [T,B,D], where it was asked for


class Session:
    """The scratch memory of one caller: make one, use it often, one for each thread.

    Sequences are [T,B,D], the steps first: row t of x is step t of all sequences. Where the model's
    input is symbols they are [T,B] whole numbers. `lengths` has how many steps each of the B
    sequences has, and is None where all have T. Results are of the kind that x is: NumPy arrays,
    PyTorch tensors, else rwa.Array.

    >>> session = rwa.Session(model, threads=2)
    >>> y = session.run(x, lengths)
    """

    def __init__(
        self,
        model: Model,
        *,
        threads: int | None = None,
        memory: str | None = None,
        device: str | None = None,
        share: int | None = None,
    ) -> None:
        """What is None is as the library has it.

        threads: more than 8 bring nothing; the result does not depend on it.
        memory: what gradient() keeps: "full", or "chunked" for a fraction of the memory and 4/3 of
            the work.
        device: "cpu", "cuda", "cuda:1", …: see `rwa.devices()`.
        share: how many sessions are meant to run on the GPU side by side.
        """
        self.model = model
        self._config = model.config
        self._lock = threading.Lock()  # the library takes one caller at a time
        fields = options(threads=threads, memory=memory, device=device, share=share)
        self._handle = Handle("rwa_session_free", library.rwa_session_new, model._handle, fields)

    def run(self, x: Any, lengths: Any = None, *, steps: int | None = None) -> Any:
        """The outputs before softmax or sigmoid: [B,O], or [T,B,O] where every step is read, with
        zeros past a sequence's length. A decoder says as many `steps` as it is asked for,
        [steps,B,O]."""
        batch = Batch(self._config, x, lengths)
        y = Array((*self._rows(batch, steps), self._config["outputs"]))
        with self._lock:
            library.rwa_session_run(self._handle, ctypes.byref(batch.struct), y.address, y.size)
        return give(y, batch.kind)

    def loss(
        self, x: Any, targets: Any, lengths: Any = None, *, target_lengths: Any = None
    ) -> float:
        """The mean loss over sequences, or over all their steps.

        targets: classes for softmax, [B] or [T,B]; values for the others, [B,O] or [T,B,O]; the
            labels that a decoder has to say, [steps,B], with `target_lengths`.
        """
        batch = Batch(self._config, x, lengths)
        wanted = Targets(self._config, batch, targets, target_lengths)
        loss = c_double()
        with self._lock:
            library.rwa_session_loss(
                self._handle,
                ctypes.byref(batch.struct),
                ctypes.byref(wanted.struct),
                None,
                0,
                ctypes.byref(loss),
            )
        return loss.value

    def gradient(
        self,
        x: Any,
        targets: Any,
        lengths: Any = None,
        *,
        target_lengths: Any = None,
        of_x: bool = False,
    ) -> Gradient:
        """The loss, and its gradient with respect to the weights and, where wanted, to x."""
        batch = Batch(self._config, x, lengths)
        wanted = Targets(self._config, batch, targets, target_lengths)
        weights = Array((self.model.parameter_count,))
        x_gradient = Array((batch.steps, batch.batch, self._config["inputs"])) if of_x else None
        loss = c_double()
        with self._lock:
            library.rwa_session_gradient(
                self._handle,
                ctypes.byref(batch.struct),
                ctypes.byref(wanted.struct),
                weights.address,
                None if x_gradient is None else x_gradient.address,
                ctypes.byref(loss),
            )
        given = None if x_gradient is None else give(x_gradient, batch.kind)
        return Gradient(loss.value, give(weights, batch.kind), given)

    def shares(self, x: Any, lengths: Any = None) -> Any:
        """How much each step has of the average that the last recurrent layer ends with: [T,B,H],
        or [T,B,2H] where both directions are read, whose sum over the steps is 1. Only for cells
        that keep an average, on the CPU."""
        batch = Batch(self._config, x, lengths)
        width = self._config["units"] * (2 if self._config["bidirectional"] else 1)
        shares = Array((batch.steps, batch.batch, width))
        with self._lock:
            library.rwa_session_shares(
                self._handle, ctypes.byref(batch.struct), shares.address, shares.size
            )
        return give(shares, batch.kind)

    def _rows(self, batch: Batch, steps: int | None) -> tuple[int, ...]:
        decodes = bool(self._config["code"])
        if decodes != (steps is not None):
            expected = "how many this decoder has to say" if decodes else "none: no decoder"
            raise InputError(f"steps is {steps}, expected {expected}")
        if steps is not None:
            return whole(steps, "steps"), batch.batch
        return tuple(size or 0 for size in rows_of(self._config, batch)[1])
