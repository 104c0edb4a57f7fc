"""Progress of a training as lines of text, for `verbose`."""

from __future__ import annotations

from typing import Any, Callable, Union

# Receives {"run", "step", "steps", "loss", "score", "seconds_left"}; returns True to stop training.
Callback = Callable[[dict], Union[bool, None]]


def reporting(
    callback: Callback | None, verbose: int | None, *, by_run: bool = False
) -> Callback | None:
    """Return a callback that prints a line for every score before it calls `callback`.

    With `by_run`, lines begin with the title of the run.
    """
    if not verbose:
        return callback
    printed: dict[str, int] = {}  # the step of the last line, by run

    def report(progress: dict) -> bool | None:
        score = progress["score"]
        if score is not None and printed.get(progress["run"]) != score["step"]:
            printed[progress["run"]] = score["step"]
            print(f"{progress['run']}: " if by_run else "", line(progress), sep="", flush=True)
        return callback(progress) if callback is not None else None

    return report


def line(progress: dict[str, Any]) -> str:
    """Describe a score: "step 40 of 125: loss 0.613 bits, accuracy 78.0 %, 12 s left"."""
    score = progress["score"]
    parts = [f"loss {score['loss']:.4g} {score['unit']}"]
    if score.get("accuracy") is not None:
        parts.append(f"accuracy {100 * score['accuracy']:.1f} %")
    if progress["seconds_left"] is not None:
        parts.append(f"{progress['seconds_left']:.0f} s left")
    return f"step {score['step']} of {progress['steps']}: {', '.join(parts)}"
