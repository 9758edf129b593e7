"""ADK's contents, answers and events as plain data."""

from enum import Enum
from typing import Any, cast

from inspector.integrations.calls import Keywords


class AnswerFailed(Exception):
    """A model's answer with an error code."""


def failure_of(answer: Any) -> AnswerFailed | None:
    """Return the failure in an answer or an event, if it contains nothing else."""
    code = getattr(answer, "error_code", None)
    if not code or (answer.content is not None and answer.content.parts):
        return None
    return AnswerFailed(f"{value_of(code)}: {answer.error_message or 'the model did not answer'}")


def text_of(content: Any) -> Any:
    """Return content as text, if it is only text."""
    parts = getattr(content, "parts", None)
    if not parts:
        return None
    texts = [part.text for part in parts if part.text and not part.thought]
    return "".join(texts) if len(texts) == len(parts) else lean(content)


def lean(value: Any) -> Any:
    """Return a Pydantic model without the many fields that are not set."""
    if isinstance(value, list):
        return [lean(each) for each in cast("list[Any]", value)]
    return _set_fields(value) if hasattr(value, "model_fields_set") else value_of(value)


def _set_fields(model: Any) -> Keywords:
    fields: dict[str, Any] = model.__dict__
    return {name: lean(each) for name, each in fields.items() if each is not None}


def value_of(enumerated: Any) -> Any:
    """Return the value of a member of an enumeration; anything else as it is."""
    return enumerated.value if isinstance(enumerated, Enum) else enumerated
