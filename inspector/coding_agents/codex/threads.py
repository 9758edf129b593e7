"""The threads of one Codex: its sessions, and their subagents, each of which has a file of its own."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from inspector.coding_agents import Growing
from inspector.plain import fields_of
from inspector.transcripts.lines import object_on

_ID: Final = re.compile(r"[0-9a-f-]{36}")


class Threads:
    """Finds threads in the diagnostic traces that Codex writes, one for each session with its subagents.

    Args:
        directory: Where it writes them; those that are there already are another Codex's.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._before = frozenset(self._paths())
        self._traces: dict[Path, Growing] = {}
        self._known: set[str] = set()

    def new(self) -> Iterator[str]:
        """Yield the ids of threads that began since the last call; one that is resumed does not begin again."""
        for path in self._paths():
            if path not in self._before and path not in self._traces:
                self._traces[path] = Growing(path)
        for trace in self._traces.values():
            for thread in filter(None, map(_started, trace.lines())):
                if thread not in self._known:
                    self._known.add(thread)
                    yield thread

    def _paths(self) -> Iterator[Path]:
        return self._directory.glob("*/trace.jsonl")


def _started(line: bytes) -> str | None:
    """Return the thread whose beginning a line tells; None for other lines, which are most."""
    event = fields_of((object_on(line) or {}).get("payload")) if b"thread_started" in line else {}
    thread = event.get("thread_id") if event.get("type") == "thread_started" else None
    return thread if isinstance(thread, str) and _ID.fullmatch(thread) else None
