"""Readers that find the content of a call, for use in the tables: in attributes, in flattened lists, in events."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from inspector import semconv
from inspector.model import AttributeValue
from inspector.otlp import DecodedSpan
from inspector.reading.dialects.dialect import Reader
from inspector.reading.dialects.flattened import rebuilt
from inspector.reading.fields import parsed
from inspector.reading.messages import MAX_PARTS, Message, message, read_messages


def copied(*keys: str) -> Reader:
    """Find the first of several attributes, unchanged."""

    def read(span: DecodedSpan) -> AttributeValue:
        attributes = span.attributes
        for key in keys:
            value = attributes.get(key)
            if value is not None and value != "":
                return value
        return None

    return read


def member(key: str, *path: str) -> Reader:
    """Find a member of an attribute that holds JSON."""

    def read(span: DecodedSpan) -> AttributeValue:
        value = span.attributes.get(key)
        value = value if isinstance(value, dict) else parsed(value)
        for name in path:
            value = cast("Mapping[str, Any]", value).get(name) if isinstance(value, dict) else None
        return cast("AttributeValue", value)

    return read


def listed(key: str) -> Reader:
    """Find a list of JSON texts, which OTLP attributes use for lists of maps, and return the values."""

    def read(span: DecodedSpan) -> AttributeValue:
        items = span.attributes.get(key)
        if not isinstance(items, list):
            return None
        values = [parsed(item) for item in items]
        return cast(
            "AttributeValue",
            [original if value is None else value for original, value in zip(items, values, strict=True)],
        )

    return read


def conversation(*keys: str, role: str, plain: bool = True) -> Reader:
    """Find messages in the first of several attributes: a list, a request or response as JSON, or plain text.

    Args:
        keys: Attributes to look at.
        role: Whose messages those are that do not say it.
        plain: Whether a text that is not JSON is itself a message. JSON without messages never is.
    """

    def read(span: DecodedSpan) -> AttributeValue:
        attributes = span.attributes
        for key in keys:
            value = attributes.get(key)
            if value not in (None, "", "{}"):
                is_plain = isinstance(value, str) and parsed(value) is None
                found = read_messages(value, role) if plain or not is_plain else []
                if is_plain or _has_messages(found):
                    return cast("AttributeValue", found)
        return None

    return read


def _has_messages(messages: list[Message]) -> bool:
    return any("type" in part and len(part) > 1 for each in messages for part in each["parts"])


def flattened(prefix: str, read_item: Callable[[Mapping[str, Any]], Any]) -> Reader:
    """Find a list that is flattened into attribute keys, and read each of its items; None leaves one out."""

    def read(span: DecodedSpan) -> AttributeValue:
        messages = rebuilt(span.attributes, prefix)
        if not isinstance(messages, list):
            return None
        items = (read_item(item) for item in messages[:MAX_PARTS] if isinstance(item, dict))
        return [item for item in items if item is not None] or None

    return read


def spelled(prefix: str) -> Reader:
    """Find a map or list that is flattened into attribute keys."""

    def read(span: DecodedSpan) -> AttributeValue:
        return rebuilt(span.attributes, prefix)

    return read


def of_event(name: str, key: str) -> Reader:
    """Find an attribute of the last event of a name."""

    def read(span: DecodedSpan) -> AttributeValue:
        for event in reversed(span.events):
            if event["name"] == name:
                return _attributes_of(event).get(key)
        return None

    return read


def asked_in_events(span: DecodedSpan) -> AttributeValue:
    """Find the input of a model call in the events of the span."""
    return _messages_in(_bodies(span), semconv.INPUT_MESSAGES) if span.events else None


def answered_in_events(span: DecodedSpan) -> AttributeValue:
    """Find the output of a model call in the events of the span."""
    return _messages_in(_bodies(span), semconv.OUTPUT_MESSAGES) if span.events else None


def asked_in_list(key: str) -> Reader:
    """Find the input of a model call in a JSON list of events in an attribute."""
    return lambda span: _messages_in(_listed_bodies(span, key), semconv.INPUT_MESSAGES)


def answered_in_list(key: str) -> Reader:
    """Find the output of a model call in a JSON list of events in an attribute."""
    return lambda span: _messages_in(_listed_bodies(span, key), semconv.OUTPUT_MESSAGES)


_ROLES = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
_CHOICE = "gen_ai.choice"
DETAILS = "gen_ai.client.inference.operation.details"
"""An event, or a log, with the contents of a model call."""
_PLAIN = {
    "gen_ai.content.prompt": (semconv.INPUT_MESSAGES, "gen_ai.prompt", "user"),
    "gen_ai.content.completion": (semconv.OUTPUT_MESSAGES, "gen_ai.completion", "assistant"),
}
_Bodies = list[tuple[str, Mapping[str, Any]]]


def _bodies(span: DecodedSpan) -> _Bodies:
    """Return the events with their bodies: one attribute, as an object or its JSON, or the attributes themselves."""
    bodies: _Bodies = []
    for event in span.events:
        name, attributes = event["name"], _attributes_of(event)
        if isinstance(name, str):
            content = attributes.get("gen_ai.event.content", attributes.get(semconv.LOG_MESSAGE))
            body = content if isinstance(content, dict) else parsed(content)
            bodies.append((name, cast("Mapping[str, Any]", body) if isinstance(body, dict) else attributes))
    return bodies


def _listed_bodies(span: DecodedSpan, key: str) -> _Bodies:
    held = parsed(span.attributes.get(key))
    events = cast("list[Any]", held)[:MAX_PARTS] if isinstance(held, list) else []
    bodies = [cast("Mapping[str, Any]", event) for event in events if isinstance(event, dict)]
    return [(str(body.get("event.name")), body) for body in bodies]


def _attributes_of(event: Mapping[str, AttributeValue]) -> Mapping[str, AttributeValue]:
    attributes = event["attributes"]
    return attributes if isinstance(attributes, dict) else {}


def _messages_in(bodies: _Bodies, wanted: str) -> AttributeValue:
    messages: list[Message] = []
    for name, body in bodies:
        if name == DETAILS:
            messages += read_messages(body.get(wanted), "user" if wanted == semconv.INPUT_MESSAGES else "assistant")
        elif name in _PLAIN:
            key, field, role = _PLAIN[name]
            messages += read_messages(body.get(field), role) if key == wanted else []
        elif (name == _CHOICE) == (wanted == semconv.OUTPUT_MESSAGES) and (name == _CHOICE or name in _ROLES):
            message = _message_of(name, body)
            messages += [message] if message and message["parts"] else []
    return cast("AttributeValue", messages) or None


def _message_of(name: str, body: Mapping[str, Any]) -> Message | None:
    role = _ROLES.get(name, "assistant")
    wrapped = body.get("message", body.get("gen_ai.choice.message"))
    inner = cast("Any", wrapped) if isinstance(wrapped, dict) else parsed(wrapped)
    fields = cast("Mapping[str, Any]", inner) if isinstance(inner, dict) else body
    content = fields.get("content", wrapped if isinstance(wrapped, str) and fields is body else None)
    calls = fields.get("tool_calls")
    within = parsed(content)
    return message(
        {
            "role": fields.get("role") or role,
            "content": content if within is None else within,
            "tool_calls": parsed(calls) if isinstance(calls, str) else calls,
            "tool_call_id": fields.get("tool_call_id") or (fields.get("id") if role == "tool" else None),
            "finish_reason": body.get("finish_reason"),
        },
        role,
    )
