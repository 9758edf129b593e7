"""The newest message of a prompt: what a model call was sent that the call before it was not."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, cast

import msgspec
from msgspec import Raw

from inspector.plain import fields_of
from inspector.roles import ITEM_ROLES, ROLES, role_named
from inspector.store.values.chains import conventional
from inspector.store.values.excerpts import HOLD_MESSAGES, said_in, text_in
from inspector.store.values.lines import decoded, has_few_values, one_line, result_line

MOST_LOOKED_AT = 8
"""How many messages are searched, from the last one on."""
_MOST_CHARS = 32_000_000
"""A longer prompt is not parsed; one with a few screenshots has millions of characters."""
_MOST_BYTES = 2_000_000
"""A longer message is not looked at, unless it is few values."""
_MOST_PARTS = 1_000
"""Parts of a message that are looked at."""
_ARRAY = msgspec.json.Decoder(list[Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, Raw])
_ANY = msgspec.json.Decoder()


def newest_in(prompt: str | None) -> str | None:
    """Return what the user or a tool said last, on one line, or nothing if none of the last messages is theirs.

    Returns:
        None if the prompt has no messages.
    """
    if not prompt or len(prompt) > _MOST_CHARS:
        return None
    try:
        messages = _messages_in(prompt)
        return None if messages is None else _newest_of(messages) or ""
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _messages_in(prompt: str) -> Sequence[Raw] | None:
    """Return the messages of an array, or of the member of an object that holds them; None if there is none."""
    if prompt.lstrip()[:1] != "{":
        return _ARRAY.decode(prompt)
    members = _MEMBERS.decode(prompt)
    held = (bytes(members[key]) for key in HOLD_MESSAGES if key in members)
    return next((_ARRAY.decode(each) for each in held if each.startswith(b"[")), None)


def _newest_of(messages: Sequence[Raw], *, is_one_of_batch: bool = False) -> str | None:
    for raw in islice(reversed(messages), MOST_LOOKED_AT):
        match _decoded(raw):
            case [str(role), str(text)] if role in ROLES:
                said = _said({"role": role, "content": text})
            case [*_] if not is_one_of_batch:
                said = _newest_of(_ARRAY.decode(raw), is_one_of_batch=True)
            case str(text):
                said = one_line(text)
            case message:
                said = _said(cast("dict[str, Any]", message)) if isinstance(message, dict) else None
        if said:
            return said
    return None


def _decoded(raw: Raw) -> Any:
    """Return a message; None if it would take long."""
    data = bytes(raw)
    return _ANY.decode(data) if len(data) <= _MOST_BYTES or has_few_values(data) else None


def _said(message: dict[str, Any]) -> str | None:
    """Return what a message of the user or a tool says; None for other messages."""
    kind, name = message.get("type"), message.get("role")
    item_role = ITEM_ROLES.get(kind) if isinstance(kind, str) and name is None else None
    named = name if isinstance(name, str) else kind
    role = item_role or (role_named(named) if isinstance(named, str) else "user")
    if role not in ("user", "tool"):
        return None
    body = [message] if item_role else message.get("parts", message.get("content"))
    parts = cast("list[Any]", body)[:_MOST_PARTS] if isinstance(body, list) else [body]
    lines = [_line_of(conventional(part), role) for part in parts]
    return one_line(" ".join(line for line in lines if line)) or None


def _line_of(part: Any, role: str) -> str | None:
    members = fields_of(part)
    if members.get("type") == "tool_call_response":
        value = members.get("response", members.get("result"))
        return result_line(decoded(value) if isinstance(value, str) else value)
    return result_line(decoded(text_in(part))) if role == "tool" else said_in(part)
