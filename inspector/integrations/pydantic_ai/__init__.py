"""pydantic-ai: agents, model requests and tools.

The program would notice its extension points: a capability (``Hooks``) becomes part of an agent and changes the path of
its model requests, and ``Agent.instrument_all`` makes spans for every agent, in the program's own telemetry. So
functions are wrapped that have not changed since 2.0:

- ``Agent.iter``, which every way to run an agent goes through.
- ``request`` and ``request_stream`` of each class of ``Model``, present and future: the interface that models
  implement. A model that delegates to another one (``WrapperModel``, ``FallbackModel``) is recorded as the other one.
- ``ToolManager.execute_tool_call``: each tool call of an agent, whatever toolset it is from, also with arguments that
  were found to be wrong.
- ``call_tool`` of each class of ``AbstractToolset``, present and future: the outermost one of a call is where its body
  is run, so that is what the controller decides about.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from contextvars import copy_context
from functools import partial
from typing import Any

from inspector import context
from inspector.integrations.calls import Call, conclude, is_reported, opened, safely
from inspector.integrations.classes import inherits
from inspector.integrations.generators import Apart
from inspector.integrations.methods import reported
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.pydantic_ai import facts
from inspector.integrations.tool_bodies import run_body_async, undecided
from inspector.integrations.tracebacks import unseen
from inspector.integrations.within import Make, Within


def install(patches: Patches) -> None:
    """Wrap agents, models and tools."""
    patches.wrap_once_imported("pydantic_ai.agent", "Agent", {"iter": _run})
    patches.wrap_once_imported("pydantic_ai.tool_manager", "ToolManager", {"execute_tool_call": _tool_called})
    wrap = patches.wrap_subclasses_once_imported
    wrap("pydantic_ai.toolsets.abstract", "AbstractToolset", {"call_tool": _body_run})
    requests = {"request": reported(_opened_request, facts.response), "request_stream": _streamed}
    wrap("pydantic_ai.models", "Model", requests, unless=lambda cls: inherits(cls, "WrapperModel", "FallbackModel"))


@wrapping
def _run(original: Any, /, self: Any, user_prompt: Any = None, *args: Any, **kwargs: Any) -> Any:
    session_id = kwargs.get("conversation_id")
    around = partial(original, self, user_prompt, *args, **kwargs)
    return _Run(around, lambda: _opened_agent(self, user_prompt, session_id))


class _Run(Within):
    """One run of an agent."""

    def ended(self, call: Call, exc: BaseException | None) -> None:
        if exc is not None:
            call.failed(exc)
        else:
            conclude(call, facts.outcome, self.value)


def _opened_agent(agent: Any, prompt: Any, session_id: Any) -> Call:
    around = context.get()
    if isinstance(session_id, str) and around is None:
        # A run belongs to its conversation; inner calls get that from their parent.
        context.set(session_id)
    try:
        return opened(
            "agent_call",
            lambda: {"agent": facts.agent(agent), "input": facts.question(prompt)},
            emitter="pydantic_ai",
        )
    finally:
        context.set(around)


@wrapping
async def _tool_called(original: Any, /, self: Any, validated: Any, *args: Any, **kwargs: Any) -> Any:
    call = opened("tool_call", lambda: facts.tool(validated), emitter="pydantic_ai")
    try:
        result = await original(self, validated, *args, **kwargs)
    except BaseException as exc:
        if facts.is_deferred(exc):
            call.interrupted()
        else:
            call.failed(facts.reason(exc))
        raise
    call.ended(lambda: {"result": facts.returned(result)})
    return result


@wrapping
async def _body_run(original: Any, /, self: Any, name: Any, tool_args: Any, *args: Any, **kwargs: Any) -> Any:
    call = undecided("pydantic_ai")
    if call is None:
        return await original(self, name, tool_args, *args, **kwargs)

    def body(changed: Any) -> Any:
        return original(self, name, tool_args if changed is None else dict(changed), *args, **kwargs)

    return await run_body_async(call, body, subject=args[-1] if args else kwargs.get("tool"))


def _opened_request(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    if is_reported("llm_generate", model):
        return None
    return opened(
        "llm_generate", lambda: facts.request(model, args, kwargs, streams=False), emitter="pydantic_ai", subject=model
    )


@wrapping
def _streamed(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    request = partial(original, self, *args, **kwargs)
    if is_reported("llm_generate", self):
        return request()
    return _Stream(request, lambda: _opened_stream(self, args, kwargs))


class _Stream(Within):
    """A request with a streamed answer."""

    def __init__(self, request: Make, begin: Callable[[], Call]) -> None:
        super().__init__(request, begin)
        self._failures: list[BaseException] = []
        self._leave: Callable[[], None] = lambda: None

    def begun(self, call: Call) -> None:
        self._leave = call.enter()

    def entered(self, call: Call) -> None:
        # From here on the consumer reads the stream in this context; only the beginning belongs to the request.
        self._leave()
        safely(lambda: _watch(self.value, call, self._failures), None)

    def ended(self, call: Call, exc: BaseException | None) -> None:
        self._leave()
        if exc is not None and not getattr(self.value, "_finished", False):
            call.failed(self._failures[0] if self._failures else exc)
        conclude(call, facts.streamed, self.value)


def _opened_stream(model: Any, args: Any, kwargs: Any) -> Call:
    return opened(
        "llm_generate",
        lambda: facts.request(model, args, kwargs, streams=True),
        context=copy_context(),
        emitter="pydantic_ai",
        subject=model,
    )


def _watch(stream: Any, call: Call, failures: list[BaseException]) -> None:
    """Report the first event of a stream, and its failure, which perhaps only its consumer sees."""
    events = getattr(stream, "_get_event_iterator", None)
    if events is None or getattr(stream, "_event_iterator", None) is not None:
        return

    async def watched() -> AsyncGenerator[Any, None]:
        with unseen:
            try:
                async with aclosing(Apart(events())) as parts:
                    async for event in parts:
                        if call.keyword("time_to_first_chunk") is None:
                            call.add(time_to_first_chunk=call.seconds)
                        yield event
            except Exception as exc:
                failures.append(exc)
                raise

    stream._get_event_iterator = watched  # noqa: SLF001 - each stream implements it, and no other function is called for
