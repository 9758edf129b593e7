"""The terminal that a command writes to: how wide it is, and what it can show."""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TextIO

from inspector.cli.errors import CliError, ReaderGone
from inspector.cli.output.visible import cut, visible

Style = Literal["", "bold", "dim", "red", "green", "yellow", "cyan"]
"""How text stands out where colours are shown; the meaning never depends on it."""

_CODES: dict[Style, str] = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_NARROWEST = 20
_ASCII_SIGNS = str.maketrans(
    {"→": ">", "µ": "u", "…": "~", "—": "-", "\u2013": "-", "\u2212": "-", "·": "-", "\u00d7": "x"}
)


@dataclass(frozen=True, slots=True)
class Terminal:
    """An output stream and what it can do; a pipe has no width, so nothing is cut for the program that reads it."""

    stream: TextIO
    width: int | None = None
    """Columns, or None if lines may have any length."""
    colour: bool = False
    unicode: bool = True
    """Whether the stream's encoding can represent more than ASCII."""

    def safe(self, text: str) -> str:
        """Escape recorded text so that it can be written here, on one line."""
        return visible(text, unicode=self.unicode)

    def signs(self, text: str) -> str:
        """Replace our own special characters (``→``, ``µ``, ``…``) if only ASCII is shown."""
        return text if self.unicode else visible(text.translate(_ASCII_SIGNS), unicode=False)

    def style(self, text: str, style: Style) -> str:
        """Colour text that will not be measured any more."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.colour and style and text else text

    def cut(self, text: str) -> str:
        """Cut escaped, uncoloured text to the width, if there is one."""
        return text if self.width is None else cut(text, self.width, mark=self.ellipsis)

    @property
    def ellipsis(self) -> str:
        """The mark that a text was cut."""
        return "…" if self.unicode else "~"

    def write(self, lines: Iterable[str]) -> None:
        """Write lines that are already escaped, and flush them.

        Raises:
            ReaderGone: The other end of the pipe is closed.
        """
        try:
            for line in lines:
                self.stream.write(line + "\n")
            self.stream.flush()
        except BrokenPipeError as error:
            raise ReaderGone from error


def standard_output() -> Terminal:
    """Find out what standard output is connected to.

    ``COLUMNS`` sets the width of a terminal; `wants_colour` decides about colours.

    Raises:
        CliError: Standard output is closed.
    """
    stream: TextIO | None = sys.stdout
    if stream is None:
        raise CliError("standard output is closed; redirect it to a file or to /dev/null")
    encoding = (stream.encoding or "ascii").lower().replace("-", "").replace("_", "")
    is_terminal = stream.isatty()
    return Terminal(
        stream,
        width=max(_NARROWEST, shutil.get_terminal_size((100, 24)).columns) if is_terminal else None,
        colour=wants_colour(os.environ, is_terminal=is_terminal),
        unicode=encoding in ("utf8", "utf16", "utf32", "utf8sig"),
    )


def wants_colour(environ: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Decide whether to show colours; the first of these that is set decides.

    ``NO_COLOR`` (https://no-color.org) turns them off. ``FORCE_COLOR`` (https://force-color.org) turns them on wherever
    the output goes, but off if it is 0, as for Node's programs. ``CLICOLOR_FORCE`` turns them on and ``CLICOLOR=0`` off
    (https://bixense.com/clicolors), ``TERM=dumb`` off. Otherwise, a terminal gets them.
    """
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return environ["FORCE_COLOR"] != "0"
    if environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return is_terminal and environ.get("CLICOLOR") != "0" and environ.get("TERM") != "dumb"
