"""The collector listens for Claude Code alone."""

import http.client

import pytest

from inspector.coding_agents.claude_code import Collector


@pytest.fixture
def collector(tmp_path):
    collector = Collector(tmp_path / "home", None)
    collector.start()
    yield collector
    collector.close()


def post(collector, body, *, token=None, length=None, path="/v1/traces"):
    connection = http.client.HTTPConnection(collector.endpoint.removeprefix("http://"), timeout=30)
    headers = {"Authorization": f"Bearer {collector.token if token is None else token}"}
    if length is not None:
        headers["Content-Length"] = length
    connection.request("POST", path, body, headers)
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def test_who_has_no_token_is_refused(collector, traces, tmp_path):
    assert post(collector, traces, token="another") == (401, b"{}")
    assert not (tmp_path / "home").exists()


def test_too_much_is_refused_before_it_is_read(collector):
    assert post(collector, b"", length=str(65 << 20)) == (413, b"{}")


def test_nonsense_is_answered_and_recorded_as_nothing(collector, tmp_path):
    nonsense = b"", b"\xff", b"[]", b'{"resourceSpans": 1}', b'{"resourceLogs": [{}]}', b"[" * 10_000
    for path in ("/v1/traces", "/v1/logs", "/v1/metrics", "/"):
        for body in nonsense:
            assert post(collector, body, path=path)[0] == 200
    collector.close()
    assert not (tmp_path / "home").exists()


def test_a_collector_that_never_started_can_be_closed(tmp_path):
    collector = Collector(tmp_path, None)
    collector.close()
    collector.start()
    collector.close()
