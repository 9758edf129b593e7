"""The run of a fast-agent application, however it ends; the framework itself is not needed for that."""

import asyncio
from argparse import Namespace
from contextlib import asynccontextmanager

import pytest

from inspector.integrations.calls import around_here
from inspector.integrations.fast_agent import as_workflow
from instrument.testing import capture


class Application:
    name = "trip"
    args = Namespace(server=False)

    @asynccontextmanager
    async def original(self):
        try:
            yield self
        except ValueError as error:
            raise SystemExit(1) from error
        except LookupError:
            pass

    def run(self):
        return as_workflow(Application.original)(self)


class Serving(Application):
    args = Namespace(server=True)


def ending(exc, application=None):
    """Leave a run by an exception; return what was told, and what came out of it."""

    async def leave():
        async with (application or Application()).run() as app:
            assert isinstance(app, Application)
            if exc is not None:
                raise exc

    came_out = None
    with capture() as hooks:
        try:
            asyncio.run(leave())
        except BaseException as error:  # noqa: BLE001 - exits and cancellations too
            came_out = error
    return hooks, came_out


def test_a_run_is_a_workflow_around_everything_in_it():
    seen = []

    async def look():
        async with Application().run():
            seen.extend(call.noun for call in around_here())
        seen.extend(call.noun for call in around_here())

    with capture() as hooks:
        asyncio.run(look())
    assert seen == ["workflow_run"]
    assert [name for name, _ in hooks] == ["before_workflow_run", "after_workflow_run"]
    assert hooks[0][1]["workflow"].name == "trip"


@pytest.mark.parametrize("exc", [None, SystemExit(0), SystemExit(), LookupError("swallowed")])
def test_an_exit_that_says_all_is_well_is_a_good_end(exc):
    hooks, came_out = ending(exc)
    assert [name for name, _ in hooks] == ["before_workflow_run", "after_workflow_run"]
    assert came_out is (exc if isinstance(exc, SystemExit) else None)


def test_an_exit_in_place_of_an_error_has_failed_by_that_error():
    error = ValueError("no such server")
    hooks, came_out = ending(error)
    assert hooks[-1][0] == "error_workflow_run"
    assert hooks[-1][1]["exc"] is error
    assert isinstance(came_out, SystemExit)


@pytest.mark.parametrize("exc", [RuntimeError("broken"), SystemExit(3), asyncio.CancelledError()])
def test_any_other_exception_is_told_and_passed_on(exc):
    hooks, came_out = ending(exc)
    assert (hooks[-1][0], hooks[-1][1]["exc"]) == ("error_workflow_run", exc)
    assert type(came_out) is type(exc)


def test_an_application_that_serves_has_no_run_of_its_own():
    for exc in (None, RuntimeError("broken")):
        hooks, came_out = ending(exc, Serving())
        assert hooks == []
        assert came_out is exc
