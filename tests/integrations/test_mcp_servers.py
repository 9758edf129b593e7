import sys
from types import SimpleNamespace

from inspector.integrations.mcp.servers import ours, record_servers
from inspector.integrations.patches import Patches


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
