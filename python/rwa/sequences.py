"""Lists of sequences with ids and targets, read from files or built from arrays.

>>> data = rwa.read("vowels.ts")
>>> len(data), data.features, data.labels
(370, ['dim_0', 'dim_1', 'dim_2'], ['1', '2', '3'])
>>> first = data[0]
>>> first.id, first.x.shape, first.y
('1', (20, 3), '1')
"""

from __future__ import annotations

import collections.abc
import ctypes
import math
import os
import warnings
from ctypes import c_char_p, c_int32, c_size_t
from typing import Any, Iterable, Iterator, NamedTuple, Union

from ._from_arrays import Builder, RawSequence, items_of, value_of
from ._library import Handle, described, library, options
from ._values import path_of
from .array import ITEM_BYTES

Path = Union[str, "os.PathLike[str]"]


class Sequence(NamedTuple):
    """One sequence of a list.

    Attributes
    ----------
    id : str
        Name of the sequence.
    x : memoryview, str or list of str
        Numbers: a view of shape [T, D], which NumPy reads without a copy. Symbols: a string, or a
        list of strings if some symbols are longer than one character.
    y : object
        Target: a label, a set of labels, a number or a list of numbers. Per-step tasks have a list
        with one entry per step. None if there is no target.
    """

    id: str
    x: Any
    y: Any


class Sequences(collections.abc.Sequence):
    """An immutable list of sequences of the same kind, in the library's memory.

    Create one with `rwa.read` or `Sequences.from_arrays`. A slice such as `data[:10]` is a plain
    list of sequences, which `from_arrays` accepts.

    `findings` tells how files were read: {"columns": [{"name", "role", "why"}, …], "task": why it
    is the task, "warnings": […]}.
    """

    def __init__(self, handle: Handle, label_type: type = str) -> None:
        """Wrap a handle. Private: use `rwa.read` or `from_arrays`."""
        self._handle = handle
        self.label_type = label_type
        about = described(library.rwa_sequences_describe, handle)
        self.features: list[str] = about["features"]
        self.task: str = about["task"]
        self.targets: list[str] = about["targets"]
        self.of_symbols: bool = about["input"] == "symbols"
        self.symbols: list[str] = about["symbols"]
        self.labels: list[Any] = [value_of(word, label_type) for word in about["labels"]]
        self.format: str = about["format"]
        self.findings: dict[str, Any] = about["findings"]
        self._as_text = all(len(symbol) == 1 for symbol in self.symbols)

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: Any = None,
        *,
        layout: str | None = None,
        task: str | None = None,
        features: list[str] | None = None,
        ids: Iterable[str] | None = None,
    ) -> Sequences:
        """Build a list of sequences of equal or different lengths.

        Parameters
        ----------
        X : list or array
            For each sequence an array [T, D], or [T] if a step is one number; or a string or a list
            of strings, whose symbols are the steps. NaN marks a missing value.
        y : list or array, optional
            For each sequence its target. None: learn to predict the next step ("forecast").
        layout : {"ntc", "nct", "tnc"}, optional
            Order of the axes (n: sequence, t: time, c: channel). Required if X is a 3-D array.
        task : str, optional
            Guessed from y by default: strings and integers are a "class", other numbers are
            "numbers", sets are "labels". A list with one entry per step is "class-per-step" or
            "numbers-per-step".
        features : list of str, optional
            Names of the features.
        ids : iterable of str, optional
            Names of the sequences.

        >>> data = Sequences.from_arrays([[[0.0], [1.0]], [[2.0]]], ["up", "down"])
        >>> data.task, data.labels, data[1].x.tolist()
        ('class', ['up', 'down'], [[2.0]])
        """
        items = items_of(X, layout)
        if items and all(isinstance(item, Sequence) for item in items):
            y = [item.y for item in items] if y is None else y
            ids = [item.id for item in items] if ids is None else ids
            items = [item.x for item in items]
        builder = Builder(items, y, task, features)
        return cls(builder.build(ids), builder.label_type)

    def __len__(self) -> int:
        count = c_size_t()
        library.rwa_sequences_count(self._handle, ctypes.byref(count))
        return count.value

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        number = int(place)
        if number < 0:
            number += len(self)
        if not 0 <= number < len(self):
            raise IndexError(f"index {place} is out of range for a list of length {len(self)}")
        raw = RawSequence()
        library.rwa_sequences_get(self._handle, number, ctypes.byref(raw))
        return Sequence(raw.id.decode(errors="replace"), self._x(raw), self._y(raw))

    def __iter__(self) -> Iterator[Sequence]:
        return (self[i] for i in range(len(self)))

    @property
    def x(self) -> list[Any]:
        """The inputs: for each sequence a read-only NumPy array [T, D], or its symbols."""
        if self.of_symbols:
            return [one.x for one in self]
        import numpy

        return [numpy.asarray(one.x) for one in self]

    @property
    def y(self) -> list[Any]:
        """The target of each sequence."""
        return [one.y for one in self]

    def __repr__(self) -> str:
        what = "symbols" if self.of_symbols else "features"
        width = len(self.symbols if self.of_symbols else self.features)
        return f"<rwa.Sequences: {len(self)} of {width} {what}, task {self.task}>"

    def _x(self, raw: RawSequence) -> Any:
        if self.of_symbols:
            places = _view(raw.symbols, c_int32, "i", (raw.steps,), self)
            symbols = [self.symbols[i] for i in places]
            return "".join(symbols) if self._as_text else symbols
        return _view(raw.x, ctypes.c_float, "f", (raw.steps, len(self.features)), self)

    def _y(self, raw: RawSequence) -> Any:
        places = _view(raw.labels, c_int32, "i", (raw.label_count,), self)
        labels = [self.labels[i] for i in places]
        values = _view(raw.values, ctypes.c_float, "f", (raw.value_count,), self).tolist()
        if self.task == "labels":
            return frozenset(labels)
        if self.task == "class":
            return labels[0] if labels else None
        if self.task == "class-per-step":
            return labels if len(labels) == raw.steps else None
        if self.task == "forecast" or (not values and raw.steps):
            return None
        width = len(self.targets)
        if width > 1 and self.task == "numbers-per-step":
            return [values[i : i + width] for i in range(0, len(values), width)]
        return values[0] if width == 1 and self.task == "numbers" else values


