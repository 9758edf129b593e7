"""Phrases are exact in every engine, though no index knows where a word is."""

import json
import random
import re
import unicodedata

import pytest

from inspector.model import Filter

WORDS = ("red", "Red", "réd", "blue", "4711", "a", "über", "UBER")
GAPS = (" ", "-", "_", ".", "\n", "/", ", ", " … ")


def joined(rng, count):
    return "".join(rng.choice(WORDS) + rng.choice(GAPS) for _ in range(count))


def words_of(text):
    apart = unicodedata.normalize("NFKD", text.casefold())
    return re.findall(r"[^\W_]+", "".join(each for each in apart if not unicodedata.combining(each)))


def follow(words, phrase):
    return any(words[at : at + len(phrase)] == phrase for at in range(len(words)))


@pytest.mark.sweep(1)
def test_words_of_a_phrase_follow_each_other_whatever_is_between_them(store, make_span, every):
    rng = random.Random(32)
    spans, words = [], {}
    for at in range(60):
        texts = [joined(rng, rng.randrange(1, 5)) for _ in range(3)]
        arguments = json.dumps({"city": texts[1], "rows": [texts[2]]})
        spans.append(
            make_span(name=texts[0], span_id=f"{at:016x}", attributes={"gen_ai.tool.call.arguments": arguments})
        )
        # A phrase may begin in one text and end in the next.
        words[spans[-1].span_id] = words_of("\n".join(texts))
    store.write(spans)
    store.maintain()
    for _ in range(60 if every else 20):
        wanted = [joined(rng, rng.randrange(1, 4)) for _ in range(rng.choice((1, 1, 2)))]
        q = " ".join(f'"{phrase}"' for phrase in wanted)
        found = {event.span_id for event in store.events(Filter(q=q), limit=100).items}
        assert found == {
            span_id for span_id, its in words.items() if all(follow(its, words_of(phrase)) for phrase in wanted)
        }
        assert store.stats(Filter(q=q)).total.count == len(found)
        assert bool(store.traces(Filter(q=q)).items) == bool(found)


def test_a_name_with_marks_in_it_is_a_phrase_and_its_last_word_may_be_a_beginning(store, make_span):
    names = ("read_file", "file_read", "read file", "read the file", "READ-FILES")
    store.write([make_span(name=name) for name in names])
    store.maintain()

    def found(q):
        return [event.name for event in store.events(Filter(q=q), order="asc").items]

    assert found("read_file") == found("Read.File") == ["read_file", "read file"]
    assert found("read_fi*") == ["read_file", "read file", "READ-FILES"]
    assert found("read file") == ["read_file", "file_read", "read file", "read the file"]
    assert found('"the file" read') == ["read the file"]
    assert found('"file the"') == []
