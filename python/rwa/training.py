"""Train, cross-validate, tune and predict as the program does, with sequences in memory.

>>> from rwa.training import cross_validate, predict, train, tune
>>> vowels = rwa.read("vowels.ts")
>>> trained = train(vowels, units=32)
>>> predictions = predict(trained.model, rwa.read("more.ts"))
>>> [fold.scores["accuracy"] for fold in cross_validate(vowels, folds=5)]
>>> best = tune(vowels, time_budget=600)[0].model
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import signal
import threading
from ctypes import c_char_p, c_float, c_int64, c_size_t, c_void_p
from typing import Any, Callable, Iterator, NamedTuple

from ._errors import Interrupted
from ._from_arrays import value_of
from ._library import Handle, described, library, options
from ._progress import Callback, reporting
from .model import Model
from .sequences import Sequences

_GO_ON, _FINISH, _GIVE_UP = 0, 1, 2  # rwa_wish
_Listener = ctypes.CFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)
_LABEL_TYPE = "label_type"  # the note of a model whose labels are not strings
_TYPES = {kind.__name__: kind for kind in (str, int, float, bool)}


class Trained(NamedTuple):
    """A trained model and the record of its training."""

    model: Model
    history: list[dict[str, Any]]  # scores: {"step", "split", "loss", "unit", "accuracy"}
    end: str  # why it ended: "steps", "patience", "time", or "stopped" (by the callback)
    steps: int
    best_step: int | None  # the step whose weights were kept, if it is not the last one
    notes: list[str]  # remarks on automatic choices that may surprise
    settings: dict[str, Any]  # all settings, given or chosen
    scores: dict[str, Any]  # on the held-out data, with the keys of `rwa evaluate --json`
    baselines: list[dict[str, Any]]  # the same of predictions without a network, and their "name"
    remark: str  # that the model is not better than its best baseline; else empty


class Known(NamedTuple):
    """The data that a model was trained on."""

    task: str  # "class", "labels", "numbers", "class-per-step", "numbers-per-step", "forecast"
    outputs: list[Any]  # the labels in the caller's type, or the names of the targets
    every_step: bool
    horizon: int  # steps of a forecast; 0: another task, or the next step at every step
    of_symbols: bool
    features: list[str]
    symbols: list[str]


class Run(NamedTuple):
    """One run of a cross-validation or a search."""

    title: str  # "sequences fold-1", "candidate 3"
    model: Model | None  # None if training diverged, and for candidates scored by folds
    history: list[dict[str, Any]]
    end: str
    steps: int
    best_step: int | None
    settings: dict[str, Any]
    scores: dict[str, Any]  # on the held-out fold, as in Trained; of candidates the means of folds
    baselines: list[dict[str, Any]]
    remark: str
    loss: float | None  # of candidates: best validation loss, or mean over the folds
    expected: str  # of the best candidate, if scored by folds: "accuracy 81.2 ± 1.3 %"


def train(
    sequences: Sequences,
    valid: Sequences | None = None,
    *,
    callback: Callback | None = None,
    verbose: int = 0,
    **settings: Any,
) -> Trained:
    """Train a model as `rwa train` does, without writing to disk.

    The defaults are those of the program, and the same seed gives a bit-identical model.

    Parameters
    ----------
    sequences : Sequences
        Training data.
    valid : Sequences, optional
        Validation set. Default: a share of `sequences` (setting `split`).
    callback : callable, optional
        Called with a dict after every score and from time to time in between. If it returns True,
        training stops and the model is kept. Its exceptions are raised here.
    verbose : int
        1: print a line for every score.
    **settings
        Settings of `rwa.settings()` with `of_sequences`, `threads`, and `time_budget` in seconds.
        None leaves the choice to rwa.

    Returns
    -------
    Trained

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C.
    """
    summary = c_char_p()

    def make(listener: Any, out: Any) -> None:
        handles = sequences._handle, None if valid is None else valid._handle
        library.rwa_train(*handles, given, listener, None, out, ctypes.byref(summary))

    given = options(**settings)
    handle = _with_listener("rwa_model_free", make, reporting(callback, verbose))
    about = json.loads(summary.value or b"{}")
    trained = note_label_type(Model._from(handle), sequences)
    return Trained(trained, **{name: about[name] for name in Trained._fields[1:]})


def cross_validate(
    sequences: Sequences,
    *,
    folds: int = 5,
    repeat: int = 1,
    jobs: int = 1,
    callback: Callback | None = None,
    verbose: int = 0,
    **settings: Any,
) -> list[Run]:
    """Cross-validate as `rwa train --folds` does.

    Each fold is held out once and scored; the fold after it is the validation set for early
    stopping. Two folds, and fewer than 500 sequences, leave none for it: they train to the end. The
    runs serve for scores; unlike `rwa train`, no model is trained on all data.

    Parameters
    ----------
    sequences : Sequences
        Data to split into folds.
    folds : int
        Number of folds, at least 2.
    repeat : int
        Number of seeds per fold.
    jobs : int
        Number of runs at the same time.
    callback : callable, optional
        As in `train`. Returning True stops all runs; those not yet started train for one step.
    verbose : int
        As in `train`.
    **settings
        As in `train`.

    Returns
    -------
    list of Run
    """
    given = options(folds=folds, repeat=repeat, jobs=jobs, **settings)

    def make(listener: Any, out: Any) -> None:
        library.rwa_cross_validate(sequences._handle, given, listener, None, out)

    listener = reporting(callback, verbose, by_run=True)
    return _runs(_with_listener("rwa_runs_free", make, listener), sequences)


def tune(
    sequences: Sequences,
    valid: Sequences | None = None,
    *,
    candidates: int | None = None,
    folds: int | None = None,
    time_budget: float = 600,
    jobs: int | None = None,
    callback: Callback | None = None,
    verbose: int = 0,
    **settings: Any,
) -> list[Run]:
    """Search for good settings as `rwa tune` does.

    Fewer than 500 sequences are compared by cross-validation, and the best candidate is trained on
    all of them. Otherwise, and with `valid` or the setting `split`, the validation loss decides.

    Parameters
    ----------
    sequences : Sequences
        Training data.
    valid : Sequences, optional
        Validation set. Default: folds, or a share of `sequences` (setting `split`).
    candidates : int, optional
        Number of candidates. Default: 9; with folds fewer if the time is short.
    folds : int, optional
        Compare candidates by cross-validation with this many folds. Default: 5 for fewer than 500
        sequences with one target each.
    time_budget : float
        Time for the whole search, in seconds.
    jobs : int, optional
        Number of runs at the same time. Default: one per thread if batches are small.
    callback : callable, optional
        As in `train`.
    verbose : int
        As in `train`.
    **settings
        As in `train`. The search does not change settings that are given.

    Returns
    -------
    list of Run
        All candidates, best first. The first has the best model.
    """
    given = options(
        candidates=candidates, folds=folds, time_budget=time_budget, jobs=jobs, **settings
    )

    def make(listener: Any, out: Any) -> None:
        handles = sequences._handle, None if valid is None else valid._handle
        library.rwa_tune(*handles, given, listener, None, out)

    listener = reporting(callback, verbose, by_run=True)
    return _runs(_with_listener("rwa_runs_free", make, listener), sequences)


def _runs(handle: Handle, sequences: Sequences) -> list[Run]:
    runs = []
    for number, about in enumerate(described(library.rwa_runs_describe, handle)):
        model = None
        if about["status"] == "finished" and about.get("has_model", True):
            made = Handle("rwa_model_free", library.rwa_runs_model, handle, number)
            model = note_label_type(Model._from(made), sequences)
        fields = {name: about.get(name) for name in Run._fields[2:]}
        for name, none in {"scores": {}, "baselines": [], "remark": "", "expected": ""}.items():
            fields[name] = fields[name] or none
        runs.append(Run(about["run"], model, **fields))
    return runs


def note_label_type(model: Model, sequences: Sequences) -> Model:
    """Note the Python type of the labels in the model."""
    if sequences.label_type is not str:
        model.set_note(_LABEL_TYPE, sequences.label_type.__name__)
    return model


def _with_listener(free: str, make: Callable[..., None], callback: Callback | None) -> Handle:
    """Return the handle that `make` creates, with a C listener that calls `callback`."""
    raised: list[BaseException] = []

    def listen(_user: int | None, progress: bytes) -> int:
        try:
            if interrupts:
                return _GIVE_UP
            return _FINISH if callback is not None and callback(json.loads(progress)) else _GO_ON
        except BaseException as error:  # must not propagate through C
            raised.append(error)
            return _GIVE_UP

    handle = None
    with _kept_interrupts() as interrupts:
        try:
            handle = Handle(free, make, _Listener(listen))
        except Interrupted:
            if raised:
                raise raised[0] from None
            if not interrupts:
                raise
    if interrupts or handle is None:
        raise KeyboardInterrupt
    return handle


@contextlib.contextmanager
def _kept_interrupts() -> Iterator[list[int]]:
    """Collect Ctrl-C: a KeyboardInterrupt raised in a callback from C would be lost."""
    came: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield came
        return
    signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def known(model: Model) -> Known:
    """Describe the data of a model. Raises ModelFileError if it was not trained on sequences."""
    about = described(library.rwa_model_data, model._handle)
    outputs = about["outputs"]
    if about["task"] in ("class", "labels", "class-per-step"):
        kind = _TYPES.get(model.notes.get(_LABEL_TYPE, "str"), str)
        outputs = [value_of(word, kind) for word in outputs]
    of_symbols = about["input"] == "symbols"
    return Known(
        about["task"],
        outputs,
        about["every_step"],
        about["horizon"],
        of_symbols,
        about["features"],
        about["symbols"],
    )


def predict(
    model: Model,
    sequences: Sequences,
    *,
    batch: int | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> list[Any]:
    """Predict with a trained model.

    If the model was trained on windows, the prediction of a sequence is the mean over its windows,
    and that of a step comes from the first window that contains it.

    Returns
    -------
    list of numpy.ndarray
        For each sequence the probabilities, or the numbers in their original unit: [O], or [T, O]
        for per-step tasks. Of forecasts [horizon, targets, 3]: lower end, median and upper end.
    """
    import numpy

    said = options(batch=batch, threads=threads, device=device)
    handle = Handle("rwa_predictions_free", library.rwa_predict, model._handle, sequences._handle, said)
    values, offsets, count = ctypes.POINTER(c_float)(), ctypes.POINTER(c_int64)(), c_size_t()
    places = ctypes.byref(values), ctypes.byref(offsets), ctypes.byref(count)
    library.rwa_predictions_get(handle, *places)
    outputs, rows = model.config["outputs"], offsets[count.value]
    if rows == 0:
        return [numpy.zeros((0, outputs), numpy.float32) for _ in range(count.value)]
    every = numpy.ctypeslib.as_array(values, (rows, outputs)).copy()
    about = known(model)
    if about.horizon > 0:
        return list(every.reshape(len(every), about.horizon, -1, 3))
    if not about.every_step:
        return list(every)
    return [every[offsets[i] : offsets[i + 1]] for i in range(count.value)]
