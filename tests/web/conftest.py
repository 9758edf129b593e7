"""The app in Chromium: built from this checkout, served for real, and watched for whatever must never happen."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

# Tests are not packages; these modules are files because the benchmark and the screenshots use them as well.
sys.path.insert(0, str(Path(__file__).parent))

import serving as processes
from hostile import hostile_spans
from pairs import two_trips
from replayed import replayed_runs
from serving import DEMO_SPANS, ROOT, Agent, Server, fill, wait_until
from settling import settle, slow_down
from stories import kinds_and_statuses, long_trace, many_runs, odd_trees, told_twice

WAIT_MS = 30_000
REPORT_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy violated: ${event.violatedDirective} ${event.blockedURI}`));
"""


@pytest.fixture(scope="session", autouse=True)
def built_app() -> None:
    """Build the app where its sources changed, and install its tools; only one process of a test run does."""
    # Not in node_modules, which an installation makes anew.
    with (Path(sys.prefix) / "web.building").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for what in ((), ("--version",)):
            subprocess.run([sys.executable, ROOT / "hatch_build.py", *what], check=True, stdout=subprocess.DEVNULL)


class Watch:
    """What went wrong in the pages of a test."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        # A read that a busy machine does not finish in its two seconds: the page asks again.
        self.tolerated = ["status of 503 (Service Unavailable)"]

    def tolerate(self, part: str) -> None:
        """Say that the test brings messages with this part about."""
        self.tolerated.append(part)

    def fail(self, message: str) -> None:
        self.failures.append(message)

    def over(self, page: Page, origin: str) -> None:
        """Watch a page that must stay at its origin."""

        def requested(url: str) -> None:
            if not url.startswith((f"{origin}/", "data:", "blob:", "about:")):
                self.fail(f"request to {url}")

        def asked(dialog: Any) -> None:
            self.fail(f"dialog {dialog.message}")
            dialog.dismiss()

        page.on("console", lambda message: message.type == "error" and self.fail(message.text))
        page.on("pageerror", lambda error: self.fail(f"{error}"))
        page.on("request", lambda request: requested(request.url))
        page.on("websocket", lambda socket: self.fail(f"websocket {socket.url}"))
        page.on("dialog", asked)
        page.on("popup", lambda popup: self.fail(f"popup {popup.url}"))

    @property
    def found(self) -> list[str]:
        return [each for each in self.failures if not any(part in each for part in self.tolerated)]


@pytest.fixture
def watch() -> Iterator[Watch]:
    made = Watch()
    yield made
    assert made.found == []


class Profiles:
    """Profiles of a browser, signed in to servers."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._kept: dict[str, BrowserContext] = {}

    def kept(self, server: Server, **options: Any) -> BrowserContext:
        """The one that others used before and left empty, with the process that renders its pages.

        Another process would compile the app once more, which takes most of a visit. A page of the server that stays
        open keeps it, also for the next server at that address.
        """
        key = f"{server.url} {options}"
        if key not in self._kept:
            context = self._kept[key] = self._browser.new_context(**options)
            context.set_default_timeout(WAIT_MS)
            context.add_init_script(REPORT_VIOLATIONS)
            context.new_page().goto(f"{server.url}/healthz")
        return self._kept[key]

    def page(self, server: Server, **options: Any) -> Page:
        context = self.kept(server, **options)
        context.add_cookies(server.cookies)
        # Opened by the page that stays, since one that the browser opens begins in a process of its own.
        with context.expect_page() as opened:
            context.pages[0].evaluate("() => void open('about:blank')")
        server.visitors.append(opened.value)
        slow_down(opened.value)
        return opened.value

    def empty(self) -> None:
        for context in self._kept.values():
            keeper, *pages = context.pages
            for page in pages:
                page.close()
            keeper.evaluate("localStorage.clear()")
            context.clear_cookies()

    def close(self) -> None:
        for context in self._kept.values():
            context.close()


@pytest.fixture(scope="module")
def profiles(browser: Browser) -> Iterator[Profiles]:
    made = Profiles(browser)
    yield made
    made.close()


@pytest.fixture
def visit(profiles: Profiles, watch: Watch) -> Iterator[Callable[..., Page]]:
    """Opens a view of a server in an empty browser profile that is signed in; the test fails on anything odd in it.

    It is settled, unless the test says that it is about what shows before.
    """

    def open_page(
        server: Server, view: str = "/", *, viewport: Any = None, settled: bool = True, **options: Any
    ) -> Page:
        media = {name: options.pop(name) for name in ("color_scheme", "reduced_motion") if name in options}
        page = profiles.page(server, **options)
        page.set_viewport_size(viewport or {"width": 1280, "height": 800})
        page.emulate_media(**media)
        watch.over(page, server.url)
        page.goto(f"{server.url}/#{view}")
        if settled:
            settle(page)
        return page

    yield open_page
    profiles.empty()


@pytest.fixture
def wait_ms() -> int:
    return WAIT_MS


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(scope="session")
def start_server(fork_python: Callable[..., Any]) -> Callable[..., Server]:
    """Serves a home until the server is stopped."""
    return partial(processes.start_server, start=fork_python)


