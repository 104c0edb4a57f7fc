"""Builds the library's list of sequences from the caller's arrays, strings and targets."""

from __future__ import annotations

import ctypes
import math
from ctypes import c_char_p, c_int32, c_size_t, c_void_p
from typing import Any, Iterable

from ._arrays import Borrowed, borrow
from ._errors import InputError
from ._library import Handle, Struct, library, options
from ._values import plain, text_of

_LAYOUTS = {"ntc": (0, 1, 2), "nct": (0, 2, 1), "tnc": (1, 0, 2)}


class RawSequence(Struct):
    """rwa_sequence."""

    _fields_ = [
        ("id", c_char_p),
        ("steps", c_int32),
        ("x", c_void_p),
        ("symbols", c_void_p),
        ("labels", c_void_p),
        ("label_count", c_size_t),
        ("values", c_void_p),
        ("value_count", c_size_t),
    ]


def value_of(word: str, label_type: type) -> Any:
    """Convert the library's string for a label back to the caller's value."""
    return word == "True" if label_type is bool else label_type(word)


def items_of(X: Any, layout: str | None) -> list[Any]:
    """Split X into a list of sequences."""
    if layout is not None and layout not in _LAYOUTS:
        raise InputError(f"layout is {layout!r}, expected one of: {', '.join(_LAYOUTS)}")
    if isinstance(X, (str, bytes)) or not hasattr(X, "__len__"):
        raise InputError(f"X is the {type(X).__name__} {X!r}, expected a list of sequences")
    if len(getattr(X, "shape", ())) != 3:
        return list(X)
    if layout is None:
        raise InputError(
            f"X has shape {tuple(X.shape)} and no layout, expected "
            'layout="ntc" (sequence, time, channel), "nct" or "tnc"'
        )
    import numpy

    return list(numpy.asarray(X).transpose(_LAYOUTS[layout]))


class _Steps:
    """The time steps of one sequence: numbers or symbols."""

    def __init__(self, x: Any, name: str) -> None:
        self.name = name
        self.numbers: Borrowed | None = None
        self.symbols: list[str] | None = None
        if _is_text(x):
            self.symbols = [str(symbol) for symbol in x]
            self.length = len(self.symbols)
            return
        self.numbers = borrow(x, "float32", name)
        shape = self.numbers.shape
        if len(shape) not in (1, 2):
            raise InputError(f"{name} has shape {shape}, expected [T], [T, D] or a string")
        self.length = shape[0]

    @property
    def width(self) -> int | None:
        """The number of features; None if it is unknown."""
        if self.numbers is None or (self.length == 0 and len(self.numbers.shape) == 1):
            return None
        return self.numbers.shape[1] if len(self.numbers.shape) == 2 else 1


def _is_text(x: Any) -> bool:
    if isinstance(x, str):
        return True
    if hasattr(x, "dtype"):
        return getattr(x.dtype, "kind", "") == "U" or (
            getattr(x.dtype, "kind", "") == "O" and len(x) > 0 and isinstance(x[0], str)
        )
    return isinstance(x, (list, tuple)) and len(x) > 0 and all(isinstance(s, str) for s in x)


def _answers_of(y: Any, count: int) -> list[Any]:
    if isinstance(y, (str, bytes, dict)) or not hasattr(y, "__len__"):
        raise InputError(f"y is the {type(y).__name__} {y!r}, expected a target for each sequence")
    if len(y) != count:
        raise InputError(f"y has length {len(y)}, expected {count}, one target per sequence of X")
    return [plain(answer) for answer in y]


def guess_task(answers: list[Any] | None, lengths: list[int]) -> str:
    """Guess the task from the targets. Without targets or sequences it is "forecast"."""
    known = [(a, t) for a, t in zip(answers or [], lengths) if a is not None]
    if not known:
        return "forecast"
    if all(isinstance(a, (set, frozenset)) for a, _ in known):
        return "labels"
    if not any(isinstance(a, (list, tuple)) for a, _ in known):
        return "numbers" if any(isinstance(a, float) for a, _ in known) else "class"
    if not all(isinstance(a, (list, tuple)) for a, _ in known):
        raise InputError("y has both single targets and lists, expected one or the other")
    first = next((a[0] for a, _ in known if a), None)
    numbers = isinstance(first, (float, list, tuple))
    if all(len(a) == t for a, t in known):
        return "numbers-per-step" if numbers else "class-per-step"
    return "numbers" if numbers else "labels"


