"""Tool calls that an answer asks for and that have a span, in any number; what else is found is in `conformance`."""

from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from inspector.toolnames import plain_name, plain_names

RUNS = count()
TOOLS = {"git__read_file": "read_file", "shell__execute": "shell.execute", "agent__critic": "critic", "look": "look"}


@given(
    st.lists(st.tuples(st.sampled_from(sorted(TOOLS)), st.booleans(), st.booleans()), min_size=1, max_size=8),
    st.booleans(),
    st.randoms(),
)
def test_what_has_a_span_is_never_inferred_and_never_told_otherwise(turn, calls, with_ids, random):
    """Any mix of tools, recorded or not; with ids, or with names alone, where all calls of a tool are recorded."""
    is_recorded = {name: random.random() < 0.5 for name in TOOLS}
    asked, spans, expected = [], [], []
    for at, (name, seen, failed) in enumerate(calls):
        seen = seen if with_ids else is_recorded[name]
        asked.append((name, f"c{at}"))
        if seen:
            fields = {"status": "error" if failed else "ok"}
            spans.append((TOOLS[name], f"c{at}" if with_ids else None, fields))
        expected.append((seen, seen and failed))
    if with_ids:
        random.shuffle(spans)
    tools = turn(asked, *spans, run=f"run {next(RUNS)}")
    assert [tool.recorded for tool in tools] == [seen for seen, _ in expected]
    assert [tool.failed for tool in tools] == [failed for _, failed in expected]
    found = [tool.span for tool in tools if tool.span is not None]
    assert len(set(found)) == len(found) == len(spans)


@given(st.text(), st.text(min_size=1), st.sampled_from(["__", ".", "/", ":", "-", "_"]))
def test_a_tool_behind_a_server_is_among_the_plain_names(server, name, joint):
    assert plain_name(name) in set(plain_names(f"{server}{joint}{name}")) or plain_name(name) == name
    assert next(plain_names(name)) == plain_name(name)
