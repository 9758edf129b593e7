"""The browser on the user's screen, where there is one."""

import os
import sys
import webbrowser
from collections.abc import Mapping
from threading import Thread

from inspector.cli.terminal import Terminal


def is_at_hand(terminal: Terminal, environ: Mapping[str, str] | None = None, platform: str = sys.platform) -> bool:
    """Whether somebody reads this terminal on a screen of this machine, so that a browser would open before them."""
    environ = os.environ if environ is None else environ
    has_screen = platform == "darwin" or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))
    # Over SSH the display is forwarded, and a browser on it is too slow to be meant.
    return terminal.stream.isatty() and has_screen and not environ.get("SSH_CONNECTION")


def open_in_browser(address: str) -> None:
    """Open an address without waiting for the browser; where that fails, the address was printed as well."""
    Thread(target=webbrowser.open, args=(address,), daemon=True).start()
