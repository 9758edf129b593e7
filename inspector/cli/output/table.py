"""Tables that fit the terminal: columns are dropped in a declared order, and every cell stays on its line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.cli.output.terminal import Style, Terminal
from inspector.cli.output.visible import cut, pad, width

GAP = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: its title, and what happens to it if there is too little space."""

    title: str
    right: bool = False
    """Whether figures are right-aligned."""
    shrinks_to: int | None = None
    """The narrowest width to which it may be cut; None keeps it whole."""
    leaves: int = 0
    """The order in which columns are dropped if cutting is not enough: 1 goes first, 0 never goes."""
    style: Style = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of one cell, already escaped; its own style takes precedence over its column's."""

    text: str
    style: Style = ""


def table_lines(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], terminal: Terminal) -> Iterable[str]:
    """Lay rows out under their titles; columns that are empty in every row are left out."""
    natural = [max((width(row[place].text) for row in rows), default=0) for place in range(len(columns))]
    kept = [place for place in range(len(columns)) if natural[place]]
    full_widths = {place: max(natural[place], width(columns[place].title)) for place in kept}
    widths = _fit(columns, full_widths, terminal.width)
    titles = [Cell(columns[place].title, "dim") for place in range(len(columns))]
    for row in (titles, *rows):
        yield _line(columns, row, widths, terminal)


def _fit(columns: Sequence[Column], full_widths: dict[int, int], room: int | None) -> dict[int, int]:
    if room is None:
        return dict(full_widths)
    widths = {
        place: wide if columns[place].shrinks_to is None else min(wide, room) for place, wide in full_widths.items()
    }
    leaving = sorted((place for place in widths if columns[place].leaves), key=lambda place: columns[place].leaves)
    while leaving and _smallest(columns, widths) > room:
        del widths[leaving.pop(0)]
    while _total(widths) > room:
        candidates = [place for place in widths if widths[place] > _least(columns[place], widths[place])]
        if not candidates:
            break
        widths[max(candidates, key=lambda place: widths[place])] -= 1
    return widths


def _least(column: Column, now: int) -> int:
    return now if column.shrinks_to is None else min(now, column.shrinks_to)


def _smallest(columns: Sequence[Column], widths: dict[int, int]) -> int:
    return _total({place: _least(columns[place], wide) for place, wide in widths.items()})


def _total(widths: dict[int, int]) -> int:
    return sum(widths.values()) + len(GAP) * max(0, len(widths) - 1)


def _line(columns: Sequence[Column], row: Sequence[Cell], widths: dict[int, int], terminal: Terminal) -> str:
    parts: list[str] = []
    used = 0
    last = max(widths, default=-1)
    for place, room in widths.items():
        free = room if terminal.width is None else min(room, terminal.width - used)
        if free <= 0:
            break
        cell = row[place]
        text = cut(cell.text, free, mark=terminal.ellipsis)
        filled = text if place == last and not columns[place].right else pad(text, free, right=columns[place].right)
        parts.append(terminal.style(filled, cell.style or columns[place].style))
        used += free + len(GAP)
    return GAP.join(parts).rstrip() if not terminal.colour else GAP.join(parts)
