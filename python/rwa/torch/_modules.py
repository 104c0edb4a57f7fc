"""The modules: Recurrent for any cell, the weighted averages, and LSTM and GRU like torch.nn's."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch
from torch import Tensor

from .._errors import ConfigError
from . import _cells
from ._base import Stack

# The library's defaults for the initial half-lives.
_SPAN, _LASTING = 100, 0.5


class RWAState(NamedTuple):
    """The state of a recurrent weighted average, [layers * directions, B, hidden_size] each.

    r is the average and L the logarithm of the sum of its weights. r_lo and L_lo are their rounding
    errors, which keep an average over a million steps exact; they have no gradient.
    """

    h: Tensor
    r: Tensor
    r_lo: Tensor
    L: Tensor
    L_lo: Tensor


class Recurrent(Stack):
    """Recurrent layers with any cell of the library, a drop-in replacement of torch.nn.LSTM.

    Parameters
    ----------
    cell : str
        One of `rwa.cells()`.
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype
        As in torch.nn.LSTM; dtype must be float32.
    activation : {"tanh", "identity"}
        Activation of the cell's output.
    span, lasting
        Initial half-lives of cells that forget; see RWAForget.

    Notes
    -----
    Layer k has the weights weight_ih_l{k} [·, inputs], weight_hh_l{k} [·, hidden_size], bias_l{k}
    and, for cells with a learned initial h, start_l{k}. Each gate takes hidden_size rows. Names of
    the reverse direction end in "_reverse". The state is h, or a tuple of h and the other parts of
    the cell's state.
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
            raise ConfigError(f"span and lasting have no effect on {cell}: it never forgets")
        if span is not None and (not isinstance(span, int) or span < 1):
            raise ConfigError(f"span is {span!r}, expected a whole number of 1 or more")
        if lasting is not None and not 0 <= lasting <= 1:
            raise ConfigError(f"lasting is {lasting!r}, expected a share from 0 to 1")
        self.span, self.lasting = span, lasting
        super().__init__(*args, **kwargs)
        has_constants = layout.spread is not None and layout.spread not in layout.x + layout.h
        if has_constants and not self.bias:
            raise ConfigError("bias is False, expected True: the half-lives are biases")

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
    """The recurrent weighted average of Ostmeyer & Cowell (2017), with torch.nn.LSTM's interface.

    Parameters
    ----------
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype
        As in torch.nn.LSTM; dtype must be float32.
    activation : {"tanh", "identity"}
        Activation of the average; the paper uses "tanh".

    Notes
    -----
    A step adds z = u * tanh(g) to the average with weight e^a; h is the activation of the average
    over all steps so far. Layer k has these weights (names of the reverse direction end in
    "_reverse"):

        weight_ih_l{k}: [3 * hidden_size, inputs], the rows of g, a and u
        weight_hh_l{k}: [2 * hidden_size, hidden_size], the rows of g and a
        bias_l{k}: [2 * hidden_size], for g and u (a bias of a would cancel)
        start_l{k}: [hidden_size]; its activation is h before the first step

    Initial values are the paper's: uniform weights, zero biases, normal start. The state is an
    RWAState; pass it as `hx` to continue the same sequences.

    Examples
    --------
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
    """An RWA with a forget gate, which can fade out earlier steps.

    Parameters
    ----------
    span : int
        Longest initial half-life of a unit, in steps; about the length of the longest sequences.
        Initial half-lives range from one step to `span`.
    lasting : float
        Share of units that initially never forget.
    *args, **kwargs
        As in RWA.

    Notes
    -----
    Every step scales the weight of all earlier steps by sigmoid(f); the gate f depends on x and h.
    The weights are those of RWA with additional rows for f: g, a, f, u in weight_ih, g, a, f in
    weight_hh and g, f, u in bias.
    """

    CELL = "rwa-forget"

    def __init__(
        self, *args: Any, span: int = _SPAN, lasting: float = _LASTING, **kwargs: Any
    ) -> None:
        super().__init__(*args, span=span, lasting=lasting, **kwargs)


class RWADecay(RWAForget):
    """An RWA whose units forget with a learned half-life instead of a gate.

    The arguments are those of RWAForget, except that bias must be True: the half-lives are biases.
    The weights are those of RWA with additional rows for f in bias: g, f, u.
    """

    CELL = "rwa-decay"


class _Gated(Stack):
    """The parameters and initial values of torch.nn.LSTM and torch.nn.GRU."""

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
    """torch.nn.LSTM computed by rwa, with the same arguments, parameters and initial values.

    The two can load each other's state_dict. `proj_size` must be 0. The state is (h_n, c_n).

    >>> import torch, rwa.torch
    >>> reference = torch.nn.LSTM(3, 64, num_layers=2)
    >>> layer = rwa.torch.LSTM(3, 64, num_layers=2)
    >>> layer.load_state_dict(reference.state_dict())
    <All keys matched successfully>
    """

    CELL = "lstm"
    GATES = 4
    STATE = CARRIED = ("h", "c")

    def __init__(self, *args: Any, proj_size: int = 0, **kwargs: Any) -> None:
        if proj_size != 0:
            raise ConfigError(f"proj_size is {proj_size!r}, expected 0: no projections supported")
        super().__init__(*args, **kwargs)

    def _block(self, parameters: Dict[str, Tensor]) -> List[Tensor]:
        of_x, of_h = self._biases(parameters)
        return [parameters["weight_ih"], parameters["weight_hh"], of_x + of_h]

    def _as_state(self, parts: List[Tensor]) -> Tuple[Tensor, Tensor]:
        h, c = parts
        return h, c


class GRU(_Gated):
    """torch.nn.GRU computed by rwa, with the same arguments, parameters and initial values.

    The two can load each other's state_dict. The state is h_n.
    """

    CELL = "gru"
    GATES = 3
    STATE = CARRIED = ("h",)

    def _block(self, parameters: Dict[str, Tensor]) -> List[Tensor]:
        # r and z have one bias; n has two, one inside and one outside the reset gate.
        gates = self.GATES * self.hidden_size
        of_x, of_h = self._biases(parameters)
        x_rz, x_n = of_x.split((gates - self.hidden_size, self.hidden_size))
        h_rz, h_n = of_h.split((gates - self.hidden_size, self.hidden_size))
        return [parameters["weight_ih"], parameters["weight_hh"], x_rz + h_rz, h_n, x_n]

    def _as_state(self, parts: List[Tensor]) -> Tensor:
        return parts[0]

    def _parts(self, hx: Any) -> Sequence[Tensor]:
        return (hx,)
