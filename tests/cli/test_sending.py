import json
import os
import re
import time
from pathlib import Path

import pytest
from loopback import Quiet, serving_http

from inspector.forward import as_answer

ADVICE = "inspector token --scope ingest"


@pytest.fixture
def receiver():
    class Receiver:
        status = 200
        url = ""

    class Handler(Quiet):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(Receiver.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with serving_http(Handler) as server:
        Receiver.url = f"http://127.0.0.1:{server.server_port}"
        yield Receiver


@pytest.fixture
def doctor(inspector):
    def look(**variables):
        done = inspector("doctor", "--json", INSPECTOR_PORT="0", **variables)
        checks = json.loads(done.stdout)["checks"]
        found = [(each["level"], each["found"], each["advice"]) for each in checks if each["name"] in NAMES]
        assert done.returncode == int(any(each["level"] == "fail" for each in checks))
        return found

    return look


NAMES = ("endpoint", "outbox")


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        ("HTTP 503", "answered HTTP 503"),
        ("TimeoutError: timed out", "gave no answer: TimeoutError: timed out"),
    ],
)
def test_who_gave_no_answer_is_not_said_to_have_answered(problem, sentence):
    assert as_answer(problem) == sentence


def test_a_token_that_is_missing_is_asked_for_wherever_it_shows(run, script, call, inspector, doctor, receiver):
    receiver.status = 401
    done = run(script(call("add")), INSPECTOR_ENDPOINT=receiver.url)
    recorded, waits, advice = [line for line in done.stderr.decode().splitlines() if line.startswith("inspector: ")]
    assert re.fullmatch(r"inspector: recorded 1 call in 1 trace \([0-9a-f]{32}\)", recorded)
    assert waits == (
        f"inspector: {receiver.url}/v1/traces has not accepted all of it (HTTP 401); "
        "to send the rest: inspector forward"
    )
    assert ADVICE in advice
    asked, waiting = doctor(INSPECTOR_ENDPOINT=receiver.url)
    assert asked[:2] == ("fail", f"{receiver.url}/v1/traces refuses spans: HTTP 401")
    assert ADVICE in asked[2]
    assert waiting[0] == "warn"
    assert re.fullmatch(rf"[\d.]+ k?B wait for {receiver.url}/v1/traces; it last answered HTTP 401", waiting[1])
    assert waiting[2] == "to send it: inspector forward"
    forwarded = inspector("forward", INSPECTOR_ENDPOINT=receiver.url)
    assert forwarded.returncode == 1
    said, then = forwarded.stderr.decode().splitlines()
    assert said.startswith(f"inspector: sent 0 spans; the rest waits: {receiver.url}/v1/traces ")
    assert ADVICE in then


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("arguments", "variables", "is_said"),
    [((), {}, True), (("--no-content",), {}, False), ((), {"INSPECTOR_CAPTURE_CONTENT": "true"}, False)],
)
def test_that_content_is_left_out_is_said_unless_somebody_decided_it(
    run, script, call, receiver, arguments, variables, is_said
):
    done = run(*arguments, script(call("add")), INSPECTOR_ENDPOINT=receiver.url, **variables)
    (sent,) = (line for line in done.stderr.decode().splitlines() if line.startswith("inspector: sent to "))
    without = " without prompts, answers, arguments and results; INSPECTOR_CAPTURE_CONTENT=true records and sends them"
    assert sent == f"inspector: sent to {receiver.url}/v1/traces{without if is_said else ''}"


def test_what_waits_is_named_where_no_endpoint_is_set(run, script, call, doctor, receiver, inspector):
    receiver.status = 503
    run(script(call("add")), INSPECTOR_ENDPOINT=receiver.url)
    unset, waiting = doctor()
    assert unset == ("ok", "INSPECTOR_ENDPOINT is not set: what is recorded stays here", "")
    assert waiting[0] == "warn"
    assert waiting[1].endswith("; it last answered HTTP 503")
    receiver.status = 200
    assert inspector(*waiting[2].partition("inspector ")[2].split()).returncode == 0
    assert doctor() == [unset]


def test_what_was_refused_for_good_or_not_recorded_is_said(run, script, call, doctor, receiver, home):
    receiver.status = 400
    for _ in range(2):
        ended = run(script(call("add")), INSPECTOR_ENDPOINT=receiver.url).stderr.decode()
        assert f"inspector: {receiver.url}/v1/traces refused 1 span for good: HTTP 400\n" in ended
        assert "sent to" not in ended
    (outbox,) = (home / "outbox").iterdir()
    (outbox / "20261122T175042-999999-5bd66e36..3.unwritten").touch(mode=0o600)
    _, waiting, lost, refused = doctor(INSPECTOR_ENDPOINT=receiver.url)
    assert waiting[0] == "ok"
    assert refused[:2] == ("warn", f"{receiver.url}/v1/traces refused 2 spans for good: HTTP 400")
    assert lost[:2] == (
        "warn",
        f"for {receiver.url}/v1/traces: 3 calls were not recorded in full: the file could not be written",
    )
    note = Path(refused[2].rpartition("delete ")[2])
    os.utime(note, (0, time.time() - 2 * 86_400))
    kept_a_day = doctor(INSPECTOR_ENDPOINT=receiver.url, INSPECTOR_RETENTION_DAYS="1")
    assert refused not in kept_a_day and lost in kept_a_day
    os.utime(note)
    assert refused in doctor(INSPECTOR_ENDPOINT=receiver.url)
    note.unlink()
    assert refused not in doctor(INSPECTOR_ENDPOINT=receiver.url)


@pytest.mark.slow
def test_show_says_what_was_refused_wherever_it_finds_a_run(run, script, call, inspector, receiver):
    run(script(call("here")))
    receiver.status = 400
    run(script(call("refused")), INSPECTOR_ENDPOINT=receiver.url)
    said = f"inspector: {receiver.url}/v1/traces refused 1 span for good: HTTP 400; see inspector doctor\n"
    for words in ((), ("--run", "last"), ("--json",)):
        shown = inspector("show", *words)
        assert (shown.returncode, shown.stderr.decode()) == (0, said)
    nothing = inspector("show", "f" * 32)
    assert nothing.returncode != 0
    assert nothing.stderr.decode().startswith(said)
    assert inspector("show", INSPECTOR_RETENTION_DAYS="0.0000001").stderr == b""


def test_an_endpoint_that_takes_what_is_sent_is_in_order(doctor, receiver):
    assert doctor(INSPECTOR_ENDPOINT=receiver.url) == [
        ("ok", f"{receiver.url}/v1/traces answers; what is recorded is sent there", ""),
        ("ok", f"nothing waits for {receiver.url}/v1/traces", ""),
    ]


def test_an_endpoint_that_is_away_or_no_address_is_told(doctor):
    (away, nothing) = doctor(INSPECTOR_ENDPOINT="http://127.0.0.1:9")
    assert (away[0], nothing[0]) == ("warn", "ok")
    assert "does not answer: ConnectionRefusedError" in away[1]
    ((level, found, _),) = doctor(INSPECTOR_ENDPOINT="localhost:7922")
    assert level == "fail"
    assert "is not the address" in found
