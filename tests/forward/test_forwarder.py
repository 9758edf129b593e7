"""The thread that forwards, alone."""

import logging
import time

import pytest

from inspector.forward import Endpoint, Forwarder, Sender

WAIT_S = 10.0


@pytest.fixture
def forwarder(segments, receiver):
    def make(directory=None, **options):
        sender = Sender(Endpoint.of(receiver.url), timeout_s=5)
        return Forwarder(directory or segments.directory, sender, flush=lambda: None, **options)

    return make


def test_after_one_has_ended_the_next_one_of_the_process_sends(forwarder, segments, receiver, line, span):
    for number in range(2):
        segments.write(line(span(number)), process=f"20261122T100000-{number}-00000001")
        each = forwarder()
        each.start()
        each.close(WAIT_S)
    assert receiver.names == ["span 0", "span 1"]


def test_an_error_that_comes_with_every_pass_is_logged_once(forwarder, tmp_path, monkeypatch, caplog):
    passes = []
    monkeypatch.setattr("inspector.forward.forwarder.take_lock", lambda *_: passes.append(1) or 1 / 0)
    with caplog.at_level(logging.WARNING, "mcp.inspector"):
        each = forwarder(tmp_path, poll_s=0.01)
        each.start()
        deadline_s = time.monotonic() + WAIT_S
        while len(passes) < 3 and time.monotonic() < deadline_s:
            time.sleep(0.01)
        each.close(WAIT_S)
    assert len(passes) >= 3
    assert len(caplog.records) == 1
