"""Finds which model call continues which.

A call continues another one of its run if its prompt begins with that call's prompt and answer, or names its response.
If several calls qualify, those of the same thread and task, and those that no call continues yet, are preferred. If
several remain, the link is ``unclear``; nothing is guessed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import msgspec

from inspector import semconv
from inspector.model import AttributeValue
from inspector.store.values.chains import Chain, Chains, RequestedTool, ToolResult, extended

By: TypeAlias = Literal["asked", "answered", "response"]
Link: TypeAlias = Literal["begins", "continues", "retry", "unclear"]
_TOOLS = "tools"
MOST_ENDS = 2
"""Ends of answers that are stored with a call; nearly always it continues at the latest one."""
_DIGEST_BYTES = 8
"""Size of the digests that are stored with a call; they are compared only within its run."""


class Turn(msgspec.Struct):
    """A model call as part of a conversation."""

    span: int
    """Its row id."""
    conversation: int
    """The row id of the first call of its conversation."""
    run: str
    lane: str | None
    """The thread and task that it began in, if known."""
    start_ns: int
    asked: bytes
    """The chain of its prompt (`inspector.store.values.chains`)."""
    messages: int
    sizes: str
    end_ns: int | None = None
    failed: int = 0
    answered: bytes | None = None
    """The chain of its prompt and answer."""
    response: str | None = None
    """The id of its response."""
    link: Link = "begins"
    previous: int | None = None
    """The row id of the call that it continues or retries."""
    continued: int = 0
    """1 if a later call continues it."""
    candidates: int = 0
    """The number of calls that it may continue, if that is unclear."""
    new_from: int = 0
    """How many messages of its prompt were in the previous call's prompt or answer."""
    tools: str = "[]"
    results: str = "[]"

    @property
    def keys(self) -> Iterator[tuple[By, bytes | str]]:
        """What it is looked up by, as far as that is known."""
        keys: tuple[tuple[By, bytes | str | None], ...]
        keys = (("asked", self.asked), ("answered", self.answered), ("response", self.response))
        return ((by, value) for by, value in keys if value is not None)


class Others(Protocol):
    """The other turns of a run."""

    def others(self, turn: Turn, by: By, value: bytes | str) -> Sequence[Turn]:
        """Return the other turns with a value, in their current state; by ``asked`` only failed ones matter."""
        ...

    def note_continued(self, turn: Turn) -> None:
        """Note that a later call continues a turn."""
        ...


class _Candidate(NamedTuple):
    turn: Turn
    link: Link
    new_from: int


def find_previous(known: Others, turn: Turn, ends: Iterable[tuple[bytes, int]], response: str | None) -> None:
    """Find the call that a turn continues, and set it in the turn.

    Args:
        known: The other turns.
        turn: The turn.
        ends: Where in its prompt an answer may have ended, the latest first: the chain and the number of messages.
        response: The id of the response that its request continues, if it names one.
    """
    chosen = _chosen(_candidates(known, turn, ends, response), turn.lane)
    if len(chosen) == 1:
        (candidate,) = chosen
        turn.link, turn.previous = candidate.link, candidate.turn.span
        turn.conversation, turn.new_from = candidate.turn.conversation, candidate.new_from
        # A retried call counts as continued: no other call can continue it.
        known.note_continued(candidate.turn)
    elif chosen:
        turn.link, turn.candidates = "unclear", len(chosen)
        turn.new_from = max(candidate.new_from for candidate in chosen)


def _candidates(
    known: Others, turn: Turn, ends: Iterable[tuple[bytes, int]], response: str | None
) -> Sequence[_Candidate]:
    def ended(by: By, value: bytes | str) -> Sequence[Turn]:
        others = known.others(turn, by, value)
        return [each for each in others if each.end_ns is not None and each.end_ns <= turn.start_ns]

    if response is not None:
        return [_Candidate(each, "continues", 0) for each in ended("response", response)]
    failed = [
        _Candidate(each, "retry", each.new_from)
        for each in ended("asked", turn.asked)
        if each.failed and not each.continued
    ]
    for answered, messages in ends:
        others = ended("answered", answered)
        if others:
            return [*failed, *(_Candidate(each, "continues", messages) for each in others)]
    return failed


def _chosen(candidates: Sequence[_Candidate], lane: str | None) -> Sequence[_Candidate]:
    """Return the best candidates; more than one if the link is unclear."""
    if lane is not None and any(each.turn.lane is not None for each in candidates):
        candidates = [each for each in candidates if each.turn.lane in (None, lane)] or candidates
    fresh = [each for each in candidates if not each.turn.continued]
    return fresh or candidates


def sizes_of(chain: Chain, attributes: Mapping[str, AttributeValue]) -> dict[str, int]:
    """Return the numbers of characters of a prompt (see `MessageOutline.sizes`), with its instructions and tools."""
    sizes = dict(chain.sums)
    for key, name in ((semconv.SYSTEM_INSTRUCTIONS, "system"), (semconv.TOOL_DEFINITIONS, _TOOLS)):
        text = attributes.get(key)
        if isinstance(text, str):
            sizes[name] = sizes.get(name, 0) + len(text)
    return sizes


