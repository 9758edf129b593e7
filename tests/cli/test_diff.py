import json

import pytest
from msgspec.structs import replace

ASKED = [{"role": "user", "parts": [{"type": "text", "content": "Where is it warm?"}]}]
MESSAGES = "gen_ai.input.messages"


def answered(text):
    return [{"role": "assistant", "parts": [{"type": "text", "content": text}]}]


@pytest.fixture
def trip(span):
    def build(letter, *, at_s, system="Be brief.", city="Oslo"):
        attributes = {
            MESSAGES: json.dumps([{"role": "system", "parts": [{"type": "text", "content": system}]}, *ASKED]),
            "gen_ai.output.messages": json.dumps(answered(f"weather of {city}")),
            "gen_ai.operation.name": "chat",
        }
        place = {"trace_id": letter * 32, "run": f"run-{letter}", "service": "travel"}
        begin = at_s * 10**9
        called = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather"}
        called["gen_ai.tool.call.arguments"] = json.dumps({"city": city})
        model = span(
            span_id="1" * 16,
            kind="llm",
            name="chat gpt-4o",
            start_ns=begin,
            end_ns=begin + 10,
            attributes=attributes,
            input_key=MESSAGES,
            output_key="gen_ai.output.messages",
            **place,
        )
        tool = span(
            span_id="2" * 16,
            kind="tool",
            name="execute_tool weather",
            tool="weather",
            start_ns=begin + 20,
            end_ns=begin + 30,
            attributes=called,
            input_key="gen_ai.tool.call.arguments",
            **place,
        )
        return [model, tool]

    return build


def test_the_cause_stands_above_the_calls_of_both(inspector, write_spans, trip):
    write_spans(*trip("a", at_s=1), *trip("b", at_s=2, system="Be long.", city="Rome"))
    lines = inspector("diff", "run-a", "run-b").stdout.decode().splitlines()
    assert [line.split(" ")[0] for line in lines[:2]] == ["-", "+"]
    assert lines[3] == "The runs diverge at call 1 of 2, chat gpt-4o: its result differs."
    assert lines[4] == "Cause: system text of chat gpt-4o changed."
    assert ["Be brief." in lines[5], "Be long." in lines[6]] == [True, True]
    assert lines[8:] == [
        "~ chat gpt-4o: system text, answer  11111111",
        "~ weather: argument city  22222222",
    ]


def test_equal_runs_are_called_equal_and_the_exit_code_says_so_when_asked(inspector, write_spans, trip):
    write_spans(*trip("a", at_s=1), *trip("b", at_s=2), *trip("c", at_s=3, city="Rome"))
    equal = inspector("diff", "run-a", "run-b", "--exit-code")
    assert (equal.returncode, equal.stdout.decode().splitlines()[-1]) == (0, "The runs are equal.")
    assert inspector("diff", "run-a", "run-c", "--exit-code").returncode == 1
    assert inspector("diff", "run-a", "run-c").returncode == 0


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run-a", "run-x"), "no run or trace run-x is recorded"),
        (("run-a,run-b", "run-x,run-b"), "no run or trace run-x is recorded"),
        (("run-a", "none.jsonl"), "none.jsonl"),
        (("run-a", "run-b", "--runs", "1"), "takes a whole number from 2 to 100"),
    ],
)
def test_runs_that_cannot_be_compared_are_told_from_runs_that_differ(
    inspector, write_spans, trip, tmp_path, monkeypatch, words, said
):
    write_spans(*trip("a", at_s=1), *trip("b", at_s=2, city="Rome"))
    (tmp_path / "none.jsonl").write_text("")
    monkeypatch.chdir(tmp_path)
    refused = inspector("diff", *words, "--exit-code")
    assert (refused.returncode, said in refused.stderr.decode()) == (2, True), refused.stderr


def test_without_names_the_last_run_is_compared_with_the_one_of_its_program_before_it(
    inspector, write_spans, trip, span
):
    other = span(trace_id="d" * 32, run="run-d", service="other", start_ns=25 * 10**8, end_ns=26 * 10**8)
    write_spans(*trip("a", at_s=1), *trip("b", at_s=2, city="Rome"), other, *trip("c", at_s=3))
    found = json.loads(inspector("diff", "--json").stdout)
    assert (found["a"]["trace_id"], found["b"]["trace_id"]) == ("b" * 32, "c" * 32)
    assert found["cause"]["sentence"] == "the model gave a different answer to the same input"
    assert [step["differences"] for step in found["steps"]] == [["answer"], ["input"]]
    assert found["steps"][1]["changed"] == [
        {"kind": "argument", "name": "city", "label": "argument city", "a": "Rome", "b": "Oslo"}
    ]
    named = json.loads(inspector("diff", "last~3", "last", "--json").stdout)
    assert (named["a"]["trace_id"], named["b"]["trace_id"], named["equal"]) == ("a" * 32, "c" * 32, True)


