"""The fixture ``trace``, where a test uses it."""

import os
from collections.abc import Generator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from inspector.cassette import CassetteUnreadable
from inspector.tape import NotReplayable
from inspector.testing.reporting import SESSION, Reporting
from inspector.testing.session import Session
from inspector.testing.trace import Trace

_PLUGIN: Final = "inspector-reporting"
_HOW: Final = 'mark the test: @pytest.mark.cassette("NAME")'


def traced(request: pytest.FixtureRequest, record: str | None) -> Generator[Trace]:
    """Yield the trace of a test; the plugin's fixture is this.

    Args:
        request: Of the fixture.
        record: ``none``, ``once`` or ``all``; None for what the environment says.
    """
    cassette = _cassette(request)
    mode = record or ("none" if os.environ.get("CI") else "once")
    is_replayed = mode == "none" or (mode == "once" and cassette.is_file())
    plugins = request.config.pluginmanager
    if not plugins.has_plugin(_PLUGIN):
        plugins.register(Reporting(), _PLUGIN)
    with TemporaryDirectory(prefix="inspector-test-") as directory:
        try:
            session = Session(cassette, Path(directory), request.config.rootpath, is_replayed=is_replayed)
        except CassetteUnreadable as error:
            pytest.fail(f"{error}\nto record it: pytest --record=once {request.node.nodeid}", pytrace=False)
        except NotReplayable as error:
            pytest.fail(f"{cassette}: {error}", pytrace=False)
        request.node.stash[SESSION] = session
        try:
            session.begin()
            yield Trace(session.events, session.run)
        finally:
            session.end()
            del request.node.stash[SESSION]


def _cassette(request: pytest.FixtureRequest) -> Path:
    marker = request.node.get_closest_marker("cassette")
    if marker is None:
        pytest.fail(f"the fixture trace needs the name of a recording; {_HOW}", pytrace=False)
    name = marker.args[0] if len(marker.args) == 1 and not marker.kwargs else None
    if not isinstance(name, str) or not name or Path(name).name != name:
        pytest.fail(f"the marker cassette takes the name of a recording, with no directory; {_HOW}", pytrace=False)
    return request.path.parent / "cassettes" / f"{name}.jsonl"
