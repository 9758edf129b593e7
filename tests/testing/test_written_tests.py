import json

import pytest
from written_runs import agent, llm, run, tool

from inspector.model import SpanError
from inspector.testing import CostUnknown, ToolCall, Trace
from inspector.testing.generate import name_of, written_test

WRITTEN = """import pytest


@pytest.mark.cassette("app")
def test_app(trace):
    trace.run("app.py")

    assert trace.tools == ["search", "book"]
    assert trace.answer

    # Also true of this run; uncomment what matters:
    # assert trace.calls()[0].args == {"city": "Oslo"}
    # assert trace.calls()[1].args == {"hotel": "Casa Oslo"}
"""


def asked_for(name, arguments):
    return {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": name, "arguments": arguments}]}


def trace_of(*calls):
    return Trace(lambda **_: run(*calls), lambda *_: None)


def with_messages(call, *, asked=(), answered=()):
    attributes = {"gen_ai.input.messages": json.dumps(asked), "gen_ai.output.messages": json.dumps(answered)}
    return {**call, "attributes": {**call.get("attributes", {}), **attributes}}


def said(words):
    return {"role": "assistant", "parts": [{"type": "text", "content": words}]}


def answered(words):
    return trace_of(with_messages(llm([], ""), answered=[said(words)]))


def test_a_test_is_written_as_a_person_would(tested):
    written = tested.read("tests/test_app.py")
    assert written.startswith(WRITTEN)
    assert written.splitlines()[-2:] == ["    # assert trace.errors == []", written.splitlines()[-1]]
    assert written.splitlines()[-1].startswith("    # assert trace.tokens <= ")


def test_every_line_of_it_is_so(with_test):
    kept = with_test.read("tests/test_app.py").replace("    # assert", "    assert")
    with_test.write("tests/test_app.py", kept)
    done = with_test.pytest()
    assert done.code == 0, done.out


def test_the_program_and_the_name_are_those_that_are_given(project):
    said = project.make_test("-o", "checks", "--name", "Trip to Oslo!", "--", "app.py", "One word")
    assert "wrote checks/test_trip_to_oslo.py; to run it: pytest checks/test_trip_to_oslo.py" in said
    written = project.read("checks/test_trip_to_oslo.py")
    assert '    trace.run("app.py", "One word")\n' in written
    assert '@pytest.mark.cassette("trip_to_oslo")\ndef test_trip_to_oslo(trace):\n' in written


def test_a_program_that_is_not_recorded_has_to_be_named(project):
    assert project.inspector("export", "last", "-o", "run.jsonl").code == 0
    project.change("run.jsonl", "app.py", "[redacted:x 9 chars #1f0c]")
    done = project.inspector("test", "run.jsonl")
    assert done.code == 1
    assert "the recording does not name its program; name it: inspector test run.jsonl -- app.py" in done.err


@pytest.mark.slow
def test_a_module_is_run_as_one(project):
    project.write("trips/__init__.py", "")
    (project.directory / "app.py").rename(project.directory / "trips/__main__.py")
    assert project.record("run", "-m", "trips", "One word").code == 0
    project.make_test()
    assert '    trace.run("-m", "trips", "One word")\n' in project.read("tests/test_trips.py")
    assert project.pytest().code == 0


def test_calls_below_a_tool_that_does_not_run_are_not_in_it(project):
    project.change("app.py", '    return f"booked', '    search("Rome")\n    return f"booked')
    assert project.record("run", "app.py").code == 0
    project.make_test()
    assert 'assert trace.tools == ["search", "book"]\n' in project.read("tests/test_app.py")
    done = project.pytest()
    assert done.code == 0, done.out


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ('{"b": 1, "a": 2}', 'assert sorted(json.loads(trace.answer)) == ["a", "b"]'),
        ("[1, 2]", "assert isinstance(json.loads(trace.answer), list)"),
        ("3", "assert trace.answer"),
    ],
)
def test_the_shape_of_an_answer_is_asserted(answer, line):
    written = written_test("app", ["app.py"], answered(answer))
    assert f"    {line}\n" in written
    assert written.startswith("import json\n") == ("json." in line)


def test_an_assertion_too_long_for_its_line_is_left_out_rather_than_cut():
    words = "the warehouse did not answer: " + "it's far away " * 9
    failed = tool("reserve", {}, None, error=SpanError("TimeoutError", words))
    calls = [tool("price", {"of": words}, "39"), failed, with_messages(llm([], ""), answered=[said(words)])]
    written = written_test("app", ["app.py"], trace_of(*calls))
    assert [line.strip() for line in written.splitlines() if "# assert" in line] == [
        "# assert len(trace.errors) == 1",
        "# assert trace.tokens <= 0",
    ]


