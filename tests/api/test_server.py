import contextlib
import fcntl
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from sent import request_of, span_of

from inspector.store import OwnerLock

SECRET = "a-secret-of-the-tests-only"


def get(url, *, token=SECRET, **headers):
    head = {"Authorization": f"Bearer {token}", **headers}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=head), timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def line_of(identifier, *, ended):
    times = {"startTimeUnixNano": "1800000000000000000", "endTimeUnixNano": "1800000000500000000" if ended else None}
    span = span_of(identifier, {"inspector.hook": "tool_call"}, name=f"execute_tool {identifier}", **times)
    return json.dumps(request_of(span)) + "\n"


def listening_addresses(pid):
    """Every local address that a process listens on, from the kernel's own tables."""
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        # Others than listening sockets come and go meanwhile.
        with contextlib.suppress(FileNotFoundError):
            target = str(descriptor.readlink())
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    found = []
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for row in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = row.split()
            if fields[9] in inodes and (table.startswith("udp") or fields[3] == "0A"):
                found.append((table, fields[1].partition(":")[0]))
    return found


def open_files(pid):
    """The paths of a process's descriptors."""
    paths = []
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        # Some come and go meanwhile.
        with contextlib.suppress(FileNotFoundError):
            paths.append(descriptor.readlink())
    return paths


def test_it_answers_and_is_announced_for_as_long_as_it_runs(start_server):
    server = start_server()
    assert get(f"{server.url}/healthz")[0] == 200
    assert get(f"{server.url}/events", token="wrong")[0] == 401
    ready = json.loads(get(f"{server.url}/readyz")[1])
    assert ready["ready"] is True
    assert ready["owner"] is True
    file = server.settings.server_file
    assert json.loads(file.read_text()) == {"url": server.url, "pid": server.process.pid}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert server.stop() == 0
    assert not file.exists()
    assert server.process.stderr.read() == ""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_listens_on_loopback_alone(start_server):
    server = start_server()
    assert listening_addresses(server.process.pid) == [("tcp", "0100007F")]


def test_what_an_agent_writes_is_served_at_once(start_server, settings, until, stack):
    server = start_server()
    settings.spool.mkdir(mode=0o700, exist_ok=True)
    spool = settings.spool / "20260101T000000-1-abcdef01.000000.jsonl"
    recorder = stack.enter_context(spool.open("a"))
    fcntl.flock(recorder, fcntl.LOCK_EX)
    recorder.write(line_of(1, ended=False))
    recorder.flush()
    until(lambda: json.loads(get(f"{server.url}/events")[1])["items"])
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])), timeout=60) as stream:
        host = server.url.removeprefix("http://")
        stream.sendall(
            f"GET /events/stream HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {SECRET}\r\n\r\n".encode()
        )
        received = stream.recv(65536)
        recorder.write(line_of(2, ended=True))
        recorder.flush()
        while b"execute_tool 2" not in received:
            received += stream.recv(65536)


def test_what_is_recorded_while_the_server_stands_still_is_served_once_it_goes_on(start_server, settings, until):
    server = start_server()
    settings.spool.mkdir(mode=0o700, exist_ok=True)
    server.process.send_signal(signal.SIGSTOP)
    try:
        for at in range(3):
            spool = settings.spool / f"20260101T000000-{at}-abcdef01.000000.jsonl"
            spool.write_text(line_of(at + 1, ended=True))
    finally:
        server.process.send_signal(signal.SIGCONT)
    until(lambda: len(json.loads(get(f"{server.url}/events")[1])["items"]) == 3)


