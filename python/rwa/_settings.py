"""rwa.settings(): every setting of a training run."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from ._library import described, library


class Setting(NamedTuple):
    """A setting: a keyword argument, an option of `rwa train`, a key of its configuration file."""

    name: str
    table: str  # of the configuration file; "": above all tables
    group: str  # in `rwa train --help`
    help: str
    kind: str  # "bool", "int", "float", "str", "list" or "choice"
    choices: list[str] | None
    range: str | None  # of a number: "1 to 1000", "more than 0 and less than 1"
    default: Any  # 0 or empty: off, or chosen from the data
    of_sequences: bool  # if not, it controls how files are read and belongs to rwa.read


@functools.lru_cache(maxsize=None)
def _all() -> tuple[Setting, ...]:
    return tuple(Setting(**setting) for setting in described(library.rwa_settings))


def settings() -> list[Setting]:
    """List all settings in the order of `rwa train --help`."""
    return list(_all())
