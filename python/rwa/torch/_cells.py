"""What the parameters of the library's cells are, and where they start."""

from __future__ import annotations

import functools
import math
from typing import Dict, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from .._library import described, library
from ._handles import Layer, LayerHandle

_NEVER = 30.0  # the bias of a forget gate that stays open, whatever Adam does


class CellLayout(NamedTuple):
    """A cell of the library: which of its gates see x, which h, and which have a bias.

    Each letter is a block of `hidden_size` rows, in the library's order.
    """

    name: str
    x: Tuple[str, ...]
    h: Tuple[str, ...]
    bias: Tuple[str, ...]
    learned_start: bool
    state: Tuple[str, ...]  # the names of what a step hands to the next
    carried: Tuple[str, ...]  # those of them that have a gradient
    initial_bias: Dict[str, float]  # by gate
    spread: Optional[str]  # the gate whose biases are half-lives

    def shapes(self, inputs: int, units: int) -> Dict[str, Tuple[int, ...]]:
        """Of the parameters, in the order of the library's block of them."""
        shapes: Dict[str, Tuple[int, ...]] = {
            "weight_ih": (len(self.x) * units, inputs),
            "weight_hh": (len(self.h) * units, units),
            "bias": (len(self.bias) * units,),
        }
        return {**shapes, "start": (units,)} if self.learned_start else shapes


@functools.lru_cache(maxsize=None)
def layout_of(cell: str) -> CellLayout:
    """As the library describes the cell. Raises ConfigError for one that it does not have."""
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
    """Forget gates that let go after a time between one step and `span`, as many within each factor
    of two; and the first units, a share of `lasting`, never."""
    bias.uniform_(0.0, math.log(max(2, span)))
    bias[: math.ceil(lasting * len(bias))] = _NEVER


@torch.no_grad()
def initialise_(cell: CellLayout, parameters: Dict[str, Tensor]) -> None:
    """The initial values of the paper, drawn from PyTorch's generator."""
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
