"""Services on loopback for the tools that call some."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, Response


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve an application on a free port of loopback in a thread of this process; yields its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    config = uvicorn.Config(app, http="h11", ws="none", lifespan="off", log_config=None, proxy_headers=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(60)
        listener.close()
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def serve() -> Callable[[Any], Any]:
    return serving


@dataclass
class Echo:
    """A service that answers every request with what it got, as it came; or with what it is told to."""

    url: str
    answers: list[Response] = field(default_factory=list, repr=False)
    requests: list[dict[str, Any]] = field(default_factory=list, repr=False)

    @property
    def last(self) -> dict[str, Any]:
        return self.requests[-1]


@contextmanager
def echoing() -> Iterator[Echo]:
    echo = Echo("")

    async def answer(request: Request) -> Response:
        body = await request.body()
        got = {
            "method": request.method,
            "path": request.scope["raw_path"].decode(),
            "query": request.scope["query_string"].decode(),
            "headers": {name.decode(): value.decode("utf-8") for name, value in request.scope["headers"]},
            "body": body.decode("utf-8", "replace"),
        }
        if request.headers.get("content-type", "").startswith("multipart/"):
            async with request.form() as form:
                got["form"] = [
                    [name, value]
                    if isinstance(value, str)
                    else [name, value.filename, value.content_type, (await value.read()).decode("latin-1")]
                    for name, value in form.multi_items()
                ]
        echo.requests.append(got)
        return echo.answers.pop(0) if echo.answers else JSONResponse(got)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await (await answer(Request(scope, receive)))(scope, receive, send)

    with serving(app) as url:
        echo.url = url
        yield echo


@pytest.fixture(scope="module")
def shared_echo() -> Iterator[Echo]:
    """One service for all tests of a module."""
    with echoing() as running:
        yield running


@pytest.fixture
def echo(shared_echo: Echo) -> Echo:
    """The service, with nothing in it of the tests before."""
    shared_echo.answers.clear()
    shared_echo.requests.clear()
    return shared_echo


def document_of(paths: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "info": {"title": "Pets", "version": "7"}, "paths": paths, **more}


@pytest.fixture
def document() -> Callable[..., dict[str, Any]]:
    return document_of


@pytest.fixture
def body_of() -> Callable[[Any], Any]:
    return lambda echo: json.loads(echo.last["body"])
