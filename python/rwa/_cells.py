"""rwa.cells(): the recurrent cells that a layer can use."""

from __future__ import annotations

from typing import NamedTuple

from ._library import described, library


class Cell(NamedTuple):
    """A recurrent cell, as listed by `cells()`."""

    name: str  # the `cell` argument of models: "rwa-forget"
    title: str  # the name in reports: "LSTM"
    description: str
    averages: bool  # its state is an average, and every time step has a share of it


def cells() -> list[Cell]:
    """List all recurrent cells.

    >>> [cell.name for cell in rwa.cells()]
    ['rwa', 'rwa-forget', 'rwa-decay', 'lstm', 'gru']
    """
    return [
        Cell(**{name: about[name] for name in Cell._fields})
        for about in described(library.rwa_cells)
    ]
