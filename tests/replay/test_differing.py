import json

import pytest

from inspector.replay.differing import first_difference, likeness
from inspector.tape.request_parts import parts_of_arguments, parts_of_body


def chat(name, description="It."):
    return {"type": "function", "function": {"name": name, "description": description}}


def flat(name, description="It."):
    return {"name": name, "description": description}


def difference(then, now):
    found = first_difference(*(parts_of_body({"tools": tools, "messages": []}) for tools in (then, now)))
    return found and (found.label, *(text and json.loads(text) for text in (found.then, found.now)))


@pytest.mark.parametrize("tool", [chat, flat])
def test_a_tool_that_is_new_gone_renamed_or_changed_is_named_wherever_it_is(tool):
    one, two, three = (tool(name) for name in ("one", "two", "three"))
    assert difference([one, two, three], [one, two, three]) is None
    assert difference([one, two, three], [one, three]) == ("tool two", two, None)
    assert difference([one, three], [two, one, three]) == ("tool two", None, two)
    assert difference([one, two], [one, three]) == ("tool two", two, three)
    assert difference([one, two], [three, one, tool("two", "Other.")]) == ("tool two", two, tool("two", "Other."))


def test_tools_in_another_order_or_without_a_name_are_counted():
    one, two = chat("one"), chat("two")
    assert difference([one, two], [two, one]) == ("tool 1", one, two)
    hosted, other = ({"type": "search", "size": size} for size in (1, 2))
    assert difference([hosted], [other]) == ("tool 1", hosted, other)
    assert difference(["x"], ["y"]) == ("tool 1", "x", "y")


def test_the_system_text_comes_before_tools_messages_and_parameters():
    def body(**change):
        base = {"temperature": 0, "messages": ["a"], "tools": [chat("one")], "system": "s"}
        return parts_of_body(base | change)

    changes = {"temperature": 1, "messages": ["b"], "tools": [chat("one", "Other.")], "system": "t"}
    labels = []
    while changes:
        labels.append(first_difference(body(), body(**changes)).label)
        changes.popitem()
    assert labels == ["system text", "tool one", "message 1", "parameter temperature"]
    assert likeness(body(), body(temperature=1)) == 3


def test_an_argument_of_one_request_alone_is_named():
    then, now = parts_of_arguments({"city": "Oslo"}), parts_of_arguments({"city": "Oslo", "days": 2})
    assert first_difference(then, now) == ("argument days", None, "2")