@pytest.fixture(scope="session")
def serving(fork_python: Callable[..., Any]) -> Callable[..., AbstractContextManager[Server]]:
    """Serves a home for as long as a block runs, where an earlier one was served: the browser has its app compiled."""
    free: list[int] = []

    @contextmanager
    def served(home: Path, **options: Any) -> Iterator[Server]:
        with processes.serving(home, free.pop() if free else 0, start=fork_python, **options) as server:
            yield server
        free.append(server.port)

    return served


@pytest.fixture(scope="session")
def put(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    """Puts what a name stands for where there is no home yet; one process of a test run makes it, for all of them."""
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent

    def put_in(home: Path, name: str, make: Callable[[Path], object]) -> None:
        kept = shared / f"home-of-{name}"
        with (shared / f"home-of-{name}.making").open("w") as making:
            fcntl.flock(making, fcntl.LOCK_EX)
            if not kept.exists():
                made = shared / f"home-of-{name}.made"
                make(made)
                made.rename(kept)
        shutil.copytree(kept, home)

    return put_in


@pytest.fixture(scope="session")
def record_demo(fork_python: Callable[..., Any]) -> Callable[[Path], None]:
    """Records two runs of the demo agent into a home."""

    def record(home: Path) -> None:
        for _ in range(2):
            processes.record_demo(home, start=fork_python)

    return record


@pytest.fixture(scope="session")
def put_demo(put: Callable[..., None], record_demo: Callable[[Path], None]) -> Callable[[Path], None]:
    """Puts two recorded runs of the demo agent where there is no home yet."""
    return lambda home: put(home, "demo", record_demo)


class KeptServers:
    """Servers that are only looked at, from one module to the next; each takes a hundredth of a processor meanwhile."""

    def __init__(self) -> None:
        self._kept = ExitStack()
        self._running: dict[str, Server] = {}

    def running(self, name: str, serve: Callable[[], AbstractContextManager[Server]]) -> Server:
        if name not in self._running:
            self._running[name] = self._kept.enter_context(serve())
        return self._running[name]

    def close(self) -> None:
        self._running.clear()
        self._kept.close()


_servers = KeptServers()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    if nextitem is not None and Path(__file__).parent not in nextitem.path.parents:
        _servers.close()


@pytest.fixture(scope="session")
def looked_at(
    homes: Path, put: Callable[..., None], serving: Callable[..., Any]
) -> Iterator[Callable[[str, Callable[[Path], object]], Server]]:
    """Serves a home of a name, which is made the first time, until a test of another folder is next."""

    def serve(name: str, make: Callable[[Path], object]) -> Server:
        home = homes / name
        if not home.exists():
            put(home, name, make)
        return _servers.running(name, partial(serving, home))

    yield serve
    _servers.close()


@pytest.fixture(scope="module")
def demo(looked_at: Callable[..., Server], record_demo: Callable[[Path], None]) -> Server:
    """Two runs of the demo agent; only to be looked at."""
    server = looked_at("demo", record_demo)
    wait_until(lambda: [run["spans"] for run in server.get("/traces")["items"]] == [DEMO_SPANS] * 2)
    return server


@pytest.fixture(scope="module")
def demo_trace(demo: Server) -> str:
    """The newest of them."""
    found: str = demo.get("/traces?limit=1")["items"][0]["trace_id"]
    return found


@pytest.fixture(scope="module")
def crowd(looked_at: Callable[..., Server]) -> Server:
    """Hundreds of runs over two days, of several agents, in sessions; only to be looked at."""
    return looked_at("crowd", lambda home: fill(home, many_runs(400)))


@pytest.fixture(scope="module")
def trips(looked_at: Callable[..., Server]) -> Server:
    """Three runs of one program, the first two of which part; only to be looked at."""
    return looked_at("trips", lambda home: fill(home, two_trips()))


@pytest.fixture(scope="module")
def replays(looked_at: Callable[..., Server]) -> Server:
    """A run, two replays of it, and a run that cannot be replayed; only to be looked at."""
    return looked_at("replays", lambda home: fill(home, replayed_runs()))


@pytest.fixture(scope="module")
def oddities(looked_at: Callable[..., Server]) -> Server:
    """Odd trees, every kind and status, calls told twice, and a trace of 10,000 spans; only to be looked at."""
    stories = chain(odd_trees(), kinds_and_statuses(), told_twice(), long_trace(10_000))
    return looked_at("oddities", lambda home: fill(home, stories))


@pytest.fixture(scope="module")
def hostile(looked_at: Callable[..., Server]) -> Server:
    """Hostile strings in every field; only to be looked at."""
    return looked_at("hostile", lambda home: fill(home, hostile_spans()))


@pytest.fixture
def empty(tmp_path: Path, serving: Callable[..., Any]) -> Iterator[Server]:
    with serving(tmp_path / "home") as server:
        yield server


@pytest.fixture
def start_agent(fork_python: Callable[..., Any]) -> Iterator[Callable[..., Agent]]:
    agents: list[Agent] = []

    def start(home: Path, **options: Any) -> Agent:
        agents.append(Agent(home, start=fork_python, **options))
        return agents[-1]

    yield start
    for agent in agents:
        agent.close()
