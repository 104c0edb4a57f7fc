"""Parameters of the library's cells and their initial values."""

from __future__ import annotations

import functools
import math
from typing import Dict, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from .._library import described, library
from ._handles import Layer, LayerHandle

_NEVER = 30.0  # bias of a forget gate that never forgets, whatever Adam does


class CellLayout(NamedTuple):
    """A cell of the library: which of its gates depend on x, which on h, and which have a bias.

    Each letter is a block of `hidden_size` rows, in the library's order.
    """

    name: str
    x: Tuple[str, ...]
    h: Tuple[str, ...]
    bias: Tuple[str, ...]
    learned_start: bool
    state: Tuple[str, ...]  # names of the parts of the state
    carried: Tuple[str, ...]  # those of them that have a gradient
    initial_bias: Dict[str, float]  # by gate
    spread: Optional[str]  # the gate whose biases are half-lives

    def shapes(self, inputs: int, units: int) -> Dict[str, Tuple[int, ...]]:
        """Return the shapes of the parameters in the order of the library's parameter block."""
        shapes: Dict[str, Tuple[int, ...]] = {
            "weight_ih": (len(self.x) * units, inputs),
            "weight_hh": (len(self.h) * units, units),
            "bias": (len(self.bias) * units,),
        }
        return {**shapes, "start": (units,)} if self.learned_start else shapes


@functools.lru_cache(maxsize=None)
def layout_of(cell: str) -> CellLayout:
    """Return the library's description of a cell. Raises ConfigError for an unknown one."""
    layer = LayerHandle(Layer(cell, "tanh", 1, 1, False, "cpu", 1))
    about = described(library.rwa_layer_describe, layer)
    listed = next(each for each in described(library.rwa_cells) if each["name"] == cell)
    return CellLayout(
        cell,
        tuple(about["gates_x"]),
        tuple(about["gates_h"]),
        tuple(about["gates_bias"]),
        bool(about["gates_start"]),
        tuple(about["state"]),
        tuple(about["carried"]),
        dict(zip(listed["gates"], listed["initial_bias"])),
        listed["spread"],
    )


def spread_half_lives_(bias: Tensor, span: int, lasting: float) -> None:
    """Initialise forget biases to half-lives from one step to `span`, uniform on a log scale.

    The first units, a share of `lasting`, never forget.
    """
    bias.uniform_(0.0, math.log(max(2, span)))
    bias[: math.ceil(lasting * len(bias))] = _NEVER


@torch.no_grad()
def initialise_(cell: CellLayout, parameters: Dict[str, Tensor]) -> None:
    """Draw the paper's initial values from PyTorch's generator."""
    units, inputs = parameters["weight_hh"].shape[1], parameters["weight_ih"].shape[1]
    blocks = {
        name: dict(zip(gates, parameters[name].split(units)))
        for name, gates in (("weight_ih", cell.x), ("weight_hh", cell.h))
    }
    for gate in dict.fromkeys(cell.x + cell.h):
        fan_in = inputs * (gate in cell.x) + units * (gate in cell.h)
        limit = math.sqrt(6 / (fan_in + units))
        for weights in blocks.values():
            if gate in weights:
                weights[gate].uniform_(-limit, limit)
    if "bias" in parameters:
        for gate, bias in zip(cell.bias, parameters["bias"].split(units)):
            bias.fill_(cell.initial_bias[gate])
    if "start" in parameters:
        parameters["start"].normal_()