def test_400_half_sent_requests_at_256_descriptors_stop_nothing(settings, fork_python, until, stack):
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))\n"
        "from inspector.api import serve; from inspector.settings import Settings\n"
        "serve(Settings(), on_ready=lambda ready: print(ready.url, flush=True))"
    )
    env = {**os.environ, "INSPECTOR_HOME": str(settings.home), "INSPECTOR_PORT": "0", "INSPECTOR_TOKEN": SECRET}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = stack.enter_context(fork_python("-c", program, env=env, **pipes))
    stack.callback(process.kill)
    url = process.stdout.readline().strip()
    settings.spool.mkdir(mode=0o700, exist_ok=True)
    for _ in range(400):
        half = stack.enter_context(socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=60))
        half.sendall(b"GET / HTTP/1.1\r\nHost: x")
    (settings.spool / "20260101T000000-1-abcdef01.000000.jsonl").write_text(line_of(1, ended=True))
    assert get(f"{url}/healthz")[0] == 200
    until(lambda: json.loads(get(f"{url}/events")[1])["items"])
    if sys.platform == "linux":
        assert len(list(Path(f"/proc/{process.pid}/fd").iterdir())) < 256 - 32
    process.terminate()
    assert process.wait(60) == 0
    said = process.stderr.read().splitlines()
    assert len(said) == 1
    assert said[0].startswith("all 160 places for connections are taken; half-open and idle ones give way")


@pytest.fixture
def stack():
    with contextlib.ExitStack() as made:
        yield made


def test_the_one_time_address_signs_in_once(start_server):
    server = start_server()

    class Still(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    opener = urllib.request.build_opener(Still)
    codes = []
    for _ in range(2):
        with pytest.raises(urllib.error.HTTPError) as caught:
            opener.open(server.sign_in_url, timeout=60)
        codes.append(caught.value.code)
        if caught.value.code == 303:
            port = server.url.rpartition(":")[2]
            assert caught.value.headers["set-cookie"].startswith(f"inspector-{port}=")
        caught.value.close()
    assert codes == [303, 401]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_stops_cleanly_with_streams_open(start_server, number):
    server = start_server()
    host = server.url.removeprefix("http://")
    with socket.create_connection(("127.0.0.1", int(host.rpartition(":")[2])), timeout=60) as stream:
        stream.sendall(
            f"GET /events/stream HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {SECRET}\r\n\r\n".encode()
        )
        assert b"200 OK" in stream.recv(65536)
        assert server.stop(number) == 0
    assert server.process.stderr.read() == ""
    # Else the next one has to check the database first.
    assert (server.settings.home / "inspector.db.closed").exists()


@pytest.mark.slow
def test_under_nohup_it_outlives_its_terminal(settings):
    environment = {**os.environ, "INSPECTOR_HOME": str(settings.home)}
    command = ("nohup", sys.executable, "-m", "inspector.cli", "serve", "--port", "0", "--no-open")
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert "listens" in server.stdout.readline()
        server.send_signal(signal.SIGHUP)
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 0


def test_a_second_signal_ends_the_server_at_once(start_server):
    server = start_server()
    # While it stands still both wait, so the second one comes before the first one has been followed.
    for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM):
        server.process.send_signal(number)
    assert server.stop(signal.SIGCONT) == 128 + signal.SIGTERM
    assert not server.settings.server_file.exists()
    assert server.process.stderr.read() == ""


@pytest.fixture
def run_second(settings, fork_python):
    """Serve in vain: the exit code, and the last line of the complaint."""

    def run(port, **environment):
        program = "from inspector.api import serve; from inspector.settings import Settings; serve(Settings())"
        env = {
            **os.environ,
            "INSPECTOR_HOME": str(settings.home),
            "INSPECTOR_PORT": str(port),
            "INSPECTOR_TOKEN": SECRET,
        }
        with fork_python("-c", program, env=env | environment, stderr=subprocess.PIPE, text=True) as process:
            complaint = process.communicate(timeout=30)[1]
        return process.returncode, complaint.strip().splitlines()[-1]

    return run


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_waits_for_a_command_that_has_the_database(settings, fork_python, until, stack):
    program = (
        "from inspector.api import serve; from inspector.settings import Settings\n"
        "serve(Settings(), on_ready=lambda ready: print(ready.url, flush=True))"
    )
    env = {**os.environ, "INSPECTOR_HOME": str(settings.home), "INSPECTOR_PORT": "0", "INSPECTOR_TOKEN": SECRET}
    settings.home.mkdir(parents=True, exist_ok=True)
    with OwnerLock(settings.lock_file):
        process = stack.enter_context(fork_python("-c", program, env=env, stdout=subprocess.PIPE, text=True))
        stack.callback(process.kill)
        until(lambda: settings.lock_file in open_files(process.pid))
    assert get(f"{process.stdout.readline().strip()}/healthz")[0] == 200


