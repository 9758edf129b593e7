"""The tool runner of the SDK, ``client.beta.messages.tool_runner``: a loop of model calls and the requested tools.

A run is recorded as an agent call, as in the SDK's own OpenTelemetry; otherwise each of its calls would be a separate
trace. The program gets each reply between two steps of the loop, so the run encloses only the steps.
"""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary, finalize

from inspector.integrations.calls import Call, Describe, Named, opened
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.tool_bodies import run_body, run_body_async, undecided
from inspector.integrations.tracebacks import unseen

_RUNNER = Named("tool_runner", "The loop of model and tool calls of Anthropic's SDK")

_runs: WeakKeyDictionary[Any, Call] = WeakKeyDictionary()
"""The run of each runner, for tools that run while the program reads a reply."""


def install_tool_runner(patches: Patches) -> None:
    """Record the runs of tool runners and the tools that they run."""
    runners = import_module("anthropic.lib.tools._beta_runner")
    patches.wrap(runners.BaseSyncToolRunner, "__run__", _run)
    patches.wrap(runners.BaseAsyncToolRunner, "__run__", _run_async)
    patches.wrap(runners.BaseSyncToolRunner, "_run_tool", lambda original: _tool(_decided(original), _tool_use_second))
    patches.wrap(
        runners.BaseAsyncToolRunner,
        "_run_tool",
        lambda original: _tool_async(_decided_async(original), _tool_use_second),
    )
    # Toolsets came with 2.x.
    if hasattr(runners.BaseSyncToolRunner, "_run_toolset_member"):
        name = "_run_toolset_member"
        patches.wrap(runners.BaseSyncToolRunner, name, lambda original: _tool(original, _tool_use_first))
        patches.wrap(runners.BaseAsyncToolRunner, name, lambda original: _tool_async(original, _tool_use_first))


class _Steps:
    """The run of one runner: what happens at each step of the loop, and at its end."""

    def __init__(self, runner: Any) -> None:
        self.call = _begun(runner)
        self._last: Any = None

    @contextmanager
    def step(self) -> Generator[None]:
        """Make calls during a step, or while the loop is closed, children of the run."""
        leave = self.call.enter()
        try:
            yield
        finally:
            leave()

    def took(self, item: Any) -> Any:
        """Note the item that the program gets."""
        self._last = item
        return item

    def ended(self) -> None:
        """End the run with the last reply."""
        self.call.ended(lambda: {"result": _message_of(self._last)})


def _run(original: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any) -> Generator[Any]:
        with unseen:
            steps, its = original(self), _Steps(self)
            try:
                while True:
                    with its.step():
                        try:
                            item = next(steps)
                        except StopIteration:
                            break
                    yield its.took(item)
            except BaseException as exc:
                with its.step():
                    steps.close()
                its.call.failed(exc)
                raise
            its.ended()

    return run


def _run_async(original: Callable[..., Any]) -> Callable[..., Any]:
    async def run(self: Any) -> AsyncGenerator[Any]:
        with unseen:
            steps, its = original(self), _Steps(self)
            try:
                while True:
                    with its.step():
                        try:
                            item = await anext(steps)
                        except StopAsyncIteration:
                            break
                    yield its.took(item)
            except BaseException as exc:
                # At the end of an event loop, the loop closes all generators at once, this one too.
                with its.step(), suppress(RuntimeError):
                    await steps.aclose()
                its.call.failed(exc)
                raise
            its.ended()

    return run


def _begun(runner: Any) -> Call:
    call = opened(
        "agent_call",
        lambda: {"agent": _RUNNER, "input": list(runner._params["messages"])},  # noqa: SLF001 -- it has no other place for them
        context=copy_context(),
        emitter="anthropic",
    )
    _runs[runner] = call
    # A runner that is dropped between two steps may never be closed, in particular at the end of the process.
    finalize(runner, call.abandoned)
    return call


def _message_of(item: Any) -> Any:
    """Return the message of a reply, which a streaming runner returns as a stream."""
    return getattr(item, "current_message_snapshot", item)


def _tool_use_first(tool_use: Any) -> tuple[Any, Any]:
    return None, tool_use


def _tool_use_second(tool: Any, tool_use: Any) -> tuple[Any, Any]:
    return tool, tool_use


def _tool(original: Callable[..., Any], read: Callable[..., tuple[Any, Any]]) -> Callable[..., Any]:
    def run_tool(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _tool_call(self, lambda: _described(*read(*args, **kwargs))) as call:
            result = original(self, *args, **kwargs)
            _end_tool(call, result)
            return result

    return run_tool


def _tool_async(original: Callable[..., Any], read: Callable[..., tuple[Any, Any]]) -> Callable[..., Any]:
    async def run_tool(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _tool_call(self, lambda: _described(*read(*args, **kwargs))) as call:
            result = await original(self, *args, **kwargs)
            _end_tool(call, result)
            return result

    return run_tool


class _Decided:
    """A tool whose body runs as the controller decides, for the one call that is reported here.

    Args:
        tool: The program's own.
        call: Called in place of its method.
    """

    def __init__(self, tool: Any, call: Callable[..., Any]) -> None:
        self._tool = tool
        self.call = call

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tool, name)


@wrapping
def _decided(original: Any, /, self: Any, tool: Any, *args: Any, **kwargs: Any) -> Any:
    def call(arguments: Any) -> Any:
        reported = undecided("anthropic")
        if reported is None:
            return tool.call(arguments)
        with unseen:
            return run_body(
                reported, lambda changed: tool.call(arguments if changed is None else dict(changed)), subject=tool
            )

    return original(self, _Decided(tool, call), *args, **kwargs)


@wrapping
async def _decided_async(original: Any, /, self: Any, tool: Any, *args: Any, **kwargs: Any) -> Any:
    async def call(arguments: Any) -> Any:
        reported = undecided("anthropic")
        if reported is None:
            return await tool.call(arguments)
        with unseen:
            return await run_body_async(
                reported, lambda changed: tool.call(arguments if changed is None else dict(changed)), subject=tool
            )

    return await original(self, _Decided(tool, call), *args, **kwargs)


def _end_tool(call: Call, result: Any) -> None:
    raised = call.keyword("raised")
    if isinstance(raised, Exception):
        # The runner has made a text of it for the model.
        call.failed(raised)
    else:
        call.ended(lambda: {"result": result})


@contextmanager
def _tool_call(runner: Any, describe: Describe) -> Generator[Call]:
    """Report a tool call, below the run of its runner."""
    leave = _into_run(runner)
    try:
        with opened("tool_call", describe, emitter="anthropic") as call:
            yield call
    finally:
        leave()


def _into_run(runner: Any) -> Callable[[], None]:
    run = _runs.get(runner)
    return (lambda: None) if run is None or not run.is_open else run.enter()


def _described(tool: Any, tool_use: Any) -> dict[str, Any]:
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
