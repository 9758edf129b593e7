"""Reports calls that could not be written by the name of an empty file, which even a full disk has room for."""

import os
from contextlib import suppress
from pathlib import Path

from inspector.spooling import unwritten_name
from inspector.this_run import this_run


class UnwrittenMark:
    """The file of one process; the process that ingests spools removes it."""

    def __init__(self, directory: Path, process: str) -> None:
        self._directory = directory
        self._process = process
        self._run = this_run()
        self._path: Path | None = None
        self._count = self._taken = 0

    def show(self, count: int) -> None:
        """Set the number of calls that are not written; with 0, the file is removed."""
        count = max(0, count - self._taken)
        if count == self._count:
            return
        with suppress(OSError):
            self._replace(self._directory / unwritten_name(self._process, self._run, count) if count else None)
            self._count = count if self._path is not None else 0

    def _replace(self, path: Path | None) -> None:
        try:
            if path is None and self._path is not None:
                self._path.unlink()
            elif path is not None and self._path is not None:
                self._path.rename(path)
            elif path is not None:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileNotFoundError:
            if self._path is None:
                raise
            # The file was ingested, and its count with it.
            self._taken += self._count
            self._count, path = 0, None
        self._path = path
