"""What can go wrong when a home is opened, or spans are handed in.

Our exception tree::

    IngestError
    ├── CopyRefused
    ├── IntakeFull
    └── NothingRecorded
"""

from pathlib import Path


class IngestError(Exception):
    """Root of the errors of this package."""


class CopyRefused(IngestError):
    """Two homes or databases are not what a copy can be made between."""


class IntakeFull(IngestError):
    """Nothing more is taken at the moment; the same spans can be sent again later."""


class NothingRecorded(IngestError):
    """The home holds neither a database nor a spool."""

    def __init__(self, home: Path) -> None:
        super().__init__(
            f"nothing has been recorded in {home}\n"
            "record a program: 'inspector run app.py', or `inspector.attach()` in it, with the same INSPECTOR_HOME"
        )
        self.home = home


class FileUnreadable(IngestError):
    """A file that was to be imported cannot be read, or is plainly something else."""
