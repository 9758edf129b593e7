import fcntl
import json

import pytest

CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4.1",
    "gen_ai.usage.input_tokens": 1_000_000,
    "gen_ai.usage.output_tokens": 0,
    "otel.scope.name": "somebody's",
    "span.kind": "client",
}


@pytest.fixture
def misread(write_spans, span):
    """A model call that was stored as something else, and one of a tool."""
    write_spans(
        span(kind="other", name="chat gpt-4.1", dialect="otel", attributes=CHAT),
        span(attributes={"gen_ai.operation.name": "execute_tool"}, dialect="gen_ai/2"),
    )


def calls(inspector):
    items = json.loads(inspector("events", "--json", "--kind", "llm").stdout)["items"]
    return [(item["model"], item["input_tokens"], item["cost_usd"]) for item in items]


def test_what_was_misread_is_read_as_it_is_today(inspector, misread):
    would = inspector("reindex", "last", "--dry-run").stdout.decode()
    assert would.splitlines()[0] == "2 spans read again, 1 would change"
    assert calls(inspector) == []
    done = inspector("reindex", "--all")
    assert (done.returncode, done.stderr) == (0, b"")
    *fields, summed = done.stdout.decode().splitlines()
    assert fields == would.replace("would change", "changed").splitlines()
    assert summed == "1 trace summed up differently: cost_usd, input_tokens, llm_calls"
    changed = [line.split() for line in fields[1:]]
    assert changed == [
        ["1", name] for name in ("cached_tokens", "cost_usd", "dialect", "input_tokens", "kind", "output_tokens")
    ]
    assert calls(inspector) == [("gpt-4.1", 1_000_000, 2.0)]
    assert inspector("reindex", "--all").stdout == b"2 spans read again, 0 changed\n"


def test_beside_a_server_only_a_dry_run_reads_again(inspector, home, misread):
    with (home / "owner.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(json.dumps({"pid": 1, "url": "http://127.0.0.1:1"}))
        lock.flush()
        refused = inspector("reindex", "--all")
        assert (refused.returncode, refused.stdout) == (1, b"")
        assert b"the server on http://127.0.0.1:1 owns the database: stop it" in refused.stderr
        assert inspector("reindex", "--all", "--dry-run").stdout.startswith(b"2 spans read again, 1 would change\n")


def test_what_is_not_recorded_cannot_be_read_again(inspector, misread):
    unknown = inspector("reindex", "abcdef")
    assert (unknown.returncode, unknown.stdout) == (1, b"")
    assert b"abcdef" in unknown.stderr
