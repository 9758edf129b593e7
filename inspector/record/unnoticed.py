"""The boundary between the recorder and the program that calls it."""

from collections.abc import Generator
from contextlib import contextmanager

from inspector.logger import warn_once


@contextmanager
def unnoticed(what: str) -> Generator[None]:
    """Keep our own exceptions from the program, and warn once that ``what`` could not be recorded."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - the boundary to the program
        warn_once(f"{what} could not be recorded: {type(error).__name__}")
