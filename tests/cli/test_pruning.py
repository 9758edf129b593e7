"""``prune`` where somebody else owns the database: one that deletes nothing, and one that nobody knows."""

import fcntl
import json

import pytest
from loopback import Quiet, serving_http

from inspector.cli.app import run as command


@pytest.fixture
def owned(home):
    """Makes somebody else the owner of the database: whoever the text in the lock file says."""
    with (home / "owner.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        def by(text):
            lock.write(text)
            lock.flush()

        yield by


@pytest.fixture
def asked(home):
    """What a server that deletes nothing was asked to delete, and its address."""
    paths = []

    class Keeper(Quiet):
        def do_DELETE(self):
            paths.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"spans": 0}')

    with serving_http(Keeper) as server:
        yield paths, f"http://127.0.0.1:{server.server_port}"


@pytest.fixture
def home(home, write_spans, span):
    """A home with 25 traces: more than are asked for at a time."""
    write_spans(*(span(trace_id=f"{at:032x}") for at in range(1, 26)))
    return home


def test_a_server_that_deletes_nothing_is_asked_once_for_each_trace(home, asked, owned, capsys):
    paths, url = asked
    owned(json.dumps({"pid": 1, "url": url}))
    code = command(["prune", "--max-size", "1", "--yes", "--home", str(home)])
    assert (code, capsys.readouterr().out) == (0, "nothing was deleted\n")
    assert paths == [f"/traces/{at:032x}" for at in range(1, 26)]


@pytest.mark.parametrize("text", ["", '{"pid": null}'])
def test_an_owner_that_could_not_say_who_it_is_is_named_by_its_lock(home, owned, capsys, monkeypatch, text):
    monkeypatch.setattr("inspector.ingest.home.LOCK_WAIT_S", 0.0)
    owned(text)
    code = command(["prune", "--trace", "last", "--yes", "--home", str(home)])
    assert (code, capsys.readouterr().err) == (
        1,
        (
            "inspector: another process owns the database and could not note which; "
            f"fuser {home / 'owner.lock'} names it; try again when it has ended\n"
        ),
    )


@pytest.mark.parametrize("named", ["--trace", "--session"])
@pytest.mark.parametrize("rule", [("--older-than", "1d"), ("--max-size", "1GB")])
def test_what_is_named_is_not_deleted_together_with_what_is_old_or_too_much(inspector, write_spans, span, named, rule):
    write_spans(span())
    refused = inspector("prune", named, "last", *rule, "--yes")
    assert refused.returncode == 2
    assert b"give them to a prune of their own" in refused.stderr
    assert b"Traceback" not in refused.stderr
    assert b"execute_tool t1" in inspector("events").stdout
