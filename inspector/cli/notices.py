"""Messages of a command besides its output, on standard error, so that pipes stay clean."""

import sys

from inspector.cli.visible import visible


def notice(text: str) -> None:
    """Say something to the person at the terminal; nothing recorded may be in it unseen."""
    if sys.stderr is not None:
        sys.stderr.write(visible(text) + "\n")
        sys.stderr.flush()
