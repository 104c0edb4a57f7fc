"""Helpers of the tests of rwa.torch."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Tuple

import oracle
import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence

import rwa.torch

AVERAGES = {
    "rwa": rwa.torch.RWA,
    "rwa-forget": rwa.torch.RWAForget,
    "rwa-decay": rwa.torch.RWADecay,
}
GATED = {"lstm": (rwa.torch.LSTM, torch.nn.LSTM), "gru": (rwa.torch.GRU, torch.nn.GRU)}

# Names of the first layer's parameters in a module and in a model.
PARAMETERS = {
    "weight_ih_l0": "weight_x",
    "weight_hh_l0": "weight_h",
    "bias_l0": "bias",
    "start_l0": "start",
}

# For float32 against float64, with numbers of about 1.
TOLERANCE = {"rtol": 2e-4, "atol": 2e-5}


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def numbers(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=seeded(seed))


def with_random_weights(module: torch.nn.Module, seed: int = 3) -> torch.nn.Module:
    """Randomise all parameters, so that biases are not 0 and forget gates do forget."""
    generator = seeded(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.5)
    return module


def average_state(layers: int, batch: int, units: int) -> rwa.torch.RWAState:
    """Return a random state with rounding errors."""

    def draw(seed: int) -> Tensor:
        return numbers(layers, batch, units, seed=seed)

    r = draw(11)
    return rwa.torch.RWAState(draw(10), r, r * 1e-8, draw(12), draw(13) * 1e-8)


def leaves(tensors: Sequence[Tensor]) -> List[Tensor]:
    return [tensor.detach().clone().requires_grad_() for tensor in tensors]


def packed(x: Tensor, lengths: List[int], sort: bool = True) -> PackedSequence:
    return pack_padded_sequence(x, torch.tensor(lengths), enforce_sorted=sort)


def weighted_sum(tensors: Sequence[Tensor]) -> Tensor:
    """Return a loss with a random weight per element, the same for any dtype."""
    total = tensors[0].new_zeros(())
    for place, tensor in enumerate(tensors):
        share = numbers(*tensor.shape, seed=100 + place).to(tensor)
        total = total + (tensor * share).sum()
    return total


def gradients(module: torch.nn.Module) -> Dict[str, Tensor]:
    """Return the gradients of a module's parameters and clear them."""
    found = {name: parameter.grad.clone() for name, parameter in module.named_parameters()}
    module.zero_grad()
    return found


def assert_close(
    found: Optional[Tensor],
    expected: Optional[Tensor],
    words: str,
    tolerance: Optional[Dict[str, float]] = None,
) -> None:
    """Compare tensors; an expected gradient of None counts as zero."""
    assert found is not None, f"{words} is None"
    found = found.detach().cpu().double()
    expected = torch.zeros_like(found) if expected is None else expected.detach().cpu().double()
    try:
        torch.testing.assert_close(found, expected, **(tolerance or TOLERANCE))
    except AssertionError as error:
        raise AssertionError(f"{words}: {error}") from None


def assert_same_gradients(module: torch.nn.Module, expected: Dict[str, Tensor]) -> None:
    names = [name for name, _ in module.named_parameters()]
    assert sorted(names) == sorted(expected), (names, sorted(expected))
    for name, parameter in module.named_parameters():
        assert_close(parameter.grad, expected[name].grad, f"{module}, gradient of {name}")


def compare_with_oracle(
    cell: str, module: torch.nn.Module, x: Tensor, state: Optional[rwa.torch.RWAState] = None
) -> None:
    """Compare outputs, states and all gradients for x [T,B,D] on the module's device."""
    device = next(module.parameters()).device
    ours = leaves([x.to(device)] + [part.to(device) for part in state or ()])
    hx = rwa.torch.RWAState(*ours[1:]) if state else None
    y, end = module(ours[0], hx)
    compare_results(cell, module, ours, (y, *end), x, None)


def compare_results(
    cell: str,
    module: torch.nn.Module,
    ours: List[Tensor],
    results: Tuple[Tensor, ...],
    x: Tensor,
    lengths: Optional[List[int]],
) -> None:
    """Compare with the oracle. `ours` is x and optionally a state, `results` outputs and state."""
    network = oracle.Network(module, cell)
    theirs = leaves([x.double()] + [part.cpu().double() for part in ours[1:]])
    before = average_of(theirs[1:]) if len(theirs) > 1 else None
    y, end = network.run(theirs[0], lengths, before)
    after = [results[0], *average_of(results[1:])]
    for name, found, expected in zip(("output", "h", "r", "L"), after, (y, *end)):
        assert_close(found, expected, f"{module}, {name}")

    weighted_sum([results[0], results[1], results[2], results[4]]).backward()
    weighted_sum([y, *end]).backward()
    assert_same_gradients(module, network.weights)
    assert_close(ours[0].grad, theirs[0].grad, f"{module}, gradient of x")
    for place, name in ((1, "h"), (2, "r"), (4, "L")) if before else ():
        assert_close(ours[place].grad, theirs[place].grad, f"{module}, gradient of first {name}")


def average_of(state: Sequence[Tensor]) -> oracle.Average:
    """Return h, the average and its logarithm, the latter two with their rounding errors added."""
    h, r, r_lo, L, L_lo = state
    return oracle.Average(h, r + r_lo, L + L_lo)
