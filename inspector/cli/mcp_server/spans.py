"""The tree of a run, one span in full, and where a person sees them."""

import shlex
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from inspector.cli.drawing.conversations import Annotation, with_conversations
from inspector.cli.drawing.namesakes import with_model_names
from inspector.cli.drawing.plumbing import traces_without_plumbing
from inspector.cli.drawing.shaping import TreeShape
from inspector.cli.drawing.tree import TreeRow, tree_rows
from inspector.cli.errors import SpanUnknown
from inspector.cli.lookup import find_event, question_and_answer, turns_of, view_of
from inspector.cli.mcp_server.answer import UncutAnswer
from inspector.cli.mcp_server.arguments import Link, Outline, SpanArguments
from inspector.cli.mcp_server.reader import Reader, run_lines
from inspector.cli.mcp_server.texts import (
    WITHOUT_CONTENT,
    input_texts,
    one_line,
    output_texts,
    short_ids,
    shown,
    span_line,
)
from inspector.cli.output import figures, status
from inspector.cli.ownership import current_owner
from inspector.lookup import traces_of
from inspector.model import Event, attributes_of

_DEEPEST = 30
"""Deeper spans are not indented further."""
_MOST_NOTE = 160
_SHORT = 300
"""The length of an attribute that comes before all longer ones."""


def outline(reader: Reader, arguments: Outline) -> UncutAnswer:
    """Draw a run as a tree, a line for each span, repeated ones once."""
    found = reader.find(arguments.run)
    summaries, traces = traces_of(reader.store, found), reader.traces(found)
    turns = turns_of(reader.store, found.run_id)
    named = with_model_names(reader.store, traces)
    inferred = with_conversations(named, turns, lambda first, last: question_and_answer(reader.store, first, last))
    drawn = traces_without_plumbing(list(zip(summaries, inferred.traces, strict=True)))
    ids = short_ids(event.span_id for events in traces for event in events)
    shape = TreeShape(arguments.errors, arguments.depth, fold=True, everything=False)
    events = [events if arguments.span is None else _below(arguments.span, events) for _, events in drawn]
    rows = [row for trace in events for row in tree_rows(trace, shape=shape)]
    if arguments.span is not None and not rows:
        raise SpanUnknown(f"no span {arguments.span} is in this run")
    lines = [_line(row, ids, inferred.annotations, content=reader.content) for row in rows]
    total = sum(map(len, traces))
    hidden = sum(row.hidden for row in rows)
    about = (
        f"{figures.counted(len(rows), 'line')} for {figures.counted(total, 'span')}: id, kind, name, status unless ok, "
        "duration, tokens, cost; \u00d73 is drawn once for three."
    )
    if arguments.errors and not rows:
        about = "No span of this run failed."
    advice = f"{figures.counted(hidden, 'span')} below depth {arguments.depth} not drawn." if hidden else ""
    return UncutAnswer(about, ["\n".join(run_lines(found, content=reader.content)), *lines], advice=advice)


def _below(span: str, events: Sequence[Event]) -> list[Event]:
    """Return the span whose id begins like this, and all spans below it."""
    inner: dict[str | None, list[Event]] = {}
    for event in events:
        inner.setdefault(event.parent_id, []).append(event)
    found: dict[str, Event] = {}
    stack = [event for event in events if event.span_id.startswith(span.lower())]
    while stack:
        event = stack.pop()
        if event.span_id not in found:
            found[event.span_id] = event
            stack += inner.get(event.span_id, ())
    return list(found.values())


def _line(row: TreeRow, ids: Mapping[str, str], annotations: Mapping[str, Annotation], *, content: bool) -> str:
    repeat = row.repeat
    also = f" with the next {repeat.length - 1}" if repeat and repeat.length > 1 else ""
    annotation = annotations.get(row.event.span_id, Annotation())
    # That it is inferred stands in place of its id; what follows two spaces was recorded.
    note = annotation.note if content else annotation.note.partition("  ")[0]
    notes = (
        f"\u00d7{repeat.times:,}{also}" if repeat else "",
        f"{figures.counted(row.hidden, 'span')} below" if row.hidden else "",
        "duplicate" if row.event.folded_into is not None else "",
        {"orphan": "parent not recorded", "cycle": "its parents form a loop"}.get(row.mark, ""),
        one_line(note.removeprefix("inferred").lstrip(": "), _MOST_NOTE),
    )
    span_id = ids.get(row.event.span_id, "inferred")
    line = span_line(row.event, span_id=span_id, content=content, notes=[note for note in notes if note])
    return f"{'  ' * min(row.depth, _DEEPEST)}{line}"


