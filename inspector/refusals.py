"""Records in the home which spans endpoints permanently refused."""

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
    """Spans that an endpoint refused and that will not be sent again."""

    url: str
    """The endpoint."""
    spans: int
    reason: str
    """Its answer to the last of them."""
    file: Path = field(compare=False)
    """The file with these counts; deleting it resets them."""
    last_ns: int = field(compare=False)
    """When the last of them was refused, in nanoseconds since the Unix epoch."""

    @property
    def sentence(self) -> str:
        """How many spans were refused, by whom, and why."""
        return f"{self.url} refused {self.spans:,} span{'' if self.spans == 1 else 's'} for good: {self.reason}"


def note_refused(directory: Path, url: str, spans: int, reason: str) -> None:
    """Add to the refused spans; only the process that sends from the directory calls this."""
    with suppress(OSError):
        before = refused(directory)
        total = spans + (before.spans if before else 0)
        path, new = directory / _FILE, directory / f"{_FILE}.new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        with os.fdopen(os.open(new, flags, 0o600), "w", encoding="utf-8") as file:
            json.dump({"url": url, "spans": total, "reason": reason[:_MOST_BYTES]}, file)
        new.replace(path)


def refused(directory: Path) -> Refused | None:
    """Return all refusals of spans from a directory; None if there are none."""
    path = directory / _FILE
    try:
        noted: Any = json.loads(path.read_text(encoding="utf-8"))
        return Refused(str(noted["url"]), int(noted["spans"]), str(noted["reason"]), path, path.stat().st_mtime_ns)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def all_refused(outbox: Path, *, days: float, now_ns: int) -> Iterator[Refused]:
    """Yield the refusals of each endpoint of a home, for as many days as spans recorded then would be kept."""
    for path in sorted(outbox.glob(f"*/{_FILE}")):
        noted = refused(path.parent)
        if noted is not None and now_ns - noted.last_ns < days * _DAY_NS:
            yield noted
