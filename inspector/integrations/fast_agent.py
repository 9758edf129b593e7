"""fast-agent: its agents, workflows, model calls and tools.

Its hooks (``ToolRunnerHooks``, ``ToolExecutionHandler``) have to be passed to every agent, and report a turn's tool
calls together, or not for all kinds of tools. So the methods that every call goes through are patched instead:

- ``LlmDecorator.generate``, ``structured`` and ``structured_schema``: agents, and workflows, which are agents that call
  other agents.
- ``FastAgentLLM.generate`` and ``structured``, and those of ``PlaybackLLM``, which replaces them: model calls with all
  retries inside, whatever the provider.
- ``FastAgent.run``: what holds the calls of one application together, from the start of its servers on. One that
  serves is left out: it has no end, and its requests belong to those who make them.
- ``ToolAgent.call_tool``, ``McpAgent.call_tool`` and ``AgentsAsToolsAgent._invoke_child_agent``: one tool call each;
  they return failures as results and never raise them.
"""

from asyncio import CancelledError
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Final, TypeAlias, cast

from inspector.integrations.calls import Call, Keywords, Model, Named, awaited, enclosing, is_reported, opened, safely
from inspector.integrations.methods import reported
from inspector.integrations.patches import Patches, Wrappers, wrapping
from inspector.integrations.providers import provider_named
from inspector.integrations.tool_bodies import run_tool
from inspector.integrations.within import Within

Entered: TypeAlias = Callable[..., AbstractAsyncContextManager[Any]]

_AGENTS: Final = "fast_agent.agents"
_LLMS: Final = "fast_agent.llm"


class AnswerFailed(Exception):
    """A model call or agent that failed and returned that as a message."""


def install(patches: Patches) -> None:
    """Wrap the methods, each when its module is imported: importing all of the framework takes seconds."""
    asked = reported(_opened_agent, _answer_of_agent)
    generating = {"generate": asked, "structured": asked, "structured_schema": asked}
    requests = {"generate": _generated, "structured": _generated}
    targets: tuple[tuple[str, str, Wrappers], ...] = (
        ("fast_agent.core.run_runtime", "FastAgentRunMixin", {"run": as_workflow}),
        (f"{_AGENTS}.llm_decorator", "LlmDecorator", generating),
        (f"{_AGENTS}.tool_agent", "ToolAgent", {"call_tool": _tool_called}),
        (f"{_AGENTS}.mcp_agent", "McpAgent", {"call_tool": _tool_called}),
        (f"{_AGENTS}.workflow.agents_as_tools_agent", "AgentsAsToolsAgent", {"_invoke_child_agent": _child_called}),
        (f"{_LLMS}.fastagent_llm", "FastAgentLLM", requests),
        (f"{_LLMS}.internal.playback", "PlaybackLLM", requests),
    )
    for module, owner, wrappers in targets:
        patches.wrap_once_imported(module, owner, wrappers)


