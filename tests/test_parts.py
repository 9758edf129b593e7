import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector import semconv as sc
from inspector.parts import Parts, part_line
from inspector.record.lines.parts import WrittenParts

LONG = "a text that is long enough to be a part of its own " * 8


class File:
    """A spool file in memory: what is written to it, and what its reader makes of that."""

    def __init__(self):
        self.written, self.bytes = WrittenParts(), 0
        self.written.begin(0)
        self.parts = Parts(lambda line: line)

    def pieces(self, key, text):
        """The messages of a text, or else its long strings, and what is around them."""
        return self.written.pieces(text, is_prompt=key in sc.MESSAGE_KEYS) or self.written.strings(text)

    def write(self, key, text):
        """Writes an attribute's text; returns its frame as the line has it, None where it stays as it is."""
        refers = self.written.refers(key, self.pieces(key, text))
        for line in self.written.take().lines.splitlines(keepends=True):
            self.bytes += len(line)
            assert self.parts.note(line, line)
        return None if refers is None else json.dumps(as_json(refers)).encode()


def as_json(refers):
    import msgspec

    return msgspec.to_builtins(refers)


def history(turns):
    texts = [f"{turn} {LONG * 4}" for turn in range(2 * turns)]
    return [{"role": "user" if at % 2 == 0 else "assistant", "content": text} for at, text in enumerate(texts)]


def test_a_history_that_is_sent_again_costs_its_new_text_in_every_shape():
    file, frames = File(), 0
    for turn in range(1, 101):
        messages = history(turn)
        parts = [{"role": each["role"], "parts": [{"type": "text", "content": each["content"]}]} for each in messages]
        for key, value in (
            (sc.SEED_LLM_PROMPT, {"model": "m", "messages": messages}),
            (sc.INPUT_MESSAGES, parts),
            (sc.SEED_LLM_RESPONSE, {"id": str(turn), "choices": [{"message": history(turn + 1)[-1]}] * 3}),
        ):
            text = json.dumps(value, separators=(",", ":"))
            frame = file.write(key, text)
            if frame is None:
                file.bytes += len(text)
                continue
            assert file.parts.text(frame) == (text, True)
            frames += len(frame)
    distinct = sum(len(each["content"]) for each in history(101))
    assert file.bytes < 1.4 * distinct
    assert frames < 0.6 * distinct


TEXTS = st.sampled_from(["", LONG, LONG + "ü", "\\" * 300, "x" * 255, "x" * 254, '"' * 200])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["messages", "input", "content", "role", "system", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(values=st.lists(VALUES, max_size=4), letters=st.booleans(), key=st.sampled_from([sc.INPUT_MESSAGES, "x"]))
def test_every_text_comes_back_to_the_letter(values, letters, key):
    file = File()
    for value in values:
        text = json.dumps([value, LONG * 3], ensure_ascii=letters)
        frame = file.write(key, text)
        assert frame is None or file.parts.text(frame) == (text, True)


def test_a_short_text_has_no_parts():
    assert File().write("x", json.dumps("x" * 1000)) is None


def test_another_file_has_every_part_that_its_lines_name():
    file, text = File(), json.dumps([LONG * 3])
    assert file.write("x", text) is not None
    assert not file.written.take().lines
    file.written.begin(1)
    again = file.written.refers("x", file.pieces("x", text))
    new = file.written.take()
    assert (again is not None, LONG * 3 in new.lines.decode(), new.refers_back) == (True, True, False)
    file.written.refers("x", file.pieces("x", text))
    assert file.written.take() == (b"", True)


def test_a_part_that_is_not_there_is_null_and_told():
    parts = Parts(lambda line: line)
    assert parts.text(b'{"pieces":["{\\"a\\":",[7],"}"]}') == ('{"a":null}', False)


@pytest.mark.parametrize(
    "frame", [b"", b"7", b'"x"', b'{"pieces":7}', b'["x"]', b'{"pieces":["' + b"\\ud800" + b'"]}'], ids=repr
)
def test_what_is_no_frame_gives_no_text(frame):
    assert Parts(lambda line: line).text(frame) is None


def test_parts_within_parts_end():
    from inspector.frames import Frame

    parts = Parts(lambda line: line)
    for number, other in ((1, 2), (2, 1), (3, 3)):
        line = part_line(number, Frame(["x", [other]]))
        assert parts.note(line, line)
    assert [parts.text(b"[%d]" % number) for number in (1, 2, 3)] == [None, None, None]


@pytest.mark.slow
def test_a_text_of_more_than_a_line_may_have_is_not_put_together():
    parts = Parts(lambda line: line)
    line = part_line(1, b'"' + b"x" * (1 << 20) + b'"')
    parts.note(line, line)
    assert parts.text(json.dumps([1] * 60).encode()) is not None
    assert parts.text(json.dumps([1] * 65).encode()) is None
    # Neither by runs, which are short for many.
    assert parts.text(b"[1,-100000000000]") is None
