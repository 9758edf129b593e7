"""Opens the browser on the user's screen, if there is one."""

import atexit
import html
import os
import sys
import webbrowser
from pathlib import Path
from threading import Event, Thread

from inspector.cli.output.terminal import Terminal

DOORSTEP = "open.html"
"""The file in the home that redirects a browser to the one-time address."""
_STARTED_S = 3.0
"""A browser that is still starting after this time counts as started."""


def is_at_hand(terminal: Terminal) -> bool:
    """Whether somebody reads this terminal on a screen of this machine, where a browser would appear."""
    return terminal.stream.isatty() and has_screen()


def has_screen() -> bool:
    """Whether a browser started here would appear on a screen of this machine."""
    is_there = sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    # Over SSH the display is forwarded, and a browser on it is too slow to be meant.
    return is_there and not os.environ.get("SSH_CONNECTION")


def open_in_browser(address: str, home: Path) -> None:
    """Open an address that signs in, without waiting for the browser; if it fails, the address was printed anyway."""
    if _opening(address, home) is not None:
        atexit.register((home / DOORSTEP).unlink, missing_ok=True)


def opened_in_browser(address: str, home: Path) -> bool:
    """Open an address that signs in, and return whether a browser was found.

    The file with the redirect stays until another is written, since this process ends before the browser has read it;
    its code works once.
    """
    opening = _opening(address, home)
    if opening is None:
        return False
    thread, failed = opening
    # One that runs in the foreground of its starter is not waited for to be closed.
    thread.join(_STARTED_S)
    return not failed.is_set()


def _opening(address: str, home: Path) -> tuple[Thread, Event] | None:
    """Open an address in a thread, which notes a failure; None if there is no browser."""
    browser = _browser()
    if browser is None:
        return None
    # Any user of this machine reads the arguments of its processes, so the code reaches the browser in a private file.
    doorstep = home / DOORSTEP
    try:
        _write_private(doorstep, _leading_to(address))
    except OSError:
        return None
    failed = Event()

    def start() -> None:
        if not browser.open(doorstep.absolute().as_uri()):
            failed.set()

    thread = Thread(target=start, daemon=True)
    thread.start()
    return thread, failed


def _browser() -> webbrowser.BaseBrowser | None:
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return None
    # Those that Python finds by itself and runs in the foreground are drawn in this very terminal.
    in_terminal = type(browser) is webbrowser.GenericBrowser and not os.environ.get("BROWSER")
    return None if in_terminal else browser


def _leading_to(address: str) -> str:
    return f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={html.escape(address)}">\n'


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
