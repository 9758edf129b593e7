"""One span in full: its facts, its input, its output, and why it failed."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from inspector import semconv as sc
from inspector.cli.drawing.middleware import Step, controlled_of, passed_on, step_lines, steps_of
from inspector.cli.output import figures, status
from inspector.cli.output.operation import shown_name
from inspector.cli.output.terminal import Terminal
from inspector.cli.output.visible import visible_lines
from inspector.model import Event, LargeField, attributes_of, decoded_field

_INDENT = "  "
_LABEL = 11


def event_lines(event: Event, terminal: Terminal) -> Iterable[str]:
    """Write every part of a span that has a value; nothing is cut."""
    name = terminal.safe(event.name if terminal.width is None else shown_name(event.name))
    state = f"{status.sign(event.status, unicode=terminal.unicode)} {name}"
    yield terminal.style(f"{state}  {status.word(event.status)}".rstrip(), status.STYLES[event.status])
    for label, value in _facts(event, terminal):
        if value:
            yield f"{terminal.style(label.ljust(_LABEL), 'dim')}{value}"
    if event.error is not None:
        yield from _section("error", ": ".join(filter(None, (event.error.type, event.error.message))), terminal)
        yield from _section("traceback", event.error.traceback or "", terminal)
    attributes = attributes_of(event)
    steps, controlled = steps_of(attributes), controlled_of(attributes)
    passed = passed_on(steps, controlled) if event.kind == "tool" else UNSET
    if passed is UNSET:
        yield from _section("input", _readable(event.input), terminal)
    else:
        yield from _section("input", _readable(msgspec.Raw(msgspec.json.encode(passed))), terminal)
        yield from _section("requested input", _readable(event.input), terminal)
    yield from _section("output", _readable(event.output), terminal)
    yield from _steps("controller", (controlled,) if controlled is not None else (), terminal)
    yield from _steps("middleware", steps, terminal)
    shown = (sc.MIDDLEWARE if steps else None, sc.CONTROLLED if controlled is not None else None)
    yield from _attributes({key: value for key, value in attributes.items() if key not in shown}, terminal)
    yield from _section("span events", _readable(event.events, nothing="[]"), terminal)
    yield from _section("links", _readable(event.links, nothing="[]"), terminal)


def _facts(event: Event, terminal: Terminal) -> Iterable[tuple[str, str]]:
    tokens = figures.tokens(event.input_tokens, event.output_tokens)
    cached = f" ({event.cached_tokens:,} cached)" if event.cached_tokens else ""
    counting = event.folded_into
    yield "kind", event.kind
    yield "started", figures.moment(event.start_time_unix_nano)
    yield "took", terminal.signs(figures.duration(event.duration_ms))
    yield "tokens", terminal.signs(tokens + cached) if tokens else ""
    yield "cost", terminal.signs(figures.cost(event.cost_usd)) or _why_unpriced(event, terminal)
    yield "duplicate", f"of {terminal.safe(counting)}, which counts" if counting else ""
    for label in ("agent", "model", "tool", "service", "dialect", "session_id", "trace_id", "span_id", "parent_id"):
        value: str | None = getattr(event, label)
        yield label.removesuffix("_id"), terminal.safe(value or "")


def _why_unpriced(event: Event, terminal: Terminal) -> str:
    why = attributes_of(event).get(sc.UNPRICED)
    return f"not known: {terminal.safe(why)}" if isinstance(why, str) else ""


def _section(title: str, text: str, terminal: Terminal) -> Iterable[str]:
    if text:
        yield terminal.style(title, "bold")
        for line in visible_lines(text.rstrip("\n"), unicode=terminal.unicode):
            yield f"{_INDENT}{line}".rstrip()


def _steps(title: str, steps: Iterable[Step], terminal: Terminal) -> Iterable[str]:
    lines = [line for step in steps for line in step_lines(step, terminal)]
    return _section(title, "\n".join(lines), terminal)


def _attributes(values: Mapping[str, Any], terminal: Terminal) -> Iterable[str]:
    if values:
        yield terminal.style("attributes", "bold")
        for key, value in sorted(values.items()):
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            yield f"{_INDENT}{terminal.style(terminal.safe(key), 'dim')} = {terminal.safe(text)}"


def _readable(recorded: LargeField, *, nothing: str = "null") -> str:
    if not isinstance(recorded, msgspec.Raw) or bytes(recorded) in (b"null", nothing.encode()):
        return ""
    value = decoded_field(recorded)
    return (
        value if isinstance(value, str) else msgspec.json.format(bytes(recorded), indent=2).decode("utf-8", "replace")
    )
