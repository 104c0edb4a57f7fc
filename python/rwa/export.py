"""Export models to ONNX and PyTorch, and import weights of PyTorch."""

from __future__ import annotations

import os
from typing import Any, Iterable, Union

from ._library import Handle, library, options
from ._values import path_of, plain
from .model import Model
from .sequences import Sequences
from .training import note_label_type

PathLike = Union[str, "os.PathLike[str]"]


def _model_of(model: Model | PathLike) -> Model:
    return model if isinstance(model, Model) else Model.load(model)


def export_onnx(model: Model | PathLike, path: PathLike, *, step: bool = False) -> None:
    """Write a model as an ONNX file that runs without rwa, for example in ONNX Runtime.

    Parameters
    ----------
    model : Model or path
        A model (`model_` of an estimator), a model file, or a run folder of `rwa train`.
    path : path
        The ONNX file, replaced atomically.
    step : bool
        Export a single step for streams instead of whole sequences.

    Raises
    ------
    ConfigError
        With `step`, if the model cannot run as a stream or if a step's input depends on other steps
        (context, positions, scale "sequence").
    ResourceError
        If the file cannot be written.

    Notes
    -----
    The graph has the inputs x [T,B,D] (float) or symbols [T,B] (int64), and lengths [B] (int64); a
    decoder also has steps (int64). Its outputs are y, as in `Session.run`, and probabilities; or,
    for a regression model that was trained on files or sequences, values in their original unit.
    The graph of a model that was trained on files or sequences standardises x itself, so x holds
    the values of the files.

    With `step`, the inputs are x [B,D] or symbols [B], and state [B,S]. Pass the output next_state
    as the state of the next step; a sequence starts with "initial_state" of the file's metadata, S
    numbers as JSON. The metadata also names the features, symbols and outputs.

    Examples
    --------
    >>> rwa.export_onnx(model, "model.onnx")
    >>> session = onnxruntime.InferenceSession("model.onnx")
    >>> y, p = session.run(["y", "probabilities"], {"x": x, "lengths": lengths})
    """
    library.rwa_export_onnx(_model_of(model)._handle, path_of(path), options(step=step))


def export_torch(model: Model | PathLike, path: PathLike) -> None:
    """Write a model as a plain PyTorch module that needs nothing but PyTorch.

    The weights go to a safetensors file of the same name next to the Python file.

    Parameters
    ----------
    model : Model or path
        A model, a model file, or a run folder of `rwa train`.
    path : path
        The Python file; its name must end in .py.

    Raises
    ------
    ConfigError
        If the name does not end in .py, or if the weights would overwrite a file that is not part
        of an exported module.
    ResourceError
        If the files cannot be written.

    Examples
    --------
    >>> rwa.export_torch(model, "network.py")
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
    data: Sequences | None = None,
    labels: Iterable[Any] | None = None,
    symbols: Iterable[str] | None = None,
    standardise: str | None = None,
    missing: str | None = None,
) -> Model:
    """Create a model from the weights of a PyTorch network.

    The network is a torch.nn.LSTM or torch.nn.GRU, followed by a torch.nn.Linear and optionally
    preceded by a torch.nn.Embedding.

    Parameters
    ----------
    path : path
        A file written by safetensors.torch.save_file(network.state_dict(), path).
    rnn, head, embedding : str, optional
        Prefix of the part's tensor names, such as "lstm" for lstm.weight_ih_l0. Default: the only
        part that fits.
    no_head : bool
        There is no linear layer; the outputs are the hidden state.
    readout : {"last", "every", "mean"}, optional
        Time steps that the linear layer sees. Default: "last", or as the task of `data` needs.
    loss : {"softmax", "sigmoid", "squared-error"}, optional
        Meaning of the outputs. Default: "softmax", or as the task of `data` needs.
    data : Sequences, optional
        The network's training data. With it, the model predicts for such sequences and files:
        `rwa.predict`, the estimators' `load` and `rwa predict`.
    labels : iterable, optional
        Classes in the order of the network's outputs. Default: sorted.
    symbols : iterable of str, optional
        Symbols in the order of the embedding. Default: sorted.
    standardise : {"none", "features", "all"}, optional
        Numbers that the network saw with mean 0 and deviation 1; "all": targets too. Default:
        "features".
    missing : {"refuse", "previous", "mean"}, optional
        What stands for missing numbers. Default: "refuse".

    Raises
    ------
    ModelFileError
        If the file is truncated or its tensors are not such a network.
    ConfigError
        If the options or the data do not fit the tensors.

    Examples
    --------
    >>> model = rwa.import_torch("network.safetensors", readout="mean")
    >>> model = rwa.import_torch("network.safetensors", data=rwa.read("train.csv"))
    >>> rwa.predict(model, rwa.read("test.csv"))
    """
    fields = options(
        rnn=rnn,
        head=head,
        embedding=embedding,
        no_head=no_head,
        readout=readout,
        loss=loss,
        labels=None if labels is None else [str(plain(label)) for label in labels],
        symbols=None if symbols is None else list(symbols),
        standardise=standardise,
        missing=missing,
    )
    known = None if data is None else data._handle
    make = library.rwa_import_torch
    model = Model._from(Handle("rwa_model_free", make, path_of(path), known, fields))
    return model if data is None else note_label_type(model, data)
