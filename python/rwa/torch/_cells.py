"""What the parameters of a recurrent weighted average are, and where they start."""

from __future__ import annotations

import math
from typing import Dict, NamedTuple, Tuple

import torch
from torch import Tensor

_NEVER = 30.0  # the bias of a forget gate that stays open, whatever Adam does


class Average(NamedTuple):
    """A cell of the library: which of its gates see x, which h, and which have a bias.

    Each letter is a block of `hidden_size` rows, in the library's order: g is the sign and size of
    what is taken in, a its attention, f the forget gate, u the features.
    """

    name: str
    x: str
    h: str
    bias: str

    def shapes(self, inputs: int, units: int) -> Dict[str, Tuple[int, ...]]:
        """Of the parameters, in the order of the library's block of them."""
        return {
            "weight_ih": (len(self.x) * units, inputs),
            "weight_hh": (len(self.h) * units, units),
            "bias": (len(self.bias) * units,),
            "start": (units,),
        }


RWA = Average("rwa", x="gau", h="ga", bias="gu")  # a bias of the attention would cancel
RWA_FORGET = Average("rwa-forget", x="gafu", h="gaf", bias="gfu")
RWA_DECAY = Average("rwa-decay", x="gau", h="ga", bias="gfu")


def spread_half_lives_(bias: Tensor, span: int, lasting: float) -> None:
    """Forget gates that let go after a time between one step and `span`, as many within each factor
    of two; and the first units, a share of `lasting`, never."""
    bias.uniform_(0.0, math.log(max(2, span)))
    bias[: math.ceil(lasting * len(bias))] = _NEVER


@torch.no_grad()
def initialise_(cell: Average, parameters: Dict[str, Tensor]) -> None:
    """The initial values of the paper, drawn from PyTorch's generator."""
    units, inputs = parameters["weight_hh"].shape[1], parameters["weight_ih"].shape[1]
    blocks = {
        name: dict(zip(gates, parameters[name].split(units)))
        for name, gates in (("weight_ih", cell.x), ("weight_hh", cell.h))
    }
    for gate in cell.x:
        fan_in = inputs * (gate in cell.x) + units * (gate in cell.h)
        limit = math.sqrt(6 / (fan_in + units))
        for weights in blocks.values():
            if gate in weights:
                weights[gate].uniform_(-limit, limit)
    if "bias" in parameters:
        parameters["bias"].zero_()
    parameters["start"].normal_()
