"""Limits for one request, span and value, in either encoding, and what replaces the rest."""

from math import isfinite

from inspector.model import AttributeValue
from inspector.plain import INT64_MAX

LARGE_REQUEST = 4 << 20
"""Above this size, a request is decoded twice: once to know whether all of it can be taken, and again part by part."""
MAX_DEPTH = 32
"""Maximum nesting inside one attribute; deeper values are replaced by ``TOO_DEEP``."""
MAX_ATTRIBUTES = 1_024
"""Maximum attributes of one span, event, link or map; the first ones are kept."""
MAX_ITEMS = 10_000
"""Maximum items of one list value; the first ones are kept."""
MAX_EVENTS = 1_024
"""Maximum events, and maximum links, of one span; the first ones are kept."""
MAX_KEY = 1_024
"""Maximum characters of an attribute key; the rest is cut off."""
TOO_DEEP = "[nested too deeply]"

_SHORT_NAME = 256


def short_text(text: str | None) -> str:
    """Return a name or version, shortened to the maximum length of names."""
    return text[:_SHORT_NAME] if text else ""


def note_losses(attributes: dict[str, AttributeValue], sent: tuple[int, int, int], reported: int) -> None:
    """Note how much is missing, under OpenTelemetry's names for formats without such counters.

    https://opentelemetry.io/docs/specs/otel/common/mapping-to-non-otlp/#dropped-attributes-count

    Args:
        attributes: Where to note it.
        sent: How many attributes, events and links there were.
        reported: How many attributes the sender itself had dropped.
    """
    pairs, events, links = sent
    if reported or pairs > MAX_ATTRIBUTES:
        lost = max(0, reported) + max(0, pairs - MAX_ATTRIBUTES)
        attributes["otel.dropped_attributes_count"] = min(lost, INT64_MAX)
    if events > MAX_EVENTS:
        attributes["otel.dropped_events_count"] = events - MAX_EVENTS
    if links > MAX_EVENTS:
        attributes["otel.dropped_links_count"] = links - MAX_EVENTS


_DOUBLES = {"NaN": "NaN", "Infinity": "Infinity", "-Infinity": "-Infinity"}


def double_value(value: float | str) -> float | str:
    """Return the number; NaN and infinities, which JSON lacks, become the text that protobuf's JSON uses."""
    if isinstance(value, str):
        if value in _DOUBLES:
            return value
        try:
            value = float(value)
        except ValueError:
            return value
    if isfinite(value):
        return value
    return "NaN" if value != value else ("Infinity" if value > 0 else "-Infinity")  # noqa: PLR0124 - only NaN differs
