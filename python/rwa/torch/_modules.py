"""The modules: any cell of the library, three recurrent weighted averages by their own names, and
torch.nn's LSTM and GRU."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch
from torch import Tensor

from .._errors import ConfigError
from . import _cells
from ._base import Stack

# Where half-lives start where nothing is said, as the library has it.
_SPAN, _LASTING = 100, 0.5


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


class Recurrent(Stack):
    """Recurrent layers of any cell of the library, where torch.nn.LSTM stood.

    Args:
        cell: the name of one of `rwa.cells()`.
        input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device,
            dtype: as torch.nn.LSTM has them; dtype is float32.
        activation: "tanh" or "identity".
        span, lasting: of cells that forget; see RWAForget.

    Parameters of layer k (and, of the way back, with "_reverse" behind the name) are weight_ih_l{k}
    [·, inputs], weight_hh_l{k} [·, hidden_size], bias_l{k} and, of cells that learn where h starts,
    start_l{k}: hidden_size rows for each gate that has them. The state is h, or a tuple of h and
    what else the cell carries from step to step.
    """

    def __init__(
        self,
        cell: str,
        *args: Any,
        activation: str = "tanh",
        span: Optional[int] = None,
        lasting: Optional[float] = None,
        **kwargs: Any,
    ) -> None:
        if activation not in ("tanh", "identity"):
            raise ConfigError(f"activation is {activation!r}, expected 'tanh' or 'identity'")
        self.CELL = cell
        self.activation = activation
        self._layout = layout = _cells.layout_of(cell)
        self.STATE, self.CARRIED = layout.state, layout.carried
        if layout.spread is None and (span is not None or lasting is not None):
            raise ConfigError(f"span and lasting are given, expected neither: {cell} forgets nothing")
        if span is not None and (not isinstance(span, int) or span < 1):
            raise ConfigError(f"span is {span!r}, expected a whole number of 1 or more")
        if lasting is not None and not 0 <= lasting <= 1:
            raise ConfigError(f"lasting is {lasting!r}, expected a share of 0 to 1")
        self.span, self.lasting = span, lasting
        super().__init__(*args, **kwargs)
        has_constants = layout.spread is not None and layout.spread not in layout.x + layout.h
        if has_constants and not self.bias:
            raise ConfigError("bias is False, expected True: half-lives are biases")

    def reset_parameters(self) -> None:
        layout = self._layout
        for suffix in self._suffixes():
            _cells.initialise_(layout, self._parameters_of(suffix))
        if not self.bias or layout.spread is None:
            return
        span = _SPAN if self.span is None else self.span
        lasting = _LASTING if self.lasting is None else self.lasting
        place = layout.bias.index(layout.spread)
        for suffix in self._suffixes():
            bias = self._parameters_of(suffix)["bias"].detach().split(self.hidden_size)
            _cells.spread_half_lives_(bias[place], span, lasting)

    def _shapes(self, inputs: int) -> Dict[str, Tuple[int, ...]]:
        shapes = self._layout.shapes(inputs, self.hidden_size)
        return {name: shape for name, shape in shapes.items() if self.bias or name != "bias"}

    def _block(self, parameters: Dict[str, Tensor]) -> List[Tensor]:
        weights = [parameters["weight_ih"], parameters["weight_hh"]]
        if self.bias:
            bias = parameters["bias"]
        else:
            bias = weights[1].new_zeros(len(self._layout.bias) * self.hidden_size)
        start = [parameters["start"]] if self._layout.learned_start else []
        return [*weights, bias, *start]

    def _as_state(self, parts: List[Tensor]) -> Any:
        return parts[0] if len(parts) == 1 else tuple(parts)

    def _parts(self, hx: Any) -> Sequence[Tensor]:
        return (hx,) if len(self.STATE) == 1 else hx

    def extra_repr(self) -> str:
        others = super().extra_repr()
        return f"{self.CELL!r}, {others}" if type(self) is Recurrent else others


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

    def __init__(self, *args: Any, activation: str = "tanh", **kwargs: Any) -> None:
        super().__init__(self.CELL, *args, activation=activation, **kwargs)

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

    def __init__(
        self, *args: Any, span: int = _SPAN, lasting: float = _LASTING, **kwargs: Any
    ) -> None:
        super().__init__(*args, span=span, lasting=lasting, **kwargs)


class RWADecay(RWAForget):
    """An RWA whose units each have a half-life, that is learned, instead of a gate.

    Arguments are those of RWAForget, but there is no bias=False: the half-life is a bias. Parameters
    are those of RWA, with rows of f in bias: g, f, u.
    """

    CELL = "rwa-decay"


class _Gated(Stack):
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
