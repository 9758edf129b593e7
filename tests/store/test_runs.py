import itertools
import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from inspector.model import STATUSES, Filter, Span
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.writing.runs import _load, sum_all_runs

ASKED = json.dumps([{"role": "system", "content": "be brief"}, {"role": "user", "content": "Where is\nmy parcel?"}])
ANSWERED = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "On its way."}]}])
PROCESS = "20261122T120000-17-abcdef01"
PICK = st.sampled_from([None, "x", "y"])
RECORDS = st.lists(
    st.builds(
        dict,
        trace_id=st.sampled_from(["t1", "t2", "t3"]),
        span_id=st.sampled_from(["1", "2", "3", "4"]),
        parent_id=st.sampled_from([None, "1", "9"]),
        session_id=PICK,
        run=st.sampled_from([None, "r1", "r2"]),
        process=st.sampled_from([None, "p1", "not an id"]),
        hook=st.sampled_from([None, "run", "request", "uncaught"]),
        model=PICK,
        kind=st.sampled_from(["llm", "tool", "agent", "rpc"]),
        status=st.sampled_from(STATUSES),
        start_ns=st.integers(1, 4),
        end_ns=st.sampled_from([None, 2, 5, 9]),
        input_tokens=st.sampled_from([None, 0, 3]),
        cost_usd=st.sampled_from([None, 0.0, 0.1]),
        name=st.sampled_from(["n1", "n2"]),
        service=PICK,
    ),
    max_size=25,
)


def run_of(store, trace_id="a" * 32):
    return store.run(store.trace(trace_id).run_id)


@given(records=RECORDS, size=st.integers(1, 6), deleted=st.sampled_from([None, "t1", "t2"]))
def test_runs_always_equal_what_their_traces_add_up_to(tmp_path_factory, records, size, deleted):
    store = SqliteStore(tmp_path_factory.mktemp("runs") / "inspector.db")
    spans = [Span(**fields) for fields in records]
    for start in range(0, len(spans), size):
        store.write(spans[start : start + size])
    if deleted is not None:
        store.delete("trace", deleted)
    kept = {run.run_id: run for run in store.runs(Filter(), limit=1000).items}
    traces = store.traces(Filter(), limit=1000).items
    assert set(kept) == {trace.run_id for trace in traces}
    for run_id, run in kept.items():
        mine = [trace for trace in traces if trace.run_id == run_id]
        # Without those of an exception that ended a program.
        counted = [trace for trace in mine if trace.calls]
        assert (run.traces, run.spans) == (len(counted), sum(trace.spans for trace in counted))
        assert run.failed_traces == [trace.status for trace in counted].count("error")
        assert run.start_time_unix_nano == min((trace.start_time_unix_nano for trace in mine), key=int)
        assert run.status == worst(mine)
    with store._write() as connection:
        before = _load(connection, kept)
        sum_all_runs(connection)
        after = _load(connection, kept)
    rounded = [
        {run: replace(sums, cost_usd=round(sums.cost_usd, 9)) for run, sums in of.items()} for of in (before, after)
    ]
    assert rounded[0] == rounded[1]
    store.close()


def worst(traces):
    found = {trace.status for trace in traces}
    # A call that was denied leaves its run as it is.
    return next((status for status in ("running", "error", "lost", "abandoned", "cancelled") if status in found), "ok")


def test_bare_calls_of_one_program_are_one_run(store, make_span):
    for at in range(3):
        store.write([make_span(trace_id=f"{at}" * 32, run="r1", process=PROCESS, service="shop.py", kind="llm")])
    (run,) = store.runs(Filter()).items
    assert (run.run_id, run.origin, run.name, run.traces, run.llm_calls) == ("r1", "program", "shop.py", 3, 3)
    assert run.trace_id == "0" * 32
    assert [trace.trace_id[0] for trace in store.traces(Filter(run_id="r1"), order="asc").items] == ["0", "1", "2"]
    assert store.runs(Filter(run_id="r2")).items == ()


def test_a_run_is_named_by_its_agent_rather_than_by_the_messages_that_connected_its_servers(store, make_span):
    program = {"run": "r1", "process": PROCESS, "service": "shop.py"}
    connect = make_span(trace_id="1" * 32, kind="rpc", name="initialize", start_ns=1, **program)
    agent = make_span(trace_id="2" * 32, kind="agent", name="invoke_agent T", agent="T", start_ns=5, **program)
    later = make_span(trace_id="3" * 32, kind="agent", name="invoke_agent U", agent="U", start_ns=9, **program)
    for spans in itertools.permutations([connect, agent, later]):
        for span in spans:
            store.write([span])
        (run,) = store.runs(Filter()).items
        assert (run.agent, run.trace_id, run.trace_name) == ("T", "2" * 32, "invoke_agent T")
        assert (run.start_time_unix_nano, run.traces) == ("1", 3)
        store.delete("run", "r1")
    store.write([connect])
    assert store.run("r1").trace_name == "initialize"


