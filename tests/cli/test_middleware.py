import json

CLAMP = {"name": "clamp", "did": "changed", "args": {"before": {"x": 40}, "after": {"x": 10}}}
REDACT = {"name": "redact", "did": "changed", "result": {"after": {"content": []}}}
AUDIT = {"name": "audit", "did": "changed", "result": {"before": "11", "after": "11 [audit]"}}
PASSED, SKIPPED = {"name": "Timeout", "did": "passed"}, {"name": "cache", "did": "skipped"}
ASKED = {"name": "ask_me", "did": "asked", "message": "Run it?", "answer": "yes", "waited_ms": 1200.0}
AGAIN = {
    "name": "Retry",
    "did": "changed",
    "calls": 2,
    "attempts": [{"outcome": "error", "error": "OSError", "message": "gone"}, {"outcome": "ok"}],
}
GATE = {"controller": "gate", "did": "changed", "by": "ada", "args": {"before": {"x": 99}, "after": {"x": 40}}}


def sheet(inspector, write_spans, span, *middleware, controlled=None, **more):
    more = {"gen_ai.tool.call.arguments": '{"x":99}', "mcp.tool.input_json": '{"x":99}'} | more
    if controlled is not None:
        more["inspector.controlled_json"] = json.dumps(controlled)
    call = span(
        name="execute_tool add",
        input_key="mcp.tool.input_json",
        attributes={"inspector.middleware_json": json.dumps(middleware), **more},
    )
    write_spans(call)
    return inspector("show", "--span", call.span_id).stdout.decode()


def section(text, title):
    lines = text.splitlines()
    begin = lines.index(title) + 1
    end = next((at for at, line in enumerate(lines[begin:], begin) if not line.startswith("  ")), len(lines))
    return [line.removeprefix("  ") for line in lines[begin:end]]


def test_each_middleware_is_told_in_words_with_what_it_changed_and_its_attempts(inspector, write_spans, span):
    shown = sheet(inspector, write_spans, span, PASSED, AGAIN, CLAMP, AUDIT, REDACT, SKIPPED, ASKED)
    assert section(shown, "middleware") == [
        "Timeout: let it pass",
        "Retry: ran the call 2 times",
        "  ✗ attempt 1  OSError: gone",
        "  ✓ attempt 2",
        "clamp: changed the arguments",
        '  before  {"x":40}',
        '  after   {"x":10}',
        "audit: changed the result",
        '  before  "11"',
        '  after   "11 [audit]"',
        "redact: removed something from the result; what it removed is not recorded",
        '  after   {"content":[]}',
        "cache: was not reached",
        "ask_me: was asked, Run it?, yes, after 1.20 s",
    ]
    assert "inspector.middleware_json" not in shown


def test_the_input_is_what_the_tool_got_with_what_was_asked_for_below_it(inspector, write_spans, span):
    shown = sheet(inspector, write_spans, span, CLAMP, controlled=GATE)
    assert json.loads("".join(section(shown, "input"))) == {"x": 10}
    assert json.loads("".join(section(shown, "requested input"))) == {"x": 99}
    assert section(shown, "controller")[0] == "gate: changed the arguments, decided by ada"


def test_the_input_is_what_was_asked_for_where_nothing_else_reached_the_tool_or_is_known(inspector, write_spans, span):
    answered = {"name": "cache", "did": "answered", "result": {"before": None, "after": "11"}}
    hidden = {"name": "secret", "did": "changed"}
    for steps in ((PASSED,), (CLAMP, answered), (CLAMP, hidden)):
        shown = sheet(inspector, write_spans, span, *steps)
        assert json.loads("".join(section(shown, "input"))) == {"x": 99}
        assert "asked for" not in shown


def test_what_others_record_under_the_name_of_middleware_stays_an_attribute(inspector, write_spans, span):
    call = span(name="execute_tool add", attributes={"inspector.middleware_json": "none"})
    write_spans(call)
    assert "inspector.middleware_json = none" in inspector("show", "--span", call.span_id).stdout.decode()
