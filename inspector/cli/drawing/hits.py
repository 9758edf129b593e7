"""Where in a span a text occurs, and that place written out with the matches marked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from inspector.cli.output import figures
from inspector.cli.output.rows import is_narrow, name_text, span_id_text, status_cell
from inspector.cli.output.terminal import Terminal
from inspector.cli.output.visible import cut, pad, width
from inspector.model import Event, LargeField
from inspector.store import leaves, passage, patterns

_BEFORE = 32
"""Characters shown in front of the first match."""
_MORE, _INDENT = "…", "    "
_NAMES = {
    "llm": ("prompt", "answer"),
    "tool": ("arguments", "result"),
    "prompt": ("arguments", "result"),
}
"""The names of input and output, by the kind of span."""


@dataclass(frozen=True, slots=True)
class BestPlace:
    """The place in a span with the most of the searched terms."""

    event: Event
    place: str
    """Such as ``arguments.invoice``, ``answer`` or ``error``."""
    text: str
    """The text around the first match; empty if search found it in another spelling."""
    hits: tuple[tuple[int, int], ...]
    """The start and end of each match in ``text``."""


def find_hit(event: Event, query: str) -> BestPlace:
    """Find the place in a full event with most terms of a query; the first of several equal ones."""
    terms = patterns(query)
    best, most = ("", ""), 0
    for place, text in _places(event):
        matching = sum(bool(term.search(text)) for term in terms)
        if matching > most:
            best, most = (place, text), matching
        if most == len(terms):
            break
    place, text = best
    return BestPlace(event, place, *passage(text, terms, before=_BEFORE))


def hit_lines(hit: BestPlace, terminal: Terminal, *, elsewhere: str = "") -> Iterable[str]:
    """Write a span, the command that shows it, and below it the text with its matches marked."""
    event = hit.event
    began = figures.moment(event.start_time_unix_nano, brief=is_narrow(terminal))
    state = status_cell(event.status, terminal)
    where = f"{event.kind}  {name_text(event, terminal)}{f'  in {terminal.safe(hit.place)}' if hit.place else ''}"
    command = f"inspector show {span_id_text(event, terminal)}{elsewhere}"
    taken = width(began) + width(state.text) + width(command) + 6
    if terminal.width is not None:
        where = pad(cut(where, max(12, terminal.width - taken), mark=terminal.ellipsis), terminal.width - taken)
    yield "  ".join((began, terminal.style(state.text, state.style), where, terminal.style(command, "dim")))
    if hit.text:
        yield f"{_INDENT}{_marked(hit, terminal)}"


def _marked(hit: BestPlace, terminal: Terminal) -> str:
    """Write the text with its matches in colour, or else between marks, cut to the width."""
    marks = ("", "") if terminal.colour else ("\u00ab", "\u00bb") if terminal.unicode else ("<<", ">>")
    left = None if terminal.width is None else terminal.width - len(_INDENT)
    parts: list[str] = []
    for text, is_hit in _pieces(hit):
        first, last = marks if is_hit else ("", "")
        shown = terminal.safe(text.replace(_MORE, terminal.ellipsis))
        if left is not None:
            shown = cut(shown, left - len(first + last), mark=terminal.ellipsis)
            left -= width(shown) + len(first + last)
        if not shown:
            break
        parts.append(terminal.style(f"{first}{shown}{last}", "yellow" if is_hit else ""))
    return "".join(parts)


def _pieces(hit: BestPlace) -> Iterator[tuple[str, bool]]:
    at = 0
    for begin, end in (*hit.hits, (len(hit.text), len(hit.text))):
        if begin > at:
            yield hit.text[at:begin], False
        if end > begin:
            yield hit.text[begin:end], True
        at = end


def _places(event: Event) -> Iterator[tuple[str, str]]:
    input_name, output_name = _NAMES.get(event.kind, ("input", "output"))
    if event.error is not None:
        yield "error", ": ".join(filter(None, (event.error.type, event.error.message)))
    yield from _leaves(output_name, event.output)
    leaves = list(_leaves(input_name, event.input))
    # The last messages of a prompt are the new ones.
    yield from reversed(leaves) if event.kind == "llm" else leaves
    yield "name", event.name
    yield from _leaves("attributes", event.attributes)
    yield from _leaves("events", event.events)
    if event.error is not None:
        yield "error.traceback", event.error.traceback or ""


def _leaves(name: str, recorded: LargeField) -> Iterator[tuple[str, str]]:
    """Yield every text and number in a JSON value, with its path."""
    if not isinstance(recorded, msgspec.Raw):
        return
    try:
        value = msgspec.json.decode(bytes(recorded))
    except (msgspec.DecodeError, RecursionError):
        yield name, bytes(recorded).decode("utf-8", "replace")
        return
    for path, leaf in leaves(name, value):
        yield path, leaf if isinstance(leaf, str) else msgspec.json.encode(leaf).decode()
