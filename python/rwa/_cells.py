"""What recurrent layers can be made of."""

from __future__ import annotations

from typing import NamedTuple

from ._library import described, library


class Cell(NamedTuple):
    """One of `cells()`."""

    name: str  # as models take it: "rwa-forget"
    title: str  # as reports have it: "LSTM"
    description: str
    averages: bool  # its state is an average, of which each step has a share


def cells() -> list[Cell]:
    """All cells of the library.

    >>> [cell.name for cell in rwa.cells()]
    ['rwa', 'rwa-forget', 'rwa-decay', 'lstm', 'gru']
    """
    return [
        Cell(**{name: about[name] for name in Cell._fields})
        for about in described(library.rwa_cells)
    ]
