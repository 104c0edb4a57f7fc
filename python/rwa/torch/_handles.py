"""The library's recurrent layer (rwa_layer_… of rwa/c_api.h) over tensors of PyTorch."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import threading
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from .._errors import InternalError
from .._library import Handle, described, library, options


_HUGE_PAGE = 2 << 20
_libc = ctypes.CDLL(None)


class Layer(NamedTuple):
    """What is computed, where, and by how many: the fields of the library's description."""

    cell: str
    activation: str
    inputs: int
    units: int
    reverse: bool
    device: str
    threads: int


class Call(NamedTuple):
    """The inputs of one call. All but the lengths are in the memory of the layer's device."""

    layer: Layer
    lengths: Optional[Tensor]  # int32, [B]; None: all are T
    parameters: Tensor
    x: Tensor  # [T,B,D]
    state: Optional[Tensor]  # [B,state,H]; None: the start of a sequence


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
        # The places of those that have a gradient.
        self.carried: List[int] = [self.state.index(name) for name in about["carried"]]

    def disown(self) -> None:
        """Whoever else has it frees it."""
        self._as_parameter_ = ctypes.c_void_p()


class _Cache:
    """The layers that were used last. They may be shared by threads, and keep memory for calls."""

    KEPT = 32

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handles: Dict[Layer, LayerHandle] = {}  # the one used last comes last
        os.register_at_fork(after_in_child=self._begin_child)

    def _begin_child(self) -> None:
        """The threads of a parent do not live on in a child: its layers can only be left alone."""
        for handle in self._handles.values():
            handle.disown()
        self._lock = threading.Lock()
        self._handles = {}

    def __getitem__(self, layer: Layer) -> LayerHandle:
        with self._lock:
            handle = self._handles.pop(layer, None) or LayerHandle(layer)
            self._handles[layer] = handle
            if len(self._handles) > self.KEPT:
                del self._handles[next(iter(self._handles))]
        return handle


_layers = _Cache()


class Tape(Handle):
    """What forward leaves for one backward; its memory goes with it."""

    def __init__(self, layer: LayerHandle, *arguments: Any) -> None:
        super().__init__("rwa_tape_free", library.rwa_layer_forward, layer, *arguments)
        self.carried = layer.carried


def forward(call: Call, record: bool) -> Tuple[Tensor, Tensor, Optional[Tape]]:
    """All h, [T,B,H], the state after the last step, [B,state,H], and where asked for the tape."""
    steps, batch, _ = call.x.shape
    handle = _layers[call.layer]
    if call.parameters.numel() != handle.parameters:
        raise InternalError(
            f"{call.layer} has {handle.parameters} parameters, not {call.parameters.numel()}"
        )
    h = _new(call.x, steps, batch, call.layer.units)
    state = call.x.new_empty(batch, len(handle.state), call.layer.units)
    outputs = _Output(_pointer(h), _pointer(state))
    with _current_stream(call.x) as stream:
        arguments = (ctypes.byref(_input(call)), ctypes.byref(outputs), stream)
        if record:
            return h, state, Tape(handle, *arguments)
        library.rwa_layer_forward(handle, *arguments, None)
    return h, state, None


def backward(
    call: Call, tape: Tape, wants_x: bool, of_h: Optional[Tensor], of_state: Optional[Tensor]
) -> Tuple[Tensor, Optional[Tensor], Optional[Tensor]]:
    """The gradients of parameters, of x where that is wanted, and of state where there was one."""
    parameters = torch.empty_like(call.parameters)
    x = _new(call.x, *call.x.shape) if wants_x else None
    initial = None
    if call.state is not None:
        batch, _, units = call.state.shape
        initial = call.state.new_empty(batch, len(tape.carried), units)
    if of_h is not None:
        of_h = of_h.contiguous()
    if of_state is not None:
        # One by one: a list as an index is copied to the GPU, and the host waits for that.
        of_state = torch.stack([of_state[:, place] for place in tape.carried], dim=1)
    view = _Gradient(
        _pointer(of_h), _pointer(of_state), _pointer(parameters), _pointer(x), _pointer(initial)
    )
    with _current_stream(call.x) as stream:
        library.rwa_layer_backward(tape, ctypes.byref(_input(call)), ctypes.byref(view), stream)
    if initial is None:
        return parameters, x, None
    of_initial = torch.zeros_like(call.state)
    for place, part in zip(tape.carried, initial.unbind(dim=1)):
        of_initial[:, place] = part
    return parameters, x, of_initial


def _new(like: Tensor, *shape: int) -> Tensor:
    """Without contents. A large one of the CPU comes from the system page by page, and goes back
    when it is no longer needed: in small pages that takes as long as 5 % of a training step."""
    made = like.new_empty(*shape)
    begin, size = made.data_ptr(), made.numel() * made.element_size()
    if like.device.type == "cpu" and size >= _HUGE_PAGE:
        first = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE
        # Only advice: failing is harmless.
        _libc.madvise(
            ctypes.c_void_p(first), ctypes.c_size_t(begin + size - first), mmap.MADV_HUGEPAGE
        )
    return made


@contextlib.contextmanager
def _current_stream(x: Tensor) -> Iterator[Optional[int]]:
    """Of its device, which becomes the current one; on the CPU there is none."""
    if x.device.type == "cpu":
        yield None
        return
    with torch.cuda.device(x.device):
        yield torch.cuda.current_stream(x.device).cuda_stream


def _input(call: Call) -> _Input:
    steps, batch, _ = call.x.shape
    return _Input(
        _pointer(call.parameters),
        _pointer(call.x),
        _pointer(call.lengths),
        _pointer(call.state),
        steps,
        batch,
    )


def _pointer(tensor: Optional[Tensor]) -> Optional[int]:
    return None if tensor is None else tensor.data_ptr()
