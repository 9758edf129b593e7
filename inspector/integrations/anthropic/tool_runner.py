"""The tool runner of the SDK, ``client.beta.messages.tool_runner``: a loop of model calls and the requested tools.

A run is recorded as an agent call, as in the SDK's own OpenTelemetry; otherwise each of its calls would be a separate
trace. The program gets each reply between two steps of the loop, so the run encloses only the steps.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary, finalize

from inspector.integrations.calls import Call, Named, opened
from inspector.integrations.generators import Following, followed_steps, generating, opened_apart
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.stand_ins import StandIn
from inspector.integrations.tool_bodies import Arguments, run_body, run_body_async, undecided
from inspector.integrations.tracebacks import unseen

_RUNNER = Named("tool_runner", "The loop of model and tool calls of Anthropic's SDK")

_runs: WeakKeyDictionary[Any, Call] = WeakKeyDictionary()
"""The run of each runner, for tools that run while the program reads a reply."""


def install_tool_runner(patches: Patches) -> None:
    """Record the runs of tool runners and the tools that they run."""
    runners = import_module("anthropic.lib.tools._beta_runner")
    for base, run, tool in (
        (runners.BaseSyncToolRunner, _run, _tool),
        (runners.BaseAsyncToolRunner, generating(_begun), _tool_async),
    ):
        patches.wrap(base, "__run__", run)
        patches.wrap(base, "_run_tool", tool)
        # Toolsets came with 2.x.
        if hasattr(base, "_run_toolset_member"):
            patches.wrap(base, "_run_toolset_member", tool)


def _run(original: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any) -> Any:
        return followed_steps(original(self), partial(_begun, self))

    return run


def _begun(runner: Any) -> Following:
    call = opened_apart(
        "agent_call",
        lambda: {"agent": _RUNNER, "input": list(runner._params["messages"])},  # noqa: SLF001 -- it has no other place for them
        emitter="anthropic",
    )
    _runs[runner] = call
    # A runner that is dropped between two steps may never be closed, in particular at the end of the process.
    finalize(runner, call.abandoned)
    last: list[Any] = [None]

    def saw(item: Any) -> None:
        last[:] = [item]

    return Following(call, saw, lambda: call.ended(lambda: {"result": _message_of(last[0])}))


def _message_of(item: Any) -> Any:
    """Return the message of a reply, which a streaming runner returns as a stream."""
    return getattr(item, "current_message_snapshot", item)


@contextmanager
def _inside(run: Call | None) -> Generator[None]:
    """Make the calls of tools children of their run."""
    leave = None if run is None or not run.is_open else run.enter()
    try:
        yield
    finally:
        if leave is not None:
            leave()


@wrapping
def _tool(original: Any, self: Any, *args: Any) -> Any:
    """Report a tool call; it is given a tool and the model's request, or that alone if the tool is one of a toolset."""
    with _inside(_runs.get(self)), opened("tool_call", lambda: _described(*args[::-1]), emitter="anthropic") as call:
        result = original(self, *map(_Decided, args[:-1]), args[-1])
        _end_tool(call, result)
        return result


@wrapping
async def _tool_async(original: Any, self: Any, *args: Any) -> Any:
    with _inside(_runs.get(self)), opened("tool_call", lambda: _described(*args[::-1]), emitter="anthropic") as call:
        result = await original(self, *map(_DecidedAsync, args[:-1]), args[-1])
        _end_tool(call, result)
        return result


class _Tool(StandIn):
    """A tool of the program in the one call that is reported here."""

    def _body(self, arguments: Any, changed: Arguments | None) -> Any:
        return self._inner.call(arguments if changed is None else dict(changed))


class _Decided(_Tool):
    """A tool whose body runs as the controller decides."""

    def call(self, arguments: Any) -> Any:
        with unseen:
            reported, body = undecided("anthropic"), partial(self._body, arguments)
            return body(None) if reported is None else run_body(reported, body, subject=self._inner)


class _DecidedAsync(_Tool):
    """Like the one above, for a coroutine function."""

    async def call(self, arguments: Any) -> Any:
        with unseen:
            reported, body = undecided("anthropic"), partial(self._body, arguments)
            return await (body(None) if reported is None else run_body_async(reported, body, subject=self._inner))


def _end_tool(call: Call, result: Any) -> None:
    raised = call.keyword("raised")
    if isinstance(raised, Exception):
        # The runner has made a text of it for the model.
        call.failed(raised)
    else:
        call.ended(lambda: {"result": result})


def _described(tool_use: Any, tool: Any = None) -> dict[str, Any]:
    is_mcp = import_module("anthropic.lib._stainless_helpers").get_helper_tag(tool) == "mcp_tool"
    return {
        "tool_name": tool_use.name,
        "args": tool_use.input,
        "context": {
            "tool_use_id": tool_use.id,
            "tool_source": "mcp" if is_mcp else "function",
            "server_name": getattr(tool_use, "toolset_name", None),
        },
        "function": getattr(tool, "func", None),
    }
