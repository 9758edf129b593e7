"""What to report about a test whose program diverged from its recording, and what to keep of it."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from inspector.diff import cut_around, is_volatile
from inspector.model import Event
from inspector.otlp import export_lines
from inspector.testing.session import TracedTest

DIRECTORY: Final = "inspector-failures"
"""In the root directory of pytest; not hidden, because CI leaves hidden files out of artifacts."""
_NAMED: Final = 3
_LISTED: Final = 8
_MOST_CHARS: Final = 120
_NOT_OF_NAMES: Final = re.compile(r"[^0-9A-Za-z_.-]+")
_INSTALL: Final = 'pip install "mcp-agent-inspector[inspector]"'


@dataclass(frozen=True, slots=True)
class Kept:
    """The run of a failed test, as files."""

    spans: Path
    page: Path | None
    """The page for a browser; None if it could not be made."""
    no_page: str
    """Why there is no page."""


def divergence_lines(session: TracedTest) -> list[str]:
    """Say in a few lines where the program diverged from its recording; nothing if it did not."""
    divergence = session.divergence
    if divergence is not None:
        lines = [f"the program diverged from its recording: {divergence.message}"]
        if divergence.part is not None:
            then, now = cut_around(divergence.then, divergence.now, most=_MOST_CHARS)
            lines.append(f"{divergence.part} differs")
            lines.append(f"  - {'(missing)' if then is None else then}")
            lines.append(f"  + {'(missing)' if now is None else now}")
            if is_volatile(divergence.then, divergence.now):
                lines.append(
                    'only ids and times differ; the marker can skip them: ignore="REGEX", or keep them: freeze=True'
                )
        return [_printable(line) for line in lines]
    left = session.left
    if not left:
        return []
    names = ", ".join(f"{call.name} ({call.span[:8]})" for call in left[:_NAMED])
    more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    return [_printable(f"the program did not repeat every call of its recording: {names}{more}")]


def missing(cassette: Path) -> str:
    """Say that a recording is missing, and which ones there are."""
    others = _others(cassette)
    if not others:
        return f"{_near(cassette)} is not there, nor any other recording"
    alike = name_alike(cassette)
    listed = ", ".join(others[:_LISTED]) + (", …" if len(others) > _LISTED else "")
    return f"{_near(cassette)} is not there, {f'did you mean {alike}?' if alike else f'only {listed}'}"


def name_alike(cassette: Path) -> str | None:
    """Return the name of the recording that may be meant instead of a missing one."""
    return next(iter(get_close_matches(cassette.stem, _others(cassette), n=1)), None)


def name_meant(cassette: Path) -> str | None:
    """Return the name of the recording that is probably meant: the one like it, if no test beside it names that."""
    alike = name_alike(cassette)
    tests = cassette.parent.parent.glob("*.py")
    if alike is None or any(_names(each, alike) for each in tests):
        return None
    return alike


def _names(test: Path, cassette: str) -> bool:
    with suppress(OSError):
        return re.search(rf"""["']{re.escape(cassette)}["']""", test.read_text("utf-8", "replace")) is not None
    return False


def _others(cassette: Path) -> list[str]:
    return sorted(each.stem for each in cassette.parent.glob("*.jsonl"))


def keep(session: TracedTest, nodeid: str, root: Path) -> Kept | None:
    """Write the run of a test to files; None if nothing was recorded, or if they cannot be written."""
    events = _ended(session.events())
    directory = root / DIRECTORY
    spans = directory / f"{_NOT_OF_NAMES.sub('-', nodeid).strip('-')[:150]}.jsonl"
    try:
        directory.mkdir(exist_ok=True)
        (directory / ".gitignore").write_text("*\n")
        spans.write_bytes(b"".join(export_lines(events)))
    except OSError:
        return None
    if not events:
        spans.unlink()
        return None
    page = spans.with_suffix(".html")
    with suppress(OSError):
        page.unlink()
    no_page = _write_page(session, page)
    return Kept(spans, None if no_page else page, no_page)


def _ended(events: Sequence[Event]) -> list[Event]:
    """Give spans without an end one: a program that diverges from its recording is stopped midway."""
    moments = [event.end_time_unix_nano or event.start_time_unix_nano for event in events]
    last = max(moments, key=int, default="0")
    return [
        event if event.end_time_unix_nano else replace(event, status="lost", end_time_unix_nano=last)
        for event in events
    ]


def kept_lines(kept: Kept, session: TracedTest) -> Iterator[str]:
    """Say where the run is, and how to open it."""
    spans = _near(kept.spans)
    yield f"to see the run:    inspector show {spans}"
    if session.tape is not None:
        yield f"to see both:       inspector diff {_near(session.cassette)} {spans}"
    yield f"as a page:         {_near(kept.page)}" if kept.page is not None else f"no page of it:     {kept.no_page}"


def _near(path: Path) -> str:
    """Return a path as it would be typed in this directory."""
    with suppress(ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)


def _write_page(session: TracedTest, page: Path) -> str:
    """Write a run as a page; return why that is not possible, or nothing."""
    try:
        from inspector.ingest import Owner
        from inspector.lookup import find_run
        from inspector.page_file import PageFileError, packed_file_page, page_of_run
        from inspector.settings import Settings
    except ImportError as error:
        return f"{_INSTALL} (no module {error.name!r})"
    try:
        with Owner(Settings(home=session.home)) as owner:
            owner.ingest_spools()
            written = page_of_run(owner.store, find_run(owner.store, "last"), app=packed_file_page())
        page.write_bytes(written.body)
    except (PageFileError, OSError) as error:
        return str(error)
    return ""


def _printable(line: str) -> str:
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in line)
