"""Has a model or an agent decide something, in a form that a program can read."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from toolkit.context import ToolContext
from toolkit.errors import ModelFailed
from toolkit.middleware.models import generate
from toolkit.model import Message, Model, ModelRequest
from toolkit.shapes import member
from toolkit.workflows.steps import named, take

T = TypeVar("T")

ATTEMPTS = 3
"""How often it is asked before its answers count as unreadable."""


def is_model(value: object) -> bool:
    """Tell whether it is a ``Model`` rather than an agent or a function."""
    return callable(getattr(value, "generate", None)) and isinstance(getattr(value, "provider", None), str)


async def tell(by: object, prompt: str, context: ToolContext) -> str:
    """Return what a model or an agent answers to ``prompt``."""
    if not is_model(by):
        return str(await take(by, prompt, context))
    model = cast("Model", by)
    messages: list[Message] = [{"role": "user", "content": prompt}]
    request = ModelRequest(messages, settings=dict(member(model, "settings") or {}))
    response = await generate(model, request, agent_name=context.agent_name, correlation_id=context.correlation_id)
    return response.message.get("content") or ""


async def decision(by: object, prompt: str, read: Callable[[Mapping[str, Any]], T], context: ToolContext) -> T:
    """Ask for a JSON object and return what ``read`` makes of it; what is wrong with an answer is told and asked again.

    Args:
        by: A model or an agent.
        prompt: What to decide, and which object to answer with.
        read: Raises ``ValueError`` with what is wrong.
        context: What an agent's tools may use.

    Raises:
        ModelFailed: No answer could be read.
    """
    asked, problem = prompt, ""
    for _ in range(ATTEMPTS):
        answer = await tell(by, asked, context)
        try:
            return read(_object(answer))
        except ValueError as error:
            problem = str(error)
            asked = f"{prompt}\n\nYou answered before:\n{answer}\n\nThat cannot be used: {problem}"
    raise ModelFailed(f"{named(by)} gave {context.agent_name} no usable answer in {ATTEMPTS} attempts: {problem}")


def _object(answer: str) -> Mapping[str, Any]:
    """Return the JSON object in an answer; models like to put words or a fence around it."""
    start, end = answer.find("{"), answer.rfind("}")
    if start < 0 or end < start:
        raise ValueError("there is no JSON object in it")
    try:
        return json.loads(answer[start : end + 1])
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not valid JSON: {error}") from error
