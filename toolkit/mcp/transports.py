"""Opens the SDK's streams to a server."""

import sys
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from os import devnull
from pathlib import Path
from typing import Any, TextIO

import httpx2
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from toolkit.mcp.places import HttpServer, Place, StdioServer

# Answers may take as long as the call itself may, whose own limit ends it.
_TIMEOUT = httpx2.Timeout(30.0, read=None)


@dataclass(slots=True)
class Answers:
    """What HTTP says beside the messages."""

    session_gone: bool = False
    """The server knows nothing of the session, so it has done nothing about what was sent in it."""
    refusal: str = ""
    """The last status that was an error, in words."""


@asynccontextmanager
async def open_streams(place: Place, answers: Answers) -> AsyncGenerator[tuple[Any, Any]]:
    """Start or reach the server."""
    if isinstance(place, HttpServer):
        async with (
            _http_client(place, answers) as client,
            streamable_http_client(place.url, http_client=client, max_sse_event_size=place.max_bytes) as both,
        ):
            yield both
        return
    parameters = StdioServerParameters(
        command=place.command,
        args=list(place.args),
        env=dict(place.env),
        cwd=None if place.cwd is None else str(place.cwd),
    )
    with _stderr(place) as errlog:
        async with stdio_client(parameters, errlog=errlog) as both:
            yield both


def _http_client(place: HttpServer, answers: Answers) -> httpx2.AsyncClient:
    headers = dict(place.headers)
    if place.token is not None:
        headers["Authorization"] = f"Bearer {place.token}"

    async def look(response: httpx2.Response) -> None:
        if response.status_code == 404 and "mcp-session-id" in response.request.headers:
            # https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
            answers.session_gone = True
        if response.status_code >= 400:
            answers.refusal = f"{response.status_code} {response.reason_phrase}"

    return httpx2.AsyncClient(headers=headers, timeout=_TIMEOUT, event_hooks={"response": [look]})


def _stderr(place: StdioServer) -> AbstractContextManager[TextIO]:
    if isinstance(place.stderr, Path):
        return place.stderr.open("a")
    if place.stderr is not None or _has_descriptor(sys.stderr):
        return nullcontext(place.stderr or sys.stderr)
    # A notebook or a service without one: a process can only be given a real file.
    return Path(devnull).open("w")


def _has_descriptor(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.fileno() >= 0
    except (OSError, ValueError):
        return False
