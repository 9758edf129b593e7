"""Finds where the words of a search are in a span."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast

import msgspec

from inspector.frames import Frame
from inspector.model import HitIn, HitPlace, Kind
from inspector.store.values.codec import unpack
from inspector.store.values.contents import Shared, StoredMessage, ids_of, message_text, text_of
from inspector.store.values.passages import leaves, passage
from inspector.store.values.raw import is_raw, without_raw

_BEFORE = 40
"""Characters that are shown in front of the first word."""
_MOST_PLACES = 5
_JSON = msgspec.json.Decoder()
_ATTRIBUTES = msgspec.json.Decoder(dict[str, Any])
_EVENTS = msgspec.json.Decoder(list[dict[str, Any]])
_SOURCES: frozenset[Kind] = frozenset(("llm", "tool"))
"""Kinds whose texts are not found again in prompts that repeat them; an agent's input is found at its model call."""
_NAMES: Mapping[Kind, tuple[HitIn, HitIn]] = {
    "llm": ("messages", "answer"),
    "tool": ("arguments", "result"),
    "prompt": ("arguments", "result"),
}
"""What input and output are called, by kind of span."""
_OUTPUTS: frozenset[HitIn] = frozenset(("answer", "result", "output"))
_OTHER_NAMES: tuple[HitIn, HitIn] = ("input", "output")


class Within(NamedTuple):
    """The trace or the run to search."""

    column: Literal["trace_id", "run_id"]
    id: str


class Searched(NamedTuple):
    """The columns of a span that is searched."""

    id: int
    span_id: str
    kind: Kind
    name: str
    tool: str | None
    agent: str | None
    error_type: str | None
    error_message: str | None
    error_traceback: str | None
    input_key: str | None
    output_key: str | None
    shared: str | None
    attributes: bytes
    events: bytes | None


class Leaf(NamedTuple):
    """A text of a span and the path to it."""

    within: HitIn
    path: str
    text: str
    is_prompt: bool = False
    """Whether it is part of a prompt, which may repeat earlier texts."""


@dataclass(slots=True)
class Places:
    """Finds words in the spans of one trace, which are passed to `of` in the order they began.

    A text that a prompt repeats is found only where it first was: in an earlier model call, or in a tool's result.
    """

    terms: Sequence[re.Pattern[str]]
    _known: set[int] = field(default_factory=set[int])

    def of(self, row: Searched, shared: Shared, texts: Mapping[int, StoredMessage]) -> tuple[HitPlace, ...] | None:
        """Return the places in a span; None if its only matches are texts that its prompt repeats."""
        matches: list[tuple[int, Leaf]] = []
        repeats = False
        seen: set[int] = set()
        for leaf in _leaves(row, shared, texts):
            matching = sum(bool(term.search(leaf.text)) for term in self.terms)
            if not matching:
                continue
            text = hash(leaf.text)
            if leaf.is_prompt and text in self._known:
                repeats = True
                continue
            seen.add(text)
            matches.append((matching, leaf))
        if row.kind in _SOURCES:
            self._known |= seen
        if not matches:
            return None if repeats else ()
        matches.sort(key=lambda each: -each[0])
        return tuple(self._place(leaf) for _, leaf in matches[:_MOST_PLACES])

    def _place(self, leaf: Leaf) -> HitPlace:
        return HitPlace(leaf.within, leaf.path, *passage(leaf.text, self.terms, before=_BEFORE))


def _leaves(row: Searched, shared: Shared, texts: Mapping[int, StoredMessage]) -> Iterator[Leaf]:
    error = ": ".join(filter(None, (row.error_type, row.error_message)))
    if error:
        yield Leaf("error", "", error)
    if row.error_traceback:
        yield Leaf("error", ".traceback", row.error_traceback)
    attributes = _ATTRIBUTES.decode(without_raw(unpack(row.attributes)))
    brought = {content_id: message for content_id, message in texts.items() if message.span == row.id}
    content = _Content(attributes, shared, brought, texts)
    input_name, output_name = _NAMES.get(row.kind, _OTHER_NAMES)
    contents: tuple[tuple[str | None, HitIn], ...] = ((row.output_key, output_name), (row.input_key, input_name))
    for key, within in contents:
        if key is not None:
            yield from _of_key(key, within, "", content)
    yield Leaf("name", "", row.name)
    for key in (*attributes, *shared):
        if key not in (row.input_key, row.output_key) and not isinstance(shared.get(key), str) and not is_raw(key):
            yield from _of_key(key, "attributes", key, content)
    for at, event in enumerate(_EVENTS.decode(unpack(row.events)) if row.events else ()):
        # Messages are in the prompt too, and each prompt repeats them.
        is_prompt = event["name"].startswith("gen_ai.")
        yield from _within("events", f"[{at}]", event["attributes"], is_prompt=is_prompt)


class _Content(NamedTuple):
    attributes: Mapping[str, Any]
    shared: Shared
    brought: Mapping[int, StoredMessage]
    strings: Mapping[int, StoredMessage]


def _of_key(key: str, within: HitIn, path: str, content: _Content) -> Iterator[Leaf]:
    refers = content.shared.get(key, key)
    # An output counts as new even if it repeats an earlier text, such as an answer that quotes a tool's result.
    is_given = within not in _OUTPUTS
    if isinstance(refers, str):
        value = _read(content.attributes.get(refers))
        yield from _within(within, path, value, is_prompt=is_given and _holds_messages(value))
        return
    if isinstance(refers, Frame) and refers.own:
        value = _read(text_of(refers, content.strings).decode())
        yield from _within(within, path, value, is_prompt=is_given)
        return
    for at, content_id in enumerate(ids_of(refers)):
        message = content.brought.get(content_id)
        if message is not None:
            text = message_text(message, content.strings)
            yield from _within(within, f"{path}[{at}]", _read(text.decode()), is_prompt=is_given)


def _read(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("{", "[", '"'):
        try:
            return _JSON.decode(value)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            return value
    return value


def _holds_messages(value: Any) -> bool:
    if isinstance(value, dict):
        members = cast("Mapping[str, Any]", value)
        return any(_holds_messages(members.get(key)) for key in ("messages", "input", "contents"))
    return isinstance(value, list) and any(
        isinstance(each, dict) and "role" in each for each in cast("Sequence[Any]", value)
    )


def _within(within: HitIn, path: str, value: Any, *, is_prompt: bool) -> Iterable[Leaf]:
    for place, leaf in leaves(path, value):
        if leaf is not None:
            text = leaf if isinstance(leaf, str) else msgspec.json.encode(leaf).decode()
            yield Leaf(within, place, text, is_prompt)
