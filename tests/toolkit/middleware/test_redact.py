import pytest

from instrument.testing import capture
from toolkit.content import ImageContent, JsonContent, ResourceContent, TextContent
from toolkit.errors import DefinitionInvalid
from toolkit.middleware.redact import Redact
from toolkit.result import ToolResult


def test_what_matches_is_taken_out_of_every_part_of_a_result(tool, call):
    picture = ImageContent("c2stMTIz", "image/png")
    result = ToolResult(
        [
            TextContent("key sk-123 and sk-4"),
            JsonContent({"a": ["sk-5"]}),
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
            JsonContent({"a": ["[redacted]"]}),
            ResourceContent("file:///a", text="[redacted]"),
            picture,
        ],
        structured={"deep": [{"x": "[redacted]"}], "Password": "[redacted]"},
        metadata={"token": "[redacted]", "count": 3},
    )
    assert made.calls == [{"q": "sk-9"}]
    assert result.content[0] == TextContent("key sk-123 and sk-4")
    assert emitted[-1][1]["middleware"] == [{"name": "Redact", "did": "changed"}]


def test_text_that_is_json_is_redacted_by_field_as_well(tool, call):
    hook = Redact(keys=["api_key"], replacement="…")
    assert call(tool('{"api_key": "x", "é": 1}'), {}, hook).text == '{"api_key": "…", "é": 1}'
    assert call(tool('{ "other":1 }'), {}, hook).text == '{ "other":1 }'
    assert call(tool('{"api_key'), {}, hook).text == '{"api_key'


def test_the_tool_gets_redacted_arguments_where_asked(tool, call):
    made = tool()
    call(made, {"q": "sk-9", "deep": {"API_KEY": "x"}}, Redact([r"sk-\d+"], keys=["api_key"], arguments=True))
    assert made.calls == [{"q": "[redacted]", "deep": {"API_KEY": "[redacted]"}}]


def test_a_replacement_is_taken_by_the_letter_and_a_wrong_pattern_is_refused(tool, call):
    assert call(tool("sk-1"), {}, Redact([r"(sk)-\d"], replacement=r"\1")).text == r"\1"
    with pytest.raises(DefinitionInvalid, match=r"Redact: '\(' is no regular expression"):
        Redact(["("])
