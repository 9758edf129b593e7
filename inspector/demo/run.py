"""Runs the demo under the recorder, in a session of its own."""

import secrets
from importlib.metadata import version
from pathlib import Path

import anyio
from opentelemetry import baggage
from opentelemetry import context as otel_context

import inspector
from inspector import context, semconv
from inspector.demo.errors import DemoError
from inspector.settings import Settings


def run_demo(settings: Settings, *, hang: bool = False) -> str:
    """Run the demo agent, recorded into ``settings.home``, and return the id of its trace.

    Args:
        settings: Where to record to.
        hang: Stop at a tool call that never ends, to be killed there.

    Raises:
        DemoError: The demo's MCP server could not be started, or the installed MCP SDK is too old for it.
    """
    home = settings.home.resolve()
    _refuse_earlier_sdk()
    # The demo emits its hooks itself, to be read as an example.
    inspector.attach(service="trip-planner", home=home, capture_content=settings.capture_content, integrations=False)
    try:
        return anyio.run(_run, home, settings.capture_content, hang)
    except ExceptionGroup as group:
        # The SDK's task groups wrap whatever is raised among them.
        ours = group.subgroup(DemoError)
        raise (ours.exceptions[0] if ours else group) from None
    finally:
        inspector.detach()


def _refuse_earlier_sdk() -> None:
    # Recording works with the SDK that another package may hold back; only the demo is written for this one.
    found = version("mcp")
    if tuple(map(int, found.split(".")[:2])) < (2, 3):
        raise DemoError(
            f"the demo needs mcp 2.3 or newer, and {found} is installed; in an environment of its own: "
            'pip install "mcp-agent-inspector[inspector]"'
        )


async def _run(home: Path, capture_content: bool, hang: bool) -> str:  # noqa: FBT001 - anyio.run passes by position
    # Imported here: the MCP SDK takes most of a second, which `inspector --help` must not pay.
    from inspector.demo.desk import open_desk
    from inspector.demo.trip import WeekendTrip

    session_id = f"trip-{secrets.token_hex(3)}"
    # Baggage travels in `params._meta` beside the trace context, so the server records under this session too.
    otel_context.attach(baggage.set_baggage(semconv.SESSION_ID, session_id))
    with context.bind(session_id):
        async with open_desk(home, capture_content=capture_content) as desk:
            return await WeekendTrip(desk, session_id, hang=hang).run()
