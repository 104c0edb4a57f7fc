"""The base of all recurrent modules: torch.nn.LSTM's conventions around the library's layers."""

from __future__ import annotations

import inspect
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from .._errors import ConfigError, InputError
from ._handles import Call, Layer, LayerHandle, shared
from ._recurrence import recurrence

# The library counts steps and sequences with 32-bit integers.
_MOST = 2**31 - 1


def _outside_graphs(function: Callable[..., Any]) -> Callable[..., Any]:
    """Exclude a function from torch.compile, which still compiles the code around it."""
    try:
        from torch._compile import _disable_dynamo  # torch.compiler.disable without its imports
    except ImportError:
        try:
            from torch._dynamo import disable as _disable_dynamo
        except ImportError:
            return function
    return _disable_dynamo(function)


class Stack(torch.nn.Module):
    """A stack of recurrent layers, unidirectional or bidirectional."""

    CELL = ""  # the library's name of the cell
    STATE: Tuple[str, ...] = ()  # names of the parts of the state
    CARRIED: Tuple[str, ...] = ()  # those of them that have a gradient
    activation = "tanh"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Union[torch.device, str, None] = None,
        dtype: Optional[torch.dtype] = None,
    ) -> None:
        super().__init__()
        for name, size in (
            ("input_size", input_size),
            ("hidden_size", hidden_size),
            ("num_layers", num_layers),
        ):
            if not isinstance(size, int) or size < 1:
                raise ConfigError(f"{name} is {size!r}, expected a whole number of 1 or more")
        if isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise ConfigError(f"dropout is {dropout!r}, expected a share from 0 to 1")
        if dtype not in (None, torch.float32):
            raise ConfigError(f"dtype is {dtype}, expected torch.float32")
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                f"dropout={dropout} has no effect with num_layers=1: it applies between layers",
                stacklevel=3,
            )
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        # Keeps the layers alive with the module. The replicas of DataParallel share them.
        self._used: Dict[Tuple[str, torch.device], LayerHandle] = {}
        self._register(device)
        self.reset_parameters()

    # -- Parameters --------------------------------------------------------------------------------

    def _shapes(self, inputs: int) -> Dict[str, Tuple[int, ...]]:
        """Return the shapes of a layer's parameters by the first part of their names."""
        raise NotImplementedError

    def _block(self, parameters: Dict[str, Tensor]) -> List[Tensor]:
        """Return the parts of the library's parameter block, made from the module's parameters."""
        raise NotImplementedError

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        raise NotImplementedError

    def _suffixes(self) -> List[str]:
        """Return the name suffix of the parameters of each layer and direction."""
        ways = ("", "_reverse") if self.bidirectional else ("",)
        return [f"_l{layer}{way}" for layer in range(self.num_layers) for way in ways]

    def _register(self, device: Union[torch.device, str, None]) -> None:
        directions = 2 if self.bidirectional else 1
        for place, suffix in enumerate(self._suffixes()):
            first = place < directions
            inputs = self.input_size if first else directions * self.hidden_size
            for name, shape in self._shapes(inputs).items():
                values = torch.empty(shape, device=device, dtype=torch.float32)
                self.register_parameter(name + suffix, torch.nn.Parameter(values))

    def _parameters_of(self, suffix: str) -> Dict[str, Tensor]:
        # By attribute: parameters() of DataParallel's replicas is empty.
        return {name: getattr(self, name + suffix) for name in self._shapes(1)}

    def flatten_parameters(self) -> None:
        """Do nothing; exists for compatibility with torch.nn.LSTM."""

    def __getstate__(self) -> Dict[str, Any]:
        """Return the state for copies and pickles, which create their own layers."""
        return {**self.__dict__, "_used": {}}

    def extra_repr(self) -> str:
        """Return the sizes and all arguments that differ from their defaults."""
        usual = {
            name: parameter.default
            for kind in reversed(type(self).__mro__)
            for name, parameter in inspect.signature(kind.__init__).parameters.items()
            if parameter.default is not parameter.empty and hasattr(self, name)
        }
        others = [
            f"{name}={getattr(self, name)!r}"
            for name, value in usual.items()
            if getattr(self, name) != value
        ]
        return ", ".join([str(self.input_size), str(self.hidden_size), *others])

    # -- Sequences ---------------------------------------------------------------------------------

    @_outside_graphs
    def forward(
        self, input: Union[Tensor, PackedSequence], hx: Any = None
    ) -> Tuple[Union[Tensor, PackedSequence], Any]:
        """Return all outputs, [T, B, directions * hidden_size], and the state after the last step.

        Parameters
        ----------
        input : Tensor or PackedSequence
            [T, B, input_size]; [B, T, input_size] with batch_first; [T, input_size] for a single
            sequence. The output has the same form.
        hx : optional
            The state before the first step, as returned by an earlier call. Default: the start of a
            sequence.
        """
        if torch.jit.is_tracing():
            # Tracing would silently turn the library's results into constants.
            raise ConfigError(
                f"{type(self).__name__} cannot be traced (torch.jit.trace, torch.onnx.export): to "
                "write an ONNX file, use rwa.export_onnx with an rwa.Model"
            )
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        x = self._checked(input, "input")
        if x.dim() not in (2, 3) or x.shape[-1] != self.input_size:
            order = "B, T" if self.batch_first else "T, B"
            raise InputError(
                f"input is {_shape(x)}, expected [{order}, {self.input_size}] or, for "
                f"a single sequence, [T, {self.input_size}]"
            )
        if x.dim() == 2:
            output, state = self._run(x.unsqueeze(1), None, self._before(hx, None))
            return output.squeeze(1), self._as_state([part.squeeze(1) for part in state])
        if self.batch_first:
            x = x.transpose(0, 1)
        output, state = self._run(x, None, self._before(hx, x.shape[1]))
        return output.transpose(0, 1) if self.batch_first else output, self._as_state(state)

    def _forward_packed(self, packed: PackedSequence, hx: Any) -> Tuple[PackedSequence, Any]:
        """Run packed sequences in their sorted order, and reorder only the states."""
        data = self._checked(packed.data, "input")
        if data.dim() != 2 or data.shape[1] != self.input_size:
            raise InputError(
                f"the packed input has data of shape {_shape(data)}, expected [steps, "
                f"{self.input_size}]"
            )
        x, lengths = pad_packed_sequence(PackedSequence(data, packed.batch_sizes))
        before = self._before(hx, x.shape[1])
        if before is not None:
            before = _in_order(before, packed.sorted_indices)
        unequal = lengths.to(torch.int32) if int(lengths[-1]) < len(x) else None
        output, state = self._run(x, unequal, before)
        data = pack_padded_sequence(output, lengths).data
        return (
            PackedSequence(
                data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices
            ),
            self._as_state(_in_order(state, packed.unsorted_indices)),
        )

    def _run(
        self, x: Tensor, lengths: Optional[Tensor], before: Optional[Sequence[Tensor]]
    ) -> Tuple[Tensor, List[Tensor]]:
        """Run all layers over x [T,B,D]; each part of a state is [layers * directions, B, H]."""
        if len(x) == 0 or max(x.shape[:2]) > _MOST:
            raise InputError(
                f"input is {_shape(x)} as [T, B, input_size], expected at least one step and at "
                f"most {_MOST} steps and sequences"
            )
        directions = 2 if self.bidirectional else 1
        suffixes = self._suffixes()
        after: List[Tensor] = []
        for first in range(0, len(suffixes), directions):
            if first > 0 and self.dropout > 0:
                x = functional.dropout(x, self.dropout, self.training)
            outputs = []
            for place in range(first, first + directions):
                state = None if before is None else torch.stack([p[place] for p in before], dim=1)
                h, end = self._run_layer(x.contiguous(), lengths, suffixes[place], state)
                outputs.append(h)
                after.append(end)
            x = outputs[0] if directions == 1 else torch.cat(outputs, dim=2)
        return x, self._split(torch.stack(after))

    def _run_layer(
        self, x: Tensor, lengths: Optional[Tensor], suffix: str, state: Optional[Tensor]
    ) -> Tuple[Tensor, Tensor]:
        on_cpu = x.device.type == "cpu"
        layer = shared(
            Layer(
                self.CELL,
                self.activation,
                x.shape[2],
                self.hidden_size,
                suffix.endswith("_reverse"),
                str(x.device),
                torch.get_num_threads() if on_cpu else 1,
            )
        )
        self._used[suffix, x.device] = layer
        parts = self._block(self._parameters_of(suffix))
        return recurrence(Call(layer, lengths, x, state, tuple(parts)))

    # -- States ------------------------------------------------------------------------------------

    def _as_state(self, parts: List[Tensor]) -> Any:
        """Return the parts of a state in the form of `hx`."""
        raise NotImplementedError

    def _parts(self, hx: Any) -> Sequence[Tensor]:
        """Return the parts of `hx`; the inverse of _as_state."""
        return hx

    def _split(self, state: Tensor) -> List[Tensor]:
        """Split the states of all layers, [layers, B, state, H], into their parts."""
        return [
            part if name in self.CARRIED else part.detach()
            for name, part in zip(self.STATE, state.unbind(dim=2))
        ]

    def _before(self, hx: Any, batch: Optional[int]) -> Optional[List[Tensor]]:
        """Return the checked parts of `hx`, [layers, B, H]; batch is None for a single sequence."""
        if hx is None:
            return None
        layers, units = self.num_layers * (2 if self.bidirectional else 1), self.hidden_size
        expected = [layers, units] if batch is None else [layers, batch, units]
        parts = self._parts(hx)
        if not isinstance(parts, (tuple, list)) or len(parts) != len(self.STATE):
            size = f" of {len(parts)}" if isinstance(parts, (tuple, list)) else ""
            raise InputError(
                f"hx is a {type(parts).__name__}{size}, expected a tuple of "
                f"{', '.join(self.STATE)}"
            )
        names = [f"{name} of hx" for name in self.STATE]
        checked = [self._checked(part, name) for name, part in zip(names, parts)]
        for name, part in zip(names, checked):
            if list(part.shape) != expected:
                raise InputError(f"{name} is {_shape(part)}, expected {expected}")
        return [part.unsqueeze(1) for part in checked] if batch is None else checked

    # -- Checks ------------------------------------------------------------------------------------

    def _checked(self, tensor: Any, name: str) -> Tensor:
        """Return the tensor if the library supports its device and dtype and the weights'."""
        weight = getattr(self, "weight_ih_l0")
        if not isinstance(tensor, Tensor):
            raise InputError(f"{name} is a {type(tensor).__name__}, expected a tensor")
        if tensor.device != weight.device:
            raise InputError(
                f"{name} is on {tensor.device} and the weights on {weight.device}, "
                "expected the same device"
            )
        if tensor.device.type not in ("cpu", "cuda"):
            raise InputError(f"{name} is on {tensor.device}, expected the CPU or a CUDA device")
        if weight.dtype != torch.float32:
            raise InputError(
                f"the weights are {weight.dtype}, expected torch.float32: call module.float()"
            )
        if _in_autocast(tensor.device.type) and tensor.is_floating_point():
            tensor = tensor.float()
        if tensor.dtype != torch.float32:
            raise InputError(f"{name} is {tensor.dtype}, expected torch.float32")
        return tensor.resolve_neg()  # a negated view shares memory that is not negated


def _shape(tensor: Tensor) -> str:
    return str(list(tensor.shape))


def _in_order(parts: Sequence[Tensor], indices: Optional[Tensor]) -> List[Tensor]:
    return [part if indices is None else part.index_select(1, indices) for part in parts]


def _in_autocast(device: str) -> bool:
    try:
        return torch.is_autocast_enabled(device)
    except TypeError:  # takes no argument before PyTorch 2.4
        if device == "cpu":
            return torch.is_autocast_cpu_enabled()
        return torch.is_autocast_enabled()
