"""What `rwa train`, `rwa tune` and `rwa predict` do with files, with sequences in memory.

>>> from rwa.training import cross_validate, predict, train, tune
>>> vowels = rwa.read("vowels.ts")
>>> trained = train(vowels, units=32)
>>> answers = predict(trained.model, rwa.read("more.ts"))
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
from typing import Any, Callable, Iterator, NamedTuple, Union

from ._errors import Interrupted
from ._from_arrays import value_of
from ._library import Handle, described, library, options
from .model import Model
from .sequences import Sequences

# Gets {"run", "step", "steps", "loss", "score", "seconds_left"}; where it returns True, training
# ends.
Callback = Callable[[dict], Union[bool, None]]

_GO_ON, _FINISH, _GIVE_UP = 0, 1, 2  # rwa_wish
_Listener = ctypes.CFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)
_LABEL_TYPE = "label_type"  # the note of a model whose labels are not texts
_TYPES = {kind.__name__: kind for kind in (str, int, float, bool)}


class Trained(NamedTuple):
    """A model, and how it came to be."""

    model: Model
    history: list[dict[str, Any]]  # scores: {"step", "split", "loss", "unit", "accuracy"}
    end: str  # "steps", "patience", "time", or "asked" where the callback did
    steps: int
    best_step: int | None  # whose weights the model has, where that is not the last one
    notes: list[str]  # choices that may surprise
    settings: dict[str, Any]  # all of them, given or chosen


class Known(NamedTuple):
    """What a model knows of the data it was trained on."""

    task: str  # "class", "labels", "numbers", "class-per-step", "numbers-per-step", "forecast"
    outputs: list[Any]  # labels as they were given, or names
    every_step: bool
    of_symbols: bool
    features: list[str]
    symbols: list[str]


class Run(NamedTuple):
    """One of several trainings."""

    title: str  # "sequences fold-1", "candidate 3"
    model: Model | None  # None where training diverged
    history: list[dict[str, Any]]
    end: str
    steps: int
    best_step: int | None
    settings: dict[str, Any]
    scores: dict[str, Any]  # on the fold held out, as `rwa evaluate --json` has them
    loss: float | None  # the best in validation, which candidates are ranked by


def train(
    sequences: Sequences,
    valid: Sequences | None = None,
    *,
    callback: Callback | None = None,
    **settings: Any,
) -> Trained:
    """Trains as `rwa train` does, with the same defaults and, for the same seed, the same bits.
    Nothing is written to disk.

    `settings` are those of `rwa.settings()` that are of sequences, and threads and time_budget (in
    seconds). What is None is chosen as the program does.

    `callback` is told of every score, and else now and then; it ends the training, with what has
    been learnt, by returning True. What it raises is raised here, and so is KeyboardInterrupt.
    """
    summary = c_char_p()

    def make(listener: Any, out: Any) -> None:
        handles = sequences._handle, None if valid is None else valid._handle
        library.rwa_train(*handles, given, listener, None, out, ctypes.byref(summary))

    given = options(**settings)
    handle = _with_listener("rwa_model_free", make, callback)
    about = json.loads(summary.value or b"{}")
    trained = _named(Model._from(handle), sequences)
    return Trained(trained, **{name: about[name] for name in Trained._fields[1:]})


def cross_validate(
    sequences: Sequences,
    *,
    folds: int = 5,
    repeat: int = 1,
    jobs: int = 1,
    callback: Callback | None = None,
    **settings: Any,
) -> list[Run]:
    """A training for each fold, scored on that fold, as `rwa train --folds` does; the fold after it
    decides when training ends. With `repeat`, several seeds for each. `settings` and `callback` are
    those of `train`; a callback that returns True ends all runs, those not yet begun after a step."""
    given = options(folds=folds, repeat=repeat, jobs=jobs, **settings)

    def make(listener: Any, out: Any) -> None:
        library.rwa_cross_validate(sequences._handle, given, listener, None, out)

    return _runs(_with_listener("rwa_runs_free", make, callback), sequences)


def tune(
    sequences: Sequences,
    valid: Sequences | None = None,
    *,
    candidates: int = 9,
    time_budget: float = 600,
    jobs: int = 1,
    callback: Callback | None = None,
    **settings: Any,
) -> list[Run]:
    """Searches for good settings for `time_budget` seconds, as `rwa tune` does. Returns all
    candidates, the best first. What `settings` say is left alone."""
    given = options(candidates=candidates, time_budget=time_budget, jobs=jobs, **settings)

    def make(listener: Any, out: Any) -> None:
        handles = sequences._handle, None if valid is None else valid._handle
        library.rwa_tune(*handles, given, listener, None, out)

    return _runs(_with_listener("rwa_runs_free", make, callback), sequences)


def _runs(handle: Handle, sequences: Sequences) -> list[Run]:
    runs = []
    for number, about in enumerate(described(library.rwa_runs_describe, handle)):
        model = None
        if about["status"] == "finished":
            made = Handle("rwa_model_free", library.rwa_runs_model, handle, number)
            model = _named(Model._from(made), sequences)
        fields = {name: about.get(name) for name in Run._fields[2:]}
        fields["scores"] = fields["scores"] or {}
        runs.append(Run(about["run"], model, **fields))
    return runs


def _named(model: Model, sequences: Sequences) -> Model:
    """Remembers what kind of Python values the labels were."""
    if sequences.label_type is not str:
        model.set_note(_LABEL_TYPE, sequences.label_type.__name__)
    return model


def _with_listener(free: str, make: Callable[..., None], callback: Callback | None) -> Handle:
    """What `make` makes with a listener in C that asks `callback`."""
    raised: list[BaseException] = []

    def listen(_user: int | None, progress: bytes) -> int:
        try:
            if interrupts:
                return _GIVE_UP
            return _FINISH if callback is not None and callback(json.loads(progress)) else _GO_ON
        except BaseException as error:  # it must not pass through C
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
    """Collects Ctrl-C: what it raised in a callback of C would be lost."""
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
    """Raises ModelFileError where the model was not trained on sequences."""
    about = described(library.rwa_model_answers, model._handle)
    outputs = about["outputs"]
    if about["task"] in ("class", "labels", "class-per-step"):
        kind = _TYPES.get(model.notes.get(_LABEL_TYPE, "str"), str)
        outputs = [value_of(word, kind) for word in outputs]
    of_symbols = about["input"] == "symbols"
    return Known(
        about["task"], outputs, about["every_step"], of_symbols, about["features"], about["symbols"]
    )


def predict(
    model: Model,
    sequences: Sequences,
    *,
    batch: int | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> list[Any]:
    """For each sequence a NumPy array of the model's answers: probabilities, or numbers in their
    own unit; [O], or [T, O] where every step has one.

    Where the model sees sequences in windows, an answer is the mean of theirs, and that of a step
    is that of the first window with it.
    """
    import numpy

    said = options(batch=batch, threads=threads, device=device)
    handle = Handle("rwa_answers_free", library.rwa_predict, model._handle, sequences._handle, said)
    values, offsets, count = ctypes.POINTER(c_float)(), ctypes.POINTER(c_int64)(), c_size_t()
    places = ctypes.byref(values), ctypes.byref(offsets), ctypes.byref(count)
    library.rwa_answers_get(handle, *places)
    outputs, rows = model.config["outputs"], offsets[count.value]
    if rows == 0:
        return [numpy.zeros((0, outputs), numpy.float32) for _ in range(count.value)]
    every = numpy.ctypeslib.as_array(values, (rows, outputs)).copy()
    if not known(model).every_step:
        return list(every)
    return [every[offsets[i] : offsets[i + 1]] for i in range(count.value)]
