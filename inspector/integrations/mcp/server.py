"""A server's side of a tool call: it runs the tool's function inside the request."""

import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from inspector.integrations.calls import Describe, Keywords, around_here, is_inside, opened, safely
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.tracebacks import without_ours

_serving: ContextVar[str | None] = ContextVar("inspector_served_tool_call", default=None)

_UNEXPECTED = frozenset({"UnexpectedToolError", "UnexpectedResourceError"})
_MASKED = ("Error reading resource ", "Error rendering prompt ")
"""How the messages begin of what the SDK, and the package ``fastmcp``, raise instead of what a function raised."""


def is_served(call_id: str | None) -> bool:
    """Tell whether this call is a server's run of a tool, and not a client's call by that name."""
    return call_id is not None and call_id == _serving.get()


@wrapping
async def run_tool(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Wrap ``ToolManager.call_tool``, which runs every function tool of the SDK's servers, in both versions."""
    return await _run(lambda: original(self, *args, **kwargs), lambda: _described(self, *args, **kwargs))


def record_fastmcp(patches: Patches) -> None:
    """Report the tool functions of servers made with the package ``fastmcp``, which has no ``ToolManager``."""
    # The second is where version 2 has it.
    for module in ("fastmcp.tools.function_tool", "fastmcp.tools.tool"):
        patches.wrap_once_imported(module, "FunctionTool", {"run": _run_function})
    patches.wrap_once_imported("fastmcp.tools.tool_transform", "TransformedTool", {"run": _run_function})


@wrapping
async def _run_function(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    server = _running_server()
    at_root = _untransformed(self)
    if server is None or is_inside(at_root) or _is_reported(self):
        return await original(self, *args, **kwargs)
    return await _run(
        lambda: original(self, *args, **kwargs),
        lambda: _described_function(self, server, *args, **kwargs),
        subject=at_root,
    )


def _untransformed(tool: Any) -> Any:
    """Return the tool that this one changes and then runs; itself if it changes none."""
    while (parent := getattr(tool, "parent_tool", None)) is not None:
        tool = parent
    return tool


def _is_reported(tool: Any) -> bool:
    """Tell whether it is an agent's own tool, such as those of fast-agent; the agent may run in a tool of a server."""
    call = next(around_here(), None)
    return call is not None and call.emitter != "mcp" and call.keyword("tool_name") == tool.name


def _running_server() -> Any:
    with suppress(KeyError, RuntimeError):
        return sys.modules["fastmcp.server.dependencies"].get_server()
    return None


async def _run(run: Callable[[], Awaitable[Any]], describe: Describe, *, subject: object = None) -> Any:
    call = opened("tool_call", describe, emitter="mcp", subject=subject)
    outer = _serving.get()
    _serving.set(call.call_id)
    try:
        with call:
            try:
                result = await run()
            except Exception as exc:
                without_ours(exc)
                call.failed(raised_by_the_function(exc))
                raise
    finally:
        _serving.set(outer)
    call.ended(lambda: {"result": plain(result)})
    return result


def _described(tools: Any, name: str, arguments: Any, context: Any = None, *_: Any, **__: Any) -> Keywords:
    server = getattr(context, "_mcp_server", None) or getattr(context, "_fastmcp", None)
    function = safely(lambda: getattr(tools.get_tool(name), "fn", None), otherwise=None)
    origin = {"tool_source": "function", "server_name": getattr(server, "name", None)}
    return {"tool_name": name, "args": arguments, "context": origin, "function": function}


def _described_function(tool: Any, server: Any, arguments: Any) -> Keywords:
    origin: Keywords = {"tool_source": "function", "server_name": server.name}
    return {
        "tool_name": tool.name,
        "args": arguments,
        "context": origin,
        "function": getattr(_untransformed(tool), "fn", None),
    }


def raised_by_the_function(exc: BaseException) -> BaseException:
    """Return what a tool, resource or prompt raised, where the SDK raises an error that keeps its text from clients."""
    # The SDK's handler raises the error that is sent while it handles its own; that of ``fastmcp`` from its own.
    raised = exc.__cause__ or exc.__context__ if type(exc).__name__ == "MCPError" else exc
    if not _stands_for_another(raised):
        return exc
    # More than once for prompts.
    while raised is not None and _stands_for_another(raised):
        raised = raised.__cause__
    return exc if raised is None else raised


def _stands_for_another(exc: BaseException | None) -> bool:
    if exc is None or exc.__cause__ is None:
        return False
    said = exc.args[0] if exc.args else None
    is_masked = isinstance(said, str) and said.startswith(_MASKED)
    return type(exc).__name__ in _UNEXPECTED or (is_masked and _raised_in(exc) in ("mcp", "fastmcp"))


def _raised_in(exc: BaseException) -> str | None:
    """Return the package whose code raised an exception: a function's own may say the same as the SDK's."""
    frames = exc.__traceback__
    while frames is not None and frames.tb_next is not None:
        frames = frames.tb_next
    return None if frames is None else str(frames.tb_frame.f_globals.get("__name__")).partition(".")[0]


def plain(model: Any) -> Any:
    """Return a message of the SDK as it is sent."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True) if hasattr(model, "model_dump") else model
