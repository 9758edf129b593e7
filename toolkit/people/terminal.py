"""The person at the terminal."""

import asyncio
import json
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from weakref import WeakKeyDictionary

from instrument.invisible import shown
from toolkit.people.asking import ApprovalRequest
from toolkit.plain import plain

_MOST_SHOWN = 4000
_MOST_READ = 1 << 16


class Terminal:
    """Asks one question at a time, off the event loop, and can be cancelled while it waits.

    The terminal itself is used, whatever standard input and output are; where there is none, standard input and error.
    """

    def __init__(self, device: str = "/dev/tty") -> None:
        self._device = device
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def answer(self, request: ApprovalRequest, /) -> bool | None:
        """Show a call and return whether the answer is yes, None where there is none."""
        typed = await self.ask(f"\n{request_text(request)}\n{visible(request.question)} [y/N] ")
        return None if typed is None else typed.strip().lower() in ("y", "yes")

    async def ask(self, prompt: str) -> str | None:
        """Write ``prompt`` and return the line that is typed, None where there is no more to read."""
        turn = self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        async with turn:
            with self._opened() as descriptors:
                if descriptors is None:
                    return None
                reading, writing = descriptors
                _forget_typed(reading)
                os.write(writing, prompt.encode(errors="replace"))
                return await _line(reading)

    @contextmanager
    def _opened(self) -> Generator[tuple[int, int] | None]:
        try:
            both = os.open(self._device, os.O_RDWR | getattr(os, "O_NOCTTY", 0))
        except OSError:
            yield _standard()
            return
        try:
            yield both, both
        finally:
            os.close(both)


def _standard() -> tuple[int, int] | None:
    """Return standard input and error; None where they are closed or stand for something without a descriptor."""
    try:
        sys.stderr.flush()
        return sys.stdin.fileno(), sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):
        return None


def request_text(request: ApprovalRequest) -> str:
    """Return a call as a person can read it, with nothing in it that a terminal obeys."""
    arguments = json.dumps(plain(request.arguments or {}), ensure_ascii=False, indent=2)
    shown = visible(arguments)
    if len(shown) > _MOST_SHOWN:
        shown = f"{shown[:_MOST_SHOWN]}\n… and {len(shown) - _MOST_SHOWN:,} more characters, not shown"
    return f"{visible(request.tool_name)} {shown}"


def visible(text: str) -> str:
    """Return ``text`` with symbols for characters that cannot be seen, or that turn round what is read after them."""
    return shown(text, line_ends=True)


def _forget_typed(descriptor: int) -> None:
    """Drop what was typed before the question was there: it cannot be its answer."""
    with suppress(ImportError, OSError):
        import termios

        with suppress(termios.error):
            termios.tcflush(descriptor, termios.TCIFLUSH)


async def _line(descriptor: int) -> str | None:
    typed = b""
    while b"\n" not in typed and len(typed) < _MOST_READ:
        piece = await _piece(descriptor)
        if not piece:
            break
        typed += piece
    return typed.partition(b"\n")[0].decode(errors="replace") if typed else None


async def _piece(descriptor: int) -> bytes:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    try:
        loop.add_reader(descriptor, ready.set)
    except (NotImplementedError, OSError):
        # A file, which never waits, or a system whose loop cannot watch a terminal.
        return await asyncio.to_thread(_read, descriptor)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
    return _read(descriptor)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:
        # A terminal that was closed has nothing more to say.
        return b""
