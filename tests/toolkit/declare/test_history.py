import pytest

from toolkit.declare.building import read_messages
from toolkit.errors import CardInvalid


def test_text_says_who_speaks_next(write):
    path = write("a.md", "Hello\n---ASSISTANT\nHi.\n\nHow are you?\n---USER\nFine.\n---ASSISTANT\n\n")
    assert read_messages(path) == [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi.\n\nHow are you?"},
        {"role": "user", "content": "Fine."},
    ]


@pytest.mark.parametrize(
    "text", ['[{"role": "user", "content": "Hi"}]', '{"messages": [{"role": "user", "content": "Hi"}]}']
)
def test_json_is_a_list_of_chat_messages(write, text):
    assert read_messages(write("a.json", text)) == [{"role": "user", "content": "Hi"}]
    assert read_messages(write("b.json", '{"messages": []}')) == []


@pytest.mark.parametrize("text", ["{}", "[1]", '[{"role": "robot", "content": "x"}]', '[{"role": "user"}]'])
def test_json_of_anything_else_is_refused(write, text):
    path = write("a.json", text)
    with pytest.raises(CardInvalid) as caught:
        read_messages(path)
    assert str(caught.value) == (
        f"{path}:1: expected a list of chat messages, each with a role (system, user, assistant, tool) and content"
    )


def test_broken_json_is_named_with_its_line(write):
    path = write("a.json", '[\n{"role": }\n]')
    with pytest.raises(CardInvalid) as caught:
        read_messages(path)
    assert str(caught.value).startswith(f"{path}:2: not valid JSON: ")
