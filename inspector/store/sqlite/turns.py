"""Which model call continues which, decided as calls come in.

A call continues another one of its run where its prompt begins with that one's prompt and answer, or names its
response. Where several are equal, the thread or task and what was continued already tell; where they do not, it is
said that it is unclear, and nothing is guessed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection

from inspector import semconv
from inspector.model import Span
from inspector.store.sqlite.contents import json_list
from inspector.store.sqlite.drafts import Drafts, Link, Place, Turn
from inspector.store.sqlite.engine import driver
from inspector.store.values.chains import AskedTool, Chain, Chains, ToolResult, extended
from inspector.store.values.rows import Row

_TOOLS = "tools"


class Given(NamedTuple):
    """A model call that was just written."""

    span: Span
    row: Row
    run: str


class Turns:
    """Finds what each call continues."""

    def __init__(self) -> None:
        self._chains = Chains()

    def take(self, connection: Connection, calls: Iterable[Given], *, again: bool = False) -> None:
        """Store the turns of calls that were just written, in the connection's transaction.

        With ``again``, what is stored of them is found anew.
        """
        ordered = sorted(calls, key=lambda call: (call.row.start_ns, call.row.id))
        if again:
            forget(connection, [call.row.id for call in ordered])
        ordered = [call for call in ordered if call.row.folded_into is None]
        drafts = Drafts(connection)
        stored = drafts.load([call.row.id for call in ordered])
        new = [call for call in ordered if call.row.id not in stored]
        chains = {call.row.id: self._chains.of_prompt(call.span.attributes.get(semconv.INPUT_MESSAGES)) for call in new}
        drafts.look_up(_looked_for(new, chains))
        for call in ordered:
            chain = chains.get(call.row.id)
            turn = stored.get(call.row.id) or (None if chain is None else _begun(drafts, call, chain))
            if turn is not None:
                self._end(turn, call)
                drafts.keep(turn)
        drafts.save()

    def _end(self, turn: Turn, call: Given) -> None:
        row = call.row
        turn.end_ns, turn.failed = row.end_ns, int(row.status == "error")
        response = call.span.attributes.get(semconv.RESPONSE_ID)
        turn.response = response if isinstance(response, str) else turn.response
        answer = self._chains.of_answer(call.span.attributes.get(semconv.OUTPUT_MESSAGES))
        if answer is not None and row.status != "running":
            turn.answered = extended(turn.asked, answer.parts)
            turn.tools = _text(answer.asked)


def _looked_for(calls: Iterable[Given], chains: Mapping[int, Chain | None]) -> Iterator[Place]:
    """Yield what nearly all calls are looked up by, so that a batch needs few statements for it."""
    for call in calls:
        chain = chains[call.row.id]
        if chain is not None:
            yield call.run, "asked", chain.asked
            latest = next(chain.ends_of_answers(), None)
            if latest is not None:
                yield call.run, "answered", latest[0]


def _begun(drafts: Drafts, call: Given, chain: Chain) -> Turn:
    attributes = call.span.attributes
    row = call.row
    sizes = chain.sizes()
    for key, name in ((semconv.SYSTEM_INSTRUCTIONS, "system"), (semconv.TOOL_DEFINITIONS, _TOOLS)):
        text = attributes.get(key)
        if isinstance(text, str):
            sizes[name] = sizes.get(name, 0) + len(text)
    turn = Turn(
        span=row.id,
        run=call.run,
        lane=_lane(call),
        start_ns=row.start_ns,
        end_ns=None,
        failed=0,
        asked=chain.asked,
        answered=None,
        response=None,
        link="begins",
        previous=None,
        conversation=row.id,
        continued=0,
        candidates=0,
        messages=len(chain.messages),
        new_from=0,
        sizes=_text(sizes),
        tools="[]",
        results="[]",
    )
    _find_previous(drafts, turn, chain, _previous_response(call))
    results = [result for message in chain.messages[turn.new_from :] for result in message.results]
    turn.results = _text(results)
    return turn


class _Candidate(NamedTuple):
    turn: Turn
    link: Link
    new_from: int


def _find_previous(drafts: Drafts, turn: Turn, chain: Chain, response: str | None) -> None:
    found = _candidates(drafts, turn, chain, response)
    found = [each for each in found if each.turn.end_ns is not None and each.turn.end_ns <= turn.start_ns]
    chosen = _chosen(found, turn.lane)
    if len(chosen) == 1:
        (candidate,) = chosen
        turn.link, turn.previous = candidate.link, candidate.turn.span
        turn.conversation, turn.new_from = candidate.turn.conversation, candidate.new_from
        # What was tried again is over, as what was continued is.
        drafts.note_continued(candidate.turn)
    elif chosen:
        turn.link, turn.candidates = "unclear", len(chosen)
        turn.new_from = max(candidate.new_from for candidate in chosen)


def _candidates(drafts: Drafts, turn: Turn, chain: Chain, response: str | None) -> list[_Candidate]:
    if response is not None:
        return [_Candidate(each, "continues", 0) for each in drafts.others(turn, "response", response)]
    failed = [
        _Candidate(each, "retry", each.new_from)
        for each in drafts.others(turn, "asked", turn.asked)
        if each.failed and not each.continued
    ]
    for answered, messages in chain.ends_of_answers():
        found = drafts.others(turn, "answered", answered)
        if found:
            return [*failed, *(_Candidate(each, "continues", messages) for each in found)]
    return failed


def _chosen(found: Sequence[_Candidate], lane: str | None) -> Sequence[_Candidate]:
    """Return the candidates that cannot be told apart: one where it is clear."""
    if lane is not None and any(each.turn.lane is not None for each in found):
        found = [each for each in found if each.turn.lane in (None, lane)] or found
    fresh = [each for each in found if not each.turn.continued]
    return fresh or found


def forget(connection: Connection, row_ids: Sequence[int]) -> None:
    """Remove the turns of spans that are removed, or that another span counts for."""
    driver(connection).execute(
        "DELETE FROM turns WHERE span IN (SELECT value FROM json_each(?))", (json_list(list(row_ids)),)
    )


def _lane(call: Given) -> str | None:
    thread = call.span.attributes.get(semconv.THREAD_ID)
    if not isinstance(thread, int):
        return None
    lane = f"{call.row.process}/{thread}/{call.span.attributes.get(semconv.TASK, '')}"
    return blake2b(lane.encode(errors="replace"), digest_size=8).hexdigest()


def _previous_response(call: Given) -> str | None:
    """Return the id of the response that a request to OpenAI's Responses goes on from."""
    text = call.span.attributes.get(semconv.SEED_LLM_PROMPT)
    if not isinstance(text, str) or '"previous_response_id"' not in text:
        return None
    try:
        found = msgspec.json.decode(text, type=_Request).previous_response_id
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return found if isinstance(found, str) else None


class _Request(msgspec.Struct):
    previous_response_id: Any = None


def _text(value: Mapping[str, int] | Sequence[AskedTool] | Sequence[ToolResult]) -> str:
    return msgspec.json.encode(value).decode(errors="replace")