def test_calls_of_agents_that_work_at_the_same_time_are_expected_in_any_order():
    def of(agents, *, at_once):
        events = run(agent("team", "go", None, *agents), at_once=at_once)
        return written_test("app", ["app.py"], Trace(lambda **_: events, lambda *_: None))

    agents = [agent(name, "go", None, llm([], name), tool(name, {"at": 1}, "done")) for name in ("search", "book")]
    in_turn, together = of(agents, at_once=False), of(agents, at_once=True)
    assert 'assert trace.tools == ["search", "book"]\n' in in_turn
    assert 'assert trace.calls()[0].args == {"at": 1}' in in_turn
    assert 'assert sorted(trace.tools) == ["book", "search"]  # models were called at the same time\n' in together
    assert "trace.calls()" not in together


def test_words_of_any_kind_are_no_code():
    hostile = "\"\"\"\n''' + exit() #" + "\u2028" + "x" * 200
    written = written_test("app", [hostile, "it's", 'a "word"'], answered(hostile))
    compile(written, "test_app.py", "exec")
    assert all(line.startswith(("import", "@", "def", "    ", "")) for line in written.splitlines())
    (ran,) = [line for line in written.splitlines() if "trace.run" in line]
    assert eval(ran.strip().removeprefix("trace.run")) == (hostile, "it's", 'a "word"')


@pytest.mark.parametrize(("given", "name"), [("My Agent", "my_agent"), ("a/b.py", "a_b_py"), ("…", "run")])
def test_a_name_is_one_of_a_module(given, name):
    assert name_of(given) == name


def test_tools_that_nobody_records_are_those_that_models_asked_for():
    told = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": '{"nights": 3}'}]}
    first = with_messages(llm([], ""), answered=[asked_for("search", {"city": "Oslo"})])
    second = with_messages(llm([], ""), asked=[told], answered=[said("done")])
    trace = trace_of(first, tool("book", {"hotel": "x"}, "ok"), second)
    assert trace.tools == ["search", "book"]
    assert trace.calls("search") == [ToolCall("search", {"city": "Oslo"}, {"nights": 3})]
    assert trace.calls("book") == [ToolCall("book", {"hotel": "x"}, "ok")]
    assert trace.answer == "done"


def test_a_tool_that_failed_says_why():
    failed = tool("book", {}, None, error=None)
    trace = trace_of(failed)
    assert trace.calls()[0].error == "failed"
    assert trace.errors == ["tool book: failed"]


@pytest.mark.parametrize(
    ("kind", "named"),
    [("pydantic_ai.exceptions.ModelRetry", "ModelRetry"), ("KeyError", "KeyError"), ("4.04", "4.04")],
)
def test_errors_are_named_without_their_modules_as_they_are_shown(kind, named):
    trace = trace_of(tool("book", {}, None, error=SpanError(kind, "higher")))
    assert trace.calls()[0].error == f"{named}: higher"
    assert trace.errors == [f"tool book: {named}: higher"]


def test_what_two_recorders_saw_is_one_call():
    below = tool("search", {"city": "Oslo"}, "same")
    trace = trace_of({**tool("search", {"city": "Oslo"}, "same"), "below": (below,)})
    assert trace.tools == ["search"]


def test_a_call_without_a_price_has_no_cost():
    with pytest.raises(CostUnknown, match="no price is known for"):
        _ = trace_of(llm([("user", "go")], "done")).cost


def test_a_run_without_an_answer_has_none():
    assert trace_of(tool("search", {}, "x")).answer is None
    assert trace_of(tool("search", {}, "x")).tokens == 0


@pytest.mark.parametrize("command", ["show", "test", "replay"])
@pytest.mark.parametrize("file", ["tests/cassettes/none.jsonl", "none.py"])
def test_a_file_that_is_not_there_is_no_run(project, command, file):
    done = project.inspector(command, file)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"inspector: there is no file {file}\n"


@pytest.mark.parametrize("words", [("show",), ("test",), ("replay",), ("diff", "last")])
def test_a_file_of_a_misspelt_name_is_asked_for_by_the_name_that_is_there(project, words):
    cassettes = project.directory / "tests" / "cassettes"
    cassettes.mkdir(parents=True)
    (cassettes / "trip.jsonl").write_text("")
    (cassettes / "other.py").write_text("")
    done = project.inspector(*words, "tests/cassettes/tripp.jsonl")
    assert (done.code, done.out) == (1, "")
    near = "tests/cassettes/trip.jsonl"
    assert done.err == f"inspector: there is no file tests/cassettes/tripp.jsonl; did you mean {near}?\n"


def test_a_program_that_is_not_there_gets_no_test(project):
    done = project.inspector("test", "last", "--", "none.py")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("inspector: cannot run none.py: there is no such file in ")
    assert not (project.directory / "tests").exists()
