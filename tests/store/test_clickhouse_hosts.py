"""A database with several hosts: another one is asked if one does not answer."""

import socket
from contextlib import closing
from typing import get_args

import pytest
from clickhouse_server import Faults, Step, served
from pydantic import SecretStr

from inspector.model import Filter
from inspector.settings import Settings
from inspector.store import StoreBusy, open_store


@pytest.fixture
def opened(tmp_path):
    """Opens the store of a home whose database has these hosts."""

    def opens(hosts):
        return closing(
            open_store(Settings(home=tmp_path, database_url=SecretStr(f"clickhouse://default@{hosts}/team")))
        )

    return opens


@pytest.fixture
def nobody():
    """A host and port at which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


def names(store):
    return sorted(event.name for event in store.events(Filter()).items)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("step", get_args(Step))
def test_what_a_host_that_goes_did_not_acknowledge_is_written_once_by_another(opened, make_span, step):
    faults = Faults()
    with served(faults=faults, others=(Faults(),)) as hosts, opened(hosts) as store:
        store.write([make_span(name="first")])
        faults.begin("spans", step)
        store.write([make_span(name="second")])
        assert faults.is_gone
        store.write([make_span(name="third")])
        assert names(store) == ["first", "second", "third"]
        assert store.health().spans == 3


def test_a_host_that_is_down_from_the_beginning_is_passed_over(opened, nobody, make_span):
    with served() as host, opened(f"{nobody},{host}") as store:
        store.write([make_span(name="first")])
        assert names(store) == ["first"]


def test_all_hosts_are_named_if_none_answers(opened, nobody):
    with (
        pytest.raises(StoreBusy, match=f"ClickHouse at {nobody} or {nobody} does not answer"),
        opened(f"{nobody},{nobody}"),
    ):
        pass
