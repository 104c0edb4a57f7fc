"""rwa.Model: build, inspect, save and load a recurrent network."""

from __future__ import annotations

import ctypes
import math
import os
from typing import Any, NamedTuple

from ._arrays import borrow
from ._batch import check_shape
from ._errors import InputError
from ._library import Handle, described, floats, library, options
from ._values import path_of, text_of
from .array import ITEM_BYTES, Array


class NetworkPart(NamedTuple):
    """One line of a network's summary."""

    name: str  # the prefix of its parameters' names: "layers.0", "output"
    what: str  # a short description, such as the cell, activation and number of units
    shape: str  # of its output: "[T,B,500]"
    parameters: int


class Model:
    """A recurrent network with its weights.

    Call it directly, or use it through an `rwa.Session`, an `rwa.Stream` or an `rwa.Trainer`.
    Threads may share a model as long as none of them trains or changes it.

    >>> model = rwa.Model(inputs=3, units=64, outputs=10)
    >>> y = model(x, lengths=[5, 2])    # x is [T,B,3], here [5,2,3]; y is [2,10]
    """

    def __init__(
        self,
        *,
        input: str | None = None,
        inputs: int | None = None,
        embedding: int | None = None,
        stem: list[int] | None = None,
        channels: int | None = None,
        cell: str | None = None,
        activation: str | None = None,
        units: int | None = None,
        layers: int | None = None,
        bidirectional: bool | None = None,
        dropout: float | None = None,
        span: int | None = None,
        lasting: float | None = None,
        learned_decay: bool | None = None,
        readout: str | None = None,
        outputs: int | None = None,
        loss: str | None = None,
        interval: float | None = None,
        code: int | None = None,
        seed: int | None = None,
    ) -> None:
        """Create a network with new weights. None means the default; see `config`.

        Parameters
        ----------
        input : {"numbers", "symbols"}
            Type of the input.
        inputs : int
            Number of features of a time step (D), or size of the vocabulary.
        embedding : int
            Size of the embedding of a symbol; 0: one-hot.
        stem : list of int
            Kernel sizes of causal convolutions before the recurrent layers; []: none.
        channels : int
            Outputs of each convolution of the stem.
        cell : str
            Recurrent cell, one of `rwa.cells()`. Default: "rwa".
        activation : {"tanh", "identity"}
            Activation of the cell's output.
        units : int
            Units of each layer and direction (H).
        layers : int
            Number of recurrent layers.
        bidirectional : bool
            Read sequences in both directions.
        dropout : float
            Share of each layer's outputs to drop before the next layer during training.
        span : int
            Longest initial half-life of cells that forget, in steps.
        lasting : float
            Share of units that initially never forget.
        learned_decay : bool
            Learn the half-lives of rwa-decay; if False, they stay fixed.
        readout : {"last", "every", "mean", "attention"}
            Time steps that the output layer sees.
        outputs : int
            Number of outputs (O).
        loss : {"softmax", "sigmoid", "squared-error", "pinball"}
            Loss function.
        interval : float
            Probability of the intervals of the loss pinball, whose outputs come in threes: lower
            end, median, upper end.
        code : int
            Size of the code from which a decoder unrolls a sequence; 0: no decoder.
        seed : int
            Random seed. The same seed gives the same weights on any machine.
        """
        fields = dict(locals())
        del fields["self"]
        self._take(Handle("rwa_model_free", library.rwa_model_new, options(**fields)))

    @classmethod
    def _from(cls, handle: Handle) -> Model:
        model = cls.__new__(cls)
        model._take(handle)
        return model

    def _take(self, handle: Handle) -> None:
        self._handle = handle
        self._config: dict[str, Any] = described(library.rwa_model_config, handle)
        self._parameter_count = sum(part.parameters for part in self.describe())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Load a model from a file or from a run folder of `rwa train`.

        Raises ModelFileError if the file is truncated or not a valid model, and ResourceError if
        it cannot be read.
        """
        return cls._from(Handle("rwa_model_free", library.rwa_model_load, path_of(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model. The file is replaced atomically."""
        library.rwa_model_save(self._handle, path_of(path))

    @property
    def config(self) -> dict[str, Any]:
        """The complete configuration, with the names of the constructor's arguments."""
        return dict(self._config)

    def describe(self) -> list[NetworkPart]:
        """List the parts of the network in the order in which data passes through them."""
        parts = described(library.rwa_model_describe, self._handle)
        return [NetworkPart(**part) for part in parts]

    @property
    def weights(self) -> Array:
        """A copy of all parameters as one flat array, in the order of `parameters`. Can be set."""
        address, count = floats(library.rwa_model_weights, self._handle)
        weights = Array((count,))
        ctypes.memmove(weights.address, address, count * ITEM_BYTES)
        return weights

    @weights.setter
    def weights(self, values: Any) -> None:
        block = borrow(values, "float32", "weights")
        library.rwa_model_set_weights(self._handle, block.address, math.prod(block.shape))

    @property
    def parameters(self) -> dict[str, Array]:
        """A copy of all parameters by name: "layers.0.weight_x", "output.bias", …"""
        return self.split(self.weights)

    @property
    def parameter_count(self) -> int:
        """The total number of weights."""
        return self._parameter_count

    def split(self, weights: Any) -> dict[str, Any]:
        """Split a flat array, such as `weights` or a gradient, into views by parameter name."""
        check_shape("weights", tuple(weights.shape), "[parameters]", self.parameter_count)
        return {
            p["name"]: weights[p["offset"] : p["offset"] + p["size"]].reshape(tuple(p["shape"]))
            for p in described(library.rwa_model_parameters, self._handle)
        }

    def set_parameter(self, name: str, values: Any) -> None:
        """Set one parameter. No session of the model may run meanwhile.

        `values` must have the shape of the parameter in `parameters`.
        """
        block = borrow(values, "float32", name)
        for known in described(library.rwa_model_parameters, self._handle):
            if known["name"] == name and known["shape"] != list(block.shape):
                raise InputError(
                    f"{name} has shape {list(block.shape)}, expected {known['shape']}"
                )
        library.rwa_model_set_parameter(
            self._handle, text_of(name, "name"), block.address, math.prod(block.shape)
        )

    @property
    def notes(self) -> dict[str, str]:
        """A copy of the notes, strings that are saved with the weights."""
        return described(library.rwa_model_notes, self._handle)

    def set_note(self, name: str, text: str) -> None:
        """Set a note. An empty text removes it."""
        library.rwa_model_set_note(self._handle, text_of(name, "name"), text_of(text, "text"))

    def __call__(self, x: Any, lengths: Any = None, *, steps: int | None = None) -> Any:
        """Run a batch through a new session. For many calls, keep a `Session` instead."""
        from .session import Session

        return Session(self).run(x, lengths, steps=steps)

    def __repr__(self) -> str:
        c = self._config
        return (
            f"rwa.Model({c['inputs']} {c['input']} -> {c['layers']} x {c['units']} {c['cell']} -> "
            f"{c['outputs']} {c['loss']}, {self.parameter_count} parameters)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._config, self.weights.data.tobytes(), self.notes)


def _restored(config: dict[str, Any], weights: bytes, notes: dict[str, str]) -> Model:
    """Restore a model from its pickle."""
    model = Model(**config)
    model.weights = memoryview(weights).cast("f")
    for name, text in notes.items():
        model.set_note(name, text)
    return model
