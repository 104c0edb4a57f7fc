"""rwa.Session: run batches through a model and compute losses and gradients."""

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
    weights: Any  # [parameters]; Model.split() gives them by name
    x: Any = None  # [T,B,D] with of_x=True


class Session:
    """Runs a model; owns the scratch memory. Create one per thread and reuse it.

    Batches are time-major, [T,B,D]: row t of x is time step t of all sequences. If the model's
    input is symbols, they are integers of shape [T,B]. `lengths` holds the number of steps of each
    of the B sequences; None means T for all of them. Results have the type of x: NumPy arrays,
    PyTorch tensors, otherwise rwa.Array.

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
        """Create a session. None means the default.

        Parameters
        ----------
        model : Model
            The model to run.
        threads : int, optional
            Number of CPU threads. More than 8 bring no speed-up; the result does not depend on it.
        memory : {"full", "chunked"}, optional
            What `gradient` keeps. "chunked" needs a fraction of the memory and 4/3 of the work.
        device : str, optional
            "cpu", "cuda", "cuda:1", …; see `rwa.devices()`.
        share : int, optional
            Number of sessions that will run on the GPU side by side.
        """
        self.model = model
        self._config = model.config
        self._lock = threading.Lock()  # the library serves one caller at a time
        fields = options(threads=threads, memory=memory, device=device, share=share)
        self._handle = Handle("rwa_session_free", library.rwa_session_new, model._handle, fields)

    def run(self, x: Any, lengths: Any = None, *, steps: int | None = None) -> Any:
        """Return the outputs before softmax or sigmoid.

        They are [B,O]; [T,B,O] with readout "every", with zeros past the end of a sequence; or
        [steps,B,O] for a decoder, which needs the number of `steps` to produce.
        """
        batch = Batch(self._config, x, lengths)
        y = Array((*self._rows(batch, steps), self._config["outputs"]))
        with self._lock:
            library.rwa_session_run(self._handle, ctypes.byref(batch.struct), y.address, y.size)
        return give(y, batch.kind)

    def loss(
        self, x: Any, targets: Any, lengths: Any = None, *, target_lengths: Any = None
    ) -> float:
        """Return the mean loss over all sequences, or over all their steps.

        `targets` are classes for softmax, [B] or [T,B]; values for other losses, [B,O] or [T,B,O];
        or for a decoder the labels to produce, [steps,B], with `target_lengths`.
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
        """Return the loss and its gradient with respect to the weights and, with `of_x`, to x."""
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
        """Return the share of each time step in the final average of the last recurrent layer.

        Shares are [T,B,H], or [T,B,2H] for a bidirectional model, and sum to 1 over the steps.
        Works only on the CPU and for cells that keep an average.
        """
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
            expected = "a number for a decoder" if decodes else "None without a decoder"
            raise InputError(f"steps is {steps}, expected {expected}")
        if steps is not None:
            return whole(steps, "steps"), batch.batch
        return tuple(size or 0 for size in rows_of(self._config, batch)[1])
