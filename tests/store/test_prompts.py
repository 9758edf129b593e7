"""Of a long prompt that repeats an earlier one only the new messages are read, with the same outcome."""

import json
import random

import pytest

from inspector.model import Filter
from inspector.prompts import Prompts
from inspector.store.values.chains import Chains
from inspector.store.values.contents import content_ids

INPUT = "gen_ai.input.messages"
LONG = "filling " * 40
STRING = "a long string " * 60


def messages_of(rng, count):
    kinds = (
        lambda at: {"role": "user", "content": f"question {at} {LONG}"},
        lambda at: {"role": "assistant", "parts": [{"type": "text", "content": f"answer {at}, with ] and [ {LONG}"}]},
        lambda at: {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": f"c{at}", "name": "look", "arguments": {"q": at}}],
        },
        lambda at: {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": f"c{at}", "response": f"{at}{STRING}"}],
        },
    )
    return [rng.choice(kinds)(rng.randrange(40)) for _ in range(count)]


def prompts(seed):
    """Growing histories: some branch, change in the middle, are cut short, or are of another conversation."""
    rng = random.Random(seed)
    history = messages_of(rng, 80)
    for _ in range(30):
        yield list(history)
        match rng.randrange(6):
            case 0:
                history = messages_of(rng, 80)
            case 1:
                history[rng.randrange(len(history))] = messages_of(rng, 1)[0]
            case 2:
                history = history[: rng.randrange(60, len(history))]
            case _:
                pass
        history = history + messages_of(rng, rng.randrange(3))


@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_a_chain_is_the_same_whatever_was_read_before(seed, separators):
    chains = Chains()
    for history in prompts(seed):
        text = json.dumps(history, separators=separators)
        found = chains.of_prompt(text)
        assert found == Chains().of_prompt(text)
        said = [message.by_assistant for message in found.messages]
        ends = [at for at, by_assistant in enumerate(said) if by_assistant and not any(said[at + 1 : at + 2])]
        assert list(found.ends_of_answers()) == [(found.after[at], at + 1) for at in reversed(ends)]


@pytest.mark.parametrize("seed", range(3))
def test_prompts_that_repeat_others_are_stored_once_and_read_as_they_were(store, make_span, rows_of, seed):
    written = [json.dumps(history, separators=(",", ":")) for history in prompts(seed)]
    for text in written:
        store.write([make_span(kind="llm", session_id="s", input_key=INPUT, attributes={INPUT: text})])
    found = [bytes(event.input).decode() for event in store.events(Filter(), order="asc", limit=100, full=True).items]
    assert found == written
    distinct = {json.dumps(message) for text in written for message in json.loads(text)}
    strings = sum(STRING in each for each in distinct)
    assert rows_of("SELECT count(*) FROM contents") == [(len(distinct) + strings,)]


def test_a_prompt_that_repeats_another_refers_to_all_of_its_texts(open_store, tmp_path, make_span):
    spans = [
        make_span(kind="llm", session_id="s", attributes={INPUT: json.dumps(history, separators=(",", ":"))})
        for history in prompts(1)
    ]
    referred = []
    for name, forgets in (("repeating", False), ("anew", True)):
        store = open_store(tmp_path / name)
        for span in spans:
            store.write([span])
            if forgets:
                store._cache.forget()
        with store._write() as connection:
            rows = connection.exec_driver_sql("SELECT shared FROM spans ORDER BY id").scalars().all()
        referred.append([len(content_ids((row,))) for row in rows])
    assert referred[0] == referred[1]


def test_a_text_that_only_begins_like_a_prompt_is_read_as_a_whole():
    known = Prompts[str]()
    begin = f'[{{"a":"{"x" * 20_000}"}}'
    known.keep(f"{begin}]", "one message")
    assert known.before(f'{begin},{{"b":1}}]') == ("one message", '[{"b":1}]')
    assert known.before(f"{begin}]") is None
    assert known.before(f'{begin} ,{{"b":1}}]') is None
    assert known.before(f'{begin[:-3]}y"}},{{"b":1}}]') is None
    assert Chains().of_prompt(f"{begin},]") is None


def test_few_long_prompts_are_kept():
    known = Prompts[int]()
    for at in range(12):
        known.keep(f'["{at}{"x" * 20_000}"]', at)
    assert [known.before(f'["{at}{"x" * 20_000}",1]') for at in range(12)] == [
        *[None] * 4,
        *((at, "[1]") for at in range(4, 12)),
    ]
    known.keep(f'["{"y" * (17 << 20)}"]', 12)
    assert known.before(f'["{"y" * (17 << 20)}",1]') is None
