"""Finds model calls that several recorders recorded next to each other, not one below the other.

Some instrumentations do not make their span current while the call is made, so the span of the SDK below becomes its
sibling. What such spans have in common is the answer: its id, or else the question and both numbers of tokens.
"""

from collections.abc import Collection, Iterator
from typing import Final, TypeAlias

from inspector.store.values.identity import read_identity
from inspector.store.values.same_call import Node, question_of

MOST_ALIKE: Final = 64
"""Model calls with one answer; if there are more, it tells nothing, as the one of a scripted model."""

_Answer: TypeAlias = str | tuple[int, int, int]
"""The id of an answer; or the checksum of the question, and the tokens read and written."""


class Answers:
    """The model calls of one trace, by their answers."""

    def __init__(self) -> None:
        self._spans: dict[_Answer, list[str]] = {}

    def exchange(self, old: Node | None, new: Node) -> Collection[str]:
        """Put a span in the place of an old one, and return the others about which that may change a decision."""
        affected: list[str] = []
        for answer in () if old is None else _answers(old):
            spans = self._spans[answer]
            spans.remove(new.span_id)
            if len(spans) <= MOST_ALIKE:
                affected += spans
            if not spans:
                del self._spans[answer]
        for answer in _answers(new):
            spans = self._spans.setdefault(answer, [])
            if len(spans) == MOST_ALIKE:
                affected += spans
            spans.append(new.span_id)
        return affected

    def alike(self, node: Node) -> Iterator[str]:
        """Yield the other spans with the answer of one, which may be the same call."""
        for answer in _answers(node):
            spans = self._spans.get(answer, ())
            if 1 < len(spans) <= MOST_ALIKE:
                yield from (span_id for span_id in spans if span_id != node.span_id)


def _answers(node: Node) -> Iterator[_Answer]:
    if node.kind != "llm" or node.identity is None:
        return
    response_id, question = read_identity(node.identity).response_id, question_of(node)
    if response_id is not None:
        yield response_id
    if question is not None:
        yield question
