"""Requests that are read in another process under load: the same is stored, whatever becomes of the process."""

import json
import os
import pickle
import signal
import threading
from functools import partial

import pytest
import waiting

from inspector.ingest import Intake
from inspector.ingest.offload import Offload
from inspector.ingest.one_by_one import read_spans
from inspector.model import Filter
from inspector.otlp import Decoded, decode_request
from inspector.received import SecondProcess, receive, redacting
from inspector.store.sqlite import SqliteStore

SECRET = "sk-proj-Zx9Kq2Lm4Np6Rs8Tu0Vw1Xy3Za5Bc7De"


@pytest.fixture
def body(make_span, make_request, otlp_attributes):
    def make(number):
        attributes = otlp_attributes({"gen_ai.operation.name": "chat", "note": f"key {SECRET} {number}"})
        span = make_span(span_id=f"{number:016x}", attributes=attributes)
        return make_request(span, process=None)

    return make


@pytest.fixture
def requests(body):
    return lambda *numbers: [partial(decode_request, body(number), "json") for number in numbers]


@pytest.fixture
def until():
    return waiting.until


@pytest.fixture
def begun():
    return []


@pytest.fixture
def begin(tmp_path, begun):
    def begin():
        begun.append(SecondProcess(tmp_path, redact=True))
        # As if all came while it began; a request that waits longer is read by whoever writes it.
        assert begun[-1].ready.wait(60)
        return begun[-1]

    yield begin
    for each in begun:
        each.end()


class Held(SqliteStore):
    """A real store that can be held up in a write."""

    def __init__(self, path):
        super().__init__(path)
        self.entered = threading.Event()
        self.open = threading.Event()
        self.open.set()

    def write(self, spans, **others):
        self.entered.set()
        assert self.open.wait(60)
        super().write(spans, **others)


@pytest.fixture
def store(tmp_path):
    made = Held(tmp_path / "inspector.db")
    yield made
    made.close()


@pytest.fixture
def make_intake(store, tmp_path, begin):
    made = []

    def make(**limits):
        redact = redacting(tmp_path, on=True)
        made.append(Intake(store, lambda: None, redact=redact, offload=Offload(begin, **{"start_bytes": 1} | limits)))
        return made[-1]

    yield make
    for each in made:
        each.close()


def deliver_all(intake, store, requests, *, meanwhile=lambda: None):
    """Deliver many requests, of which all but the first have to wait; what became of them."""
    first, *others = requests
    store.entered.clear()
    store.open.clear()
    waiting = [intake.deliver(first, 1)]
    assert store.entered.wait(60)
    waiting += [intake.deliver(each, 1) for each in others]
    meanwhile()
    store.open.set()
    return [each.result(60) for each in waiting]


def spans_in(store):
    return len(store.after(0, Filter(), limit=1000))


def test_what_is_read_apart_is_what_is_read_here(tmp_path, begin, requests):
    second, here = begin(), redacting(tmp_path, on=True)
    for decode in requests(1, 2):
        answer = pickle.loads(second.read(decode).result(60))
        assert answer == receive(decode, here, read_spans)
        assert SECRET not in str(answer.spans[0].attributes)
        assert "[redacted:" in str(answer.spans[0].attributes)


def test_logs_that_are_read_apart_are_those_that_are_read_here(tmp_path, begin):
    second, here = begin(), redacting(tmp_path, on=True)
    record = {"traceId": "1" * 32, "spanId": "2" * 16, "body": {"stringValue": f"key {SECRET}"}}
    request = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record, {"body": {"stringValue": "alone"}}]}]}]}
    decode = partial(decode_request, json.dumps(request).encode(), "json", signal="logs")
    answer = pickle.loads(second.read(decode).result(60))
    assert answer == receive(decode, here, read_spans)
    assert (len(answer.logs), answer.rejected) == (1, {"logs_without_span": 1})
    assert "[redacted:" in str(answer.logs[0].event)
    assert SECRET not in str(answer.logs[0].event)


@pytest.mark.slow
def test_what_is_malformed_is_refused_there_too(begin):
    answer = pickle.loads(begin().read(partial(decode_request, b"{", "json")).result(60))
    assert answer.malformed is not None
    assert not answer.spans


def stumble():
    raise ZeroDivisionError


@pytest.mark.sweep(1)
@pytest.mark.parametrize("decode", [stumble, lambda: Decoded()], ids=["stumbles", "cannot be sent"])
def test_what_cannot_be_read_apart_is_left_to_be_read_here(begin, requests, decode):
    second = begin()
    assert second.read(decode).result(60) == b""
    assert second.read(*requests(1)).result(60)


def test_requests_that_wait_are_read_apart(store, make_intake, requests, begun):
    intake = make_intake()
    receipts = deliver_all(intake, store, requests(*range(1, 21)))
    assert [receipt.spans for receipt in receipts] == [1] * 20
    assert len(begun) == 1
    assert spans_in(store) == 20


def test_a_process_that_is_killed_loses_nothing(store, make_intake, requests, begun):
    intake = make_intake()
    deliver_all(intake, store, requests(1, 2, 3))
    receipts = deliver_all(
        intake, store, requests(*range(4, 24)), meanwhile=lambda: os.kill(begun[0].process_id, signal.SIGKILL)
    )
    assert [receipt.spans for receipt in receipts] == [1] * 20
    assert spans_in(store) == 23


def test_what_a_killed_process_had_is_given_back(begin, requests):
    second = begin()
    os.kill(second.process_id, signal.SIGSTOP)
    answers = [second.read(decode) for decode in requests(1, 2)]
    os.kill(second.process_id, signal.SIGKILL)
    assert [answer.result(60) for answer in answers] == [b"", b""]
    assert second.is_over
    assert second.read(*requests(3)) is None


@pytest.mark.slow
def test_the_process_ends_when_nothing_comes(store, make_intake, requests, begun, until):
    deliver_all(make_intake(idle_s=0.0), store, requests(1, 2, 3))
    until(lambda: begun[0].is_over)
    with pytest.raises(ProcessLookupError):
        # Until it was waited for, it is there.
        until(lambda: os.kill(begun[0].process_id, 0))


def test_the_process_ends_with_the_queue(store, make_intake, requests, begun):
    intake = make_intake()
    deliver_all(intake, store, requests(1, 2, 3))
    intake.close()
    assert begun[0].is_over


def test_a_single_sender_has_no_process_begun(make_intake, requests, begun):
    intake = make_intake()
    for decode in requests(1, 2, 3):
        assert intake.deliver(decode, 1).result(60).spans == 1
    assert begun == []


def test_a_process_that_cannot_begin_is_not_tried_again(store, tmp_path, monkeypatch, make_intake, requests, begun):
    monkeypatch.setattr("sys.executable", str(tmp_path / "no-python"))
    intake = make_intake()
    for at in range(3):
        deliver_all(intake, store, requests(*range(3 * at + 1, 3 * at + 4)))
    assert len(begun) == 1
    assert spans_in(store) == 9
