"""Trips of agents of five frameworks, each with one thing changed: what is named as the cause is what was changed."""

import pytest

from inspector.diff import cause_of, compare, program_changes
from inspector.ingest import Owner
from inspector.lookup import program_of, traces_of
from inspector.model import Filter
from inspector.settings import Settings

pytestmark = pytest.mark.sweep(1)

PROGRAMS = {
    "causes_agent_framework.py": "current",
    "causes_crewai.py": "crewai",
    "causes_langgraph.py": "current",
    "causes_openai_agents.py": "current",
    "causes_pydantic_ai.py": "current",
}
OUTSIDE = ("agent", "workflow")
CAUSES = {
    "system text": ("input", "system", ["llm"]),
    "tool definition": ("input", "tool", ["llm"]),
    # What surrounds a model call was given the question first.
    "message": ("input", "argument", OUTSIDE),
    "parameter": ("input", "parameter", ["llm"]),
    "model that was asked": ("input", "model", ["llm"]),
    "model that answered": ("model", None, ["llm"]),
    "result of a tool": ("answer", None, ["find"]),
    "failed tool": ("failure", None, ["find"]),
    "package": ("package", None, ["find"]),
    "commit": ("commit", None, OUTSIDE),
    "step removed": ("program", None, OUTSIDE),
    "another order": ("order", None, OUTSIDE),
    "other answer": ("answer", None, ["llm"]),
}
"""What is to be named: the kind, the part of the input, and the call."""
PLACES = {"step removed": [2], "commit": [3], "another order": [1, 2]}
"""The questions of its run that the call may belong to, counted from 1; all others belong to the first."""


class Trips:
    """The recorded trips of one framework."""

    def __init__(self, recorded):
        self.trips = {}
        for event in recorded.events:
            self.trips.setdefault(event.session_id, []).append(event)
        with Owner(Settings(home=recorded.home)) as owner:
            (whole,) = owner.store.runs(Filter(), limit=10).items
            self.program = program_of(owner.store, traces_of(owner.store, whole))

    def changed_program(self, name):
        """What is recorded of the program, with what a trip changed of it."""
        if name == "package":
            return self.program | {"packages": {**self.program["packages"], "mcp-agent-inspector": "0.0.1"}}
        return self.program | ({"commit": "1" * 40} if name == "commit" else {})

    def compared(self, name):
        then = self.program | {"commit": "0" * 40}
        now = {"commit": "0" * 40, **self.changed_program(name)}
        return compare(self.trips["as it was"], self.trips[name], program_changes(then, now))

    def named(self, name):
        """The kind, the part, the call and the question that the cause of a trip names."""
        comparison = self.compared(name)
        cause = cause_of(comparison)
        assert cause is not None, name
        event = cause.pair.step.event
        tops = [pair for pair in comparison.pairs if pair.depth == 0]
        at = next(at for at, top in enumerate(tops, 1) if top.step.event.trace_id == event.trace_id)
        return cause.kind, cause.changed and cause.changed.part.kind, event.tool or event.kind, at


@pytest.fixture(scope="module", params=PROGRAMS)
def trips(request, run):
    return Trips(run(request.param, within=PROGRAMS[request.param]))


@pytest.mark.slow
def test_what_was_changed_is_named_at_the_call_where_it_was(trips):
    assert set(CAUSES) < set(trips.trips)
    for name, (kind, part, calls) in CAUSES.items():
        *what, call, place = trips.named(name)
        assert (what, call in calls, place in PLACES.get(name, [1])) == ([kind, part], True, True), (name, call, place)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, 7))
def test_no_cause_is_named_where_nothing_was_changed(trips, number):
    comparison = trips.compared(f"equal {number}")
    assert cause_of(comparison) is None
    assert comparison.is_equal
    assert comparison.ignored["id"] > 0
    assert comparison.ignored["time"] > 0
