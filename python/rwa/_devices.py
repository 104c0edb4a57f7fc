"""rwa.devices(): the devices that a session can run on."""

from __future__ import annotations

from typing import NamedTuple

from ._library import described, library


class Device(NamedTuple):
    """A device, as listed by `devices()`."""

    name: str  # the `device` argument of sessions: "cpu", "cuda:0"
    description: str  # "NVIDIA H200"


def devices() -> list[Device]:
    """List the devices of this machine that rwa can use, the CPU first."""
    return [Device(**device) for device in described(library.rwa_devices)]
