"""rwa.Stream: run a model over one endless sequence, a time step at a time."""

from __future__ import annotations

import ctypes
import math
import threading
from typing import Any

from ._arrays import borrow, give
from ._library import Handle, floats, library
from .array import ITEM_BYTES, Array
from .model import Model


class Stream:
    """Gives an output after every time step; its state can be saved and restored.

    Raises ConfigError for a model that needs the whole sequence first: one that is bidirectional,
    averages over all steps, or has a decoder.

    >>> stream = rwa.Stream(model)
    >>> for row in rows:          # each is [D]
    ...     y = stream.step(row)  # [O], before softmax or sigmoid
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._outputs: int = model.config["outputs"]
        self._symbols: bool = model.config["input"] == "symbols"
        self._lock = threading.Lock()
        self._handle = Handle("rwa_stream_free", library.rwa_stream_new, model._handle)

    def step(self, x: Any) -> Any:
        """Read one time step and return the outputs, [O], before softmax or sigmoid.

        x is [D], or an integer if the model's input is symbols. The outputs are bit-identical to
        those of `Session.run` on the CPU.
        """
        y = Array((self._outputs,))
        one = borrow(x, "int32" if self._symbols else "float32", "x")
        count = math.prod(one.shape)
        with self._lock:
            if self._symbols and count == 1:
                symbol = ctypes.c_int32.from_address(one.address)
                library.rwa_stream_step_symbol(self._handle, symbol, y.address, y.size)
            else:
                library.rwa_stream_step(self._handle, one.address, count, y.address, y.size)
        return give(y, one.kind)

    def reset(self) -> None:
        """Start a new sequence."""
        with self._lock:
            library.rwa_stream_reset(self._handle)

    @property
    def state(self) -> Array:
        """A copy of the state after the steps so far. Can be set."""
        with self._lock:
            address, count = floats(library.rwa_stream_state, self._handle)
            state = Array((count,))
            ctypes.memmove(state.address, address, count * ITEM_BYTES)
        return state

    @state.setter
    def state(self, values: Any) -> None:
        block = borrow(values, "float32", "state")
        with self._lock:
            library.rwa_stream_set_state(self._handle, block.address, math.prod(block.shape))
