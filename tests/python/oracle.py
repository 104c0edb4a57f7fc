"""The recurrent weighted average in plain PyTorch, any dtype: the reference for rwa.torch.

It follows the paper's equations with the running maximum (appendix B), step by step, and shares
nothing with the library: n and d instead of the library's r and L, and autograd instead of its own
gradient.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

# The blocks of H rows of weight_ih, weight_hh and bias.
BLOCKS = {
    "rwa": ("gau", "ga", "gu"),
    "rwa-forget": ("gafu", "gaf", "gfu"),
    "rwa-decay": ("gau", "ga", "gfu"),
}


class Weights(NamedTuple):
    """The weights of one layer and direction."""

    ih: Tensor  # [gates H, D]
    hh: Tensor  # [gates H, H]
    bias: Optional[Tensor]  # [gates H]
    start: Tensor  # [H]


class Average(NamedTuple):
    """The state after a step, [B,H] each: h, the average, and the logarithm of its denominator."""

    h: Tensor
    average: Tensor
    log_weight: Tensor


def activate(activation: str, x: Tensor) -> Tensor:
    return torch.tanh(x) if activation == "tanh" else x


def preactivations(cell: str, weights: Weights, x: Tensor, h: Tensor) -> Dict[str, Tensor]:
    """Return W x + W h + b of each gate, as far as it has these parts."""
    units = h.shape[-1]
    sums: Dict[str, Tensor] = {}
    parts = [x @ weights.ih.t(), h @ weights.hh.t()]
    if weights.bias is not None:
        parts.append(weights.bias.expand(len(x), -1))
    for names, part in zip(BLOCKS[cell], parts):
        for name, block in zip(names, part.split(units, dim=1)):
            sums[name] = sums[name] + block if name in sums else block
    return sums


def step(
    cell: str,
    activation: str,
    weights: Weights,
    x: Tensor,
    h: Tensor,
    n: Tensor,
    d: Tensor,
    m: Tensor,
) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    """Run one step on x [B,D]. Return h, n and d over e^m, and m, the largest exponent so far."""
    gates = preactivations(cell, weights, x, h)
    z = gates["u"] * torch.tanh(gates["g"])
    before = m
    if "f" in gates:  # earlier steps lose weight
        before = m + torch.nn.functional.logsigmoid(gates["f"])
    # n / d does not depend on m, so m needs no gradient.
    m = torch.maximum(before, gates["a"]).detach()
    kept = torch.exp(before - m)
    new = torch.exp(gates["a"] - m)
    n = n * kept + z * new
    d = d * kept + new
    return activate(activation, n / d), n, d, m


def begin(
    activation: str, weights: Weights, batch: int, state: Optional[Average]
) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return h, n, d and m before the first step."""
    if state is None:
        h = activate(activation, weights.start).expand(batch, -1)
        zeros = torch.zeros_like(h)
        return h, zeros, zeros, torch.full_like(h, -float("inf"))
    m = state.log_weight.detach()
    d = torch.exp(state.log_weight - m)
    return state.h, state.average * d, d, m


def run(
    cell: str,
    weights: Weights,
    x: Tensor,
    lengths: Optional[List[int]] = None,
    state: Optional[Average] = None,
    reverse: bool = False,
    activation: str = "tanh",
) -> Tuple[Tensor, Average]:
    """Run one layer on x [T,B,D]. Return all h [T,B,H], zero past an end, and the state."""
    steps, batch, _ = x.shape
    ends = torch.tensor(lengths if lengths is not None else [steps] * batch)
    h, n, d, m = begin(activation, weights, batch, state)
    outputs = [torch.zeros_like(h)] * steps
    for t in reversed(range(steps)) if reverse else range(steps):
        inside = (t < ends).unsqueeze(1)
        after = step(cell, activation, weights, x[t], h, n, d, m)
        h, n, d, m = (torch.where(inside, new, old) for new, old in zip(after, (h, n, d, m)))
        outputs[t] = torch.where(inside, h, torch.zeros_like(h))
    return torch.stack(outputs), Average(h, n / d, m + torch.log(d))


def definition(weights: Weights, x: Tensor) -> Tensor:
    """Return the last h of the paper's equation 2, each step from sums over all steps so far."""
    h = torch.tanh(weights.start).expand(x.shape[1], -1)
    z: List[Tensor] = []
    a: List[Tensor] = []
    for x_t in x:
        gates = preactivations("rwa", weights, x_t, h)
        z.append(gates["u"] * torch.tanh(gates["g"]))
        a.append(gates["a"])
        h = torch.tanh((torch.stack(z) * torch.softmax(torch.stack(a), dim=0)).sum(0))
    return h


class Network:
    """A stack of layers, also bidirectional, with the weights of an rwa.torch module in float64."""

    def __init__(self, module: torch.nn.Module, cell: str) -> None:
        self.cell = cell
        self.activation = module.activation
        self.layers = module.num_layers
        self.ways = ["", "_reverse"] if module.bidirectional else [""]
        self.weights = {
            name: value.detach().cpu().double().requires_grad_()
            for name, value in module.named_parameters()
        }

    def of(self, layer: int, way: str) -> Weights:
        found = (
            self.weights.get(f"{name}_l{layer}{way}")
            for name in ("weight_ih", "weight_hh", "bias", "start")
        )
        return Weights(*found)

    def run(
        self, x: Tensor, lengths: Optional[List[int]] = None, state: Optional[Average] = None
    ) -> Tuple[Tensor, Average]:
        """Run all layers on x [T,B,D]; states are [layers * directions, B, H]."""
        ends: List[Average] = []
        for layer in range(self.layers):
            outputs = []
            for way in self.ways:
                first = None if state is None else Average(*(part[len(ends)] for part in state))
                y, end = run(
                    self.cell, self.of(layer, way), x, lengths, first, way != "", self.activation
                )
                outputs.append(y)
                ends.append(end)
            x = torch.cat(outputs, dim=2)
        return x, Average(*(torch.stack(part) for part in zip(*ends)))
