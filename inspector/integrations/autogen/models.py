"""Models that no SDK and no HTTP client is asked for: those of the program, and those that run in the process."""

from collections.abc import Mapping
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Model, is_reported
from inspector.integrations.generators import collecting, in_steps, opened_apart
from inspector.integrations.methods import reported
from inspector.integrations.patches import wrapping
from inspector.integrations.plain import is_items

_IN_PROCESS: Final = ("autogen_ext.models.replay", "autogen_ext.models.llama_cpp")


def asks_client(cls: type[Any]) -> bool:
    """Tell whether a class is a model of AutoGen whose client is recorded, or inherits from one."""
    modules = [each.__module__ for each in cls.__mro__]
    return any(each.startswith("autogen_ext.") and not each.startswith(_IN_PROCESS) for each in modules)


def _once(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
    return None if is_reported("llm_generate", model) else _opened(model, args, kwargs)


@wrapping
def streamed(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each call of a model that gives its answer in parts."""
    parts = original(self, *args, **kwargs)
    if is_reported("llm_generate", self):
        return parts
    return in_steps(parts, lambda: collecting(_opened(self, args, kwargs, streams=True), _whole))


def _opened(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, streams: bool = False) -> Call:
    def describe() -> Keywords:
        kind = type(model).__name__
        messages = args[0] if args else kwargs["messages"]
        prompt: Keywords = {"model": kind, "messages": [each for one in messages for each in _written(one)]}
        if tools := kwargs.get("tools"):
            prompt["tools"] = [{"type": "function", "function": _schema(each)} for each in tools]
        return {"llm": Model(None, kind, class_name=kind), "prompt": prompt | ({"stream": True} if streams else {})}

    return opened_apart("llm_generate", describe, emitter="autogen", subject=model)


def _schema(tool: Any) -> Any:
    return getattr(tool, "schema", tool)


def _written(message: Any) -> list[Keywords]:
    """Write a message as chat completions have it; results of tools are one message each."""
    kind, content = type(message).__name__, message.content
    if kind == "FunctionExecutionResultMessage":
        return [{"role": "tool", "tool_call_id": each.call_id, "content": each.content} for each in content]
    if kind == "AssistantMessage":
        return [_assistant(content, message.thought)]
    if is_items(content):
        content = [{"type": "text", "text": each if isinstance(each, str) else "[image]"} for each in content]
    return [{"role": "system" if kind == "SystemMessage" else "user", "content": content}]


def _assistant(content: Any, thought: Any) -> Keywords:
    if not is_items(content):
        return {"role": "assistant", "content": content}
    calls = [
        {"id": each.id, "type": "function", "function": {"name": each.name, "arguments": each.arguments}}
        for each in content
    ]
    return {"role": "assistant", "content": thought, "tool_calls": calls}


def _whole(parts: list[Any]) -> Keywords:
    last = parts[-1]
    if isinstance(last, str):
        # It was left before its result.
        return {"response": {"choices": [{"message": _assistant("".join(parts), None)}]}}
    return _answer(last)


def _answer(result: Any) -> Keywords:
    message = _assistant(result.content, result.thought)
    usage = {"input_tokens": result.usage.prompt_tokens, "output_tokens": result.usage.completion_tokens}
    return {"response": {"choices": [{"message": message, "finish_reason": result.finish_reason}]}, "usage": usage}


generated: Final = reported(_once, _answer)
"""Reports each call of a model."""
