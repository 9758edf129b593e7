"""Runs of pipelines, of their components, and of agents."""

from collections.abc import Awaitable, Mapping
from functools import partial
from inspect import iscoroutine
from typing import Any, Final, cast

from inspector.integrations.calls import Call, Keywords, Named, conclude, opened, safely
from inspector.integrations.classes import is_a
from inspector.integrations.generators import Following, generating, opened_apart
from inspector.integrations.methods import reported
from inspector.integrations.patches import wrapping
from inspector.integrations.plain import is_fields, is_items
from inspector.integrations.tracebacks import unseen

_MESSAGES: Final = "messages"


def _pipeline(pipeline: Any, data: Any) -> Call:
    def describe() -> Keywords:
        kind = type(pipeline).__name__
        name = pipeline.metadata.get("name")
        named = Named(name if isinstance(name, str) else kind, workflow_type="pipeline", class_name=kind)
        return {"workflow": named, "input": plain(data)}

    return opened_apart("workflow_run", describe, emitter="haystack")


@wrapping
def ran(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each run of a pipeline."""
    with Inside(_pipeline(self, args[0] if args else kwargs.get("data"))) as call:
        output = original(self, *args, **kwargs)
    conclude(call, _outcome, output)
    return output


def _generated(pipeline: Any, data: Any = None, *_: Any, **__: Any) -> Following:
    call = _pipeline(pipeline, data)
    last: list[Any] = []

    def saw(partial_output: Any) -> None:
        # Each is of one component, and the last of the whole pipeline.
        last[:] = [partial_output]

    return Following(call, saw, lambda: call.ended(lambda: {"result": plain(last[0]) if last else {}}))


@wrapping
def ran_component(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Report each component that runs, but an agent, which is a call of its own."""
    named = dict(zip(("component_name", "component", "inputs"), args, strict=False)) | kwargs
    if safely(lambda: is_a(named["component"]["instance"], "Agent", of="haystack."), False):
        return original(*args, **kwargs)
    with Inside(opened_apart("workflow_run", partial(_component, named), emitter="haystack")) as call:
        output = original(*args, **kwargs)
        if iscoroutine(output):
            return _awaited(call, output)
    conclude(call, _outcome, output)
    return output


async def _awaited(call: Call, work: Awaitable[Any]) -> Any:
    with unseen, Inside(call):
        output = await work
    conclude(call, _outcome, output)
    return output


class Inside:
    """Does the work of a call, which fails with the exception of the program's own code, where Haystack wraps that."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    def __enter__(self) -> Call:
        return self._call.__enter__()

    def __exit__(self, kind: object, exc: BaseException | None, traceback: object) -> None:
        if exc is not None:
            if type(exc).__name__ == "BreakpointException":
                self._call.interrupted()
            self._call.failed(exc.__cause__ or exc)
        self._call.__exit__(kind, exc, traceback)


def _component(named: Mapping[str, Any]) -> Keywords:
    kind = type(named["component"]["instance"]).__name__
    about = Named(named["component_name"], workflow_type="component", class_name=kind)
    given = named.get("inputs", named.get("component_inputs"))
    return {"workflow": about, "input": plain(given)}


def _outcome(output: Any) -> Keywords:
    return {"result": plain(output)}


def _agent(agent: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    def describe() -> Keywords:
        kind = type(agent).__name__
        name = getattr(agent, "__component_name__", None) or kind
        messages = args[0] if args else kwargs.get(_MESSAGES)
        return {"agent": Named(name, class_name=kind), "input": _asked(messages, kwargs)}

    return opened("agent_call", describe, emitter="haystack")


def _asked(messages: Any, kwargs: Mapping[str, Any]) -> Any:
    texts = [each.text for each in messages] if is_items(messages) else []
    if len(texts) == 1 and texts[0] is not None:
        return texts[0]
    return plain(messages or dict(kwargs))


def _answered(result: Any) -> Keywords:
    """Return the last message of an agent, or all that it returned if that is no text."""
    text = getattr(result.get("last_message"), "text", None)
    more = {name: plain(value) for name, value in result.items() if name not in (_MESSAGES, "last_message")}
    return {"result": text if isinstance(text, str) else more}


def plain(value: Any) -> Any:
    """Return objects of Haystack as they write themselves, documents without their vectors."""
    if is_items(value):
        return [plain(each) for each in value]
    if is_fields(value):
        return {name: plain(each) for name, each in value.items()}
    kind = cast("type[Any]", type(value))
    if not kind.__module__.startswith("haystack.dataclasses") or not hasattr(value, "to_dict"):
        return value
    if kind.__name__ != "Document":
        return value.to_dict()
    fields: dict[str, Any] = value.to_dict(flatten=False)
    return {name: each for name, each in fields.items() if each is not None and "embedding" not in name}


generated: Final = generating(_generated)
"""Reports each run of a pipeline that gives what its components return."""
answered: Final = reported(_agent, _answered)
"""Reports each run of an agent."""