@wrapping
def as_workflow(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> AbstractAsyncContextManager[Any]:
    """Report the run of an application, from entering to leaving it, as a workflow."""
    around = partial(original, self, *args, **kwargs)
    if getattr(getattr(self, "args", None), "server", False):
        return around()
    begin = partial(opened, "workflow_run", lambda: {"workflow": Named(self.name)}, emitter="fast_agent")
    return _Application(around, begin)


class _Application(Within):
    """The run of an application."""

    def ended(self, call: Call, exc: BaseException | None) -> None:
        """End the run; fast-agent turns errors that it has printed into exits."""
        if exc is None or (isinstance(exc, SystemExit) and exc.code in (None, 0)):
            call.ended()
        elif isinstance(exc, SystemExit):
            call.failed(exc.__cause__ or exc)
        else:
            call.failed(exc)


_WORKFLOWS: Final = {
    "chain": "chain",
    "evaluator_optimizer": "evaluator-optimizer",
    "iterative_planner": "orchestrator",
    "maker": "maker",
    "orchestrator": "orchestrator",
    "parallel": "parallel",
    "router": "router",
}


def _opened_agent(agent: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    pattern = _WORKFLOWS.get(str(_value(getattr(agent, "agent_type", ""))))

    def describe() -> Keywords:
        asked = {"input": _texts(args[0] if args else kwargs["messages"])}
        return {"agent": agent, **asked} if pattern is None else {"workflow": _workflow(agent, pattern), **asked}

    return opened("agent_call" if pattern is None else "workflow_run", describe, emitter="fast_agent")


def _workflow(agent: Any, pattern: str) -> Named:
    return Named(agent.name, getattr(agent.config, "description", None), workflow_type=pattern)


def _answer_of_agent(result: Any) -> Keywords | BaseException:
    parsed, message = _parted(result)
    return _failure(message) or {"result": _texts(message) if parsed is None else parsed}


def _parted(result: Any) -> tuple[Any, Any]:
    """Return the parsed value and its message for structured methods; other methods only have the message."""
    return cast("tuple[Any, Any]", result) if isinstance(result, tuple) else (None, result)


_SAVE_HISTORY: Final = "***SAVE_HISTORY"


@wrapping
async def _generated(original: Any, /, self: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
    work = original(self, messages, *args, **kwargs)
    if is_reported("llm_generate", self) or _is_control(messages):
        return await work
    call = opened("llm_generate", lambda: _request(self, messages, *args, **kwargs), emitter="fast_agent", subject=self)
    before = safely(lambda: len(_turns(self)), 0)
    return await awaited(call, work, lambda result: _response(self, result, before))


def _is_control(messages: Any) -> bool:
    # A command to fast-agent itself, written like a prompt; no model is called.
    try:
        return messages[-1].first_text().startswith(_SAVE_HISTORY)
    except Exception:  # noqa: BLE001 -- fast-agent itself reports what is wrong with it
        return False


_PARAMETERS: Final = ("max_tokens", "temperature", "top_p", "top_k", "stop_sequences", "response_format")


def _request(
    llm: Any, messages: Any, more: Any = None, params: Any = None, *, tools: Any = None, **kwargs: Any
) -> Keywords:
    # structured(messages, model, request_params) has one argument more than generate(messages, request_params, tools).
    schema: Any = more if isinstance(more, type) else kwargs.get("model")
    if schema is None:
        params, tools = more or kwargs.get("request_params"), params or tools
    chosen = llm.get_request_params(params or kwargs.get("request_params"))
    provider = str(_value(llm.provider))
    prompt: Keywords = {
        "model": chosen.model or llm.model_name,
        "system": chosen.system_prompt or llm.instruction,
        "messages": [_message(message) for message in messages],
        "tools": None if tools is None else [_tool_definition(tool) for tool in tools],
        "schema": None if schema is None else schema.model_json_schema(),
    }
    prompt |= {name: getattr(chosen, name, None) for name in _PARAMETERS}
    return {
        "llm": Model(provider_named(provider), prompt["model"]),
        "prompt": {name: value for name, value in prompt.items() if value is not None},
    }


def _tool_definition(tool: Any) -> Keywords:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}


def _response(llm: Any, result: Any, before: int) -> Keywords | BaseException:
    _, message = _parted(result)
    turns = _turns(llm)[before:]
    failure = _failure(message)
    if failure is not None:
        return failure
    response = {**_message(message), "stop_reason": _value(message.stop_reason)}
    if turns:
        response["model"] = turns[-1].model
    return {"response": response, "usage": _usage(turns), "time_to_first_chunk": _first_chunk_s(turns)}


def _turns(llm: Any) -> list[Any]:
    return list(getattr(getattr(llm, "usage_accumulator", None), "turns", ()))


def _usage(turns: list[Any]) -> Keywords | None:
    """Add up the provider's requests of one call, including retries and repeats after an empty answer."""
    if not turns:
        return None
    counts = [
        {
            "input_tokens": turn.prompt.uncached if turn.prompt.total is None else turn.prompt.total,
            "output_tokens": turn.completion.total,
            "cache_read_tokens": turn.prompt.cache_read,
            "cache_write_tokens": turn.prompt.cache_write,
            "reasoning_tokens": turn.completion.reasoning,
        }
        for turn in turns
    ]
    return {
        name: sum(known) for name in counts[0] if (known := [each[name] for each in counts if each[name] is not None])
    }


def _first_chunk_s(turns: list[Any]) -> float | None:
    milliseconds = getattr(getattr(turns[-1], "timing", None), "ttft_ms", None) if turns else None
    return milliseconds / 1000 if isinstance(milliseconds, int | float) else None


@wrapping
async def _tool_called(
    original: Any, /, self: Any, name: Any, arguments: Any = None, tool_use_id: Any = None, **kwargs: Any
) -> Any:
    def tool(given: Any) -> Any:
        return original(self, name, given, tool_use_id, **kwargs)

    identity = (id(self), name, tool_use_id)
    around = next(enclosing("tool_call"), None)
    # A method may pass the same call to its superclass's.
    if around is not None and identity == around.subject:
        return await tool(arguments)
    call = opened(
        "tool_call", lambda: _tool(self, name, arguments, tool_use_id), emitter="fast_agent", subject=identity
    )
    return await awaited(call, run_tool(call, tool, arguments, subject=self), _tool_result)


@wrapping
async def _child_called(original: Any, /, self: Any, child: Any, arguments: Any = None, **kwargs: Any) -> Any:
    def describe() -> Keywords:
        name = kwargs.get("tool_name") or child.name
        return _tool(self, name, arguments, kwargs.get("tool_use_id"), source="agent")

    call = opened("tool_call", describe, emitter="fast_agent")

    def tool(given: Any) -> Any:
        return original(self, child, given, **kwargs)

    return await awaited(call, run_tool(call, tool, arguments, subject=self), _tool_result)


def _tool(agent: Any, name: str, arguments: Any, tool_use_id: str | None, *, source: str | None = None) -> Keywords:
    server = None
    if source is None:
        source, server = _source(agent, name)
    return {
        "tool_name": name,
        "args": arguments or {},
        "context": {
            "tool_use_id": tool_use_id,
            "tool_source": source,
            "server_name": server,
            "agent_name": agent.name,
        },
    }


def _source(agent: Any, name: str) -> tuple[str, str | None]:
    if name in agent.agent_backed_tools:
        return "agent", None
    if name in agent._execution_tools:  # noqa: SLF001 -- what call_tool itself looks into
        return "function", None
    aggregator = getattr(agent, "_aggregator", None)
    resolved = aggregator.resolve_tool_name(name) if aggregator is not None and "__" in name else None
    if resolved is not None and resolved.server_name is not None:
        return "mcp", resolved.server_name
    return "runtime", None


def _tool_result(result: Any) -> Keywords:
    return {"result": result}


def _message(message: Any) -> Keywords:
    """Return the part of a message that went to the model, without fast-agent's own notes."""
    fields = {
        "role": message.role,
        "content": message.content,
        "tool_calls": message.tool_calls,
        "tool_results": message.tool_results,
    }
    return {name: value for name, value in fields.items() if value}


def _texts(value: Any) -> Any:
    """Return messages as text, if they are only text."""
    if isinstance(value, list | tuple):
        found = [_texts(each) for each in cast("list[Any]", value)]
        return found[0] if len(found) == 1 else found
    content = getattr(value, "content", value)
    if isinstance(content, list) and content and not getattr(value, "tool_results", None):
        texts = [getattr(block, "text", None) for block in cast("list[Any]", content)]
        if all(isinstance(text, str) for text in texts):
            return "\n".join(map(str, texts))
    return value if isinstance(value, str) else _message(value)


def _failure(message: Any) -> BaseException | None:
    """Return the failure in a message: fast-agent turns a provider's errors into answers."""
    match _value(getattr(message, "stop_reason", None)):
        case "error":
            return AnswerFailed(message.last_text() or "the model call failed")
        case "cancelled":
            return CancelledError()
        case _:
            return None


def _value(enumerated: Any) -> Any:
    return getattr(enumerated, "value", enumerated)
