"""The library's recurrent layer (rwa_layer_… of rwa/c_api.h) on PyTorch tensors."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import weakref
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from .._errors import InternalError
from .._library import Handle, described, library, options

_HUGE_PAGE = 2 << 20
_libc = ctypes.CDLL(None)


class Layer(NamedTuple):
    """The options of a layer of the library."""

    cell: str
    activation: str
    inputs: int
    units: int
    reverse: bool
    device: str
    threads: int


class _Input(ctypes.Structure):
    _fields_ = [
        ("parameters", ctypes.c_void_p),
        ("x", ctypes.c_void_p),
        ("lengths", ctypes.c_void_p),
        ("state", ctypes.c_void_p),
        ("steps", ctypes.c_int32),
        ("batch", ctypes.c_int32),
    ]


class _Output(ctypes.Structure):
    _fields_ = [("h", ctypes.c_void_p), ("state", ctypes.c_void_p)]


class _Gradient(ctypes.Structure):
    _fields_ = [
        ("h", ctypes.c_void_p),
        ("state", ctypes.c_void_p),
        ("parameters", ctypes.c_void_p),
        ("x", ctypes.c_void_p),
        ("initial", ctypes.c_void_p),
    ]


class LayerHandle(Handle):
    """A layer of the library."""

    def __init__(self, layer: Layer) -> None:
        super().__init__("rwa_layer_free", library.rwa_layer_new, options(**layer._asdict()))
        about = described(library.rwa_layer_describe, self)
        self.layer = layer
        self.parameters: int = about["parameters"]
        self.state: List[str] = about["state"]
        # Indices of the parts that have a gradient.
        self.carried: List[int] = [self.state.index(name) for name in about["carried"]]


_layers: weakref.WeakValueDictionary[Layer, LayerHandle] = weakref.WeakValueDictionary()


def shared(layer: Layer) -> LayerHandle:
    """Return the layer that equal modules share. It owns scratch memory and dies with its users."""
    known = _layers.get(layer)
    return _layers.setdefault(layer, LayerHandle(layer)) if known is None else known


class Call(NamedTuple):
    """The inputs of one call. All except the lengths are on the layer's device."""

    layer: LayerHandle
    lengths: Optional[Tensor]  # int32, [B]; None: all are T
    x: Tensor  # [T,B,D]
    state: Optional[Tensor]  # [B,state,H]; None: the start of a sequence
    parts: Tuple[Tensor, ...]  # of the library's parameter block, in order


class Tape(Handle):
    """What a forward pass keeps for one backward pass; owns its memory."""

    def __init__(self, layer: LayerHandle, *arguments: Any) -> None:
        super().__init__("rwa_tape_free", library.rwa_layer_forward, layer, *arguments)


def forward(call: Call, record: bool) -> Tuple[Tensor, Tensor, Optional[Tape]]:
    """Return all h, [T,B,H], the state after the last step, [B,state,H], and with record a tape."""
    steps, batch, _ = call.x.shape
    layer, units = call.layer, call.layer.layer.units
    parameters = torch.cat([part.reshape(-1) for part in call.parts])
    if len(parameters) != layer.parameters:
        raise InternalError(
            f"found {len(parameters)} parameters for {layer.layer}, expected {layer.parameters}"
        )
    h = _new(call.x, steps, batch, units)
    state = call.x.new_empty(batch, len(layer.state), units)
    outputs = _Output(_pointer(h), _pointer(state))
    with _current_stream(call.x) as stream:
        arguments = (ctypes.byref(_input(call, parameters)), ctypes.byref(outputs), stream)
        if record:
            return h, state, Tape(layer, *arguments)
        library.rwa_layer_forward(layer, *arguments, None)
    return h, state, None


def backward(
    call: Call, tape: Tape, wants_x: bool, of_h: Optional[Tensor], of_state: Optional[Tensor]
) -> Tuple[Tensor, Optional[Tensor], Optional[Tensor]]:
    """Return the gradients of the parameter block, of x if wanted, and of the state if given."""
    carried = call.layer.carried
    parameters = call.x.new_empty(call.layer.parameters)
    x = _new(call.x, *call.x.shape) if wants_x else None
    initial = None
    if call.state is not None:
        batch, _, units = call.state.shape
        initial = call.state.new_empty(batch, len(carried), units)
    if of_h is not None:
        of_h = of_h.contiguous().resolve_neg()
    if of_state is not None:
        # One by one: indexing with a list copies it to the GPU and blocks the host.
        of_state = torch.stack([of_state[:, place] for place in carried], dim=1)
    view = _Gradient(
        _pointer(of_h), _pointer(of_state), _pointer(parameters), _pointer(x), _pointer(initial)
    )
    with _current_stream(call.x) as stream:
        # The tape holds the weights of the forward pass.
        inputs = _input(call, None)
        library.rwa_layer_backward(tape, ctypes.byref(inputs), ctypes.byref(view), stream)
    if initial is None:
        return parameters, x, None
    of_initial = torch.zeros_like(call.state)
    for place, part in zip(carried, initial.unbind(dim=1)):
        of_initial[:, place] = part
    return parameters, x, of_initial


def _new(like: Tensor, *shape: int) -> Tensor:
    """Return an empty tensor. Large CPU tensors use huge pages: faster to map and to free."""
    made = like.new_empty(*shape)
    begin, size = made.data_ptr(), made.numel() * made.element_size()
    if like.device.type == "cpu" and size >= _HUGE_PAGE:
        first = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE
        # Only a hint: failure is harmless.
        _libc.madvise(
            ctypes.c_void_p(first), ctypes.c_size_t(begin + size - first), mmap.MADV_HUGEPAGE
        )
    return made


@contextlib.contextmanager
def _current_stream(x: Tensor) -> Iterator[Optional[int]]:
    """Yield the current stream of x's device and make the device current; None on the CPU."""
    if x.device.type == "cpu":
        yield None
        return
    with torch.cuda.device(x.device):
        yield torch.cuda.current_stream(x.device).cuda_stream


def _input(call: Call, parameters: Optional[Tensor]) -> _Input:
    steps, batch, _ = call.x.shape
    return _Input(
        _pointer(parameters),
        _pointer(call.x),
        _pointer(call.lengths),
        _pointer(call.state),
        steps,
        batch,
    )


def _pointer(tensor: Optional[Tensor]) -> Optional[int]:
    return None if tensor is None else tensor.data_ptr()
