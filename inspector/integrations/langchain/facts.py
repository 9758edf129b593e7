"""The keywords of hooks, from LangChain's objects."""

from collections.abc import Mapping
from types import FrameType
from typing import Any, Final

from inspector.integrations.calls import Keywords, Model, Named
from inspector.integrations.classes import is_a
from inspector.integrations.exchanges import FIRST_ERROR
from inspector.integrations.providers import provider_named
from inspector.plain import fields_of
from inspector.roles import role_named

_UNNAMED_GRAPH: Final = "LangGraph"
_PARAMETERS: Final = (
    "frequency_penalty",
    "max_completion_tokens",
    "max_output_tokens",
    "max_tokens",
    "n",
    "parallel_tool_calls",
    "presence_penalty",
    "reasoning",
    "reasoning_effort",
    "response_format",
    "seed",
    "stop",
    "stream",
    "temperature",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
)


def chain_name(serialized: Any, name: Any) -> str:
    """Return the name of a chain or graph."""
    if isinstance(name, str) and name:
        return name
    return _serialized_name(serialized) or "chain"


def _serialized_name(serialized: Any) -> str | None:
    name: Any = fields_of(serialized).get("name") or (fields_of(serialized).get("id") or [None])[-1]
    return name if isinstance(name, str) else None


def graph_name(name: str, node: str | None) -> str | None:
    """Return the name of a graph: its own, else that of its node."""
    return node if name == _UNNAMED_GRAPH else name


def workflow(name: str, kind: str | None, inputs: Any) -> Keywords:
    """Return a chain, a graph or a node of one."""
    # Streamed chains have not read their input when they start.
    keywords = {} if inputs == {"input": ""} else {"input": inputs}
    return {"workflow": Named(name, workflow_type=kind), "context": None, **keywords}


def agent(name: str | None, inputs: Any) -> Keywords:
    """Return a graph that is an agent."""
    return {"agent": Named(name or "agent"), "input": inputs}


def chat(serialized: Any, messages: Any, more: Keywords, *, streams: bool) -> Keywords:
    """Return the call of a chat model."""
    request = _request(serialized, more, streams=streams)
    return {
        "llm": Model(_provider(more), request.get("model")),
        "prompt": {**request, "messages": [_message(message) for message in messages]},
    }


def completion(serialized: Any, prompt: Any, more: Keywords, *, streams: bool) -> Keywords:
    """Return the call of a text completion model."""
    request = _request(serialized, more, streams=streams)
    return {
        "llm": Model(_provider(more), request.get("model"), "text_completion"),
        "prompt": {**request, "prompt": prompt},
    }


def _request(serialized: Any, more: Keywords, *, streams: bool) -> dict[str, Any]:
    params = fields_of(more.get("invocation_params"))
    model = params.get("model") or params.get("model_name") or fields_of(more.get("metadata")).get("ls_model_name")
    request = {name: params[name] for name in _PARAMETERS if params.get(name) is not None}
    if streams:
        request["stream"] = True
    return {"model": model or _serialized_name(serialized), **request}


def _provider(more: Keywords) -> str | None:
    name = fields_of(more.get("metadata")).get("ls_provider")
    return provider_named(name) if isinstance(name, str) else None


def _message(message: Any) -> Any:
    """Return a message as providers spell it."""
    kind = getattr(message, "type", None)
    if kind is None:
        return message
    # A `ChatMessage` has any role.
    role = getattr(message, "role", None) or role_named(kind) or kind
    plain: dict[str, Any] = {"role": role, "content": message.content}
    for name in ("name", "tool_calls", "tool_call_id"):
        if found := getattr(message, name, None):
            plain[name] = found
    return plain


def answer(result: Any) -> Keywords:
    """Return the answer of a model, with one choice for each of several answers."""
    generations: Any = result.generations[0]
    messages = [getattr(each, "message", None) for each in generations]
    first = messages[0] if messages else None
    metadata = fields_of(getattr(first, "response_metadata", None))
    response: dict[str, Any] = {
        "id": metadata.get("id") or getattr(first, "id", None),
        "model": metadata.get("model_name") or metadata.get("model"),
        "choices": [_choice(each, message) for each, message in zip(generations, messages, strict=True)],
    }
    usage = getattr(first, "usage_metadata", None)
    return {"response": response, "usage": usage or fields_of(result.llm_output).get("token_usage") or None}


