import difflib
import json

import pytest

from inspector.cassette import CassetteUnreadable, SecretFound, cassette_lines, events_of_file
from inspector.cassette.stable import stable
from inspector.tape import tape_of

CASSETTE = "tests/cassettes/app.jsonl"


@pytest.mark.slow
def test_recording_again_without_a_change_leaves_the_file_as_it_is(with_test):
    before = with_test.read(CASSETTE)
    assert with_test.record("run", "app.py").code == 0
    said = with_test.make_test()
    assert with_test.read(CASSETTE) == before
    assert "kept tests/test_app.py" in said


@pytest.mark.slow
def test_recording_by_pytest_leaves_the_file_as_it_is_too(with_test):
    before = with_test.read(CASSETTE)
    done = with_test.record_tests("--record=all")
    assert done.code == 0, done.out
    assert "recorded tests/cassettes/app.jsonl" in done.out
    assert with_test.read(CASSETTE) == before


def test_a_change_of_one_message_is_read_in_its_line(with_test):
    before = with_test.read(CASSETTE).splitlines()
    with_test.change("app.py", "on the hills", "in the fields")
    assert with_test.record("run", "app.py").code == 0
    with_test.make_test()
    changed = [
        line
        for line in difflib.unified_diff(before, with_test.read(CASSETTE).splitlines(), n=0)
        if line.startswith("+{") and '"part"' in line
    ]
    assert changed
    assert all("in the fields" in line for line in changed)


def test_nothing_of_the_machine_or_the_hour_is_in_it(with_test):
    text = with_test.read(CASSETTE)
    for key in ("host.name", "process.pid", "thread.id", "server.port", "inspector.call_id", "inspector.raw.program"):
        assert f'"{key}"' not in text
    assert all(line == json.dumps(json.loads(line), separators=(",", ":"), ensure_ascii=False) for line in lines(text))
    assert str(with_test.directory) not in text


def lines(text):
    """Those of spans: their keys are sorted."""
    found = [line for line in text.splitlines() if line.startswith('{"resourceSpans"')]
    assert found == [
        json.dumps(json.loads(line), separators=(",", ":"), ensure_ascii=False, sort_keys=True) for line in found
    ]
    return found


@pytest.mark.slow
def test_show_diff_and_replay_take_it_where_they_take_a_run(with_test):
    shown = with_test.inspector("show", CASSETTE, "--no-pager")
    assert (shown.code, shown.err) == (0, "")
    assert "execute_tool search" in shown.out
    assert "run app ·" in shown.out
    compared = with_test.inspector("diff", CASSETTE, "last", "--no-pager", "--exit-code")
    assert compared.code == 0, compared.out
    assert "The runs are equal." in compared.out
    replayed = with_test.inspector("replay", CASSETTE, "--", "app.py")
    assert replayed.code == 0, replayed.err
    assert "replay: 5 of 5 calls of app replayed" in replayed.err


def test_a_planted_key_is_refused_with_its_place_and_nothing_is_written(project):
    # As a recorder wrote it that did not know this kind of key.
    planted = "sk-proj-" + "A1b2C3d4" * 6
    exported = project.directory / "run.jsonl"
    assert project.inspector("export", "last", "-o", exported).code == 0
    project.change("run.jsonl", "as long as there is snow", f"the key {planted}")
    events = events_of_file(exported)
    with pytest.raises(SecretFound) as raised:
        cassette_lines(events, "app")
    first = next(event for event in events if event.kind == "llm")
    assert f"of chat gpt-4o ({first.span_id[:8]}), so no cassette is written" in str(raised.value)
    assert "there is a secret in the attribute " in str(raised.value)
    assert planted not in str(raised.value)