class _Words:
    """A vocabulary: words and their indices. Labels must all have the same Python type."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.new: list[bytes] = []
        self.type: type | None = None

    def place(self, word: str, name: str) -> int:
        found = self.places.get(word)
        if found is None:
            if not word:
                raise InputError(f"{name} is empty, expected a non-empty string")
            self.new.append(text_of(word, name))
            found = self.places[word] = len(self.places)
        return found

    def checked(self, label: Any, name: str) -> Any:
        """Return a label as a Python value, after a check of its type."""
        label = plain(label)
        kind = type(label)
        if kind not in (str, int, float, bool):
            raise InputError(
                f"{name} is the {kind.__name__} {label!r}, expected a string or a number"
            )
        if self.type not in (None, kind):
            raise InputError(
                f"{name} is the {kind.__name__} {label!r}, expected a label of type "
                f"{self.type.__name__} like those before it"
            )
        self.type = kind
        return label

    def take_new(self) -> tuple[Any, int]:
        new, self.new = self.new, []
        return (c_char_p * len(new))(*new), len(new)


class Builder:
    """Fills a list of the library with sequences and their targets."""

    def __init__(self, X: list[Any], y: Any, task: str | None, features: list[str] | None) -> None:
        self._steps = [_Steps(x, f"X[{i}]") for i, x in enumerate(X)]
        self._answers = None if y is None else _answers_of(y, len(X))
        self._task = task or guess_task(self._answers, [one.length for one in self._steps])
        self._symbols, self._labels = _Words(), _Words()
        # The first sequence with steps decides between numbers and symbols; if none has, the first.
        self._first = next(
            (one for one in self._steps if one.length), next(iter(self._steps), None)
        )
        self._of_symbols = self._first is not None and self._first.symbols is not None
        self._features = features or self._names_of_features()
        self._width = len(self._features)
        self._targets = self._names_of_targets()

    @property
    def label_type(self) -> type:
        """The Python type of the labels in y."""
        return self._labels.type or str

    def build(self, ids: Iterable[Any] | None) -> Handle:
        names = [""] * len(self._steps) if ids is None else [str(name) for name in ids]
        if len(names) != len(self._steps):
            raise InputError(f"ids has length {len(names)}, expected {len(self._steps)}")
        schema = options(
            input="symbols" if self._of_symbols else "numbers",
            features=[] if self._of_symbols else self._features,
            task=self._task,
            targets=self._targets,
        )
        handle = Handle("rwa_sequences_free", library.rwa_sequences_new, schema)
        for i, name in enumerate(names):
            raw = RawSequence(id=text_of(name, f"ids[{i}]") or None)
            kept = self._set_steps(raw, self._steps[i]), self._set_answer(raw, i)
            words = *self._symbols.take_new(), *self._labels.take_new()
            library.rwa_sequences_add_words(handle, *words)
            library.rwa_sequences_add(handle, ctypes.byref(raw))
            del kept  # the memory that raw points to
        return handle

    def _names_of_features(self) -> list[str]:
        widths = (one.width for one in self._steps)
        width = next((width for width in widths if width is not None), 1)
        return ["x"] if width == 1 else [f"x{i}" for i in range(width)]

    def _names_of_targets(self) -> list[str] | None:
        if not self._task.startswith("numbers"):
            return None
        first = next((a for a in self._answers or [] if isinstance(a, (list, tuple)) and a), [0.0])
        if self._task == "numbers-per-step":
            first = first[0] if isinstance(first[0], (list, tuple)) else [0.0]
        return ["y"] if len(first) == 1 else [f"y{i}" for i in range(len(first))]

    def _set_steps(self, raw: RawSequence, steps: _Steps) -> Any:
        raw.steps = steps.length
        if self._of_symbols != (steps.symbols is not None) and steps.length:
            kinds = ("numbers", "symbols") if self._of_symbols else ("symbols", "numbers")
            raise InputError(
                f"{steps.name} has {kinds[0]}, expected {kinds[1]} as in {self._first.name}"
            )
        if self._of_symbols:
            name = f"a symbol of {steps.name}"
            places = [self._symbols.place(symbol, name) for symbol in steps.symbols or []]
            block = (c_int32 * len(places))(*places)
            raw.symbols = ctypes.addressof(block)
            return block
        if steps.width not in (None, self._width):
            raise InputError(
                f"{steps.name} has shape {steps.numbers.shape}, expected [T, {self._width}]"
            )
        raw.x = steps.numbers.address if steps.numbers else None
        return steps.numbers

    def _set_answer(self, raw: RawSequence, i: int) -> Any:
        answer = self._answers[i] if self._answers is not None else None
        if answer is None or self._task == "forecast":
            return None
        name = f"y[{i}]"
        if self._task.startswith("numbers"):
            numbers = borrow(answer, "float32", name)
            raw.values, raw.value_count = numbers.address, math.prod(numbers.shape)
            return numbers
        if self._task != "class" and (isinstance(answer, str) or not hasattr(answer, "__iter__")):
            raise InputError(f"{name} is {answer!r}, expected a collection of labels")
        several = [answer] if self._task == "class" else answer
        labels = [self._labels.checked(label, name) for label in several]
        if isinstance(answer, (set, frozenset)):
            labels.sort()  # so that the order does not depend on hashes
        places = [self._labels.place(str(label), name) for label in labels]
        block = (c_int32 * len(places))(*places)
        raw.labels, raw.label_count = ctypes.addressof(block), len(places)
        return block
