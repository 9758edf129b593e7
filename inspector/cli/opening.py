"""The home as a command reads it, with a line where it is not all that was recorded."""

from contextlib import AbstractContextManager

from inspector.cli.notices import notice
from inspector.ingest import open_home
from inspector.settings import Settings
from inspector.store import Store


def opened(settings: Settings) -> AbstractContextManager[Store]:
    """Open what is recorded for reading; a database that can only be read as it is, is, and standard error says why."""
    return open_home(settings, as_it_is=lambda reason: notice(f"inspector: {reason}"))
