import pytest
from written_runs import call, llm, run, tool

from inspector.diff import cause_of, compare, program_changes

THEN = {
    "packages": {"openai": "3.53.0", "mcp": "2.3.0", "langgraph": "1"},
    "python": "3.12.1",
    "commit": "1a2b3c4d" * 5,
}
NOW = {"packages": {"openai": "3.54.0", "mcp": "2.3.0"}, "python": "3.12.1", "commit": "5e6f7a8b" * 5, "changed": True}
ASKED = [("user", "Where is it warm?")]


def sentences(a, b):
    return [each.sentence for each in program_changes(a, b)]


def test_packages_of_both_and_the_commit_are_compared():
    assert sentences(THEN, NOW) == [
        "openai 3.53.0 became 3.54.0",
        "commit 1a2b3c4d1a2b became 5e6f7a8b5e6f with changes",
    ]
    assert sentences(THEN, THEN | {"python": "3.13.0"}) == ["python 3.12.1 became 3.13.0"]


def test_what_is_not_recorded_of_both_is_no_change():
    assert sentences(None, NOW) == sentences(THEN, None) == sentences(THEN, {}) == sentences(THEN, THEN) == []
    assert sentences(THEN, {"packages": "damaged", "commit": None}) == []


def parted(a, b, then=THEN, now=NOW):
    found = cause_of(compare(run(*a), run(*b), program_changes(then, now)))
    return found.kind, found.sentence


ANSWER = llm(ASKED, "In Rome.")
WEATHER = tool("weather", {"city": "Rome"}, 30)


@pytest.mark.parametrize(
    ("now", "kind", "sentence"),
    [
        (NOW, "package", "openai 3.53.0 became 3.54.0, commit 1a2b3c4d1a2b became 5e6f7a8b5e6f with changes, and "),
        (THEN | {"commit": "9" * 40}, "commit", "commit 1a2b3c4d1a2b became 999999999999, and "),
    ],
)
def test_a_program_that_does_something_else_of_itself_is_why(now, kind, sentence):
    more = [ANSWER, tool("book", {}, "booked")]
    assert parted([ANSWER], more, now=now) == (
        kind,
        f"{sentence}only one of the runs called book, and nothing before it differs",
    )


def test_a_tool_that_answers_the_same_input_differently_may_be_the_programs_doing():
    kind, sentence = parted([ANSWER, WEATHER], [ANSWER, tool("weather", {"city": "Rome"}, 31)])
    assert (kind, sentence.rpartition(", and ")[2]) == ("package", "weather gave a different answer to the same input")


def test_another_answer_of_a_model_and_another_question_are_their_own_cause():
    other = llm(ASKED, "In Oslo.")
    assert parted([ANSWER], [other]) == ("answer", "the model gave a different answer to the same input")
    assert parted([ANSWER], [llm([("user", "Cold?")], "In Oslo.")])[0] == "input"


def test_of_many_changes_three_are_named():
    packages = ({"packages": {f"p{at}": version for at in range(5)}} for version in ("1", "2"))
    _, sentence = parted([ANSWER], [ANSWER, call("tool", "book", {}, 1)], *packages)
    changes, _, seen = sentence.partition(", and only one of the runs called")
    assert (changes, bool(seen)) == ("p0 1 became 2, p1 1 became 2, p2 1 became 2, and 2 more differ", True)
