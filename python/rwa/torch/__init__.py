"""Recurrent layers for PyTorch, computed by this library: they stand where torch.nn.LSTM stood.

    >>> import torch, rwa.torch
    >>> layer = rwa.torch.RWA(input_size=3, hidden_size=64, num_layers=2)
    >>> output, state = layer(torch.randn(100, 8, 3))
    >>> output[-1].sum().backward()

RWA, RWAForget, RWADecay, LSTM and GRU have torch.nn.LSTM's arguments, and take and give what it
does: [T, B, D], batch_first, single sequences, packed ones, states; so does Recurrent, which has
the name of any of `rwa.cells()` as its first. They run on the CPU, with the threads of PyTorch, and
on CUDA GPUs, on the current stream.

Numbers are float32: others are refused, and under autocast become float32. There are no second
derivatives. torch.compile leaves these modules as they are and compiles what stands around them;
torch.jit, torch.export and torch.func's transformations do not take them. DataParallel,
copy.deepcopy, pickle and checkpointing work as with other modules.
"""

from ._modules import GRU, LSTM, RWA, Recurrent, RWADecay, RWAForget, RWAState

__all__ = ["GRU", "LSTM", "RWA", "RWADecay", "RWAForget", "RWAState", "Recurrent"]
