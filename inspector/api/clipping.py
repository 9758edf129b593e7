"""An event without its longest values, for clients that fetch those only when they are needed."""

from dataclasses import fields, replace
from typing import Any

import msgspec

from inspector.model import ClippedEvent, Event, LargeField, SpanError

_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[dict[str, msgspec.Raw]])
_NULL = msgspec.Raw(b"null")


def clip(event: Event, most_chars: int) -> ClippedEvent:
    """Leave out every value of a full event whose JSON has more than ``most_chars`` characters, and list it.

    Names and ids are kept, however long they are.
    """
    clipper = _Clipper(most_chars)
    values: dict[str, Any] = {field.name: getattr(event, field.name) for field in fields(Event)}
    for name in ("input", "output"):
        if clipper.refuses(name, values[name]):
            values[name] = None
    values["attributes"] = clipper.without("attributes", event.attributes)
    values["events"] = clipper.within("events", event.events)
    values["links"] = clipper.within("links", event.links)
    if event.error is not None:
        values["error"] = clipper.error(event.error)
    return ClippedEvent(**values, clipped=clipper.clipped)


class _Clipper:
    """Remembers what it left out."""

    def __init__(self, most_chars: int) -> None:
        self.clipped: dict[str, int] = {}
        self._most_chars = most_chars

    def refuses(self, name: str, text: LargeField) -> bool:
        """Return whether a value is too long, and remember it."""
        # No text has more characters than bytes, and counting them means decoding it.
        if not isinstance(text, msgspec.Raw) or len(bytes(text)) <= self._most_chars:
            return False
        length = len(bytes(text).decode(errors="replace"))
        if length <= self._most_chars:
            return False
        self.clipped[name] = length
        return True

    def without(self, name: str, text: LargeField) -> LargeField:
        """Drop the members of an object that are too long."""
        if not isinstance(text, msgspec.Raw) or len(bytes(text)) <= self._most_chars:
            return text
        members = _MEMBERS.decode(text)
        return _encoded({key: value for key, value in members.items() if not self.refuses(f"{name}.{key}", value)})

    def within(self, name: str, text: LargeField) -> LargeField:
        """Replace each attribute that is too long by null, in a list of objects with attributes."""
        if not isinstance(text, msgspec.Raw) or len(bytes(text)) <= self._most_chars:
            return text
        items = _LIST.decode(text)
        for at, event in enumerate(items):
            attributes = bytes(event.get("attributes", _NULL))
            if attributes.startswith(b"{"):
                kept = {
                    key: _NULL if self.refuses(f"{name}.{at}.{key}", value) else value
                    for key, value in _MEMBERS.decode(attributes).items()
                }
                event["attributes"] = _encoded(kept)
        return _encoded(items)

    def error(self, error: SpanError) -> SpanError:
        """Leave out the texts of an error that are too long."""
        return replace(
            error,
            message=self._short("error.message", error.message),
            traceback=self._short("error.traceback", error.traceback),
        )

    def _short(self, name: str, text: str | None) -> str | None:
        return None if text is None or self.refuses(name, _encoded(text)) else text


def _encoded(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
