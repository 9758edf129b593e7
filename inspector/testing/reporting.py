"""The pytest hooks for tests with a cassette; the first such test registers them."""

from collections.abc import Generator
from contextlib import suppress
from typing import Any

import pytest

from inspector.cassette import CassetteError
from inspector.tape import NotReplayable
from inspector.testing.errors import ProgramFailed, ProgramNotStarted
from inspector.testing.report import divergence_lines, keep, kept_lines, missing
from inspector.testing.session import TracedTest

SESSION: "pytest.StashKey[TracedTest]" = pytest.StashKey()
_NO_FAILURE = (pytest.skip.Exception, pytest.exit.Exception, KeyboardInterrupt)


class Reporting:
    """Fails a test whose program diverged from its recording, and reports what happened."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Check the run after the test."""
        session = item.stash.get(SESSION, None)
        if session is None:
            return (yield)
        try:
            result = yield
        # A test that did not start has no recording.
        except (*_NO_FAILURE, ProgramNotStarted):
            raise
        # Any exception of the test, including the divergence from the recording.
        except BaseException as error:
            lines = _described(session, item)
            if isinstance(error, ProgramFailed):
                error.recording = _recording(session)
                lines = [*_way_out(session, error), *lines]
            if session.divergence is None:
                item.add_report_section("call", "replay", "\n".join(lines))
                raise
            raise pytest.fail.Exception("\n".join(lines), pytrace=False) from None
        if divergence_lines(session):
            raise pytest.fail.Exception("\n".join(_described(session, item)), pytrace=False)
        if session.tape is None:
            _write(session, item)
        return result


def _way_out(session: TracedTest, error: ProgramFailed) -> list[str]:
    """Say how to test a run that failed in the same way when it was recorded."""
    if session.tape is None or divergence_lines(session) or error.returncode < 0:
        return []
    return [f"if it exits with {error.returncode} as it did when it was recorded: trace.run(…, check=False)"]


def _described(session: TracedTest, item: pytest.Item) -> list[str]:
    """Keep the run of a failed test, and describe it in a few lines."""
    lines = divergence_lines(session)
    if lines:
        item.user_properties.append(("inspector.divergence", " ".join(line.strip() for line in lines)))
    if session.tape is not None:
        lines.append(f"{len(session.reused)} of {len(session.tape.calls)} calls of {session.tape.run} replayed")
    elif recording := _recording(session):
        lines.append(recording)
    lines += [f"not compared: {pattern} ({count}x)" for pattern, count in session.ignored.items()]
    return [*lines, *_kept(session, item)]


def _recording(session: TracedTest) -> str:
    """Say that a test was recorded, and why, if it has no recording yet; else nothing."""
    if session.tape is not None or session.cassette.is_file():
        return ""
    return f"no recording was written: {missing(session.cassette)}"


def _kept(session: TracedTest, item: pytest.Item) -> list[str]:
    """Keep the run of a test, and say where it is."""
    kept = keep(session, item.nodeid, item.config.rootpath)
    if kept is None:
        return []
    item.user_properties.append(("inspector.run", str(kept.spans)))
    if kept.page is not None:
        item.user_properties.append(("inspector.page", str(kept.page)))
    return list(kept_lines(kept, session))


def _write(session: TracedTest, item: pytest.Item) -> None:
    try:
        session.write()
    except (CassetteError, NotReplayable, OSError) as error:
        remedy = [error.obstacle.remedy] if isinstance(error, NotReplayable) and error.obstacle else []
        # The kept files would contain the secret for which the cassette was refused.
        kept = _kept(session, item) if isinstance(error, NotReplayable) else []
        lines = [f"{session.cassette} was not written: {error}", *filter(None, remedy), *kept]
        raise pytest.fail.Exception("\n".join(lines), pytrace=False) from None
    path = session.cassette
    with suppress(ValueError):
        path = path.relative_to(item.config.rootpath)
    item.user_properties.append(("inspector.recorded", str(path)))