def test_runs_of_different_programs_are_said_to_be_that(inspector, write_spans, trip):
    write_spans(*trip("a", at_s=1), *(replace(span, service="food") for span in trip("b", at_s=2)))
    lines = inspector("diff", "run-a", "run-b").stdout.decode().splitlines()
    assert lines[3] == "The runs are of different programs: travel and food."
    assert "different programs" not in inspector("diff", "run-a", "run-a").stdout.decode()


@pytest.mark.slow
def test_a_file_is_compared_like_the_run_that_it_was_made_of(inspector, write_spans, trip, tmp_path):
    write_spans(*trip("a", at_s=1), *trip("b", at_s=2, city="Rome"))
    file = tmp_path / "kept.jsonl"
    assert inspector("export", "run-a", "-o", str(file)).returncode == 0
    assert inspector("diff", str(file), "run-a", "--exit-code").returncode == 0
    assert inspector("diff", str(file), "run-b", "--exit-code").returncode == 1
    (tmp_path / "none.jsonl").write_text("")
    refused = inspector("diff", str(tmp_path / "none.jsonl"), "run-a")
    assert (refused.returncode, b"none.jsonl" in refused.stderr) == (1, True)


def test_what_is_not_there_is_said_in_a_line(inspector, write_spans, trip):
    write_spans(*trip("a", at_s=1))
    for words, said in (
        ((), "no run of travel before"),
        (("last~5", "last"), "there is no last~5: 1 run is recorded"),
        (("nothing", "last"), "no run or trace nothing is recorded"),
        (("gone/kept.jsonl", "last"), "there is no file gone/kept.jsonl"),
    ):
        refused = inspector("diff", *words)
        assert refused.returncode == 1
        assert said in refused.stderr.decode()
        assert len(refused.stderr.decode().splitlines()) == 1


def test_text_of_a_run_never_controls_the_terminal(inspector, write_spans, trip):
    write_spans(*trip("a", at_s=1), *trip("b", at_s=2, system="\x1b[31mred", city="\u202eRome"))
    shown = inspector("diff", "run-a", "run-b").stdout.decode()
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@pytest.fixture
def many(write_spans, trip):
    """Eight runs that go to Oslo, and then eight that go to Rome; all of one program."""
    letters = "0123456789abcdef"
    for number, letter in enumerate(letters):
        write_spans(*trip(letter, at_s=number + 1, city="Oslo" if number < 8 else "Rome"))
    return letters


@pytest.mark.slow
def test_several_runs_are_compared_with_those_of_their_program_before_them(inspector, many):
    shown = inspector("diff", "--runs", "8").stdout.decode().splitlines()
    assert [line.split(" (")[0] for line in shown[:2]] == ["- travel: 8 runs", "+ travel: 8 runs"]
    assert shown[3:] == [
        "The runs differ first at call 1 of 2, chat gpt-4o.",
        "",
        "~ chat gpt-4o: other answer 0/7 and 8/8",
        "~ weather: other input 0/7 and 8/8",
    ]
    assert inspector("diff", "--runs", "8", "--exit-code").returncode == 1
    assert (
        inspector("diff", "run-7", "run-f", "--runs", "8", "--json").stdout
        == inspector("diff", "--runs", "8", "--json").stdout
    )


def test_too_few_runs_are_inconclusive(inspector, many):
    found = inspector("diff", "run-0,run-1", "run-e,run-f", "--exit-code")
    assert found.returncode == 0
    lines = found.stdout.decode().splitlines()
    assert lines[3] == "Inconclusive: rates that differ may do so by chance, the first at call 1 of 2, chat gpt-4o."
    assert lines[5] == "? chat gpt-4o: other answer 0/1 and 2/2, inconclusive"
    document = json.loads(inspector("diff", "run-0,run-1", "run-e,run-f", "--json").stdout)
    assert [run["run_id"] for side in "ab" for run in document[side]] == ["run-0", "run-1", "run-e", "run-f"]
    assert (document["verdict"], document["first"], document["reference"]) == ("inconclusive", 0, 0)
    assert document["steps"][1]["rates"]["input"] == {
        "a": 0,
        "of_a": 1,
        "b": 2,
        "of_b": 2,
        "p": pytest.approx(1 / 3),
        "verdict": "inconclusive",
    }


