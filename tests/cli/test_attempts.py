import json

PASSED = {"name": "Timeout", "did": "passed"}
AGAIN = {
    "name": "Retry",
    "did": "changed",
    "calls": 3,
    "attempts": [
        {"outcome": "error", "error": "RuntimeError", "message": "RuntimeError: the desk is closed"},
        {"outcome": "error", "error": "ToolTimedOut", "message": "ended after 2 s"},
        {"outcome": "ok"},
    ],
}


def attributes(*middleware):
    return {"inspector.tool.outcome": "executed", "inspector.middleware_json": json.dumps(middleware)}


def drawn(done):
    return [line.rstrip() for line in done.stdout.decode().splitlines()]


def test_each_attempt_of_a_call_that_was_made_again_is_a_line_below_it(inspector, write_spans, span):
    write_spans(span(name="execute_tool book", attributes=attributes(AGAIN, PASSED)))
    _, row, *below = drawn(inspector("show"))
    assert row.endswith("3 attempts by Retry")
    assert [line.lstrip("│ ") for line in below] == [
        "✗ attempt 1  RuntimeError: the desk is closed",
        "✗ attempt 2  ToolTimedOut: ended after 2 s",
        "✓ attempt 3",
    ]


def test_a_call_that_was_made_once_is_one_line_whatever_stood_around_it(inspector, write_spans, span):
    once = {**AGAIN, "attempts": AGAIN["attempts"][:1]}
    write_spans(
        span(attributes=attributes(PASSED)),
        span(attributes=attributes(once)),
        span(attributes={"inspector.tool.outcome": "executed"}),
    )
    assert len(drawn(inspector("show"))) == 4


def test_what_others_record_under_the_name_of_middleware_is_not_read(inspector, write_spans, span):
    for odd in ('[{"attempts": 3}]', "no JSON"):
        write_spans(span(attributes={"inspector.tool.outcome": "executed", "inspector.middleware_json": odd}))
    assert len(drawn(inspector("show"))) == 3


def test_more_calls_than_one_page_are_all_looked_at(inspector, write_spans, span):
    write_spans(*(span(attributes=attributes(AGAIN)) for _ in range(201)))
    assert sum(line.endswith("3 attempts by Retry") for line in drawn(inspector("show"))) == 201
