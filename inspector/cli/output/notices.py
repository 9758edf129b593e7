"""Messages of a command besides its output, on standard error, so that pipes stay clean."""

import sys

from inspector.cli.output.visible import visible


def notice(text: str) -> None:
    """Print a message to the person at the terminal; recorded text in it must be escaped."""
    if sys.stderr is not None:
        sys.stderr.write(visible(text) + "\n")
        sys.stderr.flush()
