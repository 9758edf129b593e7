"""A thread that looks again and again at what another program writes."""

import threading
from typing import Final, Protocol

_TICK_S: Final = 0.2
_SEARCH_TICKS: Final = 5
"""How many ticks pass between two searches for files, since there may be thousands of them."""


class Look(Protocol):
    """Looks at what is new."""

    def __call__(self, *, is_search_due: bool) -> object:
        """Look, for new files too if that is due."""
        ...


class Ticking:
    """Calls a function from `start` to `stop`.

    Args:
        look: What to call.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Call it in a thread, until `stop` is called."""
        if not self._is_stopped.is_set():
            self._thread.start()

    def stop(self) -> None:
        """Call it no more."""
        self._is_stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        ticks = 0
        while not self._is_stopped.wait(_TICK_S):
            ticks += 1
            self._look(is_search_due=not ticks % _SEARCH_TICKS)
