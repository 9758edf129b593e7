"""The fixture ``trace``, for tests that use it."""

import os
from collections.abc import Generator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from inspector.cassette import CassetteUnreadable
from inspector.tape import NotReplayable
from inspector.testing.marked import read_marker
from inspector.testing.report import missing, name_alike, name_meant
from inspector.testing.reporting import SESSION, Reporting
from inspector.testing.session import TracedTest
from inspector.testing.trace import Trace

_PLUGIN: Final = "inspector-reporting"


def traced(request: pytest.FixtureRequest, record: str | None) -> Generator[Trace]:
    """Yield the trace of a test; ``record`` is ``none``, ``once`` or ``all``, or None to ask the environment."""
    marked = read_marker(request)
    cassette = marked.cassette
    mode = record or ("none" if os.environ.get("CI") else "once")
    is_replayed = mode == "none" or (mode == "once" and cassette.is_file())
    is_misspelt = record is None and not cassette.is_file() and name_meant(cassette) is not None
    if is_misspelt or (is_replayed and not cassette.is_file()):
        how = f"to record it: pytest --record=once {request.node.nodeid}"
        if (alike := name_alike(cassette)) is not None:
            how = f'to replay that one: @pytest.mark.cassette("{alike}") at the test\n{how}'
        pytest.fail(f"{missing(cassette)}\n{how}", pytrace=False)
    plugins = request.config.pluginmanager
    if not plugins.has_plugin(_PLUGIN):
        plugins.register(Reporting(), _PLUGIN)
    with TemporaryDirectory(prefix="inspector-test-") as directory:
        try:
            session = TracedTest(marked, Path(directory), request.config.rootpath, is_replayed=is_replayed)
        except CassetteUnreadable as error:
            why = f"{error}\nto record it: pytest --record=all {request.node.nodeid}"
            raise pytest.fail.Exception(why, pytrace=False) from None
        except NotReplayable as error:
            raise pytest.fail.Exception(f"{cassette}: {error}", pytrace=False) from None
        request.node.stash[SESSION] = session
        try:
            session.begin()
            yield Trace(session.events, session.run)
        finally:
            session.end()
            del request.node.stash[SESSION]
