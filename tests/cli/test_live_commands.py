"""``serve``, ``tail``, ``prune``, ``token`` and ``demo``: with a server, and without one."""

import contextlib
import json
import os
import random
import re
import select
import signal
import socket
import stat
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from forking import INTERPRETER
from sent import request_of, span_of

DEADLINE_S = 30.0


class Output:
    """Lines of a running process, waited for with a deadline."""

    def __init__(self, process, terminal=None):
        self.process = process
        self.source = process.stdout.fileno() if terminal is None else terminal
        self.text = b""

    def until(self, wanted):
        give_up = time.monotonic() + DEADLINE_S
        while wanted not in self.text:
            readable, _, _ = select.select([self.source], [], [], 0.1)
            chunk = os.read(self.source, 65536) if readable else b""
            self.text += chunk
            if (readable and not chunk) or time.monotonic() > give_up:
                raise AssertionError((wanted, self.text, self.process.stderr.read() if readable else b""))
        return self.text.decode()


def spool_line(span_id, *, name, end=True, trace_id="c" * 32):
    times = {} if end else {"endTimeUnixNano": None}
    return json.dumps(request_of(span_of(span_id, name=name, traceId=trace_id, **times))) + "\n"


@pytest.fixture
def spool(home) -> Path:
    """A segment that a recorder appends to."""
    home.mkdir(mode=0o700)
    (home / "spool").mkdir(mode=0o700)
    path = home / "spool" / "collector.jsonl"
    path.touch(mode=0o600)
    return path


def append(path, text):
    with path.open("a") as file:
        file.write(text)


@pytest.fixture
def server(start_inspector):
    def start():
        process = start_inspector("serve", "--port", "0")
        shown = Output(process).until(b"Ctrl-C ends it.")
        return process, shown.split("inspector listens on ")[1].split()[0], shown

    return start