def test_a_trace_whose_beginning_turns_out_to_be_a_message_names_its_run_no_longer(store, make_span):
    inner = make_span(trace_id="1" * 32, run="r1", kind="agent", parent_id="9" * 16, start_ns=2)
    store.write([inner, make_span(trace_id="2" * 32, run="r1", kind="llm", start_ns=3)])
    assert store.run("r1").trace_id == "1" * 32
    store.write([make_span(trace_id="1" * 32, run="r1", kind="rpc", span_id="9" * 16, start_ns=1)])
    assert store.run("r1").trace_id == "2" * 32


def test_a_process_that_names_no_run_is_one(store, make_span):
    store.write([make_span(trace_id=f"{at}" * 32, process=PROCESS) for at in range(2)])
    (run,) = store.runs(Filter()).items
    assert (run.run_id, run.origin, run.traces) == (PROCESS, "program", 2)


def test_a_trace_belongs_to_the_run_of_its_root_whoever_else_takes_part(store, make_span):
    store.write([make_span(run="server", parent_id="9" * 16, start_ns=5)])
    assert run_of(store).run_id == "server"
    store.write([make_span(run="client", start_ns=7, span_id="9" * 16)])
    assert run_of(store).run_id == "client"
    assert [run.run_id for run in store.runs(Filter()).items] == ["client"]


def test_a_request_a_block_and_a_cell_are_runs_by_what_their_root_is(store, make_span):
    for at, hook in enumerate(("request", "run", "cell", "tool_call")):
        store.write([make_span(trace_id=f"{at}" * 32, run=f"r{at}", hook=hook, name=f"name {at}", service="app")])
    found = [(run.origin, run.name) for run in store.runs(Filter(), order="asc").items]
    assert found == [("request", "name 0"), ("block", "name 1"), ("cell", "name 2"), ("program", "app")]


def test_traces_that_name_no_run_are_one_by_their_session_or_each_by_itself(store, make_span):
    store.write([make_span(trace_id=f"{at}" * 32, session_id="s 1" if at < 2 else None) for at in range(3)])
    session, alone = store.runs(Filter(), order="asc").items
    assert (session.origin, session.name, session.traces) == ("session", "s 1", 2)
    assert (alone.origin, alone.run_id, alone.traces) == ("trace", "2" * 32, 1)


def test_a_run_has_the_worst_status_of_its_traces_and_no_end_while_one_is_open(store, make_span):
    store.write([make_span(trace_id="1" * 32, run="r", status="error"), make_span(trace_id="2" * 32, run="r")])
    (run,) = store.runs(Filter()).items
    assert (run.status, run.failed_traces, run.open_calls) == ("error", 1, 0)
    store.write([make_span(trace_id="3" * 32, run="r", status="running")])
    (run,) = store.runs(Filter(statuses=("running",))).items
    assert (run.open_calls, run.end_time_unix_nano, run.duration_ms) == (1, None, None)


def test_a_run_says_what_was_first_asked_and_last_answered(store, make_span):
    asks = {"kind": "llm", "run": "r", "input_key": "asked", "output_key": "said"}
    store.write(
        [
            make_span(trace_id="2" * 32, start_ns=20, attributes={"asked": "later", "said": ANSWERED}, **asks),
            make_span(trace_id="1" * 32, start_ns=10, attributes={"asked": ASKED, "said": '"Let me see."'}, **asks),
        ]
    )
    (run,) = store.runs(Filter()).items
    assert (run.question, run.answer) == ("Where is my parcel?", "On its way.")
    store.delete("trace", "1" * 32)
    (run,) = store.runs(Filter()).items
    assert (run.question, run.answer, run.traces) == ("later", "On its way.", 1)


def test_an_answer_that_only_calls_tools_leaves_the_one_before(store, make_span):
    calls = json.dumps([{"role": "assistant", "parts": [{"type": "tool_call", "name": "find", "arguments": {}}]}])
    asks = {"kind": "llm", "run": "r", "output_key": "said"}
    store.write([make_span(attributes={"said": said}, **asks) for said in ('"Hello."', calls, "null", "[]", '""')])
    assert run_of(store).answer == "Hello."


def test_an_embedding_is_not_the_answer_of_a_run(store, make_span):
    asks = {"kind": "llm", "run": "r", "output_key": "said"}
    embedded = {"said": '{"embedding": {"dimensions": 256}}', "gen_ai.operation.name": "embeddings"}
    store.write([make_span(attributes=given, **asks) for given in ({"said": '"Hello."'}, embedded)])
    assert run_of(store).answer == "Hello."


def test_an_embedded_document_is_not_the_question_of_a_run(store, make_span):
    asks = {"kind": "llm", "run": "r", "input_key": "asked"}
    embedded = {"asked": '"Returns within 30 days."', "gen_ai.operation.name": "embeddings"}
    store.write([make_span(attributes=given, **asks) for given in (embedded, {"asked": '"How long is shipping?"'})])
    assert run_of(store).question == "How long is shipping?"
