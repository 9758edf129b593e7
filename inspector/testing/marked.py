"""What the marker ``cassette`` says about a test, and what pytest's settings add."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

import pytest

from inspector.cassette import CassetteUnreadable, events_of_file, frozen_of
from inspector.frozen import Frozen

IGNORE: Final = "inspector_ignore"
"""The pytest setting with patterns for all tests."""
_HOW: Final = 'mark the test: @pytest.mark.cassette("NAME")'
_NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
_US_IN_NS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Marked:
    """What the marker of a test says."""

    cassette: Path
    """The file of its recording."""
    ignored: tuple[str, ...] = ()
    """Regular expressions for texts in requests that are not compared."""
    frozen: Frozen | None = None
    """The time at which recorded programs are frozen; a replay is frozen like its recording."""
    is_offline: bool = False
    """Whether connections to other machines fail in a replay, instead of the test."""


def read_marker(request: pytest.FixtureRequest) -> Marked:
    """Read the marker of a test; the test fails if it has none, or an invalid one."""
    marker = request.node.get_closest_marker("cassette")
    if marker is None:
        pytest.fail(f"the fixture trace needs the name of a recording; {_HOW}", pytrace=False)
    known = dict(marker.kwargs)
    ignored, frozen, is_offline = known.pop("ignore", ()), known.pop("freeze", None), known.pop("offline", False)
    name = marker.args[0] if len(marker.args) == 1 and not known else None
    if not isinstance(name, str) or not name or Path(name).name != name:
        pytest.fail(f"the marker cassette takes the name of a recording, with no directory; {_HOW}", pytrace=False)
    file = request.path.parent / "cassettes" / f"{name}.jsonl"
    patterns = (*request.config.getini(IGNORE), *_patterns(ignored))
    return Marked(file, patterns, _frozen(frozen, file), bool(is_offline))


def _patterns(value: Any) -> tuple[str, ...]:
    patterns = cast("tuple[Any, ...]", (value,) if isinstance(value, str) else tuple(value))
    for pattern in patterns:
        try:
            re.compile(pattern)
        except (re.error, TypeError) as error:
            pytest.fail(
                f"the marker cassette ignores {pattern!r}, which is not a valid regular expression: {error}",
                pytrace=False,
            )
    return patterns


def _frozen(value: Any, cassette: Path) -> Frozen | None:
    """Return at which time programs are frozen: a moment, or what ``inspector run --freeze`` recorded."""
    if value is None or value is False:
        return None
    if value is True and (recorded := _recorded(cassette)) is not None:
        return recorded
    try:
        return Frozen.read(str(value))
    except ValueError:
        pass
    try:
        moment = _NOON if value is True else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        pytest.fail(
            f'the marker cassette freezes at {value!r}; say True, or a moment as in freeze="2026-03-01T09:30:00Z"',
            pytrace=False,
        )
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return Frozen(round(moment.timestamp() * 1_000_000) * _US_IN_NS, 0)


def _recorded(cassette: Path) -> Frozen | None:
    """Return the time at which the existing recording is frozen, so that the next one is the same."""
    try:
        return frozen_of(events_of_file(cassette))
    except CassetteUnreadable:
        return None
