"""pydantic-ai: agents, model requests and tools.

What it publishes would be seen by the program: a capability (``Hooks``) becomes part of an agent and takes its model
requests another way, and ``Agent.instrument_all`` has every agent make spans, with whatever the program set up for
them. So functions are wrapped that are the same since 2.0:

- ``Agent.iter``, which every way to run an agent goes through.
- ``request`` and ``request_stream`` of each class of ``Model``, present and future: the interface that models
  implement. One that hands the request to another model (``WrapperModel``, ``FallbackModel``) is told of as that.
- ``ToolManager.execute_tool_call``: each tool call of an agent, whatever toolset it is from, also with arguments that
  were found to be wrong.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import copy_context
from typing import Any

from inspector import context
from inspector.integrations.calls import Call, awaited, conclude, is_told, opened
from inspector.integrations.patches import Patches
from inspector.integrations.pydantic_ai import facts

_DELEGATING = frozenset({"WrapperModel", "FallbackModel"})


def install(patches: Patches) -> None:
    """Wrap agents, models and tools."""
    patches.once_imported("pydantic_ai.agent", lambda module: _wrap(patches, module.Agent, "iter", _run))
    patches.once_imported(
        "pydantic_ai.tool_manager",
        lambda module: _wrap(patches, module.ToolManager, "execute_tool_call", _tool_called),
    )
    patches.once_imported(
        "pydantic_ai.models",
        lambda module: patches.wrap_in_subclasses(
            module.Model, {"request": _requested, "request_stream": _streamed}, unless=_DELEGATING
        ),
    )


def _wrap(patches: Patches, owner: Any, name: str, wrapper: Callable[[Any], Any]) -> None:
    patches.wrap(owner, name, wrapper)


def _run(original: Any) -> Any:
    @asynccontextmanager
    async def iterate(self: Any, user_prompt: Any = None, *args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        session_id = kwargs.get("conversation_id")
        call = _opened_agent(self, user_prompt, session_id if isinstance(session_id, str) else None)
        running = None
        try:
            async with original(self, user_prompt, *args, **kwargs) as running:
                yield running
        except BaseException as exc:
            call.failed(exc)
            raise
        conclude(call, facts.outcome, running)

    return iterate


def _opened_agent(agent: Any, prompt: Any, session_id: str | None) -> Call:
    around = context.get()
    if session_id is not None and around is None:
        # A run is part of its conversation; what it calls finds that by its parent.
        context.set(session_id)
    try:
        return opened("agent_call", lambda: {"agent": facts.agent(agent), "input": prompt}, emitter="pydantic_ai")
    finally:
        context.set(around)


def _tool_called(original: Any) -> Any:
    async def execute_tool_call(self: Any, validated: Any, *args: Any, **kwargs: Any) -> Any:
        call = opened("tool_call", lambda: facts.tool(validated), emitter="pydantic_ai")
        try:
            result = await original(self, validated, *args, **kwargs)
        except BaseException as exc:
            if facts.is_deferred(exc):
                waits_for = {"deferred": type(exc).__name__}
                call.ended(lambda: {"result": waits_for})
            else:
                call.failed(facts.reason(exc))
            raise
        call.ended(lambda: {"result": facts.returned(result)})
        return result

    return execute_tool_call


def _requested(original: Any) -> Any:
    async def request(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_told("llm_generate", self):
            return await original(self, *args, **kwargs)
        call = opened("llm_generate", lambda: facts.request(self, args, kwargs, streams=False), emitter="pydantic_ai")
        call.subject = self
        return await awaited(call, original(self, *args, **kwargs), facts.response)

    return request


def _streamed(original: Any) -> Any:
    def request_stream(self: Any, *args: Any, **kwargs: Any) -> Any:
        asked = original(self, *args, **kwargs)
        return asked if is_told("llm_generate", self) else _stream(asked, self, args, kwargs)

    return request_stream


@asynccontextmanager
async def _stream(
    asked: AbstractAsyncContextManager[Any], model: Any, args: Any, kwargs: Any
) -> AsyncGenerator[Any, None]:
    # Whoever reads the stream does so in between, in this very context: only its beginning is the request's own.
    call = opened(
        "llm_generate",
        lambda: facts.request(model, args, kwargs, streams=True),
        context=copy_context(),
        emitter="pydantic_ai",
    )
    call.subject = model
    leave = call.enter()
    stream = None
    failures: list[BaseException] = []
    try:
        async with asked as stream:
            leave()
            _watch(stream, call, failures)
            yield stream
    except BaseException as exc:
        if not getattr(stream, "_finished", False):
            call.failed(failures[0] if failures else exc)
        raise
    finally:
        leave()
        conclude(call, facts.streamed, stream)


def _watch(stream: Any, call: Call, failures: list[BaseException]) -> None:
    """Have a stream tell of its first event and of its failure, which may reach whoever reads it alone."""
    events = getattr(stream, "_get_event_iterator", None)
    if events is None or getattr(stream, "_event_iterator", None) is not None:
        return

    async def watched() -> AsyncGenerator[Any, None]:
        try:
            async for event in events():
                if call.keyword("time_to_first_chunk") is None:
                    call.add(time_to_first_chunk=call.seconds)
                yield event
        except Exception as exc:
            failures.append(exc)
            raise

    stream._get_event_iterator = watched  # noqa: SLF001 - each stream implements it, and no other function is called for
