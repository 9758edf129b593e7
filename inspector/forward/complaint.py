"""Why an endpoint accepts nothing, and what helps, noted beside what waits for it."""

import os
from contextlib import suppress
from pathlib import Path

_FILE = "problem.txt"
_MOST_BYTES = 1000
WEB_PAGE = "HTTP 200 with a web page"
_ADVICE = {
    "HTTP 401": "it asks for a token",
    "HTTP 403": "it takes no spans with this token",
    "HTTP 404": "nothing takes spans there; an inspector is addressed as http://host:7800",
    "HTTP 405": "nothing takes spans there; an inspector is addressed as http://host:7800",
    WEB_PAGE: "nothing takes spans there; an inspector is addressed as http://host:7800",
    "HTTP 421": "it does not answer to that host name; set INSPECTOR_ALLOWED_HOSTS where it runs",
}
_HOW = (
    "an inspector's is printed where it is served by: inspector token --scope ingest; "
    'set INSPECTOR_ENDPOINT_HEADERS="Authorization=Bearer%20TOKEN"'
)


def note_problem(directory: Path, reason: str | None) -> None:
    """Note why the last request failed, or that it did not; a note that cannot be written is skipped silently."""
    path = directory / _FILE
    with suppress(OSError):
        if reason is None:
            path.unlink(missing_ok=True)
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(reason[:_MOST_BYTES])


def as_answer(problem: str) -> str:
    """Return what an endpoint did, given why a request failed: it may not have answered at all."""
    return f"answered {problem}" if problem.startswith("HTTP ") else f"gave no answer: {problem}"


def last_problem(directory: Path) -> str | None:
    """Return why the last request from a directory failed; None if it was accepted, or none was sent."""
    try:
        return (directory / _FILE).read_text(encoding="utf-8", errors="replace")[:_MOST_BYTES] or None
    except OSError:
        return None


def advice_on(reason: str | None) -> str:
    """Return advice for this reason of failure; empty if waiting helps, or if the cause is unknown."""
    advice = _ADVICE.get(reason or "", "")
    return f"{advice}; {_HOW}" if "token" in advice else advice
