"""Modules as agents or steps of a workflow, and what runs many of them."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Named, opened
from inspector.integrations.classes import is_a
from inspector.integrations.plain import is_items

_OWN: Final = "dspy."
_AGENTS: Final = ("Avatar", "CodeAct", "RLM", "ReAct", "ReActV2")
"""DSPy's modules that choose what to do; a program's subclasses of them are agents too."""


def called(original: Any) -> Any:
    """Report each call of a module."""

    def call_module(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _opened_module(self, args, kwargs) as call:
            result = original(self, *args, **kwargs)
        call.ended(lambda: {"result": plain(result)})
        return result

    return call_module


def called_async(original: Any) -> Any:
    """Like `called`, for ``acall``."""

    async def acall(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _opened_module(self, args, kwargs) as call:
            result = await original(self, *args, **kwargs)
        call.ended(lambda: {"result": plain(result)})
        return result

    return acall


def in_parallel(original: Any) -> Any:
    """Report the modules that run in parallel as one step."""

    def forward(self: Any, exec_pairs: Any, *args: Any, **kwargs: Any) -> Any:
        with _opened_step("Parallel", "parallel", lambda: [_inputs(pair[1]) for pair in exec_pairs]) as call:
            result = original(self, exec_pairs, *args, **kwargs)
        call.ended(lambda: {"result": plain(result)})
        return result

    return forward


def evaluated(original: Any) -> Any:
    """Report an evaluation as one step."""

    def evaluate(self: Any, program: Any, *args: Any, **kwargs: Any) -> Any:
        with _opened_step("Evaluate", "evaluation", lambda: {"program": type(program).__name__}) as call:
            result = original(self, program, *args, **kwargs)
        call.ended(lambda: {"result": {"score": result.score, "examples": len(result.results)}})
        return result

    return evaluate


def plain(value: Any) -> Any:
    """Return a prediction or an example as its fields, also in lists."""
    if is_items(value):
        return [plain(each) for each in value]
    if is_a(value, "Example", of=_OWN):
        return {name: plain(each) for name, each in value.items()}
    return value


def _opened_module(module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    name = type(module).__name__
    if is_a(module, *_AGENTS, of=_OWN):
        return opened("agent_call", lambda: _agent(module, name, args, kwargs), emitter="dspy")
    return _opened_step(name, "module", lambda: _given(args, kwargs))


def _agent(module: Any, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Keywords:
    description = getattr(getattr(module, "signature", None), "instructions", None)
    about = Named(name, description if isinstance(description, str) else None)
    return {"agent": about, "input": _given(args, kwargs)}


def _opened_step(name: str, kind: str, given: Callable[[], Any]) -> Call:
    def describe() -> Keywords:
        return {"workflow": Named(name, workflow_type=kind), "input": given()}

    return opened("workflow_run", describe, emitter="dspy")


def _given(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    # A model is no input, and holds its history of calls.
    named = {name: plain(value) for name, value in kwargs.items() if name != "lm"}
    return {"args": plain(list(args)), **named} if args else named


def _inputs(example: Any) -> Any:
    has_inputs = getattr(example, "_input_keys", None) is not None
    return plain(example.inputs() if has_inputs else example)
