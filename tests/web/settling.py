"""When a page can be looked at, and pages that take their time to get there."""

import os

from playwright.sync_api import Page, expect

SLOW_CPU = float(os.environ.get("INSPECTOR_TEST_SLOW_CPU", "1"))
"""How many times slower than the machine a page is, for finding tests that a slow one would fail."""
LATENCY_MS = 150
"""Of everything that a slow page asks for."""

DRAWN = """() => document.fonts.ready.then(() => new Promise((drawn) =>
  requestAnimationFrame(() => requestAnimationFrame(() => drawn()))))"""
# Answers come in another order than that in which they were asked for, and in the same one each time.
HELD_BACK = """
  let seed = 42;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const ask = window.fetch;
  window.fetch = async (...question) => {
    const answer = await ask(...question);
    await new Promise((passed) => setTimeout(passed, random() * 400));
    return answer;
  };
"""


def settle(page: Page) -> None:
    """Wait until the page that the address names is drawn, with all that it shows from the start."""
    main = page.locator("#main")
    for _ in range(2):
        expect(main).not_to_be_empty()
        expect(page.locator("#main[aria-busy=true], #main [aria-busy=true]")).to_have_count(0)
        # What is drawn at last may ask for more.
        page.evaluate(DRAWN)


def slow_down(page: Page) -> None:
    """Make a page as slow as the environment says."""
    if SLOW_CPU <= 1:
        return
    page.add_init_script(HELD_BACK)
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOW_CPU})
    speed = {"latency": LATENCY_MS, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", {"offline": False, **speed})
