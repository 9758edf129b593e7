"""The thread that repeats what the owner does, whatever goes wrong in it."""

import logging
import threading
from collections.abc import Callable
from typing import Final, TypeVar

from inspector.store import HomeGone, PagesDamaged, StoreBusy, StoreError, StoreFull, StoreUnchecked

_LEAST_BACK_OFF_S: Final = 0.1

_log = logging.getLogger(__name__)
_R = TypeVar("_R")


class Rounds:
    """A daemon thread that does one round after the other, and a last one when it is stopped.

    A round that fails is repeated, each time after a longer rest: without the thread, nothing is ingested.

    Args:
        step: Does one round, and returns how many seconds to rest.
        last: Does the last round.
        longest_back_off_s: The longest rest after rounds that failed.
    """

    def __init__(self, step: Callable[[], float], last: Callable[[], object], *, longest_back_off_s: float) -> None:
        self._step = step
        self._last = last
        self._longest_back_off_s = longest_back_off_s
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.problem: str | None = None
        """Why the latest round failed, in a sentence."""

    @property
    def is_started(self) -> bool:
        """Whether the thread was started, and not stopped since."""
        return self._thread is not None

    def is_stopping(self) -> bool:
        """Tell whether a round should end soon."""
        return self._stopping.is_set()

    def start(self) -> None:
        """Start the thread, which nobody has started."""
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, name="inspector-owner", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Wait for the last round, and end the thread."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        back_off_s = 0.0
        while not self._stopping.is_set():
            rest_s = self._guarded(self._step)
            if rest_s is None:
                rest_s = back_off_s = min(self._longest_back_off_s, max(_LEAST_BACK_OFF_S, back_off_s * 2))
            else:
                back_off_s = 0.0
            self._stopping.wait(rest_s)
        self._guarded(self._last)

    def _guarded(self, do: Callable[[], _R]) -> _R | None:
        """Return the result of a round; if it fails, return None, and ``problem`` says why."""
        try:
            result = do()
        except (PagesDamaged, HomeGone) as error:
            self._fail(str(error), traceback=False)
        except StoreUnchecked:
            pass  # as the store says itself
        except StoreFull as error:
            self._fail(f"{error}; what is recorded waits in the spool", traceback=False)
        except StoreBusy as error:
            self._fail(f"the database is busy, retrying: {error}", traceback=False)
        except (StoreError, OSError) as error:
            # The store's errors explain themselves, and a traceback would not help.
            traceback = not isinstance(error, StoreError)
            self._fail(f"the database cannot be written, retrying: {error}", traceback=traceback)
        except Exception as error:  # noqa: BLE001 - the border of the thread: whatever it is, the next round may succeed
            self._fail(f"ingest failed, retrying: {type(error).__name__}: {error}")
        else:
            self.problem = None
            return result
        return None

    def _fail(self, problem: str, *, traceback: bool = True) -> None:
        if problem != self.problem:
            _log.warning(problem, exc_info=traceback)
        self.problem = problem