def test_serve_says_where_it_listens_how_to_sign_in_and_where_the_data_is(server, home, inspector):
    process, url, shown = server()
    assert url.startswith("http://127.0.0.1:")
    assert f"{url}/?code=" in shown
    assert f'curl -H "Authorization: Bearer $(cat {home}/token)" {url}/events' in shown
    assert str(home) in shown
    token = inspector("token", "--scope", "read").stdout.decode().strip()
    request = urllib.request.Request(f"{url}/events", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
        assert json.load(answer)["items"] == []
    process.send_signal(signal.SIGINT)
    assert process.wait(DEADLINE_S) == 0
    assert process.stderr.read() == b""


@pytest.fixture
def until():
    def wait(condition):
        give_up = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < give_up, "waited in vain"
            time.sleep(0.01)

    return wait


@pytest.fixture
def on_a_screen(start_inspector, tmp_path):
    """Start a command in a terminal on a screen; gives what it showed and the file that its browser writes to.

    The browser is a program that goes where the file it is given leads; the screen is a name, and nobody looks at it.
    """
    ends = []

    def start(*arguments, **variables):
        opened = tmp_path / f"opened-{len(ends)}"
        program = tmp_path / f"browser-{len(ends)}"
        program.write_text(
            f"#!/bin/sh\nprintf '%s\\n' \"$1\" >{opened}.draft\n"
            f'sed \'s/.*url=\\([^"]*\\)".*/\\1/\' "${{1#file://}}" >>{opened}.draft\nmv {opened}.draft {opened}\n'
        )
        program.chmod(0o755)
        terminal, inside = os.openpty()
        ends.append(terminal)
        screen = {"DISPLAY": ":99", "WAYLAND_DISPLAY": "", "SSH_CONNECTION": "", "BROWSER": f"{program} %s"}
        process = start_inspector(*arguments, stdout=inside, **screen | variables)
        os.close(inside)
        return Output(process, terminal).until(b"Ctrl-C ends it."), opened

    yield start
    for terminal in ends:
        os.close(terminal)


def test_serve_opens_the_page_before_whoever_started_it(on_a_screen, until):
    shown, opened = on_a_screen("serve", "--port", "0")
    until(opened.exists)
    argument, address = opened.read_text().splitlines()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?code=[\w-]+", address)
    assert address in shown
    # Every user of the machine can read the argument.
    assert argument.startswith("file://") and "code=" not in argument
    assert stat.S_IMODE(Path(argument.removeprefix("file://")).stat().st_mode) == 0o600


def test_the_file_that_leads_the_browser_in_goes_with_the_server(on_a_screen, until, home):
    _, opened = on_a_screen("serve", "--port", "0")
    until(opened.exists)
    pid = json.loads((home / "server.json").read_text())["pid"]
    os.kill(pid, signal.SIGINT)
    until(lambda: not (home / "open.html").exists())


@pytest.fixture
def demo_forked(environment, fork_recorded):
    """Has the program of the demo, and its server, forked."""
    environment[INTERPRETER] = fork_recorded.stand_in


@pytest.mark.slow
@pytest.mark.usefixtures("demo_forked")
def test_the_demo_opens_on_its_own_run(on_a_screen, until, inspector):
    shown, opened = on_a_screen("demo", "--port", "0")
    until(opened.exists)
    _, address = opened.read_text().splitlines()
    (trace_id,) = re.findall(r"/\?code=[\w-]+#/traces/([0-9a-f]{32})$", address)
    assert address in shown
    assert json.loads(inspector("show", "last", "--json").stdout)["trace"]["trace_id"] == trace_id


@pytest.mark.slow
def test_no_browser_opens_where_it_is_not_wanted_or_nobody_sees_it(on_a_screen, until, tmp_path):
    def start(number, *arguments, **variables):
        home = str(tmp_path / f"home-{number}")
        return on_a_screen("serve", "--port", "0", "--home", home, *arguments, **variables)[1]

    unwanted = [start(1, "--no-open"), start(2, DISPLAY=""), start(3, SSH_CONNECTION="10.0.0.1 22 10.0.0.2 22")]
    # The last one started is the last to open its browser.
    until(start(4, DISPLAY="", WAYLAND_DISPLAY="wayland-0").exists)
    assert [opened.exists() for opened in unwanted] == [False] * 3


@pytest.mark.slow
@pytest.mark.usefixtures("demo_forked")
def test_the_demo_names_its_run_to_a_server_that_runs_already(server, inspector):
    _, url, _ = server()
    done = inspector("demo", INSPECTOR_PORT=url.rpartition(":")[2])
    assert done.returncode == 0
    assert re.search(f"a server is already running: {url}/#/traces/[0-9a-f]{{32}}\n".encode(), done.stderr)


@pytest.fixture
def taken_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield str(listener.getsockname()[1])


@pytest.mark.parametrize("said_by", ["option", "environment"])
def test_the_demo_does_not_run_where_the_port_it_was_told_is_taken(inspector, home, taken_port, said_by):
    asked = {"INSPECTOR_PORT": taken_port} if said_by == "environment" else {}
    done = inspector("demo", *([] if asked else ["--port", taken_port]), **asked)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert f"port {taken_port}: Address already in use".encode() in done.stderr
    assert b"--port or INSPECTOR_PORT" in done.stderr
    assert not home.exists()


@pytest.mark.slow
@pytest.mark.usefixtures("demo_forked")
def test_the_demo_takes_a_free_port_where_nobody_said_which(start_inspector):
    with contextlib.ExitStack() as stack:
        # Where somebody listens there already, that does as well.
        with contextlib.suppress(OSError):
            stack.enter_context(socket.create_server(("127.0.0.1", 7800)))
        process = start_inspector("demo", "--no-open")
        assert select.select([process.stderr], [], [], DEADLINE_S)[0]
        assert "port 7800 is in use" in process.stderr.readline().decode()
        shown = Output(process).until(b"Ctrl-C ends it.")
    url = shown.split("inspector listens on ")[1].split()[0]
    assert url.startswith("http://127.0.0.1:") and not url.endswith(":7800")


def test_a_second_server_says_who_owns_the_database_and_how_to_reach_it(server, inspector):
    process, url, _ = server()
    done = inspector("serve", "--port", "0")
    assert (done.returncode, done.stdout) == (1, b"")
    assert str(process.pid).encode() in done.stderr
    assert url.encode() in done.stderr
    assert b"--home" in done.stderr
    assert done.stderr.count(b"\n") == 2


def test_a_port_in_use_is_told_in_one_line(server, inspector, tmp_path):
    _, url, _ = server()
    done = inspector("serve", "--port", url.rpartition(":")[2], "--home", str(tmp_path / "other"))
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"--port" in done.stderr


def test_events_reads_what_a_running_server_stores_and_answers_as_its_api_does(server, inspector, write_spans, span):
    write_spans(span(name="a", input_tokens=3), span(name="b", attributes={"k": [1, "x"]}))
    _, url, _ = server()
    token = inspector("token").stdout.decode().strip()

    def answer(path):
        request = urllib.request.Request(url + path, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as found:
            return json.load(found)

    assert json.loads(inspector("events", "--json").stdout) == answer("/events")
    assert json.loads(inspector("events", "--full").stdout) == answer("/events?full=true")
    trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"
    assert json.loads(inspector("show", "--json").stdout) == answer(f"/traces/{trace_id}")
    one = json.loads(inspector("show", "--span", "0000000000000002", "--json").stdout)
    assert one == answer("/events/0000000000000002")
    assert json.loads(inspector("sessions", "--json").stdout) == answer("/sessions")


@pytest.mark.sweep(1)
@pytest.mark.parametrize("with_server", [False, True], ids=["alone", "beside a server"])
def test_tail_shows_a_call_when_it_starts_and_again_when_it_ends(start_inspector, server, spool, with_server):
    append(spool, spool_line("1" * 16, name="execute_tool before"))
    if with_server:
        server()
    tail = start_inspector("tail")
    output = Output(tail)
    assert f"  {'c' * 32}  {'1' * 16}  " in output.until(b"execute_tool before")
    append(spool, spool_line("2" * 16, name="execute_tool live", end=False))
    assert "● running" in output.until(b"execute_tool live")
    output.text = b""
    append(spool, spool_line("2" * 16, name="execute_tool live"))
    assert "✓" in output.until(b"312 ms\n")
    tail.send_signal(signal.SIGINT)
    assert tail.wait(DEADLINE_S) == 0
    assert tail.stderr.read() == b""


def test_tail_in_json_writes_one_event_a_line_and_narrows(start_inspector, spool):
    append(spool, spool_line("1" * 16, name="other") + spool_line("2" * 16, name="wanted"))
    output = Output(start_inspector("tail", "--json", "--name", "wanted"))
    output.until(b"2222222222222222")
    append(spool, spool_line("3" * 16, name="other") + spool_line("4" * 16, name="wanted"))
    lines = output.until(b"4444444444444444").splitlines()
    assert [json.loads(line)["span_id"][0] for line in lines] == ["2", "4"]


def test_tail_waits_for_the_first_recording(start_inspector, home):
    tail = start_inspector("tail")
    assert select.select([tail.stderr], [], [], DEADLINE_S)[0]
    assert b"waiting" in tail.stderr.readline()
    (home / "spool").mkdir(parents=True, mode=0o700)
    home.chmod(0o700)
    append(home / "spool" / "collector.jsonl", spool_line("1" * 16, name="first"))
    Output(tail).until(b"first")


def test_tail_that_waited_shows_everything_that_came_at_once(start_inspector, home, tmp_path):
    tail = start_inspector("tail", "--last", "3", "--json")
    assert select.select([tail.stderr], [], [], DEADLINE_S)[0]
    prepared = tmp_path / "prepared"
    (prepared / "spool").mkdir(parents=True, mode=0o700)
    prepared.chmod(0o700)
    ids = [f"{number:016x}" for number in range(1, 13)]
    append(prepared / "spool" / "collector.jsonl", "".join(spool_line(span_id, name="x") for span_id in ids))
    prepared.rename(home)
    lines = Output(tail).until(ids[-1].encode()).splitlines()
    assert [json.loads(line)["span_id"] for line in lines[: len(ids)]] == ids


def test_tail_takes_over_from_a_server_that_ends(start_inspector, server, spool):
    process, _, _ = server()
    append(spool, spool_line("1" * 16, name="while it served"))
    output = Output(start_inspector("tail"))
    output.until(b"while it served")
    process.send_signal(signal.SIGTERM)
    process.wait(DEADLINE_S)
    append(spool, spool_line("2" * 16, name="after its end"))
    output.until(b"after its end")


ODD = ("trip/1 ?", ".", "..", "--yes", "a\nb", "%2e🦊'\"")


@pytest.mark.sweep(1)
@pytest.mark.parametrize("with_server", [False, True], ids=["alone", "through the server"])
def test_prune_deletes_by_trace_by_session_and_by_age(inspector, server, write_spans, span, with_server):
    write_spans(
        span(name="by trace", trace_id="a" * 32),
        *[span(name="by session", trace_id=f"{at:032x}", session_id=odd) for at, odd in enumerate(ODD, 1)],
        span(name="old", trace_id="d" * 32, start_ns=10**18, end_ns=10**18 + 1),
        span(name="long", trace_id="f" * 32, start_ns=10**18, end_ns=time.time_ns()),
        span(name="kept", trace_id="e" * 32, start_ns=time.time_ns(), end_ns=None, status="running"),
    )
    if with_server:
        server()
    one = rb"deleted 1 trace with 1 span, [\d.]+ k?B freed\n"
    assert re.fullmatch(one, inspector("prune", "--trace", "aaaa", "--yes").stdout)
    for odd in ODD:
        assert re.fullmatch(one, inspector("prune", f"--session={odd}", "--yes").stdout), odd
    done = inspector("prune", "--older-than", "1d", "--yes")
    assert re.fullmatch(one, done.stdout), done
    assert [item["name"] for item in json.loads(inspector("events", "--json").stdout)["items"]] == ["kept", "long"]


def test_prune_asks_and_deletes_nothing_where_nobody_can_answer(inspector, write_spans, span):
    write_spans(span())
    done = inspector("prune", "--trace", "last")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"--yes" in done.stderr
    assert len(json.loads(inspector("events", "--json").stdout)["items"]) == 1


def test_prune_of_what_is_unknown_says_so(inspector, write_spans, span):
    write_spans(span())
    for what in (["--session", "nope"], ["--trace", "ffff"]):
        done = inspector("prune", *what, "--yes")
        assert (done.returncode, done.stdout) == (1, b"")
        assert b"nope" in done.stderr or b"ffff" in done.stderr


@pytest.mark.slow
def test_pruning_by_size_goes_through_a_running_server_and_takes_the_oldest(inspector, server, write_spans, span):
    text = random.Random(0).randbytes(20_000).hex()
    write_spans(*(span(trace_id=f"{at:032x}", attributes={"text": f"{at}{text}"}) for at in range(100)))
    server()
    assert inspector("prune", "--max-size", "10MB", "--yes").stdout == b"nothing was deleted\n"
    assert inspector("prune", "--max-size", "10MB", "--dry-run").stdout == b"nothing would be deleted\n"
    foretold = inspector("prune", "--max-size", "2MB", "--dry-run").stdout.decode()
    done = inspector("prune", "--max-size", "2MB", "--yes")
    assert (done.returncode, done.stderr) == (0, b"")
    left = {event["trace_id"] for event in json.loads(inspector("events", "--limit", "200", "--json").stdout)["items"]}
    assert 0 < len(left) < 100
    assert left == {f"{at:032x}" for at in range(100 - len(left), 100)}
    gone = 100 - len(left)
    assert re.fullmatch(rf"deleted {gone} traces with {gone} spans, [\d.]+ MB freed\n", done.stdout.decode())
    planned = re.fullmatch(r"would delete about (\d+) traces with \1 spans, about [\d.]+ MB of [\d.]+ MB\n", foretold)
    assert abs(int(planned[1]) - gone) <= 20


def test_token_prints_the_token_that_opens_the_api_and_narrower_ones(inspector, home):
    whole = inspector("token").stdout.decode().strip()
    assert whole == (home / "token").read_text().strip()
    assert (home / "token").stat().st_mode & 0o777 == 0o600
    scoped = {inspector("token", "--scope", scope).stdout for scope in ("read", "ingest", "control")}
    assert len(scoped) == 3
    assert whole.encode() not in b"".join(scoped)


@pytest.mark.slow
def test_the_demo_that_is_only_drawn_needs_no_port_and_exits(inspector, taken_port):
    done = inspector("demo", "--once", "--port", taken_port)
    assert done.returncode == 0, done.stderr
    drawn = done.stdout.decode()
    assert "✓ invoke_workflow" in drawn
    assert "✗ execute_tool" in drawn
    assert " tok  $" in drawn
    assert "MCP: 2 messages" in drawn
    assert re.search(r"^can be replayed: inspector replay \w+$", drawn, re.MULTILINE)
    assert b"execute_tool" in inspector("events", "--kind", "tool", "--status", "error").stdout
