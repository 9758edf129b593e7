"""The telemetry of one Gemini CLI: JSON objects, each on many lines."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspector.coding_agents import Growing
from inspector.plain import fields_of
from inspector.transcripts.lines import Json, object_on, time_in

_LONGEST: Final = 8 << 20
"""Gemini CLI writes some megabytes an hour, most of which says nothing new."""
_OF_PROMPTS: Final = ("user_prompt", "system_prompt")
"""Spans of the work for the user, or of its continuation with the results of tools."""


@dataclass(frozen=True, slots=True)
class Sign:
    """What an object says of a session."""

    session: str
    idle_ns: int | None
    """When the work for the user came to an end, or waits for the results of tools."""


class Telemetry:
    """Reads the file to which Gemini CLI writes its telemetry.

    Args:
        path: The file.
        longest: It is emptied once it has more bytes.
    """

    def __init__(self, path: Path, *, longest: int = _LONGEST) -> None:
        self._path, self._longest = path, longest
        self._file = Growing(path)
        self._lines: list[bytes] = []
        self._size = 0

    def signs(self) -> Iterator[Sign]:
        """Yield what is new of its sessions."""
        for line in self._file.lines():
            self._size += len(line)
            if line == b"{":
                self._lines.clear()
            self._lines.append(line)
            if line == b"}" and (sign := _sign_in(object_on(b"\n".join(self._lines)) or {})) is not None:
                yield sign
        if self._size > self._longest:
            # It appends, so what it writes next is at the beginning; the ids of sessions come again and again.
            os.truncate(self._path, 0)
            self._size = 0


def _sign_in(telemetry: Json) -> Sign | None:
    attributes = fields_of(telemetry.get("attributes"))
    session = attributes.get("session.id") or attributes.get("gen_ai.conversation.id")
    if not isinstance(session, str):
        return None
    return Sign(session, time_in(telemetry.get("endTime")) if telemetry.get("name") in _OF_PROMPTS else None)