@pytest.mark.slow
def test_runs_that_do_the_same_have_the_same_rates(inspector, many):
    shown = inspector("diff", "run-0,run-1", "run-2,run-3,run-4", "--all").stdout.decode().splitlines()
    assert shown[3:] == [
        "Every rate is the same.",
        "",
        "  chat gpt-4o: called 2/2 and 3/3; other input 0/1 and 0/3; other answer 0/1 and 0/3; failed 0/2 and 0/3",
        "  weather: called 2/2 and 3/3; other input 0/1 and 0/3; other answer 0/1 and 0/3; failed 0/2 and 0/3",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run-0,run-1",), "name the runs that these are compared with"),
        (("run-0,run-1", "run-2", "--runs", "3"), "--runs counts the runs before A and B"),
        (("--runs", "1"), "takes a whole number from 2 to 100"),
    ],
)
def test_several_runs_are_named_on_both_sides(inspector, words, said):
    refused = inspector("diff", *words)
    assert (refused.returncode, said in refused.stderr.decode()) == (2, True)


@pytest.mark.slow
def test_another_commit_and_another_version_are_said_of_the_program(inspector, write_spans, trip):
    programs = [
        {"packages": {"openai": version}, "commit": digit * 40} for version, digit in (("3.53", "1"), ("3.54", "2"))
    ]
    runs = [trip("a", at_s=1), trip("b", at_s=2), trip("c", at_s=3)[:1]]
    for (model, *_), program in zip(runs, (*programs, programs[1]), strict=True):
        model.attributes["inspector.raw.program"] = json.dumps(program)
    write_spans(*(each for spans in runs for each in spans))
    changed = "openai 3.53 became 3.54, commit 111111111111 became 222222222222"
    lines = inspector("diff", "run-a", "run-b").stdout.decode().splitlines()
    assert lines[3:5] == ["The runs are equal.", f"Of the program, {changed}."]
    lines = inspector("diff", "run-a", "run-c").stdout.decode().splitlines()
    assert lines[4].startswith(f"Cause: {changed}, and only one of the runs called weather")
    assert "Of the program" not in "".join(lines)
    found = json.loads(inspector("diff", "run-a", "run-b", "--json").stdout)
    assert [each["name"] for each in found["program"]] == ["openai", "commit"]
    assert (found["program"][0]["kind"], found["program"][0]["a"], found["program"][0]["b"]) == (
        "package",
        "3.53",
        "3.54",
    )


@pytest.mark.slow
def test_two_runs_are_written_as_a_page(inspector, write_spans, trip, tmp_path):
    write_spans(*trip("a", at_s=1), *trip("b", at_s=2, city="Rome"))
    file = tmp_path / "two.html"
    done = inspector("diff", "run-a", "run-b", "--html", str(file), "--exit-code")
    assert (done.returncode, done.stdout) == (1, b""), done.stderr
    assert f"wrote 4 spans of two runs to {file}" in done.stderr.decode()
    assert file.read_text().startswith("<!doctype html>")
    assert inspector("diff", "run-a", "run-a", "--html", str(file), "--exit-code").returncode == 0
    refused = inspector("diff", "run-a", "--runs", "2", "--html", str(file))
    assert refused.returncode == 2
    assert b"--html writes two runs as a page: name two" in refused.stderr


def test_a_replay_is_compared_with_what_it_replays(inspector, write_spans, trip):
    model, tool = trip("c", at_s=3, city="Rome")
    replayed = replace(model, attributes={**model.attributes, "inspector.replay.run": "a" * 32}, service="other")
    write_spans(*trip("a", at_s=1), *trip("b", at_s=2), replayed, replace(tool, service="other"))
    document = json.loads(inspector("diff", "--json").stdout)
    assert (document["a"]["run_id"], document["b"]["run_id"]) == ("run-a", "run-c")


def test_only_a_page_is_without_content(inspector, write_spans, trip):
    write_spans(*trip("a", at_s=1), *trip("b", at_s=2))
    done = inspector("diff", "run-a", "run-b", "--no-content")
    assert (done.returncode, "--no-content is for a page: add --html FILE" in done.stderr.decode()) == (2, True)
