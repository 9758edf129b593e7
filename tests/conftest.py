"""What every test starts from, and the browser of those that need one."""

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, Page, expect, sync_playwright
from xdist.scheduler import LoadFileScheduling

# Tests are not packages; this module is a program as well.
sys.path.insert(0, str(Path(__file__).parent))

from emitted import VARIABLE, watch
from forking import RECORDER, forking
from sweeps import left_out

# Thousands of modules are compiled once, whatever the machine asks for, and not again by each process that starts.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Next to nothing of what listing the tests imports is garbage.
gc.disable()

# A shell starts what runs in its background with SIGINT ignored, which every process started from there inherits.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A property is tried with a few examples by default, the same each time, and with many others by `make test-long`.
# Fixtures are not set up again for each example, and no example has a time limit, since the machine may be busy.
settings.register_profile(
    "short",
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.register_profile("long", settings.get_profile("short"), max_examples=1000, derandomize=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run the slow tests too, and every case of each sweep")
    parser.addoption("--long", action="store_true", help="--all, and each property with 1,000 examples")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("long" if config.getoption("long") else "short")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two workers more than processors, for those that wait for a page, a server or the end of a process."""
    return (os.cpu_count() or 1) + 2


class PagesTogether(LoadFileScheduling):
    """Gives a worker whole files, and one of them all of those that look at pages."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return "tests/web" if file.startswith("tests/web/") and not file.endswith("test_vitest.py") else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> PagesTogether | None:
    """Start one browser, and one server for each home that is looked at, where few tests need them."""
    if config.option.dist != "loadfile" or config.option.all or config.option.long:
        return None
    return PagesTogether(config, log)


def pytest_collection_finish() -> None:
    """Leave what was imported, which stays, out of each later collection of what nobody refers to."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs ``--all``, of what was asked for; a test that is named by itself runs.

    Begin with the files that take longest: a worker takes a whole file, and none is to end long after the others.
    """
    if not (config.option.all or config.option.long or any("::" in each for each in config.args)):
        without = left_out(items)
        items[:] = [item for item in items if item not in without]
        config.stash[LEFT_OUT] = getattr(config, "workeroutput", {})["left_out"] = len(without)
    rank = {name: at for at, name in enumerate(LONGEST)}

    @cache
    def place(path: Path) -> int:
        file = path.relative_to(HERE)
        return min(rank.get(name, len(rank)) for name in (file.with_suffix("").as_posix(), file.parts[0]))

    items.sort(key=lambda item: place(item.path))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take from a worker what each of them leaves out."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if count := config.stash.get(LEFT_OUT, 0):
        terminalreporter.line(f"{count:,} tests were left out; --all runs them")


LEFT_OUT = pytest.StashKey[int]()
HERE = Path(__file__).parent
LONGEST = (
    # It starts every program that others of its folder look at.
    "integrations/test_conformance",
    # It imports ten frameworks twice or three times each.
    "integrations/test_replay_frameworks",
    "api/test_schemathesis",
    "redaction/test_on_disk",
    # One after the other, since a worker's Chromium and what it looks at run on from one to the next.
    "web/test_hostile",
    "web/test_accessibility",
    "web/test_live",
    "web/test_trace",
    "web/test_runs",
    "web/test_opening",
    "web/test_span",
    "web/test_stats",
    "web/test_keyboard",
    "web",
    "store/conformance/test_sums",
    "store/conformance/test_events",
    "store/test_clickhouse_faults",
    "store/test_several_writers",
    "store/conformance/test_changes",
    "store/conformance/test_statistics",
    "docs/test_toolkit_examples",
    "testing/test_plugin",
    "testing/test_marker",
    "toolkit/mcp/test_servers",
    "toolkit/mcp/test_calls",
    "cli/test_live_commands",
    "record/spool/test_spool",
    "store/test_durability",
    "ingest/test_export",
    "integrations",
    "redaction",
    "packaging",
    "docs",
    "otlp",
    "cli",
    "toolkit",
    "ingest",
    "api",
)
"""Files and folders by how long a file of theirs takes; all others are short."""

# The shell is the same browser without a window, and takes half of the processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
WAIT_MS = 30_000


_unknown: list[tuple[Any, ...]] = []
watch(lambda *found: _unknown.append(found))
_ours = tempfile.TemporaryDirectory(prefix="emitted-")
_unknown_below = Path(_ours.name) / "unknown"
os.environ[VARIABLE] = str(_unknown_below)


@pytest.fixture(autouse=True)
def emitters_send_what_the_contract_says() -> Iterator[None]:
    """Fails the test in which an emitter of ours sends a keyword that `instrument.HOOKS` lacks, or leaves one out.

    Also in processes that the test starts with the variables of `emitted.watching`.
    """
    yield
    found = [*map(str, _unknown)]
    _unknown.clear()
    if _unknown_below.exists():
        found += _unknown_below.read_text().splitlines()
        _unknown_below.unlink()
    assert not found, f"add it to the contract or stop sending it: {found}"


@pytest.fixture(autouse=True)
def each_test_is_a_run_of_its_own() -> Iterator[None]:
    """What a recording leaves for the children of its program is not for those of other tests."""
    yield
    os.environ.pop("INSPECTOR_RUN_ID", None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run the machine's Chromium, without any window; it asks nobody but the pages that it is sent to."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        message = "no Chromium: install Debian's package chromium-headless-shell"
        pytest.fail(message) if os.environ.get("INSPECTOR_BROWSER") == "required" else pytest.skip(message)
    with sync_playwright() as playwright:
        # Chromium refuses its sandbox to root, and a container's /dev/shm is small. Pages of one site and profile share
        # a process, which has compiled their scripts.
        arguments = ["--process-per-site", "--disable-gpu", "--disable-dev-shm-usage"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        expect.set_options(timeout=WAIT_MS)
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


class KeptBrowser:
    """Chromium from one module that needs it to the next: a start costs seconds."""

    def __init__(self) -> None:
        self.needed_next = False
        self._kept = ExitStack()
        self._browser: Browser | None = None

    def running(self) -> Browser:
        if self._browser is None:
            self._browser = self._kept.enter_context(chromium())
        return self._browser

    def close(self) -> None:
        self._browser = None
        self._kept.close()


_browser = KeptBrowser()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    _browser.needed_next = "browser" in getattr(nextitem, "fixturenames", ())


def pytest_unconfigure() -> None:
    _browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; closed before a test that does without, since no other event loop runs in this thread meanwhile."""
    yield _browser.running()
    if not _browser.needed_next:
        _browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a browser profile of its own; the test fails when a script of it does."""
    context = browser.new_context()
    context.set_default_timeout(WAIT_MS)
    made = context.new_page()
    failures: list[str] = []
    made.on("pageerror", lambda error: failures.append(str(error)))
    yield made
    context.close()
    assert failures == []


@pytest.fixture(scope="session")
def every(request: pytest.FixtureRequest) -> bool:
    """Whether a test that goes through many cases by itself takes all of them, as with ``--all``."""
    return request.config.option.all or request.config.option.long


@pytest.fixture(scope="session")
def long(request: pytest.FixtureRequest) -> bool:
    """Whether the test may take minutes."""
    return request.config.getoption("long")


@pytest.fixture(scope="session")
def fork_python() -> Iterator[Callable[..., "subprocess.Popen[Any]"]]:
    """Start Python as ``subprocess.Popen`` does, where the inspector's command line and its server are imported."""
    with forking("inspector.cli", "inspector.api", "inspector.store.sqlite.migrations.versions") as start:
        yield start


@pytest.fixture(scope="session")
def fork_recorded() -> Iterator[Callable[..., "subprocess.Popen[Any]"]]:
    """Start Python where the recorder is imported, and what the demo and the examples of the toolkit import."""
    packages = (*RECORDER, "inspector.record", "integrated.", "toolkit", "mcp.server.mcpserver", "langchain_core.")
    with forking(*packages) as start:
        yield start


@pytest.fixture(scope="session")
def checkout() -> Path:
    return Path(__file__).parents[1]
