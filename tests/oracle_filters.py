"""What a filter asks of one span, and of a trace or run as a whole, by plain comparisons."""

import json
import re
from typing import Any

from inspector.model import Filter, Span


def asked_of_spans(where: Filter) -> Filter:
    """What a filter of traces or runs asks of one span."""
    names = ("kinds", "parent_id", "model", "answered_model", "tool", "error_type", "hook", "duplicates")
    names += ("attributes", "arguments", "results", "q")
    return Filter(**{name: getattr(where, name) for name in names})


def meets_as_whole(sums: dict[str, Any], where: Filter) -> bool:
    """Whether a trace or run meets what is asked of it itself."""
    start_ns = int(sums["start_time_unix_nano"])
    return all(
        (
            where.name in (None, sums["name"]),
            where.name_prefix is None or sums["name"].startswith(where.name_prefix),
            where.service in (None, sums["service"]),
            not where.statuses or sums["status"] in where.statuses,
            where.since_ns is None or start_ns >= where.since_ns,
            where.until_ns is None or start_ns < where.until_ns,
            is_between(sums["duration_ms"], where.min_duration_ms, where.max_duration_ms),
            is_between(sums["cost_usd"], where.min_cost_usd, where.max_cost_usd),
        )
    )


def is_between(value: float | None, least: float | None, most: float | None) -> bool:
    if least is None and most is None:
        return True
    return value is not None and (least is None or value >= least) and (most is None or value <= most)


def is_of_type(error_type: str | None, wanted: str) -> bool:
    return error_type is not None and (
        error_type == wanted or ("." not in wanted and error_type.endswith(f".{wanted}"))
    )


def is_of_replay(span: Span) -> bool:
    return "inspector.replay.run" in span.attributes and "inspector.replay.live" not in span.attributes


def holds(span: Span, key: str | None, path: str, text: str) -> bool:
    value = span.attributes.get(key or "")
    if not isinstance(value, str) or value[:1] != "{":
        return False
    return value_at(value, path) == text


def value_at(text: str, path: str) -> str | None:
    value = json.loads(text)
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        try:
            value = value[name] if name else value[int(index)]
        except (KeyError, IndexError, TypeError):
            return None
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def words_of(span: Span) -> list[str]:
    """The words that full text finds a span by."""
    error = (span.error.type, span.error.message) if span.error else ()
    said = [span.attributes.get(key) for key in (span.input_key, span.output_key) if key]
    texts: list[Any] = [span.span_id, span.name, span.tool, span.agent, *error, *said]
    return re.findall(r"[^\W_]+", " ".join(text for text in texts if text).lower())


def starts(word: str, term: str) -> bool:
    return word.startswith(term[:-1]) if term.endswith("*") else word == term
