"""Progress of a training as lines of text, for `verbose`."""

from __future__ import annotations

from typing import Any, Callable, Union

# Receives {"run", "step", "steps", "loss", "score", "seconds_left"}; returns True to stop training.
Callback = Callable[[dict], Union[bool, None]]


def reporting(
    callback: Callback | None, verbose: int | None, *, by_run: bool = False
) -> Callback | None:
    """Return a callback that prints a line for every score before it calls `callback`.

    Without a validation set, ten lines tell the training loss. With `by_run`, lines begin with the
    title of the run.
    """
    if not verbose:
        return callback
    printed: dict[str, tuple] = {}  # what the last line was for, by run

    def report(progress: dict) -> bool | None:
        score = progress["score"]
        tenth = 10 * progress["step"] // progress["steps"]
        subject = ("training", tenth) if score is None else ("score", score["step"])
        if subject != ("training", 0) and printed.get(progress["run"]) != subject:
            printed[progress["run"]] = subject
            print(f"{progress['run']}: " if by_run else "", line(progress), sep="", flush=True)
        return callback(progress) if callback is not None else None

    return report


def line(progress: dict[str, Any]) -> str:
    """Describe a score: "step 40 of 125: loss 0.613 bits, accuracy 78.0 %, 12 s left"."""
    score = progress["score"]
    if score is None:
        return f"step {progress['step']} of {progress['steps']}: training loss {progress['loss']:.4g}"
    parts = [f"loss {score['loss']:.4g} {score['unit']}"]
    if score.get("accuracy") is not None:
        parts.append(f"accuracy {100 * score['accuracy']:.1f} %")
    if progress["seconds_left"] is not None:
        parts.append(f"{progress['seconds_left']:.0f} s left")
    return f"step {score['step']} of {progress['steps']}: {', '.join(parts)}"
