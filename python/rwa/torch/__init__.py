"""Recurrent layers for PyTorch, drop-in replacements of torch.nn.LSTM that rwa computes.

    >>> import torch, rwa.torch
    >>> layer = rwa.torch.RWA(input_size=3, hidden_size=64, num_layers=2)
    >>> output, state = layer(torch.randn(100, 8, 3))
    >>> output[-1].sum().backward()

RWA, RWAForget, RWADecay, LSTM and GRU have the arguments, inputs and outputs of torch.nn.LSTM:
[T, B, D], batch_first, single sequences, packed sequences and states. Recurrent takes the name of
any of `rwa.cells()` as its first argument. The modules run on the CPU, with as many threads as
PyTorch uses, and on CUDA GPUs, on the current stream.

All numbers are float32; other dtypes raise an error, or are cast to float32 under autocast. There
are no second derivatives. torch.compile leaves these modules alone and compiles the code around
them; torch.jit, torch.export and the transformations of torch.func do not support them.
DataParallel, copy.deepcopy, pickle and checkpointing work as with other modules.
"""

from ._modules import GRU, LSTM, RWA, Recurrent, RWADecay, RWAForget, RWAState

__all__ = ["GRU", "LSTM", "RWA", "RWADecay", "RWAForget", "RWAState", "Recurrent"]
