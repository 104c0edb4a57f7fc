"""One recurrent layer in one direction, as a function that PyTorch differentiates."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import torch
from torch import Tensor

from . import _handles
from ._handles import Call, Tape


def recurrence(call: Call) -> Tuple[Tensor, Tensor]:
    """All h, [T,B,H], zeros past a sequence's length, and the state after its last step."""
    inputs = (call.parameters, call.x, call.state)
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in inputs):
        return _Forward.apply(*call)
    h, state, _ = _handles.forward(call, record=False)
    return h, state


class _Forward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tuple[Tensor, Tensor]:
        call = Call(*inputs)
        h, state, tape = _handles.forward(call, record=True)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(call.parameters, call.x, call.state)
        ctx.fixed = (call.layer, call.lengths)
        ctx.tapes = [tape]
        return h, state

    @staticmethod
    def backward(
        ctx: Any, of_h: Optional[Tensor], of_state: Optional[Tensor]
    ) -> Tuple[Optional[Tensor], ...]:
        wants_x = ctx.needs_input_grad[3]
        gradients = _Backward.apply(
            ctx.tapes, wants_x, of_h, of_state, *ctx.fixed, *ctx.saved_tensors
        )
        return (None, None, *gradients)


class _Backward(torch.autograd.Function):
    """Backward is a function of its own so that who differentiates it is told in our words."""

    @staticmethod
    def forward(
        ctx: Any,
        tapes: List[Tape],
        wants_x: bool,
        of_h: Optional[Tensor],
        of_state: Optional[Tensor],
        *inputs: Any,
    ) -> Tuple[Optional[Tensor], ...]:
        call = Call(*inputs)
        # PyTorch lets go of what backward needs as soon as it is done, while the graph may live on;
        # so does this. Only where the graph was retained must there be another tape.
        tape = tapes.pop() if tapes else _handles.forward(call, record=True)[2]
        return _handles.backward(call, tape, wants_x, of_h, of_state)

    @staticmethod
    def backward(ctx: Any, *_: Any) -> None:
        raise NotImplementedError(
            "rwa.torch has no second derivatives: a gradient that went through one of its layers "
            "with create_graph=True cannot be differentiated again"
        )
