from inspector.store import Removed

HOUR_NS = 3600 * 10**9
DAY_NS = 24 * HOUR_NS


def test_an_empty_home_keeps_nothing_and_removes_nothing(client, settings):
    found = client.get("/storage").json()
    assert (found["runs"], found["traces"], found["spans"], found["next"]) == (0, 0, 0, None)
    assert (found["oldest_time_unix_nano"], found["next_time_unix_nano"], found["removed"]) == (None, None, [])
    assert found["retention_bytes"] == settings.retention_bytes
    assert found["bytes"] > 0 < found["free_bytes"]


def test_what_goes_next_is_what_arrived_first_and_goes_by_its_age(client, store, span, settings):
    arrived_ns = 500_000 * HOUR_NS + 7
    store._now_ns = lambda: arrived_ns
    store.write([span(1, trace_id="a" * 32, start_ns=50), span(2, trace_id="a" * 32)])
    store._now_ns = lambda: arrived_ns + 3 * HOUR_NS
    store.write([span(3, trace_id="b" * 32, start_ns=10)])
    store.note_removal(Removed("size", 77, 2, 9))
    found = client.get("/storage").json()
    assert (found["runs"], found["traces"], found["spans"]) == (2, 2, 3)
    assert found["next"]["trace_id"] == "a" * 32
    assert found["oldest_time_unix_nano"] == "10"
    assert int(found["next_time_unix_nano"]) == 500_001 * HOUR_NS + int(settings.retention_days * DAY_NS)
    assert found["removed"] == [{"rule": "size", "time_unix_nano": "77", "traces": 2, "spans": 9}]


def test_a_later_span_puts_off_when_a_trace_goes(client, store, span, settings):
    store._now_ns = lambda: 500_000 * HOUR_NS
    store.write([span(1, trace_id="a" * 32)])
    store._now_ns = lambda: 500_009 * HOUR_NS
    store.write([span(2, trace_id="a" * 32)])
    goes_ns = int(client.get("/storage").json()["next_time_unix_nano"])
    assert goes_ns == 500_010 * HOUR_NS + int(settings.retention_days * DAY_NS)
