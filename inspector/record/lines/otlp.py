"""Attributes and events of the SDK's spans as OTLP JSON, the form of the OpenTelemetry file exporter.

Field names and spellings (hexadecimal ids, 64-bit integers as strings) are those of the OTLP specification's JSON
protobuf encoding.
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import msgspec

from inspector import semconv as sc
from inspector.encoding import write_mark
from inspector.frames import Refers
from inspector.record.calls.spans import Event
from inspector.record.lines.parts import WrittenParts
from inspector.record.lines.span_events import span_events
from inspector.record.lines.texts import Texts

Scalar: TypeAlias = str | bool | int | float
Attribute: TypeAlias = Scalar | tuple[Scalar, ...]

encode = msgspec.json.Encoder(enc_hook=write_mark).encode
"""Writes JSON."""


class _Value(msgspec.Struct, omit_defaults=True, rename="camel", gc=False):
    string_value: str | None = None
    bool_value: bool | None = None
    int_value: str | None = None
    double_value: float | None = None
    array_value: "dict[str, list[_Value]] | None" = None
    inspector_frame: Refers | None = None


class _KeyValue(msgspec.Struct, gc=False):
    key: str
    value: _Value


class _Event(msgspec.Struct, rename="camel", gc=False):
    time_unix_nano: str
    name: str
    attributes: list[_KeyValue]


def _value(value: Attribute) -> _Value:
    if isinstance(value, str):
        return _Value(string_value=value)
    if value is True or value is False:
        return _Value(bool_value=value)
    if isinstance(value, int):
        return _Value(int_value=str(value))
    if isinstance(value, float):
        return _Value(double_value=value)
    return _Value(array_value={"values": [_value(item) for item in value]})


def key_values(attributes: Iterable[tuple[str, Attribute]], parts: WrittenParts | None = None) -> list[_KeyValue]:
    """Return attributes in OTLP's form, with long texts as ``parts``."""
    return [_KeyValue(key, _framed(key, value, parts) or _value(value)) for key, value in attributes]


def _framed(key: str, value: Attribute, parts: WrittenParts | None) -> _Value | None:
    if parts is None or not isinstance(value, str):
        return None
    refers = parts.refers(key, parts.pieces(value, is_prompt=key in sc.MESSAGE_KEYS) or parts.quotations(value))
    return None if refers is None else _Value(inspector_frame=refers)


def event_records(events: Iterable[Event], texts: Texts) -> Iterator[_Event]:
    """Yield events in the form that is written."""
    for event in span_events(events, texts):
        pairs: list[tuple[str, Attribute]] = []
        for key, value in event.facts.items():
            if isinstance(value, str | bool | int | float) and not key.endswith("_json"):
                pairs.append((key, value))
            elif value is not None:
                pairs.append((key, encode(value).decode()))
        if event.exception is not None:
            exception = event.exception
            pairs += [
                (sc.EXCEPTION_TYPE, exception.type),
                (sc.EXCEPTION_MESSAGE, exception.message),
                (sc.EXCEPTION_STACKTRACE, exception.stacktrace),
            ]
        yield _Event(str(event.at_ns), event.name, key_values(pairs))
