"""Where a session can run."""

from __future__ import annotations

from typing import NamedTuple

from ._library import described, library


class Device(NamedTuple):
    """One of `devices()`."""

    name: str  # as sessions take it: "cpu", "cuda:0"
    description: str  # "NVIDIA H200"


def devices() -> list[Device]:
    """Those of this machine that the library can use, the CPU first."""
    return [Device(**device) for device in described(library.rwa_devices)]
