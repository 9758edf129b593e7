"""Reads the messages that an agent's conversation begins with."""

import json
from pathlib import Path
from typing import Any, Literal, cast

from toolkit.declare.cards import read_text
from toolkit.errors import CardInvalid, CardProblem
from toolkit.model import Message

_ROLES: dict[str, Literal["user", "assistant"]] = {"---USER": "user", "---ASSISTANT": "assistant"}
_KNOWN = ("system", "user", "assistant", "tool")


def read_messages(path: Path) -> list[Message]:
    """Read a JSON list of chat messages, or text whose lines ``---USER`` and ``---ASSISTANT`` say who speaks next.

    Raises:
        CardInvalid: It is neither.
    """
    text = read_text(path)
    return _from_json(text, str(path)) if path.suffix.lower() == ".json" else _from_text(text)


def _from_text(text: str) -> list[Message]:
    parts: list[tuple[Literal["user", "assistant"], list[str]]] = [("user", [])]
    for line in text.splitlines():
        role = _ROLES.get(line.strip())
        if role is None:
            parts[-1][1].append(line)
        else:
            parts.append((role, []))
    messages: list[Message] = [{"role": role, "content": "\n".join(lines).strip()} for role, lines in parts]
    return [each for each in messages if each.get("content")]


def _from_json(text: str, source: str) -> list[Message]:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise CardInvalid((CardProblem(source, line, f"not valid JSON: {error}"),)) from error
    if isinstance(found, dict):
        found = cast("dict[str, Any]", found).get("messages")
    if not isinstance(found, list) or not all(map(_is_message, cast("list[object]", found))):
        message = f"expected a list of chat messages, each with a role ({', '.join(_KNOWN)}) and content"
        raise CardInvalid((CardProblem(source, 1, message),))
    return cast("list[Message]", found)


def _is_message(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    message = cast("dict[str, object]", value)
    return message.get("role") in _KNOWN and isinstance(message.get("content"), str)