def read(
    paths: Path | Iterable[Path],
    *,
    format: str | None = None,
    layout: str | None = None,
    task: str | None = None,
    target: str | Iterable[str] | None = None,
    features: str | Iterable[str] | None = None,
    id: str | None = None,
    time: str | None = None,
    label_from: str | None = None,
    decimal: str | None = None,
    kmer: int | None = None,
    tokens: str | None = None,
    lower: bool | None = None,
) -> Sequences:
    """Read all sequences of a file, several files or a folder.

    Format, task and columns are detected; the keyword arguments override them and are the options
    of `rwa train` with the same names. `findings` of the result, and `rwa inspect`, show what is
    detected. A UserWarning tells of a guess that little in the file supports.

    >>> rwa.read("sensors.csv", target="load", features=["speed", "heat"])
    <rwa.Sequences: 12 of 2 features, task numbers-per-step>
    """
    all_paths = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    words = [path_of(path) for path in all_paths]
    said = options(
        format=format,
        layout=layout,
        task=task,
        target=_list_of(target),
        features=_list_of(features),
        id=id,
        time=time,
        label_from=label_from,
        decimal=decimal,
        kmer=kmer,
        tokens=tokens,
        lower=lower,
    )
    array = (c_char_p * len(words))(*words)
    made = Sequences(Handle("rwa_sequences_free", library.rwa_read, array, len(words), said))
    for warning in made.findings["warnings"]:
        warnings.warn(warning, stacklevel=2)
    return made


def _list_of(names: str | Iterable[str] | None) -> list[str] | None:
    if names is None:
        return None
    return [names] if isinstance(names, str) else list(names)


def _view(
    address: int | None, c: Any, format: str, shape: tuple[int, ...], owner: Any
) -> memoryview:
    """Return a read-only view of the library's memory that keeps `owner` alive."""
    if shape[0] == 0:  # cast() rejects empty shapes
        one = (1, *shape[1:])
        return memoryview(bytes(math.prod(one) * ITEM_BYTES)).cast(format, one)[:0]
    block = (c * math.prod(shape)).from_address(address)
    block.owner = owner
    return memoryview(block).cast("B").cast(format, shape).toreadonly()
