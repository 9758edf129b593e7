from toolkit.declare.building import read_messages


def test_text_says_who_speaks_next(write):
    path = write("a.md", "Hello\n---ASSISTANT\nHi.\n\nHow are you?\n---USER\nFine.\n---ASSISTANT\n\n")
    assert read_messages(path) == [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi.\n\nHow are you?"},
        {"role": "user", "content": "Fine."},
    ]
