"""The modules: three recurrent weighted averages, and torch.nn's LSTM and GRU."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

import torch
from torch import Tensor

from .._errors import ConfigError
from . import _cells
from ._base import Recurrent


class RWAState(NamedTuple):
    """What a recurrent weighted average hands on, [layers * directions, B, hidden_size] each.

    r is the average and L the logarithm of the sum of its weights. The others are their rounding
    errors, which keep an average over a million steps right and have no gradient.
    """

    h: Tensor
    r: Tensor
    r_lo: Tensor
    L: Tensor
    L_lo: Tensor


class RWA(Recurrent):
    """The recurrent weighted average of Ostmeyer & Cowell (2017), where torch.nn.LSTM stood.

    Args:
        input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device,
            dtype: as torch.nn.LSTM has them; dtype is float32.
        activation: "tanh", as in the paper, or "identity".

    A step takes in z = u * tanh(g) with the weight e^a; h is the activation of the average of all
    steps so far. Parameters of layer k (and, of the way back, with "_reverse" behind the name):

        weight_ih_l{k}: [3 * hidden_size, inputs], the rows of g, a and u
        weight_hh_l{k}: [2 * hidden_size, hidden_size], those of g and a
        bias_l{k}: [2 * hidden_size], of g and u: one of a would cancel
        start_l{k}: [hidden_size]; h before the first step is its activation

    They start as in the paper: weights uniform, biases 0, the start normal. The state that comes
    back, an RWAState, is what `hx` takes to go on with the same sequences.

    >>> import torch, rwa.torch
    >>> layer = rwa.torch.RWA(3, 64, batch_first=True)
    >>> output, state = layer(torch.randn(8, 100, 3))
    >>> output.shape, state.h.shape
    (torch.Size([8, 100, 64]), torch.Size([1, 8, 64]))
    """

    CELL = "rwa"
    STATE = RWAState._fields
    CARRIED = ("h", "r", "L")
    BLOCKS = _cells.RWA

    def __init__(self, *args: Any, activation: str = "tanh", **kwargs: Any) -> None:
        if activation not in ("tanh", "identity"):
            raise ConfigError(f"activation is {activation!r}, expected 'tanh' or 'identity'")
        self.activation = activation
        super().__init__(*args, **kwargs)

    def reset_parameters(self) -> None:
        for suffix in self._suffixes():
            _cells.initialise_(self.BLOCKS, self._parameters_of(suffix))

    def _shapes(self, inputs: int) -> Dict[str, Tuple[int, ...]]:
        shapes = self.BLOCKS.shapes(inputs, self.hidden_size)
        return {name: shape for name, shape in shapes.items() if self.bias or name != "bias"}

    def _block(self, parameters: Dict[str, Tensor]) -> List[Tensor]:
        start = parameters["start"]
        bias = parameters.get("bias", start.new_zeros(len(self.BLOCKS.bias) * self.hidden_size))
        return [parameters["weight_ih"], parameters["weight_hh"], bias, start]

    def _as_state(self, parts: List[Tensor]) -> RWAState:
        return RWAState(*parts)


class RWAForget(RWA):
    """An RWA with a forget gate, which lets the average go of what came before.

    Args:
        span: half-lives of the units are at first spread from one step to this many; about the
            length of the longest sequences.
        lasting: this share of the units never forgets, at first.
        Others are those of RWA.

    With each step, what came before gets lighter by sigmoid(f), where the gate f sees x and h.
    Parameters are those of RWA with the rows of f among them: g, a, f, u in weight_ih, g, a, f in
    weight_hh and g, f, u in bias.
    """

    CELL = "rwa-forget"
    BLOCKS = _cells.RWA_FORGET

    def __init__(self, *args: Any, span: int = 100, lasting: float = 0.5, **kwargs: Any) -> None:
        if not isinstance(span, int) or span < 1:
            raise ConfigError(f"span is {span!r}, expected a whole number of 1 or more")
        if not 0 <= lasting <= 1:
            raise ConfigError(f"lasting is {lasting!r}, expected a share of 0 to 1")
        self.span, self.lasting = span, lasting
        super().__init__(*args, **kwargs)

    def reset_parameters(self) -> None:
        super().reset_parameters()
        place = self.BLOCKS.bias.index("f")
        for suffix in self._suffixes() if self.bias else ():
            bias = self._parameters_of(suffix)["bias"].detach()
            _cells.spread_half_lives_(bias.split(self.hidden_size)[place], self.span, self.lasting)


class RWADecay(RWAForget):
    """An RWA whose units each have a half-life, that is learned, instead of a gate.

    Arguments are those of RWAForget, but there is no bias=False: the half-life is a bias. Parameters
    are those of RWA, with rows of f in bias: g, f, u.
    """

    CELL = "rwa-decay"
    BLOCKS = _cells.RWA_DECAY

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.bias:
            raise ConfigError("bias is False, expected True: half-lives are biases")


class _Gated(Recurrent):
    """The parameters and initial values of torch.nn's own cells."""

    GATES = 0

    def reset_parameters(self) -> None:
        limit = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            torch.nn.init.uniform_(parameter, -limit, limit)

    def _shapes(self, inputs: int) -> Dict[str, Tuple[int, ...]]:
        rows = self.GATES * self.hidden_size
        weights = {"weight_ih": (rows, inputs), "weight_hh": (rows, self.hidden_size)}
        return {**weights, "bias_ih": (rows,), "bias_hh": (rows,)} if self.bias else weights

    def _biases(self, parameters: Dict[str, Tensor]) -> Tuple[Tensor, Tensor]:
        if self.bias:
            return parameters["bias_ih"], parameters["bias_hh"]
        zeros = parameters["weight_hh"].new_zeros(self.GATES * self.hidden_size)
        return zeros, zeros


