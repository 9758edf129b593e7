import asyncio
import contextlib
import sys
from types import SimpleNamespace

import pytest
from mcp import MCPError
from mcp.client.client import Client
from mcp.server.mcpserver import MCPServer

from inspector.integrations.enabling import Enabled, chosen
from inspector.integrations.mcp.server import raised_by_the_function
from inspector.integrations.mcp.servers import ours, record_servers
from inspector.integrations.patches import Patches
from instrument.testing import capture


def test_a_server_gets_what_says_where_to_record_and_no_secret():
    environment = {
        "HOME": "/home/me",
        "INSPECTOR_HOME": "/data",
        "INSPECTOR_RUN": "1:::/tmp/run",
        "INSPECTOR_TOKEN": "secret",
        "INSPECTOR_ENDPOINT_HEADERS": "Authorization=secret",
        "PYTHONPATH": "/mine:/x/inspector/launch/startup:/other",
    }
    assert ours(environment) == {
        "INSPECTOR_HOME": "/data",
        "INSPECTOR_RUN": "1:::/tmp/run",
        "PYTHONPATH": "/x/inspector/launch/startup",
    }


def test_a_server_of_a_program_that_attached_itself_gets_no_path():
    assert ours({"PYTHONPATH": "/mine", "INSPECTOR_HOME": "/data"}) == {"INSPECTOR_HOME": "/data"}


def test_a_server_that_is_started_after_detaching_gets_nothing_of_ours(monkeypatch):
    module = SimpleNamespace(get_default_environment=lambda: {"HOME": "/home/me"})
    for name in ("mcp", "mcp.client"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace())
    monkeypatch.setitem(sys.modules, "mcp.client.stdio", module)
    monkeypatch.setenv("INSPECTOR_HOME", "/data")
    patches = Patches("test")
    record_servers(patches)
    # As a framework imports it.
    by_name = module.get_default_environment
    assert by_name()["INSPECTOR_HOME"] == "/data"
    patches.undo()
    assert by_name() == module.get_default_environment() == {"HOME": "/home/me"}


class DiskGoneError(Exception):
    pass


@pytest.fixture
def failing():
    """A server whose resources and prompt fail."""
    server = MCPServer("desk")

    def fail(name: str) -> str:
        raise DiskGoneError(name)

    def fail_at_once() -> str:
        raise DiskGoneError

    def refuse() -> str:
        try:
            raise DiskGoneError
        except DiskGoneError:
            raise MCPError(-32001, "closed") from None

    server.resource("note://{name}")(fail)
    server.resource("conf://main")(fail_at_once)
    server.resource("conf://closed")(refuse)
    server.prompt(name="hello")(fail)
    return server


def asked(server, ask):
    async def body():
        async with Client(server) as client:
            with contextlib.suppress(MCPError):
                await ask(client)

    enabled = Enabled()
    enabled.enable(chosen(("mcp",)))
    try:
        with capture() as emitted:
            asyncio.run(body())
    finally:
        enabled.disable()
    return [(hook, keywords) for hook, keywords in emitted if keywords.get("direction") == "inbound"][-1]


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda client: client.read_resource("note://one"), id="template"),
        pytest.param(lambda client: client.read_resource("conf://main"), id="resource"),
        pytest.param(lambda client: client.get_prompt("hello", {"name": "one"}), id="prompt"),
    ],
)
def test_a_request_fails_at_the_server_with_what_its_function_raised(failing, ask):
    hook, keywords = asked(failing, ask)
    assert hook == "error_rpc_request"
    assert type(keywords["exc"]) is DiskGoneError


def test_an_error_that_a_function_means_for_the_client_is_the_answer(failing):
    _, keywords = asked(failing, lambda client: client.read_resource("conf://closed"))
    assert keywords["envelope"]["error"] == {"code": -32001, "message": "closed"}


def raised(error, cause, *, module):
    space = {"__name__": module}
    exec("def raise_from(error, cause):\n    raise error from cause", space)
    try:
        space["raise_from"](error, cause)
    except Exception as exc:
        return exc


def test_what_fastmcp_raises_from_its_own_error_stands_for_what_the_function_raised():
    gone = DiskGoneError("one")
    own = raised(ValueError("Error reading resource 'note://one'"), gone, module="fastmcp.server.server")
    sent = raised(MCPError(-32603, str(own)), own, module="fastmcp.server.server")
    assert raised_by_the_function(sent) is gone


def test_an_error_of_the_function_that_says_the_same_as_the_sdk_is_what_it_raised():
    own = raised(ValueError("Error reading resource file one"), DiskGoneError("one"), module="program")
    assert raised_by_the_function(own) is own
