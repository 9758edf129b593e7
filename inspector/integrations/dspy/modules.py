"""Modules as agents or steps of a workflow, and what runs many of them."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Named, opened
from inspector.integrations.classes import is_a
from inspector.integrations.methods import reported
from inspector.integrations.plain import is_items

_OWN: Final = "dspy."
_AGENTS: Final = ("Avatar", "CodeAct", "RLM", "ReAct", "ReActV2")
"""DSPy's modules that choose what to do; a program's subclasses of them are agents too."""


def plain(value: Any) -> Any:
    """Return a prediction or an example as its fields, also in lists."""
    if is_items(value):
        return [plain(each) for each in value]
    if is_a(value, "Example", of=_OWN):
        return {name: plain(each) for name, each in value.items()}
    return value


def _predicted(result: Any) -> Keywords:
    return {"result": plain(result)}


def _scored(result: Any) -> Keywords:
    return {"result": {"score": result.score, "examples": len(result.results)}}


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


def _opened_pairs(_: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    def inputs() -> list[Any]:
        return [_inputs(pair[1]) for pair in (args[0] if args else kwargs["exec_pairs"])]

    return _opened_step("Parallel", "parallel", inputs)


def _opened_evaluation(_: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    def program() -> dict[str, Any]:
        return {"program": type(args[0] if args else kwargs["program"]).__name__}

    return _opened_step("Evaluate", "evaluation", program)


def _given(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    # A model is no input, and holds its history of calls.
    named = {name: plain(value) for name, value in kwargs.items() if name != "lm"}
    return {"args": plain(list(args)), **named} if args else named


def _inputs(example: Any) -> Any:
    has_inputs = getattr(example, "_input_keys", None) is not None
    return plain(example.inputs() if has_inputs else example)


called: Final = reported(_opened_module, _predicted)
"""Reports each call of a module."""
in_parallel: Final = reported(_opened_pairs, _predicted)
"""Reports the modules that run in parallel as one step."""
evaluated: Final = reported(_opened_evaluation, _scored)
"""Reports an evaluation as one step."""
