"""What a command says beside its output, on standard error, so that pipes stay clean."""

import sys
from typing import Any

from inspector.cli.visible import visible
from inspector.model import Page


def notice(text: str) -> None:
    """Say something to the person at the terminal; nothing recorded may be in it unseen."""
    if sys.stderr is not None:
        sys.stderr.write(visible(text) + "\n")
        sys.stderr.flush()


def after_page(page: Page[Any], *, nothing: str) -> None:
    """Say where a list goes on, or that there is nothing in it."""
    if not page.items:
        notice(nothing)
    elif page.next_cursor:
        notice(f"more: --cursor {page.next_cursor}")
