"""Models for other programs: ONNX Runtime and PyTorch; and models of PyTorch's weights."""

from __future__ import annotations

import os
from typing import Union

from ._library import Handle, library, options
from ._values import path_of
from .model import Model

PathLike = Union[str, "os.PathLike[str]"]


def _model_of(model: Model | PathLike) -> Model:
    return model if isinstance(model, Model) else Model.load(model)


def export_onnx(model: Model | PathLike, path: PathLike, *, step: bool = False) -> None:
    """Writes the network as an ONNX file, which ONNX Runtime and others run without this library.

    model: a model (that of an estimator is its `model_`), or the file of one, or the folder of
        `rwa train`.
    path: replaced as a whole or not at all.
    step: one step of a stream, instead of whole sequences.

    Inputs are x [T,B,D] (float) or symbols [T,B] (int64), and lengths [B] (int64); of a decoder
    also steps (int64). Outputs are y, as Session.run() gives it, and probabilities, or of a model
    of numbers that was trained on files or sequences values, in their own unit. What such a model
    knows of means and scales is in the graph: x are the numbers of the files.

    With `step` the inputs are x [B,D] or symbols [B], and state [B,S]; the output next_state is
    the state of the next step. Where a sequence begins it is "initial_state" of the file's
    metadata, [S] numbers as JSON; names of features, symbols and outputs stand there too.

    >>> rwa.export_onnx(model, "model.onnx")
    >>> session = onnxruntime.InferenceSession("model.onnx")
    >>> y, p = session.run(["y", "probabilities"], {"x": x, "lengths": lengths})

    Raises ConfigError for a step of a network that no stream goes through, or that sees steps
    with others (context, positions); ResourceError where the file cannot be written.
    """
    library.rwa_export_onnx(_model_of(model)._handle, path_of(path), options(step=step))


def export_torch(model: Model | PathLike, path: PathLike) -> None:
    """Writes the network as a plain module of PyTorch: a Python file of this network alone, which
    needs nothing but PyTorch, and beside it the weights in a safetensors file of the same name.

    model: a model, or the file of one, or the folder of `rwa train`.
    path: the Python file, whose name ends in .py.

    >>> rwa.export_torch(model, "network.py")

    Raises ConfigError for another ending, and where the weights would replace a file that is not
    such a module's; ResourceError where the files cannot be written.
    """
    library.rwa_export_torch(_model_of(model)._handle, path_of(path))


def import_torch(
    path: PathLike,
    *,
    rnn: str | None = None,
    head: str | None = None,
    embedding: str | None = None,
    no_head: bool = False,
    readout: str | None = None,
    loss: str | None = None,
) -> Model:
    """A model from the weights of a PyTorch network: torch.nn.LSTM or torch.nn.GRU, with a
    torch.nn.Linear on top and perhaps a torch.nn.Embedding below, in a safetensors file.

    path: what safetensors.torch.save_file(network.state_dict(), path) has written.
    rnn, head, embedding: what stands before the names of a part's tensors, such as "lstm" of
        lstm.weight_ih_l0; without, the one that fits is taken.
    no_head: there is no linear layer, the outputs are the units themselves.
    readout: which steps the linear layer sees: "last" (as None), "every" or "mean".
    loss: what the outputs are: "softmax" (as None), "sigmoid" or "squared-error".

    >>> model = rwa.import_torch("network.safetensors", readout="mean")

    Raises ModelFileError for a file that is not whole and for tensors that are no such network,
    ConfigError for options that do not fit them.
    """
    fields = options(
        rnn=rnn, head=head, embedding=embedding, no_head=no_head, readout=readout, loss=loss
    )
    return Model._from(Handle("rwa_model_free", library.rwa_import_torch, path_of(path), fields))
