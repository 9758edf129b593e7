"""Names and texts in Arabic and Hebrew: where there is no room, their end is cut, not their beginning."""

from urllib.parse import quote

import pytest
from serving import fill
from stories import MINUTE, TRACEBACK, gave, message, model_call, span_of, tool_call, wants

from inspector.model import SpanError

TEXTS = (
    "مرحبا بالعالم، أريد أن أحجز فندقا في لشبونة لليلتين بسعر معقول وقريب من البحر، مع إفطار ومسبح وموقف سيارات",
    "שלום עולם, אני רוצה להזמין מלון בליסבון לשני לילות במחיר סביר וקרוב לים, עם ארוחת בוקר ובריכה וחניה",
    "احجز فندقا في لشبونة: Hotel Mundial, Praça Martim Moniz 2, 1100-341 Lisbon (2 nights, €120), and tell Ann",
)
CUT_AT_THE_BEGINNING = """() => {
  const letter = /[\\u0590-\\u08ff]|[A-Za-z]/u, found = [];
  const texts = document.createTreeWalker(document.querySelector("#main"), NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const at = text.data.search(letter);
    if (at < 0 || text.data.codePointAt(at) < 0x590) continue;
    const first = document.createRange();
    first.setStart(text, at);
    first.setEnd(text, at + 1);
    const {left, right, width} = first.getBoundingClientRect();
    for (let box = text.parentElement; width > 0 && box; box = box.parentElement) {
      const overflow = getComputedStyle(box).overflowX;
      if (overflow === "auto" || overflow === "scroll") break;
      const edge = box.getBoundingClientRect();
      if (overflow === "visible" || (left >= edge.left - 1 && right <= edge.right + 1)) continue;
      // No room for a single letter.
      if (edge.width < 2 * width) break;
      found.push(`${text.parentElement.outerHTML.slice(0, 120)} in ${box.className}`);
      break;
    }
  }
  return found;
}"""


def said(number, text):
    """A run in which everything has a name of many words."""
    trace = f"{0xAB1C + number:032x}"
    at_ms = number * MINUTE
    common = {"service": text[:60], "session_id": text[:70], "run": f"run-{number}"}
    inside = {**common, "agent": text[:65]}
    asked = [message("user", text)]
    again = [*asked, message("assistant", "", wants("1", text[:50], q=text)), gave("1", text)]
    failed = {"status": "error", "error": SpanError(text[:40], text, TRACEBACK)}
    name = f"invoke_agent {text[:65]}"
    yield span_of(trace, 1, "workflow", name=text, start_ms=at_ms, took_ms=5000, **common)
    yield span_of(trace, 2, "agent", name=name, parent=1, start_ms=at_ms + 5, took_ms=4900, **inside)
    for place, messages in ((3, asked), (4, again)):
        yield model_call(
            trace,
            place,
            messages,
            message("assistant", text),
            text[:40],
            parent=2,
            start_ms=at_ms + 1000 * place,
            **inside,
        )
    for place, ended in ((5, {}), (6, failed)):
        fields = {"parent": 2, "start_ms": at_ms + 300 * place, "took_ms": 200, **inside, **ended}
        yield tool_call(trace, place, text[:50], {text[:20]: text}, {"result": text}, **fields)


@pytest.fixture(scope="module")
def spoken(looked_at):
    return looked_at("spoken", lambda home: fill(home, [span for each in enumerate(TEXTS) for span in said(*each)]))


PAGES = (
    "/runs/run-0",
    "/",
    "/spans",
    "/spans?cols=agent,model,tool,service,session,preview,error",
    "/sessions",
    f"/?session_id={quote(TEXTS[1][:70])}",
    "/stats",
    "/runs/run-1?view=transcript",
    "/runs/run-2?view=graph",
    f"/runs/run-0?find={quote('فندقا')}",
    "/diff?a=run-0&b=run-1",
)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("view", PAGES)
def test_what_is_written_from_right_to_left_is_cut_at_its_end(spoken, visit, view):
    page = visit(spoken, view)
    for width in (1400, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(CUT_AT_THE_BEGINNING) == [], f"at {width} px"
