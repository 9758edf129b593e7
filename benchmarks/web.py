"""How fast the web app is: Chromium on this machine, real servers, stores of the size that the budgets name.

    python benchmarks/web.py [--quick] [--store DIRECTORY]

The store of 1,000,000 spans takes about six minutes to make; with --store it is kept there and used again.
--quick makes it a twentieth of that, and a run that is watched live shorter.
The exit code is 1 when a figure misses its budget by more than double: machines differ.
"""

import argparse
import gzip
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec.structs import replace
from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "web"))

from browsing import chromium
from serving import ROOT, Agent, Server, fill, serving, wait_until
from stories import LONG, START_NS, long_trace, many_runs, message, model_call, span_of

from inspector.model import Span

SPANS_PER_RUN = 6
HUGE = f"{0xB16:032x}"
LIVE_RUN = "live-run"
TALK = f"{0x7A1C:032x}"
SHOWN = """(text) => document.querySelector('[aria-label="Selected span"]').innerText.includes(text)"""
RUNS = '#main a[href*="/runs/"]'
ROWS = '#main [role="treegrid"] [role="row"]:nth-child(5)'
OBSERVE = """(() => {
  window.__seen = {};
  window.__long = [];
  window.__frames = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.__long.push(entry.duration);
  }).observe({type: "longtask", buffered: true});
  const look = () => {
    for (const [name, selector] of Object.entries(window.__wanted ?? SELECTORS)) {
      if (!(name in window.__seen) && document.querySelector(selector)) window.__seen[name] = performance.now();
    }
  };
  new MutationObserver(look).observe(document, {childList: true, subtree: true});
  let last = 0;
  const frame = (now) => { if (last) window.__frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
})()"""
WATCH_TEXT = """() => {
  window.__texts = {};
  const look = () => {
    for (const found of document.querySelector("#main").innerText.matchAll(/latency_\\d+/g))
      window.__texts[found[0]] ??= Date.now() / 1000;
    requestAnimationFrame(look);
  };
  look();
}"""


@dataclass(frozen=True)
class Figure:
    """One measured number and what it should stay under."""

    name: str
    value: float
    unit: str
    budget: float | None = None

    @property
    def missed_by_far(self) -> bool:
        return self.budget is not None and self.value > self.budget * 2


