import json

from inspector.replay import Ignoring
from inspector.tape import Tape, TapeCall
from inspector.tape.request_parts import parts_of_arguments, parts_of_body

NOW, LATER = "2026-11-26 14:03:11", "2026-11-26 15:00:02"


def body(time):
    return {"messages": [{"role": "user", "content": [{"text": f'It is {time}.\nAnswer "so".'}]}], "temperature": 0}


def test_what_fits_a_pattern_is_no_difference_and_all_else_is():
    ignoring = Ignoring([r"\d\d:\d\d:\d\d"])
    now, later = (ignoring.in_request(parts_of_body(body(time))) for time in (NOW, LATER))
    assert now.parts == later.parts
    assert now.parts != ignoring.in_request(parts_of_body(body(NOW.replace("26", "27")))).parts
    assert json.loads(now.texts[now.parts["message 1"]])["content"][0]["text"].startswith("It is 2026-11-26 [ignored].")
    assert ignoring.counts == {r"\d\d:\d\d:\d\d": 3}


def test_a_pattern_ends_where_the_line_of_a_text_ends():
    found = Ignoring(["is .*"]).in_request(parts_of_body(body(NOW)))
    assert json.loads(found.texts[found.parts["message 1"]])["content"][0]["text"] == 'It [ignored]\nAnswer "so".'


def test_a_tape_is_compared_as_its_requests_are():
    ignoring = Ignoring(["x"])
    requests = [parts_of_body(body("x")), parts_of_arguments({"a": "x", "n": 1})]
    calls = tuple(TapeCall(str(at), "llm_generate", "", "", (), dict(each.parts)) for at, each in enumerate(requests))
    tape = Tape("r1", calls, {key: text for each in requests for key, text in each.texts.items()})
    made = ignoring.in_tape(tape)
    assert [call.parts for call in made.calls] == [ignoring.in_request(each).parts for each in requests]
    assert {digest for call in made.calls for digest in call.parts.values()} == made.texts.keys()


def test_a_pattern_that_fits_nothing_is_counted_too():
    ignoring = Ignoring(["nowhere"])
    ignoring.in_request(parts_of_body(body(NOW)))
    assert dict(ignoring.counts) == {"nowhere": 0}