def test_a_second_server_on_the_same_home_says_who_owns_it(start_server, run_second):
    server = start_server()
    for port in (0, int(server.url.rpartition(":")[2])):
        code, last = run_second(port)
        assert code != 0
        assert "OwnedElsewhere" in last
        assert str(server.process.pid) in last
        assert server.url in last
    assert get(f"{server.url}/healthz")[0] == 200


def test_a_port_in_use_is_named_with_the_way_out(run_second, settings):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        _, last = run_second(port)
    assert f"port {port} on 127.0.0.1 is in use by another program; choose another one with --port" in last
    assert not settings.server_file.exists()


def test_a_host_that_is_not_of_this_machine_is_named(run_second):
    for host in ("192.0.2.1", "no such host"):
        _, last = run_second(0, INSPECTOR_HOST=host)
        assert "AddressUnusable" in last
        assert "INSPECTOR_HOST" in last


def test_a_wide_bind_is_warned_of_and_still_asks_for_a_name(start_server):
    server = start_server(INSPECTOR_HOST="0.0.0.0")
    assert get(f"{server.url}/healthz")[0] == 200
    assert get(f"{server.url}/healthz", Host="192.168.0.7:7800")[0] == 421
    server.stop()
    assert "everybody who reaches this machine" in server.process.stderr.read()


def test_after_a_kill_the_next_server_starts(start_server, settings):
    first = start_server()
    first.process.kill()
    first.process.wait()
    second = start_server()
    assert get(f"{second.url}/readyz")[0] == 200


@pytest.mark.parametrize(
    "raw",
    [
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n",
        b"GET http://evil.example/events HTTP/1.1\r\nHost: HOST\r\n\r\n",
        b"GET /events HTTP/1.0\r\n\r\n",
        b"GET /%00 HTTP/1.1\r\nHost: HOST\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: HOST\r\n\r\n",
        b"GET /events HTTP/1.1\r\nHost: HOST\r\nX: \x00\r\n\r\n",
        b"POST /events HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /events HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99999999999\r\n\r\n",
        b"POST /events HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        (
            b"GET /events HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        ),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: HOST\r\n\r\n",
        b"GET /events HTTP/1.1\r\nHost: HOST\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
        b"GET /events HTTP/1.1\r\nHost: HOST\r\nRange: bytes=" + b",".join(b"0-1" for _ in range(2000)) + b"\r\n\r\n",
    ],
)
def test_raw_bytes_are_refused_without_a_traceback_and_the_server_lives(raw, hostile_server):
    host = hostile_server.url.removeprefix("http://")
    with socket.create_connection(("127.0.0.1", int(host.rpartition(":")[2])), timeout=60) as client:
        client.sendall(raw.replace(b"HOST", host.encode()))
        client.shutdown(socket.SHUT_WR)
        received = b""
        while part := client.recv(65536):
            received += part
    status = received.split(b" ")[1:2]
    assert not status or status[0][:1] == b"4", received[:200]
    assert b"Traceback" not in received
    assert get(f"{hostile_server.url}/healthz")[0] == 200


@pytest.fixture(scope="module")
def hostile_server(tmp_path_factory, fork_python):
    home = tmp_path_factory.mktemp("hostile") / "home"
    program = (
        "from inspector.api import serve; from inspector.settings import Settings\n"
        "serve(Settings(), on_ready=lambda ready: print(ready.url, flush=True))"
    )
    env = {**os.environ, "INSPECTOR_HOME": str(home), "INSPECTOR_PORT": "0", "INSPECTOR_TOKEN": SECRET}
    process = fork_python("-c", program, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    class Server:
        url = process.stdout.readline().strip()

    yield Server
    process.terminate()
    assert process.wait(60) == 0
    process.stdout.close()
