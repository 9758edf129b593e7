"""Spans that endpoints permanently refused, noted in the home."""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_FILE = "refused.json"
_MOST_BYTES = 1000
_DAY_NS = 86_400 * 10**9


@dataclass(frozen=True, slots=True)
class Refused:
    """Spans that an endpoint took no copy of, and never will."""

    url: str
    """The endpoint."""
    spans: int
    reason: str
    """What it said to the last of them."""
    file: Path = field(compare=False)
    """Where this is noted; whoever deletes it begins to count anew."""
    last_ns: int = field(compare=False)
    """When the last of them was refused, in nanoseconds since the Unix epoch."""

    @property
    def sentence(self) -> str:
        """How many spans who refused, and why."""
        return f"{self.url} refused {self.spans:,} span{'' if self.spans == 1 else 's'} for good: {self.reason}"


def note_refused(directory: Path, url: str, spans: int, reason: str) -> None:
    """Add to the spans that were refused; the one process that sends from the directory does.

    Args:
        directory: The outbox of the endpoint.
        url: The endpoint.
        spans: How many it refused now.
        reason: What it said.
    """
    with suppress(OSError):
        before = refused(directory)
        total = spans + (before.spans if before else 0)
        path, new = directory / _FILE, directory / f"{_FILE}.new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        with os.fdopen(os.open(new, flags, 0o600), "w", encoding="utf-8") as file:
            json.dump({"url": url, "spans": total, "reason": reason[:_MOST_BYTES]}, file)
        new.replace(path)


def refused(directory: Path) -> Refused | None:
    """Return what was ever refused of what was sent from a directory; None where nothing was."""
    path = directory / _FILE
    try:
        noted: Any = json.loads(path.read_text(encoding="utf-8"))
        return Refused(str(noted["url"]), int(noted["spans"]), str(noted["reason"]), path, path.stat().st_mtime_ns)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def all_refused(outbox: Path, *, days: float, now_ns: int) -> Iterator[Refused]:
    """Yield what each endpoint of a home refused.

    Args:
        outbox: The directory with one for each endpoint.
        days: How long a refusal is said: as long as any other loss, until what was recorded then would be pruned.
        now_ns: The time, in nanoseconds since the Unix epoch.
    """
    for path in sorted(outbox.glob(f"*/{_FILE}")):
        noted = refused(path.parent)
        if noted is not None and now_ns - noted.last_ns < days * _DAY_NS:
            yield noted
