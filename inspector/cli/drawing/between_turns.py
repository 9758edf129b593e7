"""Recorded calls between the turns of a conversation: those that its answers requested, and those of its loop."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from inspector.model import Event, SpanPlace, Turn

Key: TypeAlias = tuple[str, str]
"""The ids of a trace and of one of its spans."""


class Talk(NamedTuple):
    """A conversation, or the part of it that was recorded below one span."""

    conversation: str
    place: Key | None
    """The parent of its calls; None if nothing recorded is above them."""


class Forest:
    """The spans of some traces, as trees."""

    def __init__(self, traces: Iterable[Sequence[Event]]) -> None:
        self._events = {key_of(event): event for events in traces for event in events}
        self._below: dict[Key | None, list[Event]] = {}
        for event in self._events.values():
            self._below.setdefault(self.above(event), []).append(event)

    def get(self, key: Key) -> Event | None:
        """Return a span; None if it is not among them."""
        return self._events.get(key)

    def above(self, event: Event) -> Key | None:
        """Return the parent of a span; None if it is not recorded."""
        key = (event.trace_id, event.parent_id or "")
        return key if key in self._events else None

    def upwards(self, event: Event) -> Iterator[Event]:
        """Yield a span and its ancestors, the innermost first; in a cycle, each only once."""
        here: Event | None = event
        seen: set[Key] = set()
        while here is not None and key_of(here) not in seen:
            yield here
            seen.add(key_of(here))
            above = self.above(here)
            here = None if above is None else self._events[above]

    def right_below(self, place: Key | None) -> Sequence[Event]:
        """Return the children of a span, or the spans without a parent."""
        return self._below.get(place, ())

    def whole(self, top: Event) -> Iterator[Event]:
        """Yield a span and all its descendants."""
        waiting, seen = [top], {key_of(top)}
        while waiting:
            event = waiting.pop()
            yield event
            inner = [each for each in self.right_below(key_of(event)) if key_of(each) not in seen]
            seen.update(map(key_of, inner))
            waiting += inner


def key_of(place: Event | Turn | SpanPlace) -> Key:
    """Return the key of a span."""
    return place.trace_id, place.span_id


def between_turns(forest: Forest, talks: Mapping[Talk, Sequence[Turn]]) -> Mapping[Talk, Sequence[Event]]:
    """Find the spans beside the calls of each conversation that ran between them; each belongs to at most one.

    These are the calls that its answers requested, with the span of a batch around them, and what began and ended
    between two of its turns and no others. A model call that is not one of its turns belongs to no conversation.
    """
    turns = {key_of(turn) for members in talks.values() for turn in members}
    asking = _asking(forest, talks)
    by_place: dict[Key | None, list[Talk]] = {}
    for talk in talks:
        by_place.setdefault(talk.place, []).append(talk)
    by_talk: dict[Talk, list[Event]] = {}
    for place, here in by_place.items():
        beside = [event for event in forest.right_below(place) if key_of(event) not in turns]
        asked = [(event, asking[key_of(event)]) for event in beside if key_of(event) in asking]
        others = [event for event in beside if key_of(event) not in asking and event.kind != "llm"]
        gaps = [gap for talk in here for gap in _gaps(forest, talk, talks[talk])]
        gaps += _last_gaps(forest, talks, asked)
        owners = {key_of(event): owners for event, owners in asked}
        owners.update(_within(gaps, others))
        for event in beside:
            owner = owners.get(key_of(event), set[Talk]())
            if len(owner) == 1:
                by_talk.setdefault(next(iter(owner)), []).append(event)
    return by_talk


def _asking(forest: Forest, talks: Mapping[Talk, Sequence[Turn]]) -> dict[Key, set[Talk]]:
    """Return the conversations that requested a call that a span beside their own calls is, or contains."""
    asking: dict[Key, set[Talk]] = {}
    for talk, members in talks.items():
        for place in (tool.span for turn in members for tool in turn.tools if tool.span is not None):
            call = forest.get(key_of(place))
            above = () if call is None else forest.upwards(call)
            beside = next((event for event in above if forest.above(event) == talk.place), None)
            if beside is not None:
                asking.setdefault(key_of(beside), set()).add(talk)
    return asking


class _Gap(NamedTuple):
    began_ns: int
    ended_ns: int
    talk: Talk


def _gaps(forest: Forest, talk: Talk, members: Sequence[Turn]) -> Iterator[_Gap]:
    calls = [call for turn in members if (call := forest.get(key_of(turn))) is not None]
    for before, after in pairwise(calls):
        if before.end_time_unix_nano is not None:
            yield _Gap(int(before.end_time_unix_nano), int(after.start_time_unix_nano), talk)


def _last_gaps(
    forest: Forest, talks: Mapping[Talk, Sequence[Turn]], asked: Iterable[tuple[Event, set[Talk]]]
) -> Iterator[_Gap]:
    """Yield the time from each conversation's end to the start of the last call that it requested, if that is later."""
    for event, owners in asked:
        for talk in owners:
            last = forest.get(key_of(talks[talk][-1]))
            if last is not None and last.end_time_unix_nano is not None:
                yield _Gap(int(last.end_time_unix_nano), int(event.start_time_unix_nano), talk)


def _within(gaps: Sequence[_Gap], events: Sequence[Event]) -> Iterator[tuple[Key, set[Talk]]]:
    """Yield the conversations in whose gaps each span began and ended."""
    coming = sorted(gaps, key=lambda gap: gap.began_ns, reverse=True)
    open_gaps: list[_Gap] = []
    for event in sorted(events, key=lambda event: int(event.start_time_unix_nano)):
        start_ns = int(event.start_time_unix_nano)
        while coming and coming[-1].began_ns <= start_ns:
            open_gaps.append(coming.pop())
        open_gaps = [gap for gap in open_gaps if gap.ended_ns >= start_ns]
        if event.end_time_unix_nano is not None:
            end_ns = int(event.end_time_unix_nano)
            yield key_of(event), {gap.talk for gap in open_gaps if gap.ended_ns >= end_ns}
