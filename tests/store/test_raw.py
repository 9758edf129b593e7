import json
import zlib
from base64 import b64encode

import pytest

from inspector.model import Filter
from inspector.store.values.contents import read_body, stored_body
from inspector.store.values.raw import without_raw

SHORT, LONG = "inspector.raw.result", "inspector.raw.exchanges"
TEXTS = {SHORT: '{"city":"Lisbon"}', LONG: json.dumps([{"text": ["{", "Porto " * 300, "}"]}])}


@pytest.fixture
def stored(store, make_span):
    answer = json.dumps([{"role": "assistant", "content": "Porto " * 300}])
    span = make_span(kind="llm", output_key="answer", attributes={"answer": answer, "n": 1, **TEXTS})
    store.write([span])
    while store.index(100):
        pass
    store.maintain()
    return span


def attributes(event):
    return json.loads(bytes(event.attributes))


def test_events_have_it_only_where_it_is_asked_for(store, stored):
    assert attributes(store.event(stored.span_id)).keys() == {"answer", "n"}
    assert attributes(store.events(Filter(), full=True).items[0]).keys() == {"answer", "n"}
    assert attributes(store.after(0, Filter(), full=True)[0]).keys() == {"answer", "n"}
    for event in (store.event(stored.span_id, raw=True), store.events(Filter(), full=True, raw=True).items[0]):
        assert {key: attributes(event)[key] for key in TEXTS} == TEXTS


@pytest.mark.parametrize("attributes", [True, False])
def test_searches_do_not_find_it(store, stored, attributes):
    assert store.hits("Lisbon", trace_id=stored.trace_id, attributes=attributes).items == ()
    (hit,) = store.hits("Porto", trace_id=stored.trace_id, attributes=attributes).items
    assert [place.within for place in hit.places] == ["answer"]
    assert store.events(Filter(q="Lisbon")).items == ()


def test_a_text_that_the_answer_has_too_is_kept_once(store, stored, rows_of):
    assert sum(b"Porto" in body or len(body) > 400 for (body,) in rows_of("SELECT body FROM contents")) <= 1


def test_what_was_not_raw_is_left_to_the_letter():
    assert without_raw(b'{"a":1.10,"b":"x"}') == b'{"a":1.10,"b":"x"}'
    assert without_raw(b'{"a":1.10,"inspector.raw.x":"y","b":"\\u00e9"}') == b'{"a":1.10,"b":"\\u00e9"}'


def test_what_is_packed_in_base64_rests_as_bytes_and_is_read_to_the_letter():
    packed = b'"%b"' % b64encode(zlib.compress(b"Lisbon, Porto and Faro"))
    assert len(stored_body(packed)) < len(packed) * 0.8
    for body in (packed, packed[:-2] + b'"', b'"eJ and no base64"', b'"eJ"', b'"eJ\\n=="'):
        assert read_body(stored_body(body)) == body