def span(reader: Reader, arguments: SpanArguments) -> UncutAnswer:
    """Write one span in full."""
    event = find_event(reader.store, _whole_id(reader, arguments), trace="last")
    parts = list(_parts(event, arguments.part, content=reader.content))
    about = "The span, part by part." if arguments.part == "all" else f"The {arguments.part} of the span."
    if len(parts) == 1 and arguments.part != "all":
        about = f"The span has no {arguments.part}." if reader.content else WITHOUT_CONTENT
    advice = "" if reader.content or about == WITHOUT_CONTENT else WITHOUT_CONTENT
    if sum(map(len, parts)) > reader.characters:
        advice = f"The whole span in a shell: inspector show {event.span_id}{_home_option(reader)}"
    return UncutAnswer(about, parts, noun="part", advice=advice)


def _whole_id(reader: Reader, arguments: SpanArguments) -> str:
    if arguments.run is None:
        return arguments.id
    traces = reader.traces(reader.find(arguments.run))
    like = {event.span_id for events in traces for event in events if event.span_id.startswith(arguments.id.lower())}
    if len(like) == 1:
        return like.pop()
    raise SpanUnknown(
        f"{'several spans' if like else 'no span'} of this run {'begin' if like else 'begins'} with {arguments.id}"
    )


def _parts(event: Event, part: str, *, content: bool) -> Iterator[str]:
    yield "\n".join(_facts(event))
    if not content:
        return
    if part in ("all", "error") and event.error is not None:
        texts = (": ".join(filter(None, (event.error.type, event.error.message))), event.error.traceback)
        yield "error:\n" + "\n".join(shown(text) for text in texts if text)
    messages = input_texts(event) if part in ("all", "input") else []
    if messages:
        # The newest message says most, and a conversation may be long.
        which = f"message {len(messages)} of {len(messages)}, earlier ones below" if len(messages) > 1 else ""
        yield f"input{f' ({which})' if which else ''}:\n{messages[-1]}"
    if part in ("all", "output") and (output := output_texts(event)):
        yield "output:\n" + "\n".join(output)
    for number in range(len(messages) - 1, 0, -1):
        yield f"input, message {number}:\n{messages[number - 1]}"
    if part == "attributes":
        yield from _attributes(event)


def _facts(event: Event) -> Iterator[str]:
    yield span_line(event, span_id=event.span_id, content=False)
    facts = {
        "trace": event.trace_id,
        "parent": event.parent_id,
        "session": event.session_id,
        "started": figures.moment(event.start_time_unix_nano),
        "status": status.word(event.status),
        "agent": event.agent,
        "model": event.model,
        "service": event.service,
        "duplicate of": event.folded_into,
    }
    yield "; ".join(f"{name} {one_line(value, _MOST_NOTE)}" for name, value in facts.items() if value)


def _attributes(event: Event) -> list[str]:
    """Return all attributes, short ones first: the long ones are mostly its input and output once more."""
    texts = {
        key: value if isinstance(value, str) else msgspec.json.encode(value).decode()
        for key, value in attributes_of(event).items()
    }
    ordered = sorted(texts.items(), key=lambda item: (len(item[1]) > _SHORT, item[0]))
    return [shown(f"{key} = {text}") for key, text in ordered]


def link(reader: Reader, arguments: Link) -> UncutAnswer:
    """Say where a person sees a run, a trace or a span."""
    view = view_of(reader.store, arguments.id)
    owner = current_owner(reader.settings.lock_file)
    address = f"{owner.url.rstrip('/')}/{view}" if owner is not None and owner.url else None
    option = _home_option(reader)
    lines = [f"page: {address}" if address else f"page: none is served; start it with: inspector serve{option}"]
    lines += [
        f"signed in: inspector open {arguments.id}{option}",
        f"in a terminal: inspector show {arguments.id}{option}",
    ]
    return UncutAnswer("For the person: where to see it.", lines)


def _home_option(reader: Reader) -> str:
    home = reader.settings.home_elsewhere
    return "" if home is None else f" --home {shlex.quote(str(home))}"
