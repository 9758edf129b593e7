"""Follows the files of one program's Nodes, and records their calls as part of this process's run."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from inspector import recording
from inspector.coding_agents import Growing, Ticking, reported
from inspector.logger import unnoticed
from inspector.node.calls import Calls
from inspector.node.errors import failure_in, thrown
from inspector.record import Attachment
from inspector.transcripts.lines import Json, object_on

_SEGMENT: Final = re.compile(r"(?P<thread>\d+-\d+)-(?P<number>\d+)\.jsonl")
_UNTELLING: Final = ("index", "main")
"""Names of scripts that say less than the package or directory that they are in."""


class Collector:
    """Records from `start` to `close`.

    Args:
        home: The inspector's directory; None for the configured one.
        directory: Where each thread of a Node keeps its notes.
        service: The name of the program; None for that of the script that makes the first call.
        content: Whether to record content.
    """

    def __init__(self, home: Path | None, directory: Path, *, service: str | None, content: bool) -> None:
        self._home, self._directory, self._service, self._content = home, directory, service, content
        self._threads: dict[str, _Thread] = {}
        self._attachment: Attachment | None = None
        self._ticking = Ticking(self._take)

    def start(self) -> None:
        """Record, in a thread, until `close` is called."""
        self._ticking.start()

    def close(self, exit_code: int = 0) -> None:
        """Record what is left; calls of a Node that was killed stay open, and are lost, however the program ended."""
        del exit_code
        self._ticking.stop()
        self._take(is_search_due=True)
        recording.detach()

    def _take(self, *, is_search_due: bool) -> None:
        del is_search_due
        with reported("Node"):
            for path in self._directory.iterdir():
                match = _SEGMENT.fullmatch(path.name)
                if match is not None and match["thread"] not in self._threads:
                    self._threads[match["thread"]] = _Thread(self._directory / match["thread"], self)
            for thread in self._threads.values():
                thread.take()

    def begin(self, service: str) -> None:
        """Attach the recorder, if that was not done before."""
        if self._attachment is None:
            self._attachment = recording.attach(
                service=self._service or service,
                home=self._home,
                capture_content=self._content,
                integrations=False,
                otel=False,
                logs=False,
            )

    def uncaught(self, note: Json) -> None:
        """Record the exception that ends a process."""
        if self._attachment is not None:
            self._attachment.recorder.moments.record_uncaught(thrown(note), failure_in(note))


class _Thread:
    """Follows the files of one thread, each of which is removed once the next has begun."""

    def __init__(self, place: Path, collector: Collector) -> None:
        self._place = place
        self._collector = collector
        self._service = "node"
        self._segment = 0
        self._file = Growing(self._path(0))
        self._calls = Calls(lambda: collector.begin(self._service))

    def take(self) -> None:
        """Take in what is new."""
        while True:
            # Before its lines are read, so that none is written after them.
            is_over = self._path(self._segment + 1).exists()
            for line in self._file.lines():
                # One by one: those that were read with it would be lost too.
                with unnoticed("a request of Node"):
                    self._take_note(object_on(line) or {})
            if not is_over:
                return
            with suppress(OSError):
                self._path(self._segment).unlink()
            self._segment += 1
            self._file = Growing(self._path(self._segment))

    def _take_note(self, note: Json) -> None:
        match note.get("did"):
            case "began":
                self._service = _name_of(note)
            case "threw":
                self._collector.uncaught(note)
            case _:
                self._calls.take(note)

    def _path(self, segment: int) -> Path:
        return self._place.with_name(f"{self._place.name}-{segment}.jsonl")


def _name_of(note: Json) -> str:
    """Return the name of a program: its script, or, if that is called like many others, its package or directory."""
    script, package = note.get("script"), note.get("package")
    path = Path(script) if isinstance(script, str) else Path("node")
    if path.stem not in _UNTELLING:
        return path.stem
    return package if isinstance(package, str) and package else path.parent.name or path.stem
