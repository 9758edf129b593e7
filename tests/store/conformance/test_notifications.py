"""A notification of an MCP server or client, which has no answer, is listed and counts as no call."""

from inspector.model import Filter

NOTIFICATION = {"kind": "rpc", "name": "notifications/message", "hook": "rpc_request"}


def test_no_sum_and_no_statistics_count_a_notification(store, make_span):
    store.write([make_span(span_id="a" * 16, kind="rpc", name="initialize", hook="rpc_request", run="r")])
    store.write([make_span(span_id=f"{n:016x}", parent_id="a" * 16, run="r", **NOTIFICATION) for n in range(1, 4)])
    trace, run = store.traces(Filter()).items[0], store.run("r")
    assert [(sums.calls, sums.spans, sums.status) for sums in (trace, run)] == [(1, 4, "ok")] * 2
    (group,) = store.stats(Filter(), of="events", by="kind").groups
    assert (group.key, group.count) == ("rpc", 1)
    assert store.health().calls_ever["rpc"] == (1, 0)
    assert len(store.events(Filter(kinds=("rpc",), duplicates=False)).items) == 4


def test_a_run_of_nothing_but_notifications_is_ok(store, make_span):
    store.write([make_span(run="r", session_id="s", parent_id="a" * 16, **NOTIFICATION)])
    for sums in (store.run("r"), store.session("s")):
        assert (sums.status, sums.traces, sums.spans, sums.calls) == ("ok", 1, 1, 0)


def test_a_notification_that_failed_is_an_error(store, make_span):
    store.write([make_span(status="error", **NOTIFICATION)])
    (trace,) = store.traces(Filter()).items
    assert (trace.status, trace.errors) == ("error", 1)
