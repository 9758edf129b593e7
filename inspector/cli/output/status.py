"""The signs and words that show a status without colour."""

from inspector.cli.output.terminal import Style
from inspector.model import Status

SIGNS: dict[Status, str] = {
    "running": "●",
    "ok": "✓",
    "error": "✗",
    "denied": "⊖",
    "cancelled": "⊘",
    "abandoned": "◌",
    "lost": "?",
}
"""One character per status, each one column wide."""

ASCII_SIGNS: dict[Status, str] = {
    "running": ">",
    "ok": "+",
    "error": "x",
    "denied": "-",
    "cancelled": "/",
    "abandoned": "o",
    "lost": "?",
}

STYLES: dict[Status, Style] = {
    "running": "cyan",
    "ok": "green",
    "error": "red",
    "denied": "yellow",
    "cancelled": "yellow",
    "abandoned": "yellow",
    "lost": "red",
}


def sign(status: Status, *, unicode: bool) -> str:
    """Return the sign of a status."""
    return SIGNS[status] if unicode else ASCII_SIGNS[status]


def word(status: Status) -> str:
    """Return the word for a status that deserves attention; ``ok`` needs no word beside its sign."""
    return "" if status == "ok" else status
