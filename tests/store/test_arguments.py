import json

import pytest

from inspector.model import Filter

ARGUMENTS, RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"


@pytest.mark.parametrize(
    "place, value, found",
    [
        ("invoice", "INV-7", True),
        ("invoice", "INV-8", False),
        ("rows[1].id", "2", True),
        ("rows[9].id", "2", False),
        ("a.b", "dotted", True),
        ("deep.er.est", "true", True),
        ("nothing", "INV-7", False),
    ],
)
def test_a_span_is_found_by_a_nested_value_of_its_arguments_or_its_result(store, make_span, place, value, found):
    content = {"invoice": "INV-7", "rows": [{"id": 1}, {"id": 2}], "a.b": "dotted", "deep": {"er": {"est": True}}}
    for key, column in ((ARGUMENTS, "input_key"), (RESULT, "output_key")):
        store.write([make_span(name=key, attributes={key: json.dumps(content)}, **{column: key})])
    store.write([make_span(name="plain", input_key=ARGUMENTS, attributes={ARGUMENTS: "no JSON"})])
    given = store.events(Filter(arguments=((place, value),))).items
    got = store.events(Filter(results=((place, value),))).items
    assert [event.name for event in given] == ([ARGUMENTS] if found else [])
    assert [event.name for event in got] == ([RESULT] if found else [])
