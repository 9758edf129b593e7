"""Builders for the API's tests: a real store in a temporary home, the application over it, and real servers."""

import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn
import waiting
from fastapi import FastAPI
from patience import PATIENT
from starlette.testclient import TestClient

from inspector.api import LiveLimits, Token, create_app
from inspector.ingest import Owner
from inspector.model import Span, SpanError
from inspector.settings import Settings
from inspector.store.sqlite import SqliteStore

SECRET = "a-secret-of-the-tests-only"
BASE = "http://127.0.0.1:7800"
FIRST_NS = 1_800_000_000_000_000_000


def make_span(number: int, /, **fields: Any) -> Span:
    """A tool call of trace 1; ``number`` makes its id and its start."""
    given: dict[str, Any] = {
        "trace_id": f"{1:032x}",
        "span_id": f"{number:016x}",
        "name": f"execute_tool tool-{number}",
        "kind": "tool",
        "status": "ok",
        "start_ns": FIRST_NS + number * 1_000_000,
        "end_ns": FIRST_NS + number * 1_000_000 + 250_000,
        "tool": f"tool-{number}",
        "hook": "tool_call",
        "dialect": "inspector/1",
        "service": "tests",
    }
    given.update(fields)
    return Span(**given)


def make_run() -> list[Span]:
    """A session of two traces with something of every kind of figure."""
    root = make_span(
        1,
        kind="workflow",
        name="invoke_workflow trip",
        session_id="berlin/1",
        tool=None,
        end_ns=FIRST_NS + 9_000_000_000,
    )
    llm = make_span(
        2,
        kind="llm",
        name="chat gpt-4o",
        parent_id=root.span_id,
        session_id="berlin/1",
        tool=None,
        model="gpt-4o",
        input_tokens=1200,
        output_tokens=34,
        cached_tokens=1000,
        cost_usd=0.0123,
        input_key="gen_ai.input.messages",
        output_key="gen_ai.output.messages",
        attributes={
            "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"find a zebra hotel"}]}]',
            "gen_ai.output.messages": '[\n  {"role": "assistant"}\n]',
            "gen_ai.provider.name": "openai",
        },
    )
    failed = make_span(
        3,
        name="execute_tool book_hotel",
        tool="book_hotel",
        status="error",
        parent_id=root.span_id,
        session_id="berlin/1",
        error=SpanError("TimeoutError", "no answer from <b>hotel</b>", "Traceback …\n  File x"),
        input_key="gen_ai.tool.call.arguments",
        attributes={"gen_ai.tool.call.arguments": '{"hotel": "Zoo"}', "__proto__": "x", "weight": 1.5},
        events=(
            {"name": "exception", "time_unix_nano": str(FIRST_NS), "attributes": {"exception.type": "TimeoutError"}},
        ),
        links=({"trace_id": f"{9:032x}", "span_id": f"{9:016x}", "attributes": {}},),
    )
    running = make_span(4, status="running", end_ns=None, parent_id=root.span_id, session_id="berlin/1", agent="booker")
    other = make_span(5, trace_id=f"{2:032x}", session_id="berlin/1", kind="agent", tool=None, agent="booker")
    return [root, llm, failed, running, other]


@pytest.fixture
def span() -> Callable[..., Span]:
    return make_span


@pytest.fixture
def run() -> list[Span]:
    return make_run()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return Settings(home=home, port=7800, token=SECRET)


@pytest.fixture
def token() -> Token:
    return Token(SECRET)


@pytest.fixture
def store(settings: Settings) -> Iterator[SqliteStore]:
    made = SqliteStore(settings.database, limits=PATIENT)
    yield made
    made.close()


@pytest.fixture
def app(store: SqliteStore, settings: Settings) -> FastAPI:
    return create_app(store, settings=settings, limits=LiveLimits(lifetime_s=0.05, poll_s=0.01))


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url=BASE, headers={"Authorization": f"Bearer {SECRET}"}) as made:
        yield made


@pytest.fixture
def stranger(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url=BASE, follow_redirects=False) as made:
        yield made


@contextmanager
def serving(app: Any, server: uvicorn.Server | None = None) -> Iterator[int]:
    """Serve an application on a free port of loopback in a thread of this process; yields the port.

    Without a server of ours it is plain uvicorn, as the one of a user's own application.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if server is None:
        config = uvicorn.Config(app, http="h11", ws="none", lifespan="off", log_config=None, proxy_headers=False)
        server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(60)
        listener.close()
        assert not thread.is_alive()


@pytest.fixture
def serve_app() -> Callable[..., Any]:
    return serving


@dataclass
class ServedHome:
    """A server of ``inspector.api.serve`` in a process of its own."""

    process: "subprocess.Popen[str]"
    url: str
    sign_in_url: str
    settings: Settings

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


SERVE = """
import signal
from inspector.api import serve
from inspector.settings import Settings
# The tests may run under nohup.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
serve(Settings(), on_ready=lambda ready: print(ready.url, ready.sign_in_url, flush=True))
"""


@pytest.fixture
def start_server(settings: Settings, fork_python: Callable[..., Any]) -> Iterator[Callable[..., ServedHome]]:
    started: list[subprocess.Popen[str]] = []

    def start(**environment: str) -> ServedHome:
        env = {**os.environ, "INSPECTOR_HOME": str(settings.home), "INSPECTOR_PORT": "0", "INSPECTOR_TOKEN": SECRET}
        process = fork_python(
            "-c",
            SERVE,
            env=env | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        line = process.stdout.readline().split() if process.stdout else []
        if not line:
            raise RuntimeError(process.communicate()[1])
        return ServedHome(process, line[0], line[1], settings)

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def until() -> Callable[..., None]:
    return waiting.until


@pytest.fixture
def owner(settings: Settings) -> Iterator[Owner]:
    with Owner(settings) as made:
        yield made


def read_problem(response: Any) -> dict[str, Any]:
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = json.loads(response.content)
    assert body["status"] == response.status_code
    assert {"type", "title", "status", "detail"} <= set(body)
    assert "Traceback" not in response.text
    return body


@pytest.fixture
def problem() -> Callable[[Any], dict[str, Any]]:
    return read_problem
