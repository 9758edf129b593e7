from made_spans import make, spans_of
from msgspec.structs import replace

SEED = 21


def as_taken_in(span):
    """What is kept of a span in any case: an empty session is none, and a run that is the process names none."""
    run = None if span.run == span.process else span.run
    return replace(span, session_id=span.session_id or None, run=run, events=list(span.events), links=list(span.links))


def all_stored(store, limit=5000, **options):
    found, after = {}, 0
    while page := store.arrivals(after, limit=3):
        last = 0
        trace_ids = [arrival.trace_id for arrival in page]
        while spans := store.stored(trace_ids, after=last, limit=limit, **options):
            assert [stored.id for stored in spans] == sorted({stored.id for stored in spans})
            found |= {(each.span.trace_id, each.span.span_id): each.span for each in spans}
            last = spans[-1].id
        after = page[-1].seq
    return found


def test_every_span_is_given_as_it_was_taken_in(fill):
    kept = fill(SEED)
    assert all_stored(kept.store) == {key: as_taken_in(span) for key, span in kept.oracle.spans.items()}
    assert all_stored(kept.store, limit=2) == all_stored(kept.store)


def test_traces_come_in_the_order_of_their_last_change_with_how_many_spans_they_have(fill):
    kept = fill(SEED)
    arrivals = kept.store.arrivals(limit=1000)
    assert [each.seq for each in arrivals] == sorted(kept.store.trace(each.trace_id).seq for each in arrivals)
    assert sum(each.spans for each in arrivals) == len(kept.oracle.spans)
    assert kept.store.arrivals(arrivals[-1].seq) == ()
    oldest = arrivals[0].trace_id
    span = next(each for each in kept.oracle.spans.values() if each.trace_id == oldest)
    kept.store.write([replace(span, span_id="c" * 16)])
    (changed,) = kept.store.arrivals(arrivals[-1].seq)
    assert (changed.trace_id, changed.spans) == (oldest, arrivals[0].spans + 1)


def test_the_time_that_a_trace_arrived_is_known_to_the_hour(engine, tmp_path):
    hour_ns, made = 3600 * 10**9, []
    store = engine(tmp_path / "home", now_ns=lambda: made[-1])
    span = _any_span()
    for at, trace_id in enumerate(("a" * 32, "b" * 32, "c" * 32), 400_000):
        made.append(at * hour_ns + 5)
        store.write([replace(span, trace_id=trace_id)])
    assert [each.arrived_ns // hour_ns for each in store.arrivals()] == [400_000, 400_001, 400_002]
    store.close()


def test_large_spans_come_in_smaller_pages_and_one_alone_in_any_case(engine, tmp_path):
    store = engine(tmp_path / "home")
    spans = [replace(_any_span(), span_id=f"{at:016x}", attributes={"text": f"{at}" * 5000}) for at in range(10, 20)]
    store.write(spans)
    trace_ids = [spans[0].trace_id]
    assert len(store.stored(trace_ids, most_bytes=1)) == 1
    assert 1 < len(store.stored(trace_ids, most_bytes=35_000)) < 6
    assert all_stored(store, most_bytes=35_000) == all_stored(store)
    store.close()


def test_times_texts_and_numbers_at_their_bounds_come_back(engine, tmp_path):
    store = engine(tmp_path / "home")
    span = replace(
        _any_span(),
        start_ns=2**63 + 5,
        end_ns=2**64 - 1,
        name='it\'s \\ "quoted"\n\t\0 ü',
        attributes={"n": 2**63 - 1, "m": -(2**63), "f": 0.1, "deep": {"x": [[], {}, ""]}, "inspector.raw.x": "raw"},
        events=[{"name": "e", "time_unix_nano": "5", "attributes": {"k": 1}}],
        links=[{"trace_id": "d" * 32, "span_id": "e" * 16, "attributes": {}}],
    )
    store.write([span])
    assert list(all_stored(store).values()) == [as_taken_in(span)]
    store.close()


def _any_span():
    return spans_of(make(SEED).batches)[0]
