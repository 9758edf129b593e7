import json
import os
import re
import signal
import stat
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from sent import pairs_of, request_of, span_of

DEADLINE_S = 30.0
SCREEN = {"DISPLAY": ":99", "WAYLAND_DISPLAY": "", "SSH_CONNECTION": ""}
NO_SCREEN = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}


@pytest.fixture
def url(start_inspector):
    process = start_inspector("serve", "--port", "0", **NO_SCREEN)
    text = b""
    while b"Ctrl-C ends it." not in text:
        chunk = os.read(process.stdout.fileno(), 65536)
        assert chunk, process.stderr.read()
        text += chunk
    yield text.decode().split("inspector listens on ")[1].split()[0]
    process.send_signal(signal.SIGINT)
    process.wait(DEADLINE_S)


@pytest.fixture
def traces(url, inspector):
    """Have the server take in a trace ``aa…``, two of the run ``two`` and one of the run ``one``."""
    lines = [request_of(span_of("1" * 16, traceId="a" * 32))]
    for number, run in enumerate(("two", "two", "one"), 2):
        line = request_of(span_of(str(number) * 16, traceId=str(number) * 32))
        line["resourceSpans"][0]["resource"]["attributes"] += pairs_of({"inspector.run.id": run})
        lines.append(line)
    done = inspector("import", "-", stdin="".join(json.dumps(line) + "\n" for line in lines).encode())
    assert done.returncode == 0, done.stderr


def signed_in(address):
    """Open an address as a browser does, and read what its page would."""
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
    )
    opener.addheaders = [("Accept", "text/html")]
    base = address.partition("?")[0]
    opener.open(address, timeout=DEADLINE_S).close()
    try:
        with opener.open(f"{base}events", timeout=DEADLINE_S) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_an_address_signs_one_browser_in_and_there_is_always_another(url, inspector):
    addresses = []
    for _ in range(2):
        done = inspector("open", "--print")
        assert (done.returncode, done.stderr) == (0, b"works once, within ten minutes\n")
        addresses.append(done.stdout.decode().strip())
    assert len(set(addresses)) == 2
    for address in addresses:
        assert re.fullmatch(re.escape(url) + r"/\?code=[\w-]+", address)
        assert signed_in(address) == 200
        assert signed_in(address) == 401


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("what", "view"),
    [
        ("aaaa", f"#/traces/{'a' * 32}"),
        ("a" * 32, f"#/traces/{'a' * 32}"),
        ("one", f"#/traces/{'4' * 32}"),
        ("1111", f"#/traces/{'a' * 32}?span={'1' * 16}"),
        ("two", "#/runs/two"),
    ],
)
def test_a_trace_or_a_run_is_what_the_page_opens_on(traces, inspector, what, view):
    assert inspector("open", what, "--print").stdout.decode().strip().endswith(view)


def test_what_is_not_recorded_is_not_opened(traces, inspector):
    done = inspector("open", "ffff", "--print")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"no run or trace ffff is recorded" in done.stderr


def test_a_browser_on_the_screen_is_led_in_by_a_private_file(url, inspector, tmp_path):
    opened = tmp_path / "opened"
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" >{opened}\n')
    program.chmod(0o755)
    done = inspector("open", BROWSER=f"{program} %s", **SCREEN)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (0, b"", f"opened {url}/\n")
    doorstep = Path(opened.read_text().removeprefix("file://"))
    assert stat.S_IMODE(doorstep.stat().st_mode) == 0o600
    (address,) = re.findall(r'url=([^"]*)"', doorstep.read_text())
    assert signed_in(address) == 200


def test_the_address_is_printed_where_no_browser_opens(url, inspector, tmp_path):
    for variables in (NO_SCREEN, SCREEN | {"SSH_CONNECTION": "x"}, SCREEN | {"BROWSER": "/bin/false %s"}):
        done = inspector("open", **variables)
        assert (done.returncode, done.stderr) == (0, b"works once, within ten minutes\n")
        assert done.stdout.startswith(f"{url}/?code=".encode())


def test_without_a_server_it_says_how_to_start_one(inspector):
    done = inspector("open")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"inspector: no server is running; start one, which opens the page too: inspector serve\n"


def test_a_running_server_gives_and_removes_labels(traces, inspector):
    assert b"quality 0.5" in inspector("label", "two", "good", "quality=0.5").stdout
    assert inspector("label", "two", "good", "--remove").returncode == 0
    found = json.loads(inspector("label", "two", "--json").stdout)["items"]
    assert [(label["name"], label["run_id"]) for label in found] == [("quality", "two")]
