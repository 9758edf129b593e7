"""What docs/scale.md shows: the simulated shards, and the example of several servers, which is not started here."""

import re
import subprocess
import sys
from ipaddress import ip_network

import pytest
import yaml

from inspector.settings import Settings
from inspector.store.clickhouse import read_address


@pytest.fixture
def folder(root):
    return root / "examples" / "scale"


@pytest.fixture
def compose(folder):
    return yaml.safe_load((folder / "compose.yaml").read_text())


@pytest.fixture
def servers(compose):
    return {name: each for name, each in compose["services"].items() if "INSPECTOR_PORT" in each.get("environment", {})}


def given(environment):
    """Values as a shell would have them, with a text for each variable that has to be set."""
    return {name: re.sub(r"\$\{\w+:\?[^}]*\}", "given", value) for name, value in environment.items()}


def test_every_variable_is_a_setting_and_every_value_is_taken(servers, monkeypatch):
    assert len(servers) == 2
    for server in servers.values():
        values = given(server["environment"])
        assert {name.removeprefix("INSPECTOR_").lower() for name in values} <= Settings.model_fields.keys()
        for name, value in values.items():
            monkeypatch.setenv(name, value)
        settings = Settings()
        assert settings.token.get_secret_value() == "given"
        assert settings.proxies and settings.allowed_hosts


def test_the_servers_share_a_database_and_a_token_and_no_home(compose, servers):
    first, second = servers.values()
    assert first["environment"] == second["environment"]
    assert first["volumes"] != second["volumes"]
    address = read_address(given(first["environment"])["INSPECTOR_DATABASE_URL"])
    ((host, port),) = address.hosts
    clickhouse = compose["services"][host]["environment"]
    assert (address.database, address.user) == (clickhouse["CLICKHOUSE_DB"], clickhouse["CLICKHOUSE_USER"])
    assert "${CLICKHOUSE_PASSWORD:" in first["environment"]["INSPECTOR_DATABASE_URL"]
    assert f":{port}/" in " ".join(compose["services"][host]["healthcheck"]["test"])


def test_the_proxy_reaches_both_servers_and_is_known_to_them(compose, servers, folder):
    conf = (folder / "nginx.conf").read_text()
    (port,) = {server["environment"]["INSPECTOR_PORT"] for server in servers.values()}
    assert set(re.findall(r"^    server (\w+):(\d+);", conf, re.MULTILINE)) == {(name, port) for name in servers}
    (published,) = compose["services"]["nginx"]["ports"]
    host, outside, inside = published.split(":")
    assert re.search(rf"^    listen {inside};", conf, re.MULTILINE)
    (allowed,) = {server["environment"]["INSPECTOR_ALLOWED_HOSTS"] for server in servers.values()}
    assert f"{host}:{outside}" in allowed.split(",")
    (network,) = compose["networks"]["inside"]["ipam"]["config"]
    for server in servers.values():
        assert ip_network(server["environment"]["INSPECTOR_PROXIES"]) == ip_network(network["subnet"])
    assert all("inside" in service["networks"] for service in compose["services"].values())
    assert "proxy_set_header Host $http_host;" in conf


def test_the_page_and_the_file_say_that_it_was_not_run(folder, root):
    assert "never started" in (folder / "compose.yaml").read_text()
    page = (root / "docs" / "scale.md").read_text()
    assert "examples/scale/compose.yaml" in page


@pytest.mark.slow
def test_the_page_has_the_table_that_the_simulation_prints(root):
    printed = subprocess.run(
        [sys.executable, root / "benchmarks" / "scale.py", "--simulate"], check=True, capture_output=True, text=True
    ).stdout
    table = printed.partition("\n\n")[2]
    assert table.startswith("| spans | per second |")
    assert table in (root / "docs" / "scale.md").read_text()
