"""The inspector's own contract, as tools against its real server."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from sent import request_of, span_of

from toolkit.content import TextContent
from toolkit.errors import ArgumentsInvalid
from toolkit.tools.openapi import OpenAPITool, openapi_tools

# Every operation of the contract becomes a tool, and a server starts.
pytestmark = pytest.mark.slow

TOKEN = "a-secret-of-the-tests-only"
SERVE = """
from inspector.api import serve
from inspector.settings import Settings
serve(Settings(), on_ready=lambda ready: print(ready.url, flush=True))
"""
TRACE, SPAN = "1" * 32, "2" * 16
FACTS = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "session.id": "berlin/1 ü"}
TIMES = {"startTimeUnixNano": "1800000000000000000", "endTimeUnixNano": "1800000000250000000"}
EXPORT = request_of(span_of(SPAN, FACTS, traceId=TRACE, **TIMES))


@pytest.fixture(scope="module")
def tools(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, OpenAPITool]]:
    home = tmp_path_factory.mktemp("inspector") / "home"
    home.mkdir(mode=0o700)
    env = {**os.environ, "INSPECTOR_HOME": str(home), "INSPECTOR_PORT": "0", "INSPECTOR_TOKEN": TOKEN}
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url, process.communicate()[1]
        document = yaml.safe_load((checkout / "openapi.yaml").read_text())
        made = openapi_tools(document, base_url=url, auth={"bearer": TOKEN})
        yield {each.name: each for each in made}
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


def call(tool: OpenAPITool, **arguments: Any) -> Any:
    async def bounded() -> Any:
        async with asyncio.timeout(20):
            return await tool(arguments)

    return asyncio.run(bounded())


def test_every_operation_is_a_tool(tools: dict[str, OpenAPITool], checkout: Path) -> None:
    paths = yaml.safe_load((checkout / "openapi.yaml").read_text())["paths"]
    assert [(each.operation.method.lower(), each.operation.path, each.name) for each in tools.values()] == [
        (method, path, operation["operationId"])
        for path, item in paths.items()
        for method, operation in item.items()
        if method in ("get", "post", "delete")
    ]


def test_a_run_is_recorded_read_and_deleted_through_the_tools(tools: dict[str, OpenAPITool]) -> None:
    exported = call(tools["exportTraces"], **EXPORT)
    assert (exported.is_error, exported.structured) == (False, {})

    listed = call(tools["listEvents"], kind=["tool", "llm"], session_id="berlin/1 ü", limit=5)
    assert [each["name"] for each in listed.structured["items"]] == ["execute_tool search"]
    by_attribute = call(tools["listEvents"], attr={"attr.gen_ai.tool.name": "search"})
    assert len(by_attribute.structured["items"]) == 1
    assert call(tools["listEvents"], attr={"attr.gen_ai.tool.name": "other"}).structured["items"] == []
    assert call(tools["getEvent"], span_id=SPAN).structured["tool"] == "search"
    assert call(tools["listTraces"]).structured["items"][0]["trace_id"] == TRACE
    assert call(tools["getTrace"], trace_id=TRACE).is_error is False
    assert call(tools["getTraceOutline"], trace_id=TRACE).is_error is False
    assert len(call(tools["listSessions"]).structured["items"]) == 1
    assert call(tools["getSession"], session_id="berlin/1 ü").structured["session"]["session_id"] == "berlin/1 ü"
    assert call(tools["getStats"], by="tool").is_error is False
    assert call(tools["getHealth"]).structured == {"status": "ok"}
    assert call(tools["getReadiness"]).is_error is False
    assert call(tools["getContract"]).structured["openapi"] == "3.1.0"
    metrics = call(tools["getMetrics"])
    assert isinstance(metrics.content[0], TextContent)
    assert "inspector_" in metrics.text

    assert call(tools["deleteTrace"], trace_id=TRACE).is_error is False
    gone = call(tools["getEvent"], span_id=SPAN)
    assert (gone.is_error, gone.structured["status"]) == (True, 404)
    assert gone.text.startswith("GET /events/{span_id} answered 404 Not Found: {")
    assert call(tools["deleteSession"], session_id="berlin/1 ü").metadata["status"] == 404


def test_what_the_contract_forbids_is_not_sent(tools: dict[str, OpenAPITool]) -> None:
    assert isinstance(call(tools["getEvent"], span_id="../traces").exception, ArgumentsInvalid)
    assert isinstance(call(tools["listEvents"], kind=["nonsense"]).exception, ArgumentsInvalid)


def test_a_wrong_token_is_refused_by_the_server(tools: dict[str, OpenAPITool], checkout: Path) -> None:
    server = tools["listEvents"].operation.server
    refused = call(
        openapi_tools(
            yaml.safe_load((checkout / "openapi.yaml").read_text()),
            base_url=server,
            only="listEvents",
            auth={"bearer": "no"},
        )[0]
    )
    assert (refused.is_error, refused.metadata["status"]) == (True, 401)
