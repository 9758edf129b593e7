import json
from pathlib import Path

import pytest
from loopback import Quiet, serving_http

from inspector.cli.errors import ServerRefused
from inspector.cli.writing.import_files import import_files
from inspector.ingest import Owner
from inspector.settings import Settings


@pytest.fixture
def server(tmp_path):
    """Owns a home, and answers with what stands in ``answers``, then with 200; ``got`` has the names of what came."""

    class Server:
        answers = []
        got = []
        settings = Settings(home=tmp_path / "home", token="a-token-of-the-tests")

    class Handler(Quiet):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            Server.got.append(request["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["name"])
            status, headers, body = Server.answers.pop(0) if Server.answers else (200, {}, "{}")
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

    with serving_http(Handler) as listening, Owner(Server.settings, url=f"http://127.0.0.1:{listening.server_port}"):
        yield Server


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "three.jsonl"
    with path.open("w") as lines:
        for number in (1, 2, 3):
            span = {"traceId": f"{number:032x}", "spanId": f"{number:016x}", "name": f"n{number}"}
            span |= {"startTimeUnixNano": "1", "endTimeUnixNano": "2"}
            lines.write(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}) + "\n")
    return str(path)


@pytest.mark.parametrize(("status", "said"), [(400, '{"message": "no good"}'), (413, '{"detail": "no good"}')])
def test_what_the_server_refuses_is_said_and_the_rest_is_sent(server, file, status, said):
    server.answers = [(200, {}, "{}"), (status, {}, said)]
    taken = import_files(server.settings, [file])
    assert server.got == ["n1", "n2", "n3"]
    assert taken.bad_files == [f"{file}: the server refused 1 span ({status}: no good)"]
    assert (taken.spans, taken.traces) == (2, 2)


def test_what_the_server_leaves_out_of_what_it_takes_is_said(server, file):
    partly = '{"partialSuccess": {"rejectedSpans": "1", "errorMessage": "1 span: unstorable"}}'
    server.answers = [(200, {}, partly), (200, {}, '{"partialSuccess": null}'), (200, {}, "not JSON")]
    taken = import_files(server.settings, [file])
    assert taken.bad_files == [f"{file}: the server refused 1 span (1 span: unstorable)"]
    assert taken.spans == 2


def test_what_neither_can_read_is_said_once(server, file, tmp_path):
    bad = tmp_path / "bad.jsonl"
    request = json.loads(Path(file).read_text().splitlines()[0])
    spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
    spans.append({**spans[0], "spanId": ""})
    bad.write_text(json.dumps(request))
    server.answers = [(200, {}, '{"partialSuccess": {"rejectedSpans": 1, "errorMessage": "1 span: span_id"}}')]
    taken = import_files(server.settings, [str(bad)])
    assert (taken.spans, taken.bad_files, sum(taken.left_out.values())) == (1, [], 1)


def test_a_server_that_is_busy_is_asked_again_when_it_says_so(server, file):
    server.answers = [(503, {"Retry-After": "0"}, ""), (429, {"Retry-After": "0"}, "")]
    taken = import_files(server.settings, [file])
    assert server.got == ["n1", "n1", "n1", "n2", "n3"]
    assert (taken.spans, taken.bad_files) == (3, [])


def test_a_server_that_stays_busy_or_lets_nobody_in_ends_the_import(server, file):
    for answer in ((503, {"Retry-After": "3600"}, "full"), (401, {}, "who")):
        server.answers = [answer]
        with pytest.raises(ServerRefused, match=f"answered {answer[0]}: {answer[2]}"):
            import_files(server.settings, [file])


SESSIONS = Path(__file__).parents[1] / "transcripts" / "captured"


def test_a_session_of_a_coding_agent_is_sent_to_the_server_as_spans(server):
    imported = import_files(server.settings, [str(SESSIONS / "codex.jsonl")])
    assert (imported.spans, imported.traces, imported.bad_files) == (6, 1, [])
    assert server.got == ["chat gpt-5.1-codex"]


def test_lines_of_a_session_that_cannot_be_read_are_counted(server, tmp_path):
    first, *others = (SESSIONS / "codex.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "session.jsonl").write_bytes(b"".join([first, b'{"type": "eve\n', *others, b'["half']))
    imported = import_files(server.settings, [str(tmp_path / "session.jsonl")])
    assert list(imported.omissions()) == [
        "left out 2: lines of a transcript that are cut off or not JSON, the first is line 2"
    ]
    assert (imported.spans, imported.bad_files) == (6, [])


def test_sessions_are_imported_once_however_often_they_are(inspector):
    files = [str(SESSIONS / name) for name in ("claude_code.jsonl", "claude_code_subagent.jsonl", "codex.jsonl")]
    first, again = inspector("import", *files), inspector("import", *files)
    assert (first.returncode, again.returncode) == (0, 0)
    assert b"imported 24 spans of 3 traces" in first.stderr
    assert b"24 spans of 3 traces: already stored, nothing new" in again.stderr
    runs = json.loads(inspector("runs", "--json").stdout)["items"]
    assert {(run["service"], run["question"], run["answer"], run["calls"]) for run in runs} == {
        ("claude-code", "Plan a trip", "noted", 18),
        ("codex", "Say hi", "All done.", 6),
    }


@pytest.mark.parametrize(("name", "program"), [("claude_code", "Claude Code"), ("codex", "Codex")])
def test_an_imported_session_says_why_it_cannot_be_replayed(inspector, name, program):
    inspector("import", str(Path(__file__).parents[1] / "transcripts" / "captured" / f"{name}.jsonl"))
    replayed = inspector("replay", "last").stderr.decode()
    assert f"its model calls are made by {program}, another program, which a replay cannot answer" in replayed
