"""Errors of opening a home, and of ingesting, importing and copying spans.

Our exception tree::

    IngestError
    ├── CopyRefused
    ├── FileUnreadable
    ├── IntakeFull
    └── NothingRecorded
"""

from pathlib import Path


class IngestError(Exception):
    """Root of the errors of this package."""


class CopyRefused(IngestError):
    """A copy between these two homes or databases is not possible."""


class IntakeFull(IngestError):
    """The queue is full; the same spans can be sent again later."""


class NothingRecorded(IngestError):
    """The home has neither a database nor a spool."""

    def __init__(self, home: Path) -> None:
        missing = "" if home.exists() else ", which does not exist"
        super().__init__(
            f"nothing has been recorded in {home}{missing}\n"
            "record a program: 'inspector run app.py', or `inspector.attach()` in it, with the same INSPECTOR_HOME"
        )
        self.home = home


class FileUnreadable(IngestError):
    """A file to import cannot be read, or is obviously something else."""
