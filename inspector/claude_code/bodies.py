"""The files into which Claude Code writes each request to the model, and each answer."""

from pathlib import Path
from typing import cast

import msgspec

from inspector.claude_code.messages import Json


class Bodies:
    """Reads files of one directory, and removes them.

    Args:
        directory: Where Claude Code writes them; no file outside is read, whatever a log record says.
    """

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory

    def request(self, request_id: str) -> Json | None:
        """Return a request by its id; None if there is none."""
        return self._take(f"{request_id}.request.json")

    def answer(self, path: str) -> Json | None:
        """Return the answer in a file that a log record names; None if there is none."""
        return self._take(Path(path).name)

    def _take(self, name: str) -> Json | None:
        if self._directory is None or name in ("", "..") or "/" in name:
            return None
        path = self._directory / name
        try:
            found = msgspec.json.decode(path.read_bytes())
            path.unlink()
        except (OSError, ValueError, msgspec.DecodeError, RecursionError):
            return None
        return cast("Json", found) if isinstance(found, dict) else None
