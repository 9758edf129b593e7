"""What can go wrong when a home is opened.

Our exception tree::

    IngestError
    └── NothingRecorded
"""

from pathlib import Path


class IngestError(Exception):
    """Root of the errors of this package."""


class NothingRecorded(IngestError):
    """The home holds neither a database nor a spool."""

    def __init__(self, home: Path) -> None:
        super().__init__(
            f"nothing has been recorded in {home}\n"
            "record an agent: call `inspector.attach()` at its start, with INSPECTOR_HOME set to the same directory"
        )
        self.home = home