def lane_of(attributes: Mapping[str, AttributeValue], process: str | None) -> str | None:
    """Return a digest of the thread and task that a call began in; None if the thread is unknown."""
    thread = attributes.get(semconv.THREAD_ID)
    if not isinstance(thread, int):
        return None
    lane = f"{process}/{thread}/{attributes.get(semconv.TASK, '')}"
    return blake2b(lane.encode(errors="replace"), digest_size=8).hexdigest()


def previous_response(attributes: Mapping[str, AttributeValue]) -> str | None:
    """Return the id of the response that a request to OpenAI's Responses API continues."""
    text = attributes.get(semconv.SEED_LLM_PROMPT)
    if not isinstance(text, str) or '"previous_response_id"' not in text:
        return None
    try:
        response_id = msgspec.json.decode(text, type=_Request).previous_response_id
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return response_id if isinstance(response_id, str) else None


class _Request(msgspec.Struct):
    previous_response_id: Any = None


class CallFacts(msgspec.Struct, omit_defaults=True):
    """The facts of a model call from which conversations are built, independent of other calls.

    A prompt repeats the whole conversation, so only the end of a long one is stored with each call.
    """

    asked: bytes
    messages: int
    sizes: dict[str, int]
    ends: list[tuple[bytes, int]] = []
    """See `find_previous`."""
    known_from: int = 0
    """The index of the first message that ``ends`` and ``results`` cover."""
    lane: str | None = None
    names: str | None = None
    """The response that its request continues."""
    response: str | None = None
    answered: bytes | None = None
    tools: list[RequestedTool] = []
    results: list[tuple[int, list[ToolResult]]] = []
    """With the index of the message that has them."""


def call_facts(
    chains: Chains,
    attributes: Mapping[str, AttributeValue],
    process: str | None,
    *,
    is_over: bool,
    most_ends: int | None = MOST_ENDS,
) -> CallFacts | None:
    """Return the facts of a model call, with up to ``most_ends`` ends; None if its messages are not recorded."""
    chain = chains.of_prompt(attributes.get(semconv.INPUT_MESSAGES))
    if chain is None:
        return None
    ends = [(digest[:_DIGEST_BYTES], at) for digest, at in islice(chain.ends_of_answers(), most_ends)]
    known_from = ends[-1][1] if len(ends) == most_ends else 0
    facts = CallFacts(
        asked=chain.asked[:_DIGEST_BYTES],
        messages=len(chain.messages),
        sizes=sizes_of(chain, attributes),
        ends=ends,
        known_from=known_from,
        lane=lane_of(attributes, process),
        names=previous_response(attributes),
        results=[
            (at, list(message.results))
            for at, message in enumerate(chain.messages)
            if at >= known_from and message.results
        ],
    )
    response = attributes.get(semconv.RESPONSE_ID)
    facts.response = response if isinstance(response, str) else None
    answer = chains.of_answer(attributes.get(semconv.OUTPUT_MESSAGES))
    if answer is not None and is_over:
        facts.answered = extended(chain.asked, answer.parts)[:_DIGEST_BYTES]
        facts.tools = list(answer.requests)
    return facts


class PlacedCall(NamedTuple):
    """A model call among those of its run."""

    span: int
    start_ns: int
    end_ns: int | None
    failed: bool


class Linked:
    """The turns of one run, linked in the order they began.

    Args:
        read_all: Reads all facts of a call again, if those stored with it are not enough.
    """

    def __init__(self, read_all: Callable[[PlacedCall], CallFacts | None]) -> None:
        self._read_all = read_all
        self.turns: list[Turn] = []
        self._places: dict[tuple[By, bytes | str], list[Turn]] = {}

    def take(self, place: PlacedCall, facts: CallFacts) -> None:
        """Add the next turn and link it."""
        turn = Turn(
            span=place.span,
            conversation=place.span,
            run="",
            lane=facts.lane,
            start_ns=place.start_ns,
            asked=facts.asked,
            messages=facts.messages,
            sizes=json_of(facts.sizes),
            end_ns=place.end_ns,
            failed=int(place.failed),
            answered=facts.answered,
            response=facts.response,
            tools=json_of(facts.tools),
        )
        find_previous(self, turn, facts.ends, facts.names)
        if facts.known_from and turn.link == "begins" and facts.names is None:
            facts = self._read_all(place) or facts
            find_previous(self, turn, facts.ends, facts.names)
        elif turn.link == "continues" and turn.new_from < facts.known_from:
            facts = self._read_all(place) or facts
        turn.results = json_of([result for at, results in facts.results if at >= turn.new_from for result in results])
        self.turns.append(turn)
        for key in turn.keys:
            self._places.setdefault(key, []).append(turn)

    def others(self, turn: Turn, by: By, value: bytes | str) -> Sequence[Turn]:
        """See `Others.others`."""
        return [each for each in self._places.get((by, value), ()) if each is not turn]

    def note_continued(self, turn: Turn) -> None:
        """See `Others.note_continued`."""
        turn.continued = 1


def json_of(value: Mapping[str, int] | Sequence[RequestedTool] | Sequence[ToolResult]) -> str:
    """Return sizes, tool calls or their results as they are stored with a turn."""
    return msgspec.json.encode(value).decode(errors="replace")
