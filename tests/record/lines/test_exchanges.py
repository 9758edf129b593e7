import json
import zlib
from base64 import b64encode
from random import Random

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.reading.exchanges import ExchangeUnreadable, Raised, read_exchanges
from inspector.record.capture.exchanges import Exchange, exchanges_of
from inspector.record.lines.exchanges import written
from inspector.redaction import Redactor

LONG = "word " * 100
ANSWER = {"id": "c-1", "choices": [{"message": {"content": LONG + 'with "quotes" and é'}}]}


def whole(body):
    return Exchange(200, {}, (body,), (), "whole", None)


def stream(*pieces):
    return Exchange(200, {}, pieces, tuple(range(len(pieces))), "whole", None)


def written_and_read(exchange, redactor=None, *, answer=""):
    made = written([exchange], redactor or Redactor(), lambda: answer)
    (found,) = read_exchanges(msgspec.json.encode(made).decode())
    return found


# Without the letters that a secret's name needs.
texts = st.text('{}[]"\\/,:é\U0001f600\n 1x', max_size=12) | st.sampled_from(
    [LONG, LONG + "é", LONG + '"\\', "\n" + LONG]
)
values = st.recursive(texts | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(texts, inner))


@given(values, st.booleans(), st.sampled_from([None, 1]), st.sampled_from([(",", ":"), (", ", ": ")]))
@example(ANSWER, True, 2, (",", ": "))
def test_a_body_of_json_is_given_back_however_it_is_written(value, is_ascii, indent, separators):
    body = json.dumps(value, ensure_ascii=is_ascii, indent=indent, separators=separators).encode()
    assert written_and_read(whole(body)).pieces == (body,)


@given(st.text('{}[]"\\/,:é\n 1x'))
@example('"' + "x" * 300)
@example('"' + "\\/" * 200 + '"')
@example('"' + "\\ud83d" * 100 + '"')
def test_any_other_text_is_given_back(text):
    assert written_and_read(whole(text.encode())).pieces == (text.encode(),)


pieces = st.lists(st.sampled_from(["data: {}\n\n", "data: {}\n\ndata: é\n\n", "\n\n\n", "data", "é", "\n", "", "\n\n"]))


@given(pieces)
@example(["data: 1\n\n\n", "data: 2\n\n"])
def test_the_pieces_of_a_stream_are_given_back_in_their_places(pieces):
    sent = tuple(piece.encode() for piece in pieces)
    found = written_and_read(stream(*sent))
    assert b"".join(found.pieces) == b"".join(sent)
    if sent:
        assert (found.pieces, len(found.at_ms)) == (sent, len(sent))


event = st.builds(
    "event: {}\ndata: {}\n\n".format,
    st.sampled_from("ab"),
    st.dictionaries(texts, texts | st.integers()).map(json.dumps),
)


@given(st.lists(event | st.text('ab"\\\n\0 1:', max_size=9)))
def test_a_stream_of_events_that_are_alike_is_given_back(events):
    sent = "".join(events).encode()
    found = written_and_read(stream(sent))
    assert b"".join(found.pieces) == sent or (b"\0" in sent and found.left_out == "not text")


def test_events_that_are_alike_cost_little_more_than_their_words():
    words = ["".join(Random(at).choices("abcdefgh", k=6)) for at in range(400)]
    chunks = [json.dumps({"id": "c-1", "choices": [{"delta": {"content": word}, "index": 0}]}) for word in words]
    (made,) = written([stream(*(f"data: {each}\n\n".encode() for each in chunks))], Redactor(), str)
    assert len(made["packed"]) < 1.6 * len(b64encode(zlib.compress(" ".join(words).encode())))


def test_a_piece_may_end_within_a_letter():
    sent = ("é".encode()[:1], "é".encode()[1:])
    assert written_and_read(stream(*sent)).pieces == sent


def test_long_texts_stand_as_the_answer_has_them():
    (made,) = written([whole(json.dumps(ANSWER).encode())], Redactor(), str)
    assert made["text"][1] == ANSWER["choices"][0]["message"]["content"]
    assert made["letters"] == "ascii"


def test_a_body_without_long_texts_that_is_long_is_compressed():
    vectors = json.dumps([Random(1).random() for _ in range(2_000)]).encode()
    (made,) = written([whole(vectors)], Redactor(), str)
    assert len(made["packed"]) < len(vectors) * 0.7
    assert written_and_read(whole(vectors)).pieces == (vectors,)


def test_the_padding_of_a_stream_keeps_its_length_alone():
    piece = b'data: {"delta": "x", "obfuscation": "aB3dE"}\n\n'
    assert written_and_read(stream(piece)).pieces == (piece.replace(b"aB3dE", b"....."),)


def test_a_secret_in_a_body_is_replaced_and_a_stream_with_one_left_out():
    secret = "sk-proj-" + "aB3dE5fG7h" * 6
    body = json.dumps({"api_key": secret, "n": 1}).encode()
    assert json.loads(written_and_read(whole(body)).pieces[0])["api_key"].startswith("[redacted:openai")
    assert written_and_read(stream(body)).left_out == "a secret"
    assert written_and_read(stream(b"data: {}\n\n"), answer=f"the key is {secret}").left_out == "a secret"


def test_a_stream_that_a_function_of_the_program_leaves_as_it_is_is_kept():
    assert written_and_read(stream(b"data: {}\n\n"), Redactor(function=lambda _, text: text)).pieces
    hidden = Redactor(function=lambda _, text: text.replace("Lisbon", "…"))
    assert written_and_read(stream(b"data: Lisbon\n\n"), hidden).left_out == "a secret"


def test_ids_of_the_protocol_and_signatures_stay():
    signature = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds" * 8
    blocks = [
        {"type": "thinking", "thinking": "hm", "signature": signature},
        {"type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9", "name": "f", "input": {}},
    ]
    body = json.dumps({"id": "msg_01XFDUDYJgAACzvnptvVoYEL", "content": blocks}).encode()
    assert written_and_read(whole(body)).pieces == (body,)


@pytest.mark.parametrize(
    "damaged",
    ["", "{}", "[1]", '[{"packed":"!"}]', '[{"packed":"AAAA"}]', '[{"text":"x"}]', '[{"status":200,"packed":"eJw="}]'],
)
def test_what_is_damaged_says_so(damaged):
    with pytest.raises(ExchangeUnreadable, match="cannot be read"):
        read_exchanges(damaged)


@pytest.mark.parametrize(
    "told",
    [None, 1, "x", {}, [None], [{"status": "x", "pieces": [1], "at_ns": "x", "headers": 3, "end": 1, "exc": 2}]],
)
def test_whatever_a_hook_tells_is_taken(told):
    for exchange in exchanges_of({"exchanges": told}):
        assert written_and_read(exchange).status is None


def test_an_exception_is_told_by_its_class_and_message():
    (exchange,) = exchanges_of({"exchanges": [{"end": "failed", "exc": json.JSONDecodeError("no", "x", 0)}]})
    error = written_and_read(exchange).error
    assert error == Raised("json.decoder:JSONDecodeError", "no: line 1 column 1 (char 0)")
