"""Calls side by side are given what each was given then, in whatever order they come this time."""

import random
import types
from contextvars import copy_context

import inspector
import instrument
from inspector.ingest import Owner
from inspector.model import Filter
from inspector.replay.player import Player
from inspector.settings import Settings
from inspector.tape.tape import tape_of
from instrument import control
from instrument.tools import tool

AGENTS, EACH = 5, 4
made = []
"""What the tools' bodies were called with."""


@types.coroutine
def elsewhere():
    """Let others go on."""
    yield


@tool
async def find(city):
    made.append(city)
    await elsewhere()
    return {"city": city, "found": len(made)}


async def searching(number, place, found):
    """One of an agent's: it asks for what is its own, and then for what all of them ask for."""
    async with instrument.around("agent_call", agent=f"agent {number}"):
        await elsewhere()
        first = await find(f"city {place}")
        await elsewhere()
        found[number, place] = first, await find("Oslo")


def run_all(order):
    """Step through all searches, one a time, the next one as `order` says; return what each was given."""
    found = {}
    running = [(searching(number, place, found), copy_context()) for number in range(AGENTS) for place in range(EACH)]
    while running:
        at = order(len(running))
        search, context = running[at]
        try:
            context.run(search.send, None)
        except StopIteration:
            del running[at]
    return found


def test_twenty_calls_at_once_are_answered_as_they_were_under_a_hundred_schedules(tmp_path):
    inspector.attach(home=tmp_path, integrations=False)
    try:
        made.clear()
        then = run_all(lambda _: 0)
        with Owner(Settings(home=tmp_path)) as owner:
            inspector.detach()
            owner.ingest_spools()
            events = owner.store.events(Filter(), order="asc", limit=500, full=True, raw=True).items
        tape = tape_of("run", events)
        assert len(tape.calls) == len(made) == AGENTS * EACH * 2
        inspector.attach(home=tmp_path / "replays", integrations=False)
        made.clear()
        for seed in range(100):
            directory = tmp_path / str(seed)
            directory.mkdir()
            with control.install(Player(tape, directory).decide):
                assert by_agent(run_all(random.Random(seed).randrange)) == by_agent(then)
        assert made == []
    finally:
        inspector.detach()


def by_agent(found):
    """What was given: to each search what is its own, to the searches of an agent together what they all ask for."""
    own = {place: given[0] for place, given in found.items()}
    shared = [sorted(found[number, place][1]["found"] for place in range(EACH)) for number in range(AGENTS)]
    return own, shared
