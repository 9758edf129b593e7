"""Waits for what other threads and processes do."""

import time
from collections.abc import Callable


def until(condition: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline_s, "waited in vain"
        time.sleep(0.005)


def until_equal(found: Callable[[], object], wanted: object, *, patience_s: float) -> None:
    deadline_s = time.monotonic() + patience_s
    while (last := found()) != wanted:
        assert time.monotonic() < deadline_s, f"{last} has not become {wanted}"
        time.sleep(0.05)
