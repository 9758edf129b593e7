"""One real server with hostile data in it, and how many requests it is to withstand."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from served import Served, serving_home

sys.path.insert(0, str(Path(__file__).parent))

MIB = 1 << 20


class Besieged(Served):
    """A server that is to withstand it all."""

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://")


@contextmanager
def besieged(fork_python: Callable[..., Any], home: Path) -> Iterator[Besieged]:
    with serving_home(fork_python, home, stop_s=60, INSPECTOR_OTLP_GRPC_PORT="0") as served:
        grpc = served.grpc.removeprefix("http://")
        yield Besieged(served.process, served.url, grpc, served.home, served.log)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, fork_python: Callable[..., Any]) -> Iterator[Besieged]:
    with besieged(fork_python, tmp_path_factory.mktemp("hostile") / "home") as running:
        yield running


@pytest.fixture(scope="session")
def many(long: bool) -> Callable[[int], int]:
    """How many of a kind are tried: the share of 50,000 with ``--long``, else one in a hundred of it."""
    return lambda share: share if long else max(20, share // 100)