@contextmanager
def opened(browser: Browser, server: Server, view: str, selector: str) -> Iterator[Page]:
    """A page of a fresh profile, which has nothing in its cache, when what is looked for is there."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(120_000)
    context.add_cookies(server.cookies)
    context.add_init_script(OBSERVE.replace("SELECTORS", f"{{wanted: {selector!r}}}"))
    page = context.new_page()
    page.goto(f"{server.url}/#{view}")
    # Not Playwright's own waiting, which the page's policy does not let evaluate anything.
    wait_until(lambda: page.evaluate("'wanted' in window.__seen"), 120)
    yield page
    context.close()


def first_view(browser: Browser, server: Server) -> Iterator[Figure]:
    """The list: its first row, and what had to be loaded for it."""
    times = []
    for _ in range(5):
        with opened(browser, server, "/", RUNS) as page:
            times.append(page.evaluate("window.__seen.wanted"))
            loaded = page.evaluate("performance.getEntriesByType('resource').map((each) => each.name)")
    spans = server.get("/readyz").get("spans") or server.get("/stats?of=traces")["total"]["count"]
    yield Figure(f"first row of the list, middle of 5 ({spans:,} in the store)", statistics.median(times), "ms", 1000)
    yield Figure("the slowest of the 5", max(times), "ms")
    names = {urlsplit(url).path.rpartition("/")[2] for url in loaded if url.endswith((".js", ".css"))}
    size = sum(len(gzip.compress((ROOT / "web/dist/assets" / name).read_bytes(), 9)) for name in names)
    yield Figure("JavaScript and CSS of that view, gzip", size / 1000, "kB", 180)


def long_trace_figures(browser: Browser, server: Server) -> Iterator[Figure]:
    """A trace of 10,000 spans: until it can be used, while it is scrolled, and what it holds."""
    times = []
    for _ in range(3):
        with opened(browser, server, f"/traces/{LONG}", ROWS) as page:
            times.append(page.evaluate("window.__seen.wanted"))
    yield Figure("trace of 10,000 spans, first rows", statistics.median(times), "ms", 1000)
    with opened(browser, server, f"/traces/{LONG}", ROWS) as page:
        page.wait_for_timeout(1500)
        page.evaluate("window.__long = []; window.__frames = []")
        page.mouse.move(300, 600)
        for _ in range(60):
            page.mouse.wheel(0, 2500)
            page.wait_for_timeout(30)
        yield Figure("longest task while it is scrolled", max(page.evaluate("window.__long"), default=0), "ms", 50)
        yield Figure("slowest frame meanwhile", max(page.evaluate("window.__frames")), "ms")
        yield Figure("heap after that", heap_mb(page), "MB", 150)


def huge_trace_figures(browser: Browser, server: Server) -> Iterator[Figure]:
    """A trace of 100,000 spans: its first window, and all of it."""
    with opened(browser, server, f"/traces/{HUGE}", ROWS) as page:
        yield Figure("trace of 100,000 spans, first rows", page.evaluate("window.__seen.wanted"), "ms", 2000)
        page.wait_for_timeout(5000)
        yield Figure("longest task until it is all there", max(page.evaluate("window.__long"), default=0), "ms")
        yield Figure("heap with all of it", heap_mb(page), "MB")


def heap_mb(page: Page) -> float:
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return metrics["JSHeapUsedSize"] / 1e6


def live_figures(browser: Browser, home: Path) -> Iterator[Figure]:
    """From the hook in another process until it can be seen, and a flood of spans."""
    agent = Agent(home)
    agent.call("tool_call", tool_name="warm_up", args={}, context=None)
    with serving(home) as server:
        for name, view in (("spans", "/spans"), ("list", "/")):
            with opened(browser, server, view, f'{RUNS}, #main [role="row"]') as page:
                delays = latencies(page, agent, name)
                yield Figure(f"hook to {name} page, p50 of 50", statistics.median(delays), "ms", 300)
                yield Figure(f"hook to {name} page, p95 of 50", statistics.quantiles(delays, n=20)[18], "ms", 300)
        with opened(browser, server, "/spans", '#main [role="row"]') as page:
            yield from flood_figures(page, agent)
    agent.close()


def latencies(page: Page, agent: Agent, name: str) -> list[float]:
    page.wait_for_timeout(1000)
    page.evaluate(WATCH_TEXT)
    delays = []
    for number in range(50):
        text = f"latency_{'12'[name == 'list']}{number:03}"
        tool = {"tool_name": text, "args": {}, "context": None, "call_id": text}
        if name == "list":
            # The row of a run shows what was answered last.
            asked = {"llm": "m", "prompt": "hello", "context": None, "call_id": text}
            agent.emit("before_llm_generate", **asked)
            began_s = agent.emit("after_llm_generate", **asked, response={"model": "m", "content": text})
        else:
            began_s = agent.emit("before_tool_call", **tool)
        wait_until(lambda text=text: page.evaluate(f"{text!r} in window.__texts"))
        delays.append((page.evaluate(f"window.__texts[{text!r}]") - began_s) * 1000)
        if name != "list":
            agent.emit("after_tool_call", **tool, result=1)
    return delays


def flood_figures(page: Page, agent: Agent) -> Iterator[Figure]:
    page.wait_for_timeout(1000)
    page.evaluate("window.__long = []; window.__frames = []")
    flood = threading.Thread(target=agent.flood, args=(10, 500))
    flood.start()
    page.wait_for_timeout(11_000)
    flood.join()
    frames, tasks = page.evaluate("window.__frames"), page.evaluate("window.__long")
    yield Figure("500 spans/s for 10 s: longest task", max(tasks, default=0), "ms", 100)
    yield Figure("  tasks over 50 ms", len(tasks), "")
    yield Figure("  frame, p95", statistics.quantiles(frames, n=20)[18], "ms", 50)


def long_live_figures(browser: Browser, home: Path, seconds: int) -> Iterator[Figure]:
    """A run that has 100,000 spans already and goes on."""
    fill(home, recent(100_000))
    agent = Agent(home, run=LIVE_RUN)
    agent.emit("before_workflow_run", workflow="goes_on", context=None, input=None, call_id="goes_on")
    with serving(home) as server, opened(browser, server, f"/runs/{LIVE_RUN}", ROWS) as page:
        # The first window is there; the others, and what is made of all of them, take a moment.
        page.wait_for_timeout(5000)
        yield Figure("live run of 100,000 spans: heap", heap_mb(page), "MB", 150)
        page.evaluate("window.__long = []; window.__frames = []")
        browser.start_tracing(page=page, categories=["toplevel", "disabled-by-default-devtools.timeline"])
        flood = threading.Thread(target=agent.flood, args=(seconds, 200))
        flood.start()
        page.wait_for_timeout(seconds * 1000 + 1500)
        flood.join()
        busy = processor_ms(json.loads(browser.stop_tracing())["traceEvents"])
        tasks, frames = page.evaluate("window.__long"), page.evaluate("window.__frames")
        yield Figure(f"  200 spans/s for {seconds} s: longest task", max(tasks, default=0), "ms", 50)
        yield Figure("  tasks over 50 ms", len(tasks), "")
        yield Figure("  longest task, processor time", max(busy), "ms", 50)
        yield Figure("  frame, p95", statistics.quantiles(frames, n=20)[18], "ms", 50)
        yield Figure("  heap after that", heap_mb(page), "MB", 150)
    agent.close()


def processor_ms(events: list[dict[str, Any]]) -> list[float]:
    """The processor time of each task of the page: on a busy machine a task lasts longer than it works."""
    names = [each for each in events if each["name"] == "thread_name"]
    mains = {(each["pid"], each["tid"]) for each in names if each["args"]["name"] == "CrRendererMain"}
    tasks = [each for each in events if "RunTask" in each["name"] and (each["pid"], each["tid"]) in mains]
    return [each["tdur"] / 1000 for each in tasks if "tdur" in each]


def stepping_figures(browser: Browser, home: Path) -> Iterator[Figure]:
    """A conversation of 200 turns, each of which is given 200 kB, looked at turn by turn."""
    fill(home, long_talk(200), batch=20)
    with serving(home) as server, opened(browser, server, f"/traces/{TALK}?depth=9&fold=0", ROWS) as page:
        page.locator("[role=treegrid]").focus()
        page.keyboard.press("Home")
        heaps: list[float] = []
        for turn in range(200):
            page.keyboard.press("ArrowDown")
            # Until its messages show, which is when they are held.
            wait_until(lambda turn=turn: page.evaluate(SHOWN, f"I have read {turn} pages."))
            if turn % 20 == 19:
                heaps.append(heap_mb(page))
        yield Figure("200 turns of 200 kB, one after the other: largest heap", max(heaps), "MB", 150)


def long_talk(turns: int) -> Iterator[Span]:
    """An agent whose prompt stays as long as its window is: half of it is new with each turn."""
    yield span_of(TALK, 1, "agent", name="invoke_agent reader", agent="reader", took_ms=turns * 10)
    for turn in range(turns):
        pages = [message("user", f"Page {turn + at} of the book. " + f"{turn + at:06} " * 2700) for at in range(10)]
        asked = [*pages, message("user", f"Turn {turn} begins.")]
        answer = message("assistant", f"I have read {turn} pages.")
        yield model_call(TALK, 2 + turn, asked, answer, parent=1, start_ms=turn * 10, took_ms=9)


def recent(count: int) -> Iterator[Span]:
    """A trace of the live run that has just ended."""
    shift_ns = time.time_ns() - START_NS - count * 2 * 1_000_000
    for span in long_trace(count, f"{0x11FE:032x}"):
        end_ns = None if span.end_ns is None else span.end_ns + shift_ns
        yield replace(span, start_ns=span.start_ns + shift_ns, end_ns=end_ns, run=LIVE_RUN)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a store of 50,000 spans instead of 1,000,000, and 20 s of a live run instead of 60",
    )
    parser.add_argument("--store", type=Path, help="where the large store is kept for the next time")
    options = parser.parse_args()
    rows = 50_000 if options.quick else 1_000_000
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as directory, chromium() as browser:
        large = (options.store or Path(directory)) / f"spans-{rows}"
        if not (large / "inspector.db").exists():
            large.parent.mkdir(parents=True, exist_ok=True)
            fill(large, many_runs(rows // SPANS_PER_RUN, apart_ms=20_000))
        fill(Path(directory) / "long", [*long_trace(10_000), *long_trace(100_000, HUGE)])
        sections: tuple[tuple[Path, tuple[Callable[[Browser, Server], Iterator[Figure]], ...]], ...] = (
            (large, (first_view,)),
            (Path(directory) / "long", (long_trace_figures, huge_trace_figures)),
        )
        for home, measures in sections:
            with serving(home) as server:
                for measure in measures:
                    figures += measure(browser, server)
        figures += stepping_figures(browser, Path(directory) / "talk")
        figures += live_figures(browser, Path(directory) / "live")
        figures += long_live_figures(browser, Path(directory) / "long-live", 20 if options.quick else 60)
    print(f"{'':58}{'measured':>12}{'budget':>12}")
    for each in figures:
        value = f"{each.value:,.0f} {each.unit}"
        budget = "" if each.budget is None else f"{each.budget:,.0f} {each.unit}"
        print(f"{each.name:58}{value:>12}{budget:>12}{'  MISSED' if each.missed_by_far else ''}")
    return 1 if any(each.missed_by_far for each in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
