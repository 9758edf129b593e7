"""A real ``inspector serve`` with a home of its own, signed in through its one-time address.

Used by the tests, the benchmark and the screenshots.
"""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from inspector.model import Span
from inspector.settings import Settings
from inspector.store import open_store

ROOT = Path(__file__).parents[2]
DEMO_SPANS = 35
"""How many spans one run of the demo agent makes."""
Start = Callable[..., "subprocess.Popen[Any]"]
"""Starts Python with arguments, as ``python`` does."""
START_S = 60
STOP_S = 20


def python(*arguments: str, **options: Any) -> "subprocess.Popen[Any]":
    """Start Python as ``subprocess.Popen`` starts a program; tests fork one that has imported it all instead."""
    return subprocess.Popen([sys.executable, *arguments], **options)


def environment(home: Path) -> dict[str, str]:
    """What every process is started with: nothing of the machine's own inspector plays a part."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("INSPECTOR_")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return kept | {
        "INSPECTOR_HOME": str(home),
        # Stories have times of their own.
        "INSPECTOR_RETENTION_DAYS": "36500",
        "PYTHONPATH": str(ROOT),
        "TZ": "UTC",
    }


class ServeEnded(Exception):
    """``inspector serve`` ended before it listened."""


@dataclass
class Server:
    """A server in a process of its own, and the cookie that its one-time address gave."""

    home: Path
    url: str
    sign_in_url: str
    process: "subprocess.Popen[str]"
    cookies: list[Any]
    """As a browser context takes them."""
    visitors: list[Any] = field(default_factory=list[Any])
    """Pages that look at it; they go before it does, or their streams would be refused."""

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    def get(self, path: str) -> Any:
        """Ask the API as the signed-in browser does: again, where the server had no time for it."""
        for _ in range(20):
            status, body = self._ask(path)
            if status != 503:
                break
            time.sleep(1)
        assert status == 200, (path, status, body)
        return json.loads(body)

    def _ask(self, path: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        cookie = self.cookies[0]
        connection.request("GET", path, headers={"Cookie": f"{cookie['name']}={cookie['value']}"})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def stop(self, number: int = signal.SIGTERM) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()


def start_server(
    home: Path, port: int = 0, *, sign_in: bool = True, start: Start = python, database_url: str | None = None
) -> Server:
    """Run ``inspector serve`` over a home and return when it listens, signed in unless told not to."""
    home.mkdir(mode=0o700, exist_ok=True)
    log = home.parent / f"{home.name}.log"
    with log.open("a") as errors:
        process = start(
            *("-m", "inspector.cli", "serve", "--no-open", "--home", str(home), "--port", str(port)),
            env=environment(home) | ({"INSPECTOR_DATABASE_URL": database_url} if database_url else {}),
            # The first place that `-m` looks at.
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if found := re.search(r"browser\s+(http://127\.0\.0\.1:\d+)/(\?code=\S+)", line):
            url, sign_in_url = found.group(1), f"{found.group(1)}/{found.group(2)}"
            return Server(home, url, sign_in_url, process, _sign_in(sign_in_url) if sign_in else [])
    raise ServeEnded(f"inspector serve ended: {said} {log.read_text()[-2000:]}")


def _sign_in(address: str) -> list[Any]:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port or 80, timeout=START_S)
    connection.request("GET", f"/?{parts.query}")
    answer = connection.getresponse()
    answer.read()
    connection.close()
    name, _, value = (answer.headers["set-cookie"] or "").partition(";")[0].partition("=")
    assert value, f"{answer.status}: no cookie"
    return [
        {"name": name, "value": value, "url": f"http://127.0.0.1:{parts.port}", "httpOnly": True, "sameSite": "Strict"}
    ]


def record_demo(home: Path, start: Start = python) -> str:
    """Run the demo agent for real, recorded into a home, and return the id of its trace."""
    home.mkdir(mode=0o700, exist_ok=True)
    streams = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    with start("-m", "inspector.demo", env=environment(home), cwd=ROOT, text=True, **streams) as process:
        try:
            said, complained = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert process.returncode == 0, complained
    return said.strip()


def fill(home: Path, spans: Iterable[Span], batch: int = 2000, *, database_url: str | None = None) -> None:
    """Put spans into the database of a home that nobody serves yet, search included."""
    home.mkdir(mode=0o700, exist_ok=True)
    store = open_store(Settings(home=home, database_url=SecretStr(database_url) if database_url else None))
    waiting: list[Span] = []
    for span in spans:
        waiting.append(span)
        if len(waiting) >= batch:
            store.write(waiting)
            waiting = []
    store.write(waiting)
    store.maintain()
    store.sync()
    store.close()


class Agent:
    """A recorded process that emits one hook after the other, as it is told; part of a run, where that is named."""

    def __init__(self, home: Path, service: str = "scripted", *, run: str | None = None, start: Start = python) -> None:
        home.mkdir(mode=0o700, exist_ok=True)
        self.process = start(
            *("-c", Path(__file__).with_name("agent.py").read_text(), service),
            env=environment(home) | ({"INSPECTOR_RUN_ID": run} if run else {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()

    def emit(self, hook: str, **keywords: Any) -> float:
        """Emit a hook and return when that was, in seconds since the Unix epoch."""
        return self._tell([hook, keywords])

    def call(self, noun: str, result: Any = None, **keywords: Any) -> None:
        self.emit(f"before_{noun}", **keywords)
        self.emit(f"after_{noun}", **keywords, result=result)

    def flood(self, seconds: float, spans_per_second: int) -> None:
        """Make tool calls evenly for a while, without an answer until they are all made."""
        self._tell(["flood", {"seconds": seconds, "spans_per_second": spans_per_second}])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        if self.process.stdin and not self.process.stdin.closed:
            # A killed one does not read any more.
            with suppress(BrokenPipeError):
                self.process.stdin.close()
        self.process.wait(30)
        if self.process.stdout:
            self.process.stdout.close()

    def _tell(self, message: list[Any]) -> float:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> float:
        assert self.process.stdout is not None
        return float(self.process.stdout.readline())


@contextmanager
def serving(home: Path, port: int = 0, **options: Any) -> Iterator[Server]:
    """Serve a home for as long as the block runs, at another port than asked for where that is taken."""
    try:
        server = start_server(home, port, **options)
    except ServeEnded:
        if not port:
            raise
        server = start_server(home, **options)
    try:
        yield server
    finally:
        for page in server.visitors:
            if not page.is_closed():
                page.close()
        server.stop()


def wait_until(condition: Callable[[], object], limit_s: float = 60) -> None:
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