def partial_answer(result: Any) -> Keywords:
    """Return what arrived of an answer whose call failed: chunks of a stream, or a body that could not be parsed."""
    generations: Any = getattr(result, "generations", None)
    first = generations[0][0] if generations and generations[0] else None
    if first is None:
        return {}
    metadata = fields_of(getattr(getattr(first, "message", None), "response_metadata", None))
    if "status_code" not in metadata:
        return answer(result)
    body = metadata.get("body")
    has_answer = isinstance(body, dict) and metadata["status_code"] < FIRST_ERROR
    return {"response": body, "usage": fields_of(body).get("usage")} if has_answer else {}


def _choice(generation: Any, message: Any) -> dict[str, Any]:
    info = {**fields_of(generation.generation_info), **fields_of(getattr(message, "response_metadata", None))}
    return {
        "message": {"role": "assistant", "content": generation.text} if message is None else _message(message),
        "finish_reason": info.get("finish_reason") or info.get("stop_reason"),
    }


def tool(serialized: Any, text: str, more: Keywords, frame: FrameType | None) -> Keywords:
    """Return the call of a tool."""
    inputs = fields_of(more.get("inputs"))
    args = {name: value for name, value in inputs.items() if type(value).__name__ != "ToolRuntime"}
    call_id = more.get("tool_call_id")
    if call_id is None and frame is not None:
        # Versions before the keyword: BaseTool.run has it.
        call_id = frame.f_locals.get("tool_call_id")
    called: Any = None if frame is None else frame.f_locals.get("self")
    function = getattr(called, "func", None) or getattr(called, "coroutine", None)
    return {
        "tool_name": _serialized_name(serialized) or more.get("name") or "tool",
        "args": args if isinstance(more.get("inputs"), dict) else text,
        "context": {"tool_use_id": call_id, "tool_source": "function"},
        "function": function,
    }


def tool_result(output: Any) -> Any:
    """Return the result of a tool; a message with an error status is a failure."""
    if getattr(output, "type", None) != "tool":
        return output
    if getattr(output, "status", None) == "error":
        return {"is_error": True, "content": output.content}
    artifact = getattr(output, "artifact", None)
    return output.content if artifact is None else {"content": output.content, "artifact": artifact}


def retriever(serialized: Any, query: str, more: Keywords) -> Keywords:
    """Return the call of a retriever, made by the program and not the model."""
    name = more.get("name") or _serialized_name(serialized) or "retriever"
    return {"tool_name": name, "args": {"query": query}, "context": {"tool_source": "runtime"}}


def is_control_flow(error: BaseException) -> bool:
    """Tell whether langgraph raised it to leave a node, not because something failed."""
    return is_a(error, "GraphBubbleUp")


def interrupts(error: BaseException) -> dict[Any, Any]:
    """Return the interrupts that a paused graph waits for, by id; none if it continues elsewhere."""
    if not is_a(error, "GraphInterrupt"):
        return {}
    raised: Any = error.args[0] if error.args else ()
    return {getattr(each, "id", index): getattr(each, "value", each) for index, each in enumerate(raised)}


def pause(waits_for: Mapping[Any, Any], session_id: str | None) -> Keywords:
    """Return a graph that waits for somebody to resume it."""
    reasons = list(waits_for.values())
    return {"session_id": session_id, "reason": reasons[0] if len(reasons) == 1 else reasons, "context": None}


def thread_of(metadata: Any) -> str | None:
    """Return the thread id of a run."""
    thread_id = fields_of(metadata).get("thread_id")
    return thread_id if isinstance(thread_id, str) else None


def resumes(inputs: Any) -> bool:
    """Tell whether a graph is resumed."""
    return type(inputs).__name__ == "Command" and getattr(inputs, "resume", None) is not None
