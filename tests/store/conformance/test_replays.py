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


def test_figures_without_replays_count_what_was_really_asked(store, make_span):
    def call(trace, **fields):
        given = {"kind": "llm", "hook": "llm_generate", "trace_id": f"{trace:x>32}", "run": trace, "input_tokens": 10}
        return make_span(**{**given, **fields})

    replayed, made_live = {OF: "first"}, {OF: "first", "inspector.replay.live": True}
    store.write([call("first"), call("again", attributes=replayed), call("again", attributes=made_live)])
    without, every = Filter(replays=False), Filter()
    assert [store.stats(each).total.input_tokens for each in (without, every)] == [20, 30]
    for of in ("traces", "runs"):
        assert [store.stats(each, of=of).total.count for each in (without, every)] == [1, 2]
    assert [store.stats(each).replays_left_out for each in (without, every)] == [1, 0]
    assert len(store.events(without).items) == 2
    assert [run.run_id for run in store.runs(without).items] == ["first"]
    assert store.health().calls_ever["llm"] == (2, 0)


def test_replays_that_are_left_out_are_those_of_the_time_range(store, make_span):
    store.write([make_span(trace_id=f"{at:032x}", start_ns=at, attributes={OF: "first"}) for at in (10, 20, 30)])
    assert store.stats(Filter(replays=False, since_ns=20)).replays_left_out == 2
    assert store.stats(Filter(replays=False, since_ns=11, until_ns=30)).replays_left_out == 1
