"""What the clients of models got, read back from the store, against what a server sent them."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.ingest import Owner
from inspector.model import Event, Filter
from inspector.reading.exchanges import Exchange, read_exchanges
from inspector.settings import Settings

PROGRAM = Path(__file__).parent / "programs" / "exchanged_calls.py"
START = "import inspector, runpy, sys; inspector.attach(); runpy.run_path(sys.argv[1], run_name='__main__')"
RAW = "inspector.raw.exchanges"
SECRET = "sk-proj-" + "aB3dE5fG7h" * 6


def run(python: str, home: Path, **environment: str) -> dict[str, list[dict]]:
    done = subprocess.run(
        [python, "-c", START, PROGRAM],
        env={"PATH": "", "HOME": str(home), "INSPECTOR_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def calls(home: Path, *, raw: bool) -> dict[str, Event]:
    with Owner(Settings(home=home)) as owner:
        owner.ingest_spools()
        events = owner.store.events(Filter(kinds=("llm",)), order="asc", limit=500, full=True, raw=raw).items
    return {json.loads(bytes(event.input))[-1]["parts"][0]["content"]: event for event in events}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exchanges")


@pytest.fixture(scope="module")
def python(forked_python: Callable[[str | None], str]) -> str:
    return forked_python(None)


@pytest.fixture(scope="module")
def ledger(python: str, home: Path) -> dict[str, list[dict]]:
    return run(python, home)


@pytest.fixture(scope="module")
def exchanges(home: Path, ledger: dict[str, list[dict]]) -> Callable[[str], tuple[Exchange, ...]]:
    recorded = calls(home, raw=True)
    return lambda asked: read_exchanges(json.loads(bytes(recorded[asked].attributes))[RAW])


WHOLE = ("plain", "laid out", "utf-8", "packed", "again", "async", "httpx whole", "httpx2 whole", "requests whole")
STREAMS = ("stream", "async stream", "httpx stream", "httpx2 stream", "requests stream")


@pytest.mark.sweep(8)
@pytest.mark.parametrize("asked", [*WHOLE, *STREAMS])
def test_what_a_client_got_is_given_back_to_the_letter(asked, ledger, exchanges):
    found = [{"status": each.status, "body": b"".join(each.pieces).decode("latin-1")} for each in exchanges(asked)]
    assert found == [{"status": each["status"], "body": each["body"]} for each in ledger[asked]]


def test_each_attempt_of_a_call_has_what_the_sdk_reads_of_it(exchanges):
    refused, answered = exchanges("again")
    assert refused.headers == {"content-type": "application/json", "x-request-id": "req_1", "retry-after-ms": "1"}
    assert (refused.status, answered.status) == (429, 200)


@pytest.mark.parametrize("asked", ["httpx stream", "httpx2 stream"])
def test_the_pieces_of_a_stream_are_those_that_its_client_got(asked, ledger, exchanges):
    (exchange,) = exchanges(asked)
    assert [piece.decode() for piece in exchange.pieces] == ledger[asked][0]["pieces"]
    assert len(exchange.at_ms) == len(exchange.pieces)
    assert list(exchange.at_ms) == sorted(exchange.at_ms)
    assert exchange.end == "whole"


def test_a_body_that_came_whole_has_no_times(exchanges):
    (exchange,) = exchanges("plain")
    assert (len(exchange.pieces), exchange.at_ms, exchange.end) == (1, (), "whole")


def test_of_a_stream_that_was_left_as_much_is_kept_as_was_read(ledger, exchanges):
    (exchange,) = exchanges("left")
    assert exchange.end == "left"
    assert ledger["left"][0]["body"].startswith(b"".join(exchange.pieces).decode())


def test_what_a_client_raised_is_kept_by_its_class(exchanges):
    for exchange in exchanges("nobody"):
        assert (exchange.status, exchange.end, exchange.error.cls) == (None, "failed", "httpx2:ConnectError")
        assert "refused" in exchange.error.message
    assert len(exchanges("nobody")) == 2


def test_a_secret_in_an_answer_is_not_recorded(home, ledger, exchanges):
    (whole,), (stream,) = exchanges("secret"), exchanges("secret stream")
    answer = json.loads(whole.pieces[0])["choices"][0]["message"]["content"]
    assert answer.startswith("the key is [redacted:openai")
    assert (stream.pieces, stream.left_out) == ((), "a secret")
    assert SECRET[:20].encode() not in b"".join(path.read_bytes() for path in home.glob("spool/*.jsonl"))


def test_what_is_no_text_is_left_out_by_name(exchanges):
    (exchange,) = exchanges("binary")
    assert (exchange.pieces, exchange.left_out) == ((), "not text")


def test_pages_do_not_show_what_only_a_replay_reads(home, ledger):
    for event in calls(home, raw=False).values():
        assert not any(key.startswith("inspector.raw.") for key in json.loads(bytes(event.attributes)))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["INSPECTOR_CAPTURE_RAW", "INSPECTOR_CAPTURE_CONTENT"])
def test_nothing_of_it_is_recorded_where_it_is_switched_off(name, python, tmp_path):
    run(python, tmp_path, **{name: "false"})
    spool = b"".join(path.read_bytes() for path in tmp_path.glob("spool/*.jsonl"))
    assert b'"llm_generate"' in spool
    assert b'"raw"' not in spool
    assert b'"exchanges"' not in spool
    assert SECRET[:20].encode() not in spool
