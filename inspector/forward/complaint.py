"""What an endpoint did not take, and why, noted beside what waits for it for whoever looks later, and what helps."""

import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_FILE = "problem.txt"
_REFUSED_FILE = "refused.json"
_MOST_BYTES = 1000
_ADVICE = {
    "HTTP 401": "it asks for a token",
    "HTTP 403": "it takes no spans with this token",
    "HTTP 404": "nothing takes spans there; an inspector is addressed as http://host:7800",
    "HTTP 405": "nothing takes spans there; an inspector is addressed as http://host:7800",
    "HTTP 421": "it does not go by that name; an inspector learns it from INSPECTOR_ALLOWED_HOSTS where it is served",
}
_HOW = (
    "an inspector's is printed where it is served by: inspector token --scope ingest; "
    'set INSPECTOR_ENDPOINT_HEADERS="Authorization=Bearer%20TOKEN"'
)


def note_problem(directory: Path, reason: str | None) -> None:
    """Note why the last request failed, or that it did not; what cannot be noted is not worth a word."""
    path = directory / _FILE
    with suppress(OSError):
        if reason is None:
            path.unlink(missing_ok=True)
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(reason[:_MOST_BYTES])


def as_answer(problem: str) -> str:
    """Return what an endpoint did, by why a request to it failed: there may have been no answer at all."""
    return f"answered {problem}" if problem.startswith("HTTP ") else f"gave no answer: {problem}"


def last_problem(directory: Path) -> str | None:
    """Return why the last request that was sent from a directory failed; None where it was taken, or none was sent."""
    try:
        return (directory / _FILE).read_text(encoding="utf-8", errors="replace")[:_MOST_BYTES] or None
    except OSError:
        return None


@dataclass(frozen=True, slots=True)
class Refused:
    """Spans that an endpoint took no copy of, and never will."""

    spans: int
    reason: str
    """What it said to the last of them."""
    file: Path = field(compare=False)
    """Where this is noted; whoever deletes it begins to count anew."""
    last_s: float = field(compare=False)
    """When the last of them was refused, in seconds since the Unix epoch."""


def note_refused(directory: Path, spans: int, reason: str) -> None:
    """Add to the spans that were refused; the one process that sends from the directory does."""
    with suppress(OSError):
        before = refused(directory)
        total = spans + (before.spans if before else 0)
        path, new = directory / _REFUSED_FILE, directory / f"{_REFUSED_FILE}.new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        with os.fdopen(os.open(new, flags, 0o600), "w", encoding="utf-8") as file:
            json.dump({"spans": total, "reason": reason[:_MOST_BYTES]}, file)
        new.replace(path)


def refused(directory: Path) -> Refused | None:
    """Return what was ever refused of what was sent from a directory; None where nothing was."""
    path = directory / _REFUSED_FILE
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Refused(int(found["spans"]), str(found["reason"]), path, path.stat().st_mtime)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def advice_on(reason: str | None) -> str:
    """Say what helps where a request failed for this reason; an empty text where waiting does, or nobody knows."""
    advice = _ADVICE.get(reason or "", "")
    return f"{advice}; {_HOW}" if "token" in advice else advice