def test_a_file_without_a_span_says_so(tmp_path):
    with pytest.raises(CassetteUnreadable, match="No such file"):
        events_of_file(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(CassetteUnreadable, match="holds no span"):
        events_of_file(tmp_path / "empty.jsonl")


def test_a_file_that_was_cut_or_has_a_conflict_of_git_says_so_instead_of_having_fewer_calls(with_test, tmp_path):
    whole = (with_test.directory / CASSETTE).read_bytes()
    lines = whole.splitlines(keepends=True)
    damaged = tmp_path / "damaged.jsonl"
    for number, line in enumerate(lines, 1):
        damaged.write_bytes(b"".join(lines[: number - 1]) + line[: len(line) // 2])
        with pytest.raises(CassetteUnreadable, match=f"line {number} of .* was cut there"):
            events_of_file(damaged)
    damaged.write_bytes(lines[0] + b"<<<<<<< HEAD\n" + b"".join(lines[1:]))
    with pytest.raises(CassetteUnreadable, match="line 2 of .* or has a conflict of git"):
        events_of_file(damaged)
    damaged.write_bytes(whole.rstrip() + b"\n\n")
    assert len(events_of_file(damaged)) == len(events_of_file(with_test.directory / CASSETTE))


def test_a_file_without_a_part_of_a_text_says_so_instead_of_having_null_there(with_test, tmp_path):
    lines = (with_test.directory / CASSETTE).read_bytes().splitlines(keepends=True)
    damaged = tmp_path / "damaged.jsonl"
    parts = [line for line in lines if line.startswith(b'{"part":')]
    assert parts
    for part in (parts[0], parts[-1]):
        for instead in (b"", part.replace(b'{"part":', b'{ "part":')):
            damaged.write_bytes(b"".join(instead if line == part else line for line in lines))
            with pytest.raises(CassetteUnreadable, match="line [0-9]+ of .* refers to a line with a part of its text"):
                events_of_file(damaged)


def test_a_key_in_a_result_is_refused_with_the_call_and_nothing_is_written(project):
    project.change("app.py", 'f"booked {hotel}"', '{"notes": ["fine", "the key is sk-proj-" + "A1b2C3d4" * 6]}')
    assert project.record("run", "app.py").code == 0
    done = project.inspector("test", "last")
    assert (done.code, done.out) == (1, "")
    assert "the call execute_tool book (" in done.err
    assert "a secret was taken out of its result, at notes.1\nto see the call: inspector show " in done.err
    span = done.err.partition("inspector show ")[2].partition(";")[0]
    assert "execute_tool book" in project.inspector("show", span, "--no-pager").out
    assert not (project.directory / "tests").exists()


def span(number, *, parent="", start=0, end=1, **attributes):
    pairs = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {
        "traceId": "a" * 32,
        "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": "call",
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "attributes": pairs,
        "events": [],
        "links": [],
    }


def values(spans, key):
    return [pair["value"]["stringValue"] for one in spans for pair in one["attributes"] if pair["key"] == key]


INPUT = "mcp.tool.input_json"


def test_siblings_that_overlap_are_sorted_by_what_they_were_given_and_others_by_when_they_began():
    overlapping = [span(1, start=5, end=9, **{INPUT: "b"}), span(2, start=6, end=9, **{INPUT: "a"})]
    later = span(3, start=9, end=10, **{INPUT: "0"})
    assert values(stable([later, *overlapping], "n"), INPUT) == ["a", "b", "0"]


def test_the_task_and_the_thread_of_a_call_are_left_out():
    # A framework names its tasks by the address of an object.
    (found,) = stable([span(1, **{"inspector.task": "graph.run@7fe27c8fb340", "thread.id": "7", "kept": "x"})], "n")
    assert {pair["key"] for pair in found["attributes"]} == {"kept", "inspector.run.id"}


def test_what_was_logged_during_a_call_is_left_out():
    logged, kept = ({"name": name, "attributes": [], "timeUnixNano": "1"} for name in ("log", "progress_update"))
    (found,) = stable([{**span(1), "events": [logged, kept]}], "n")
    assert [event["name"] for event in found["events"]] == ["progress_update"]


def test_parents_in_a_circle_are_written_once():
    found = stable([span(1, parent=2), span(2, parent=1)], "n")
    assert len(found) == 2


PROMPT, RESPONSE = "mcp.llm.prompt_json", "mcp.llm.response_json"


def test_an_id_that_a_provider_made_up_gets_a_number_and_one_that_the_program_says_does_not():
    asked = span(
        1, **{PROMPT: "what of msg_order4711?", RESPONSE: '{"id": "chatcmpl-x9", "ref": {"id":"msg_order4711"}}'}
    )
    after = span(2, start=2, end=3, **{PROMPT: "after chatcmpl-x9", RESPONSE: '{"id": "chatcmpl-z1", "created": 1790}'})
    found = stable([asked, after], "n")
    assert values(found, PROMPT) == ["what of msg_order4711?", "after chatcmpl-0001"]
    assert values(found, RESPONSE) == [
        '{"id": "chatcmpl-0001", "ref": {"id":"msg_order4711"}}',
        '{"id": "chatcmpl-0002", "created": 0}',
    ]


UUID, OTHER = "7f3a5c1e-8b2d-4e6f-9a01-23456789abcd", "01a219b0-d7f0-7009-b1dc-6d6bd44e0049"


def test_a_uuid_that_a_framework_made_up_has_one_number_wherever_it_stands():
    call = span(1, **{RESPONSE: f'{{"id":"lc_run--{UUID}-0"}}', "inspector.emitter": "langchain"})
    graph = span(2, start=2, end=3, **{"mcp.workflow.output_json": f'[{{"id":"lc_run--{UUID}-0"}},{{"id":"{OTHER}"}}]'})
    found = stable([call, graph], "n")
    assert values(found, RESPONSE) == ['{"id":"lc_run--00000000-0000-4000-8000-000000000001-0"}']
    assert values(found, "mcp.workflow.output_json") == [
        '[{"id":"lc_run--00000000-0000-4000-8000-000000000001-0"},{"id":"00000000-0000-4000-8000-000000000002"}]'
    ]


@pytest.mark.parametrize("key", [INPUT, "mcp.tool.output_json", "inspector.raw.exchanges"])
def test_a_uuid_that_the_program_or_a_model_says_stays_wherever_it_stands(key):
    said = span(1, **{key: f'"order {UUID}"'})
    repeated = span(2, start=2, end=3, **{"mcp.workflow.output_json": f'{{"id":"{UUID}"}}'})
    found = stable([repeated, said], "n")
    assert values(found, key) == [f'"order {UUID}"']
    assert values(found, "mcp.workflow.output_json") == [f'{{"id":"{UUID}"}}']


def test_the_id_of_a_call_that_has_no_model_is_numbered():
    found = stable(
        [span(1, **{"gen_ai.tool.call.id": "call_35f51fa9", "inspector.correlation_id": "7b52440c665c6c94"})], "n"
    )
    assert values(found, "gen_ai.tool.call.id") == ["call_0001"]
    assert values(found, "inspector.correlation_id") == ["0000000000000001"]


ASKING = json.dumps(
    [
        {
            "parts": [
                {"type": "tool_call", "id": f"call_{tool}", "name": tool, "arguments": {}} for tool in ("ship", "book")
            ]
        }
    ]
)


@pytest.mark.parametrize("ids", [("call_ship", "call_book"), ("", "")])
def test_tools_of_one_answer_come_as_it_asks_for_them_in_whichever_order_threads_began_them(ids):
    model = span(1, end=1, **{"gen_ai.output.messages": ASKING})
    first, then = (
        span(number, start=start, end=start + 1, **{"mcp.tool.name": tool, INPUT: "{}", "gen_ai.tool.call.id": call_id})
        for number, start, tool, call_id in ((2, 4, "ship", ids[0]), (3, 2, "book", ids[1]))
    )
    assert values(stable([model, then, first], "n"), "mcp.tool.name") == ["ship", "book"]


def test_what_several_threads_ask_is_sorted_by_what_they_ask_a_longer_conversation_after_its_beginning():
    asked = ['{"messages":["z"]}', '{"messages":["b","c"]}', '{"messages":["b"]}', '{"messages":["a"]}']
    threads = (1, 3, 4, 3)
    calls = [
        span(number, start=number * 2, end=number * 2 + 1, **{PROMPT: text, "thread.id": str(thread)})
        for number, (text, thread) in enumerate(zip(asked, threads, strict=True), 1)
    ]
    assert values(stable(calls, "n"), PROMPT) == [asked[0], asked[3], asked[2], asked[1]]


@pytest.mark.parametrize("began", [35, 45])
def test_calls_of_a_pool_have_no_order_even_if_there_is_a_gap_between_them_by_chance(began):
    asked = ['{"messages":["b"]}', '{"messages":["c"]}', '{"messages":["a"]}']
    calls = zip(asked, (1, 3, 1), (10, 12, began), (20, 40, 55), strict=True)
    spans = [
        span(number, start=start, end=end, **{PROMPT: text, "thread.id": str(thread)})
        for number, (text, thread, start, end) in enumerate(calls, 1)
    ]
    assert values(stable(spans, "n"), PROMPT) == sorted(asked)


@pytest.mark.parametrize("threads", [(1, 2, 3), (1, 1, 2), (1, 2, 1)])
def test_agents_that_run_one_after_the_other_stay_so_in_whichever_threads_their_models_are_called(threads):
    found = stable(
        [
            each
            for number, (agent, thread) in enumerate(zip("cba", threads, strict=True))
            for each in (
                span(10 + number, start=number * 10, end=number * 10 + 9, **{"inspector.agent.input_json": agent}),
                span(20 + number, parent=10 + number, start=number * 10 + 1, **{"thread.id": str(thread)}),
            )
        ],
        "n",
    )
    assert values(found, "inspector.agent.input_json") == ["c", "b", "a"]


def test_a_stream_is_written_event_by_event_however_the_network_cut_it():
    def written(*pieces):
        exchange = {"status": 200, "headers": {}, "pieces": pieces}
        (found,) = stable([span(1, **{"inspector.raw.exchanges": json.dumps([exchange])})], "n")
        return values([found], "inspector.raw.exchanges")

    assert (
        written("data: a\n\nda", "ta: b\n\n")
        == written("data: a\n\n", "data: b\n\n")
        == written("data: a\n\ndata: b\n\n")
    )


def test_each_attempt_has_a_request_id_which_is_not_the_providers():
    def written(request_id):
        headers = {"content-type": "application/json", "X-Request-Id": request_id}
        attempts = json.dumps([{"status": status, "headers": headers, "text": ["{}"]} for status in (500, 200)])
        found = stable([span(each, **{"inspector.raw.exchanges": attempts}) for each in (1, 2)], "n")
        exchanges = [one for value in values(found, "inspector.raw.exchanges") for one in json.loads(value)]
        return [each["headers"]["X-Request-Id"] for each in exchanges]

    assert len(set(written("req_a"))) == 4
    assert written("req_a") == written("0f9e-b")


def test_ids_of_two_cassettes_differ():
    (one,), (other,) = stable([span(1)], "one"), stable([span(1)], "other")
    assert {one["spanId"], one["traceId"]}.isdisjoint((other["spanId"], other["traceId"]))


def test_what_a_replay_gives_back_is_in_it_to_the_letter(with_test):
    exported = with_test.directory / "run.jsonl"
    assert with_test.inspector("export", "last", "-o", exported).code == 0
    recorded, written = (tape_of("r", events_of_file(with_test.directory / name)) for name in ("run.jsonl", CASSETTE))
    assert [(call.name, call.result, call.output) for call in written.calls] == [
        (call.name, call.result, call.output) for call in recorded.calls
    ]
    streams = [json.loads(tape.calls[-1].exchanges)[0] for tape in (written, recorded)]
    assert streams[0]["pieces"][-1] == "data: [DONE]\n\n"
    assert "packed" in streams[1]
