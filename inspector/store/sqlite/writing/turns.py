"""Finds which model call continues which, as calls arrive."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from inspector import semconv
from inspector.model import Span
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.sqlite.writing.drafts import Drafts, Lookup
from inspector.store.values.chains import Chain, Chains, extended
from inspector.store.values.rows import Row
from inspector.store.values.text_hashes import TextHashes
from inspector.store.values.turns import Turn, find_previous, json_of, lane_of, previous_response, sizes_of


class StoredCall(NamedTuple):
    """A model call that was just stored."""

    span: Span
    row: Row
    run: str
    is_new: bool
    """Whether its row is new, so that it has no stored turn."""


class Turns:
    """Finds the call that each call continues."""

    def __init__(self, text_hashes: TextHashes) -> None:
        self._chains = Chains(text_hashes.of)

    def take(self, connection: Connection, calls: Iterable[StoredCall], *, again: bool = False) -> None:
        """Store the turns of calls that were just stored, in the same transaction.

        With ``again``, existing turns are computed again.
        """
        ordered = sorted(calls, key=lambda call: (call.row.start_ns, call.row.id))
        if again:
            forget(connection, [call.row.id for call in ordered])
        ordered = [call for call in ordered if call.row.folded_into is None]
        drafts = Drafts(connection)
        stored = drafts.load([call.row.id for call in ordered if not call.is_new])
        new = [call for call in ordered if call.row.id not in stored]
        chains = {call.row.id: self._chains.of_prompt(call.span.attributes.get(semconv.INPUT_MESSAGES)) for call in new}
        drafts.look_up(_lookups(new, chains))
        for call in ordered:
            chain = chains.get(call.row.id)
            turn = stored.get(call.row.id) or (None if chain is None else _new_turn(drafts, call, chain))
            if turn is not None:
                self._end(turn, call)
                drafts.keep(turn)
        drafts.save()

    def _end(self, turn: Turn, call: StoredCall) -> None:
        row = call.row
        turn.end_ns, turn.failed = row.end_ns, int(row.status == "error")
        response = call.span.attributes.get(semconv.RESPONSE_ID)
        turn.response = response if isinstance(response, str) else turn.response
        answer = self._chains.of_answer(call.span.attributes.get(semconv.OUTPUT_MESSAGES))
        if answer is not None and row.status != "running":
            turn.answered = extended(turn.asked, answer.parts)
            turn.tools = json_of(answer.requests)


def _lookups(calls: Iterable[StoredCall], chains: Mapping[int, Chain | None]) -> Iterator[Lookup]:
    """Yield nearly all lookups that will be needed, so that a batch needs few statements for them."""
    for call in calls:
        chain = chains[call.row.id]
        if chain is not None:
            yield call.run, "asked", chain.asked
            latest = next(chain.ends_of_answers(), None)
            if latest is not None:
                yield call.run, "answered", latest[0]


def _new_turn(drafts: Drafts, call: StoredCall, chain: Chain) -> Turn:
    row = call.row
    turn = Turn(
        span=row.id,
        conversation=row.id,
        run=call.run,
        lane=lane_of(call.span.attributes, row.process),
        start_ns=row.start_ns,
        asked=chain.asked,
        messages=len(chain.messages),
        sizes=json_of(sizes_of(chain, call.span.attributes)),
    )
    find_previous(drafts, turn, chain.ends_of_answers(), previous_response(call.span.attributes))
    results = [result for message in chain.messages[turn.new_from :] for result in message.results]
    turn.results = json_of(results)
    return turn


def forget(connection: Connection, row_ids: Sequence[int]) -> None:
    """Remove the turns of spans that are removed or have become duplicates."""
    if not row_ids:
        return
    driver(connection).execute(
        "DELETE FROM turns WHERE span IN (SELECT value FROM json_each(?))", (json_list(list(row_ids)),)
    )
