import traceback

import pytest

from instrument.testing import capture
from toolkit.content import ImageContent, ResourceContent, TextContent, json_text
from toolkit.errors import DefinitionInvalid, ToolkitError
from toolkit.middleware.redact import Redact
from toolkit.result import ToolResult


def test_what_matches_is_taken_out_of_every_part_of_a_result(tool, call):
    picture = ImageContent("c2stMTIz", "image/png")
    result = ToolResult(
        [
            TextContent("key sk-123 and sk-4"),
            TextContent(json_text({"a": ["sk-5"]})),
            ResourceContent("file:///a", text="sk-6"),
            picture,
        ],
        structured={"deep": [{"x": "sk-7"}], "Password": {"old": 1}},
        metadata={"token": "sk-8", "count": 3},
    )
    made = tool(lambda args: result)
    with capture() as emitted:
        clean = call(made, {"q": "sk-9"}, Redact([r"sk-\d+"], keys=["*password*"]))
    assert clean == ToolResult(
        [
            TextContent("key [redacted] and [redacted]"),
            TextContent(json_text({"a": ["[redacted]"]})),
            ResourceContent("file:///a", text="[redacted]"),
            picture,
        ],
        structured={"deep": [{"x": "[redacted]"}], "Password": "[redacted]"},
        metadata={"token": "[redacted]", "count": 3},
    )
    assert made.calls == [{"q": "sk-9"}]
    assert result.content[0] == TextContent("key sk-123 and sk-4")
    [told] = emitted[-1][1]["middleware"]
    assert (told["name"], told["did"], list(told["result"])) == ("Redact", "changed", ["after"])
    assert "sk-" not in repr(told)


def test_text_that_is_json_is_redacted_by_field_as_well(tool, call):
    hook = Redact(keys=["api_key"], replacement="…")
    assert call(tool('{"api_key": "x", "é": 1}'), {}, hook).text == '{"api_key": "…", "é": 1}'
    assert call(tool('{ "other":1 }'), {}, hook).text == '{ "other":1 }'
    assert call(tool('{"api_key'), {}, hook).text == '{"api_key'


def test_a_replacement_is_taken_by_the_letter_and_a_wrong_pattern_is_refused(tool, call):
    assert call(tool("sk-1"), {}, Redact([r"(sk)-\d"], replacement=r"\1")).text == r"\1"
    with pytest.raises(DefinitionInvalid, match=r"Redact: '\(' is not a valid regular expression"):
        Redact(["("])


def test_an_exception_that_would_tell_is_replaced_for_the_hooks(tool, call):
    def fail(args):
        raise ValueError("cannot use it") from OSError("key sk-123")

    with capture() as emitted:
        result = call(tool(fail), {}, Redact([r"sk-\d+"]))
    assert result.text == "ValueError: cannot use it"
    assert emitted[-1][0] == "error_tool_call"
    assert "sk-123" not in "".join(traceback.format_exception(emitted[-1][1]["exc"]))

    fine = call(tool(lambda args: 1 / 0), {}, Redact([r"sk-\d+"]))
    assert isinstance(fine.exception, ZeroDivisionError)


def test_what_middleware_further_in_raises_is_redacted_too(tool, call):
    async def fail(ctx, args, call_next):
        raise LookupError("no sk-123 there")

    with pytest.raises(ToolkitError, match=r"LookupError: no \[redacted\] there") as caught:
        call(tool(), {}, Redact([r"sk-\d+"]), fail)
    assert "sk-123" not in "".join(traceback.format_exception(caught.value))


def test_numbers_and_names_of_fields_are_redacted_like_texts(tool, call):
    hook = Redact([r"\d{16}"], keys=["pin"])
    result = call(tool(lambda args: {"card": 4111111111111111, "4111111111111111": True, "n": 3}), {}, hook)
    assert result.structured == {"card": "[redacted]", "[redacted]": True, "n": 3}
    assert call(tool('{"card":4111111111111111}'), {}, hook).text == '{"card": "[redacted]"}'


def test_a_redaction_of_nothing_is_refused():
    with pytest.raises(DefinitionInvalid, match="give it patterns or keys"):
        Redact()
