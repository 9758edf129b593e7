"""Text of models and files on its way to a terminal."""

import sys

from toolkit.people.terminal import visible


def shown(text: str) -> str:
    """Return ``text`` with symbols for what a terminal would obey; tabs and ends of lines stay."""
    return "\t".join(visible(part) for part in text.split("\t"))


def say(text: str, *, end: str = "\n") -> None:
    """Write to standard output at once: as it is for a program, harmless for a terminal."""
    encoding = sys.stdout.encoding or "ascii"
    harmless = shown(text) if sys.stdout.isatty() else text
    sys.stdout.write(harmless.encode(encoding, "replace").decode(encoding) + end)
    sys.stdout.flush()
