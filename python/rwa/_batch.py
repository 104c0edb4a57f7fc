"""Batches and targets in the form that the library reads; checks the shapes, which C cannot see."""

from __future__ import annotations

from typing import Any

from . import _library
from ._arrays import Borrowed, borrow
from ._errors import InputError


def check_shape(name: str, found: tuple[int, ...], letters: str, *sizes: int | None) -> None:
    """Raise InputError unless `found` fits `sizes`, one per letter of "[T,B,D]"; None fits any."""
    fits = len(found) == len(sizes) and all(s is None or f == s for f, s in zip(found, sizes))
    if not fits:
        names = letters.strip("[]").split(",")
        known = ", ".join(f"{n} = {s}" for n, s in zip(names, sizes) if s is not None)
        expected = f"{letters} with {known}" if known else letters
        raise InputError(f"{name} has shape {list(found)}, expected {expected}")


class Batch:
    """A batch of sequences for a model: x is [T,B,D], or [T,B] if its input is symbols."""

    def __init__(self, config: dict[str, Any], x: Any, lengths: Any) -> None:
        symbols = config["input"] == "symbols"
        self._x = borrow(x, "int32" if symbols else "float32", "x")
        if symbols:
            check_shape("x", self._x.shape, "[T,B]", None, None)
        else:
            check_shape("x", self._x.shape, "[T,B,D]", None, None, config["inputs"])
        self.steps, self.batch = self._x.shape[:2]
        self._lengths = _lengths(lengths, "lengths", self.batch)
        self.kind = self._x.kind
        address = self._x.address
        self.struct = _library.Batch(
            x=None if symbols else address,
            symbols=address if symbols else None,
            lengths=self._lengths and self._lengths.address,
            steps=self.steps,
            batch=self.batch,
        )


class Targets:
    """The targets of a batch: classes or values, depending on the model's loss."""

    def __init__(self, config: dict[str, Any], batch: Batch, targets: Any, lengths: Any) -> None:
        classes = config["loss"] == "softmax"
        self._targets = borrow(targets, "int32" if classes else "float32", "targets")
        letters, sizes = rows_of(config, batch)
        if not classes:
            letters, sizes = letters + ",O", (*sizes, config["outputs"])
        check_shape("targets", self._targets.shape, f"[{letters}]", *sizes)
        self._lengths = _lengths(lengths, "target_lengths", batch.batch)
        address = self._targets.address
        self.struct = _library.Targets(
            classes=address if classes else None,
            values=None if classes else address,
            lengths=self._lengths and self._lengths.address,
            steps=self._targets.shape[0] if config["code"] else 0,
        )


def rows_of(config: dict[str, Any], batch: Batch) -> tuple[str, tuple[int | None, ...]]:
    """Return the shape of the outputs without the last dimension, in letters and in numbers."""
    if config["code"]:
        return "steps,B", (None, batch.batch)
    if config["readout"] == "every":
        return "T,B", (batch.steps, batch.batch)
    return "B", (batch.batch,)


def _lengths(lengths: Any, name: str, batch: int) -> Borrowed | None:
    if lengths is None:
        return None
    borrowed = borrow(lengths, "int32", name)
    check_shape(name, borrowed.shape, "[B]", batch)
    return borrowed
