"""One recurrent layer in one direction as a differentiable PyTorch function."""

from __future__ import annotations

import weakref
from typing import Any, Optional, Tuple

import torch
from torch import Tensor

from . import _handles
from ._handles import Call, LayerHandle, Tape


def recurrence(call: Call) -> Tuple[Tensor, Tensor]:
    """Return all h, [T,B,H], zero past a sequence's end, and the state after its last step."""
    inputs = (call.x, call.state, *call.parts)
    if call.x.shape[1] == 0:
        return _of_no_sequences(call)
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in inputs):
        return _Forward.apply(call.layer, call.lengths, *inputs)
    h, state, _ = _handles.forward(call, record=False)
    return h, state


def _of_no_sequences(call: Call) -> Tuple[Tensor, Tensor]:
    """Return empty results that depend on all inputs, so that their gradients are zeros."""
    inputs = [tensor for tensor in (call.x, call.state, *call.parts) if tensor is not None]
    anything = torch.stack([tensor.sum() for tensor in inputs]).sum()
    steps, units = len(call.x), call.layer.layer.units
    return (
        anything.expand(steps, 0, units),
        anything.expand(0, len(call.layer.state), units),
    )


class _Reel(bytearray):
    """Memory of a tensor that keeps a tape alive.

    The tensor is saved for backward like the others, so that saved-tensor hooks apply to the tape
    as well: checkpointing drops it and recomputes it in the backward pass.
    """

    tape: Tape


_reels: weakref.WeakValueDictionary[int, _Reel] = weakref.WeakValueDictionary()


def _on_reel(tape: Optional[Tape]) -> Tensor:
    reel = _Reel(1)
    reel.tape = tape
    tensor = torch.frombuffer(reel, dtype=torch.uint8)
    _reels[tensor.data_ptr()] = reel
    return tensor


def _off_reel(tensor: Tensor) -> Optional[Tape]:
    """Take the tape, once: like PyTorch's saved tensors, it is freed after backward even if the
    graph lives on. None if it was taken before or if a hook has copied the tensor."""
    reel = _reels.get(tensor.data_ptr())
    return None if reel is None else vars(reel).pop("tape", None)


class _Forward(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        layer: LayerHandle,
        lengths: Optional[Tensor],
        x: Tensor,
        state: Optional[Tensor],
        *parts: Tensor,
    ) -> Tuple[Tensor, Tensor]:
        h, end, tape = _handles.forward(Call(layer, lengths, x, state, parts), record=True)
        ctx.set_materialize_grads(False)
        ctx.fixed = (layer, lengths)
        ctx.save_for_backward(_on_reel(tape), x, state, *parts)
        return h, end

    @staticmethod
    def backward(
        ctx: Any, of_h: Optional[Tensor], of_state: Optional[Tensor]
    ) -> Tuple[Optional[Tensor], ...]:
        reel, *inputs = ctx.saved_tensors
        of_parameters, of_x, of_initial = _Backward.apply(
            reel, ctx.needs_input_grad[2], of_h, of_state, *ctx.fixed, *inputs
        )
        parts = inputs[2:]
        of_parts = of_parameters.split([part.numel() for part in parts])
        shaped = (gradient.view_as(part) for gradient, part in zip(of_parts, parts))
        return (None, None, of_x, of_initial, *shaped)


class _Backward(torch.autograd.Function):
    """A separate function, so that a second derivative fails with a clear message."""

    @staticmethod
    def forward(
        ctx: Any,
        reel: Tensor,
        wants_x: bool,
        of_h: Optional[Tensor],
        of_state: Optional[Tensor],
        layer: LayerHandle,
        lengths: Optional[Tensor],
        x: Tensor,
        state: Optional[Tensor],
        *parts: Tensor,
    ) -> Tuple[Optional[Tensor], ...]:
        call = Call(layer, lengths, x, state, parts)
        # The tape is gone after an earlier backward pass through a retained graph.
        tape = _off_reel(reel) or _handles.forward(call, record=True)[2]
        return _handles.backward(call, tape, wants_x, of_h, of_state)

    @staticmethod
    def backward(ctx: Any, *_: Any) -> None:
        raise NotImplementedError(
            "rwa.torch has no second derivatives: a gradient computed through one of its layers "
            "with create_graph=True cannot be differentiated again"
        )