class LSTM(_Gated):
    """torch.nn.LSTM, computed by this library: same arguments, parameters and initial values.

    Their state_dicts can be loaded into each other. `proj_size` must be 0. The state is (h_n, c_n).

    >>> import torch, rwa.torch
    >>> theirs = torch.nn.LSTM(3, 64, num_layers=2)
    >>> ours = rwa.torch.LSTM(3, 64, num_layers=2)
    >>> ours.load_state_dict(theirs.state_dict())
    <All keys matched successfully>
    """

    CELL = "lstm"
    GATES = 4
    STATE = CARRIED = ("h", "c")

    def __init__(self, *args: Any, proj_size: int = 0, **kwargs: Any) -> None:
        if proj_size != 0:
            raise ConfigError(f"proj_size is {proj_size!r}, expected 0: there are no projections")
        super().__init__(*args, **kwargs)

    def _block(self, parameters: Dict[str, Tensor]) -> List[Tensor]:
        of_x, of_h = self._biases(parameters)
        return [parameters["weight_ih"], parameters["weight_hh"], of_x + of_h]

    def _as_state(self, parts: List[Tensor]) -> Tuple[Tensor, Tensor]:
        h, c = parts
        return h, c


class GRU(_Gated):
    """torch.nn.GRU, computed by this library: same arguments, parameters and initial values.

    Their state_dicts can be loaded into each other. The state is h_n.
    """

    CELL = "gru"
    GATES = 3
    STATE = CARRIED = ("h",)

    def _block(self, parameters: Dict[str, Tensor]) -> List[Tensor]:
        # Of r and z there is one bias; those of n stand on both sides of the reset gate.
        gates = self.GATES * self.hidden_size
        of_x, of_h = self._biases(parameters)
        x_rz, x_n = of_x.split((gates - self.hidden_size, self.hidden_size))
        h_rz, h_n = of_h.split((gates - self.hidden_size, self.hidden_size))
        return [parameters["weight_ih"], parameters["weight_hh"], x_rz + h_rz, h_n, x_n]

    def _as_state(self, parts: List[Tensor]) -> Tensor:
        return parts[0]

    def _parts(self, hx: Any) -> Sequence[Tensor]:
        return (hx,)
