"""rwa.Model: a recurrent network: describe it, build it, look at its weights, save and load it."""

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
    """A part of a network as it is told to people."""

    name: str  # that of its parameters without their last word: "layers.0", "output"
    what: str  # "rwa, tanh, 250 units, both ways"
    shape: str  # of what comes out of it: "[T,B,500]"
    parameters: int


class Model:
    """A recurrent network with its weights.

    It is used through an `rwa.Session`, an `rwa.Stream` or an `rwa.Trainer`, and may be called
    itself. Many threads may use one model as long as none trains or changes it.

    >>> model = rwa.Model(inputs=3, units=64, outputs=10)
    >>> y = model(x, lengths=[5, 2])    # x is [T,B,3], here [5,2,3]; y is [2,10]
    """

    def __init__(
        self,
        *,
        input: str | None = None,
        inputs: int | None = None,
        embedding: int | None = None,
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
        code: int | None = None,
        seed: int | None = None,
    ) -> None:
        """A network with new weights; what is None is as the library has it (see `config`).

        What comes in:
            input: "numbers" or "symbols".
            inputs: D, how many features a step has, or how many symbols there are.
            embedding: how many learned numbers stand for a symbol; 0: one-hot.
        The stack of recurrent layers:
            cell: the name of one of `rwa.cells()`; "rwa" where nothing is said.
            activation: "tanh" or "identity".
            units: H, of each layer and direction.
            layers, bidirectional: how many, and whether they read both ways.
            dropout: the share of a layer's outputs that training hides from the next.
            span, lasting: of cells that forget, where their gates start: half-lives up to `span`
                steps, but for a share of `lasting` of units that never forget.
            learned_decay: whether half-lives that are constants of the units (rwa-decay) are
                learned, or stay.
        What goes out:
            readout: "last", "every", "mean" or "attention": what of the steps is read.
            outputs: O.
            loss: "softmax", "sigmoid" or "squared-error".
            code: of how many numbers a decoder unrolls a sequence; 0: no decoder.
        seed: the same one gives the same weights, on any machine.
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
        """From a file, or from the folder that `rwa train` has written it to. Raises ModelFileError
        when it is not a whole and valid model, ResourceError when it cannot be read."""
        return cls._from(Handle("rwa_model_free", library.rwa_model_load, path_of(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Replaces the file as a whole or not at all."""
        library.rwa_model_save(self._handle, path_of(path))

    @property
    def config(self) -> dict[str, Any]:
        """The whole description, with the names of the constructor's arguments."""
        return dict(self._config)

    def describe(self) -> list[NetworkPart]:
        """The parts of the network in the order in which a sequence passes through them."""
        parts = described(library.rwa_model_describe, self._handle)
        return [NetworkPart(**part) for part in parts]

    @property
    def weights(self) -> Array:
        """A copy of all parameters in one block, in the order of `parameters`."""
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
        """A copy of all weights by name: "layers.0.weight_x", "output.bias", …"""
        return self.split(self.weights)

    @property
    def parameter_count(self) -> int:
        """How many numbers all parameters have."""
        return self._parameter_count

    def split(self, weights: Any) -> dict[str, Any]:
        """Parts of a block such as `weights`, or the gradient of a session, by the parameters'
        names, in the same memory."""
        check_shape("weights", tuple(weights.shape), "[parameters]", self.parameter_count)
        return {
            p["name"]: weights[p["offset"] : p["offset"] + p["size"]].reshape(tuple(p["shape"]))
            for p in described(library.rwa_model_parameters, self._handle)
        }

    def set_parameter(self, name: str, values: Any) -> None:
        """Not while a session runs. `values` has the shape that `parameters` shows."""
        block = borrow(values, "float32", name)
        for known in described(library.rwa_model_parameters, self._handle):
            if known["name"] == name and known["shape"] != list(block.shape):
                raise InputError(
                    f"{name} has the shape {list(block.shape)}, expected {known['shape']}"
                )
        library.rwa_model_set_parameter(
            self._handle, text_of(name, "name"), block.address, math.prod(block.shape)
        )

    @property
    def notes(self) -> dict[str, str]:
        """A copy of the texts that travel with the weights in the file, of which the library reads
        none."""
        return described(library.rwa_model_notes, self._handle)

    def set_note(self, name: str, text: str) -> None:
        """An empty text takes the note away."""
        library.rwa_model_set_note(self._handle, text_of(name, "name"), text_of(text, "text"))

    def __call__(self, x: Any, lengths: Any = None, *, steps: int | None = None) -> Any:
        """`Session.run` of a session that is made for it: keep one where speed matters."""
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
    """A model from its pickle."""
    model = Model(**config)
    model.weights = memoryview(weights).cast("f")
    for name, text in notes.items():
        model.set_note(name, text)
    return model
