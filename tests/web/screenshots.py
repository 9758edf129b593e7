"""Takes the pictures of docs/web.md again: ``make screenshots``.

They show a run of the demo agent among generated ones. Ids, times and the browser's clock are fixed, so that a picture
changes when the app does.
"""

import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from browsing import chromium
from msgspec.structs import replace
from pairs import FIRST, SECOND, two_trips
from playwright.sync_api import Browser, Page, expect
from serving import DEMO_SPANS, ROOT, Server, fill, record_demo, serving, wait_until
from settling import settle
from stories import LOOP, MINUTE, MS, START_NS, loop_spans, message, model_call, run_spans, span_of, tool_call

from inspector.model import Span

IMAGES = ROOT / "docs" / "images"
SIZE = {"width": 1280, "height": 880}
NOW_MS = START_NS // MS + 9 * MINUTE
GRID_NS = 10 * MS
TIME = re.compile(r"(?<!\d)1[789]\d{17}(?!\d)")
"""Nanoseconds since the Unix epoch, of these years."""
RUNNING = f"{0xA11CE:032x}"


def steady_demo(home: Path) -> None:
    """Record the demo and give its spool fixed ids and times, before anybody takes it in."""
    record_demo(home)
    spools = sorted((home / "spool").glob("*.jsonl"))
    lines = [json.loads(line) for spool in spools for line in spool.read_text().splitlines()]
    calls = sorted((call for line in lines for call in line.get("calls", ())), key=lambda call: call["start"])
    shift_ns = START_NS - calls[0]["start"]
    names = steady_names(calls)
    known = re.compile("|".join(sorted(names, key=len, reverse=True)))
    for spool in spools:
        text = known.sub(lambda found: names[found.group()], spool.read_text().replace(str(ROOT), "/app"))
        spool.write_text(TIME.sub(lambda found: str(steady_ns(int(found.group()), shift_ns)), text))


def steady_names(calls: list[dict[str, Any]]) -> dict[str, str]:
    """A name that is always the same for each one that a run makes up."""
    names: dict[str, str] = {}
    for call in calls:
        for made_up in (call["trace"], call["span"], *filter(None, (call.get("call"),))):
            names.setdefault(made_up, hashlib.sha256(f"{len(names)}".encode()).hexdigest()[: len(made_up)])
        if call.get("session"):
            names[call["session"]] = "trip-lisbon"
    return names


def steady_ns(time_ns: int, shift_ns: int) -> int:
    return (time_ns + shift_ns + GRID_NS // 2) // GRID_NS * GRID_NS


def scripted() -> Iterator[Span]:
    """Runs around the demo's: a morning of work before it, and one that still runs after it."""
    for number in range(58):
        yield from run_spans(number, -(58 - number) * 4.3 * MINUTE - (number * 7919 % 97) * 1300)
    yield from loop_spans(1, "Send invoice 1137 to Ann", 8.2 * MINUTE)
    yield from loop_spans(2, "And a reminder to Ben", 8.2 * MINUTE + 700)
    at = 8.9 * MINUTE
    agent: dict[str, Any] = {"agent": "researcher", "session_id": "session-live", "service": "service-1"}
    yield span_of(RUNNING, 1, "workflow", name="invoke_workflow research_topic", start_ms=at, **running(agent))
    yield span_of(RUNNING, 2, "agent", name="invoke_agent researcher", parent=1, start_ms=at + 4, **running(agent))
    asked = [message("system", "You look things up."), message("user", "What do tides do to harbours?")]
    answer = message("assistant", "I search for it first.")
    yield model_call(RUNNING, 3, asked, answer, parent=2, start_ms=at + 10, took_ms=1200, **agent)
    yield tool_call(
        RUNNING, 4, "search", {"query": "tides harbour"}, parent=2, start_ms=at + 1215, took_ms=640, **agent
    )
    fetching = tool_call(RUNNING, 5, "fetch_page", {"page": "tides"}, parent=2, start_ms=at + 1860, **running(agent))
    yield replace(fetching, output_key=None)


def running(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "status": "running", "took_ms": None}


def views(server: Server) -> dict[str, tuple[str, str]]:
    """The address of each picture, and a text that is there when it is ready."""
    found = next(each for each in server.get("/traces?limit=100")["items"] if "weekend_trip" in each["name"])
    trace, run = found["trace_id"], found["run_id"]
    events = server.get(f"/events?trace_id={trace}&limit=100&order=asc")["items"]
    # The server's span of the call that the trace opens on: what is beside it knows no traceback.
    failed = next(each for each in events if each["error"] and each["error"]["traceback"])["span_id"]
    asked = [each for each in events if each["kind"] == "llm" and each["model"] == "gpt-4.1"][3]["span_id"]
    return {
        "runs": ("/", "trip-planner"),
        "sessions": ("/sessions", "trip-lisbon"),
        "trace": (f"/runs/{run}", "did not answer in time"),
        "run": (f"/runs/{LOOP}", "Inferred from messages"),
        "graph": (f"/runs/{run}?view=graph", "local_guide"),
        "transcript": (f"/runs/{run}?view=transcript", "The desk says to try again"),
        "span-llm": (f"/runs/{run}?span={asked}", "gpt-4.1"),
        "span-tool": (f"/runs/{run}?span={failed}", "did not answer in time"),
        "stats": ("/stats", "gpt-4.1-mini"),
        "spans": ("/spans", "fetch_page"),
    }


def views_of_two_runs() -> dict[str, tuple[str, str]]:
    return {"diff": (f"/diff?a={FIRST}&b={SECOND}", "3 parts of the input are the same")}


def take(browser: Browser, server: Server, theme: Any, shown: dict[str, tuple[str, str]]) -> None:
    context = browser.new_context(
        viewport=SIZE, color_scheme=theme, reduced_motion="reduce", timezone_id="UTC", locale="en-GB"
    )
    context.add_cookies(server.cookies)
    for name, (view, text) in shown.items():
        page = context.new_page()
        page.clock.set_fixed_time(NOW_MS / 1000)
        page.goto(f"{server.url}/#{view}")
        expect(page.locator("#main")).to_contain_text(text)
        settle(page)
        wait_until_still(page)
        page.screenshot(path=IMAGES / f"{name}-{theme}.png")
        page.close()
    context.close()


def wait_until_still(page: Page) -> None:
    """Wait until two pictures in a row are the same."""
    before = [b""]

    def is_still() -> bool:
        before.append(page.screenshot())
        page.wait_for_timeout(250)
        return before[-1] == before[-2]

    wait_until(is_still)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, chromium() as browser:
        home = Path(directory) / "home"
        steady_demo(home)
        fill(home, scripted())
        with serving(home) as server:
            # All of it, what its MCP server recorded included.
            wait_until(lambda: any(each["spans"] == DEMO_SPANS for each in server.get("/traces?limit=9")["items"]))
            for theme in ("light", "dark"):
                take(browser, server, theme, views(server))
        pair = Path(directory) / "pair"
        fill(pair, two_trips())
        with serving(pair) as server:
            for theme in ("light", "dark"):
                take(browser, server, theme, views_of_two_runs())
    for image in sorted(IMAGES.glob("*.png")):
        sys.stdout.write(f"{image.relative_to(ROOT)} {image.stat().st_size // 1000} kB\n")


if __name__ == "__main__":
    main()
