"""The files into which Claude Code writes each request to the model, and each answer."""

from pathlib import Path
from typing import cast

import msgspec

from inspector.otlp.repair import repaired
from inspector.transcripts.lines import Json


class Bodies:
    """Reads files of one directory, and removes them.

    Args:
        directory: Where Claude Code writes them; no file outside is read, whatever a log record says.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def request(self, request_id: str) -> Json | None:
        """Return a request by its id; None if there is none."""
        return self._take(f"{request_id}.request.json")

    def answer(self, path: str) -> Json | None:
        """Return the answer in a file that a log record names; None if there is none."""
        return self._take(Path(path).name)

    def has_answer(self, path: str) -> bool:
        """Tell whether an answer has been written; Claude Code does not wait for that."""
        found = self._path(Path(path).name)
        return found is not None and found.exists()

    def _path(self, name: str) -> Path | None:
        return None if name in ("", "..") or "/" in name else self._directory / name

    def _take(self, name: str) -> Json | None:
        path = self._path(name)
        if path is None:
            return None
        try:
            text = path.read_bytes()
            path.unlink()
        except (OSError, ValueError):
            return None
        found = _decoded(text)
        return cast("Json", found) if isinstance(found, dict) else None


def _decoded(text: bytes) -> object:
    """Return what JSON text holds; halves of characters, which are left where a text was cut, cost only themselves."""
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        return None
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        return msgspec.json.decode(repaired(text))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
