"""Runs that are replays, as lists mark them."""

from msgspec import UNSET

from inspector.model import Filter

OF = "inspector.replay.run"


def test_lists_of_runs_say_of_a_replay_what_it_replays(store, make_span):
    def call(run, **fields):
        given = {"kind": "llm", "hook": "llm_generate", "trace_id": f"{run:x>32}", "run": run, **fields}
        return make_span(**given)

    store.write([call("first"), call("first", attributes={"said": OF})])
    store.write(
        [call("again", kind="agent", hook="agent_call"), call("again"), call("again", attributes={OF: "first"})]
    )
    store.write([call("by trace", attributes={OF: f"{'first':x>32}"}), call("of gone", attributes={OF: "gone"})])
    store.write([call("foreign", hook=None, attributes={OF: "first"}), call("odd", attributes={OF: "no id <b>"})])
    store.write([call("told", kind="other", hook="run", attributes={OF: "first"})])
    of = {"again": "first", "by trace": "first", "of gone": "gone"}
    wanted = {run: of.get(run, UNSET) for run in ("first", "again", "by trace", "of gone", "foreign", "odd", "told")}
    found = {run.run_id: run.replay_of for run in store.runs(Filter()).items}
    assert found == wanted
    assert store.run("by trace").replay_of == "first"
