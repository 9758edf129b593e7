import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect
from serving import fill, wait_until
from stories import MINUTE, TWICE, message, model_call, span_of, tool_call

sys.path.insert(0, str(Path(__file__).parents[1] / "integrations" / "stubs"))

import models as models_stub

from inspector import semconv
from inspector.model import SpanError

TRACE = f"{0x5BA:032x}"
LONG_TEXT = "The whole text. " * 40_000

AUDITED = {"type": "text", "text": "[audit]"}
TOOL = [
    {
        "name": "audit_hook",
        "did": "changed",
        "args": {"before": {"x": 40}, "after": {"x": 10}},
        "result": {"before": {"content": []}, "after": {"content": [AUDITED]}},
    },
    {"name": "Retry", "did": "changed", "calls": 3},
    {"name": "Cache", "did": "answered", "result": {"before": None, "after": {"kept": "<b>since noon</b>"}}},
    {"name": "late", "did": "skipped"},
]
MODEL = [{"name": "shorten", "did": "changed", "args": {"before": {"n": 0.7}, "after": {"n": 0}}}]


CONTROLLED = {
    "controller": "gate",
    "did": "changed",
    "by": "<b>ada</b>",
    "waited_ms": 3200,
    "args": {"before": {"n": 4}, "after": {"n": 2}},
}


def changed(middleware):
    return {"inspector.middleware_json": json.dumps(middleware), "inspector.controlled_json": json.dumps(CONTROLLED)}


def detail_of(page):
    return page.get_by_role("tabpanel").first


def span_named(server, trace_id, name, **fields):
    events = server.get(f"/events?trace_id={trace_id}&limit=100&order=asc")["items"]
    return next(
        each["span_id"] for each in events if name in each["name"] and all(each[key] == fields[key] for key in fields)
    )


@pytest.fixture
def show(demo, demo_trace, visit):
    def open_span(name, **fields):
        return visit(demo, f"/traces/{demo_trace}?span={span_named(demo, demo_trace, name, **fields)}")

    return open_span


@pytest.fixture(scope="module")
def story(tmp_path_factory, serving):
    """An agent that asks twice and rewrites a message in between, then calls a tool with a very long result."""
    home = tmp_path_factory.mktemp("story") / "home"
    system, question = message("system", "You are exact."), message("user", "How far is it to the harbour?")
    rewritten = message("user", "How far is it to the old harbour?")
    more = message("user", "And back?")
    answer = message("assistant", "Two miles by the coast road.")
    agent = {"agent": "guide", "parent": 1}
    fill(
        home,
        [
            span_of(TRACE, 1, "agent", name="invoke_agent guide", agent="guide", took_ms=100),
            model_call(TRACE, 2, [system, question], answer, start_ms=1, took_ms=10, **agent),
            model_call(TRACE, 3, [system, rewritten, answer, more], answer, start_ms=20, took_ms=10, **agent),
            tool_call(TRACE, 4, "read_file", {"path": "a.txt"}, {"text": LONG_TEXT}, start_ms=40, took_ms=5, **agent),
            tool_call(TRACE, 5, "add_one", {"x": 40}, start_ms=50, took_ms=5, attributes=changed(TOOL), **agent),
            model_call(TRACE, 6, [more], answer, start_ms=60, took_ms=5, attributes=changed(MODEL), **agent),
        ],
    )
    with serving(home) as server:
        yield server


@pytest.mark.slow
def test_the_spans_of_one_call_lead_to_each_other_and_say_which_counts(oddities, visit):
    counting, told = (span_of(TWICE, number).span_id for number in (3, 4))
    page = visit(oddities, f"/traces/{TWICE}?span={told}")
    detail = detail_of(page)
    expect(detail).to_contain_text("Duplicate of chat gpt-4.1 above; counted there.")
    expect(detail).to_contain_text("a duplicate: counted at another span")
    detail.get_by_text("Duplicate of").get_by_role("link").click()
    page.wait_for_url(re.compile(counting))
    expect(detail).to_contain_text("Counted once, here. Duplicate: chat gpt-4.1 below.")
    detail.get_by_text("Counted once, here.").get_by_role("link").press("Enter")
    page.wait_for_url(re.compile(told))


@pytest.mark.slow
def test_the_dialect_of_a_span_and_what_recorded_it_are_shown(oddities, visit):
    detail = detail_of(visit(oddities, f"/traces/{TWICE}?span={span_of(TWICE, 4).span_id}"))
    expect(detail).to_contain_text(re.compile("Dialect ?gen_ai/2"))
    expect(detail).to_contain_text(re.compile("Recorded by ?sdk 2.4"))


def test_a_model_call_shows_the_conversation_then_tokens_and_cost(show):
    page = show("chat gpt-4.1")
    detail = detail_of(page)
    expect(detail).to_contain_text("Plan 2 nights in Lisbon")
    expect(detail).to_contain_text("I will look at the weather and at hotels first.")
    expect(detail).to_contain_text("599")
    expect(detail).to_contain_text("find_hotels")
    expect(detail).to_contain_text(re.compile(r"\$0\.00\d"))
    expect(detail).to_contain_text("temperature")
    headings = detail.get_by_role("heading", level=3).all_inner_texts()
    assert headings.index("Input") < headings.index("Answer") < headings.index("Tokens and cost")


def test_a_failed_tool_call_shows_its_error_first_then_what_it_was_given(show):
    page = show("execute_tool book_hotel", status="error", hook="tool_call")
    expect(detail_of(page)).to_contain_text("did not answer in time")
    expect(detail_of(page)).to_contain_text("Arguments")
    expect(detail_of(page)).to_contain_text("travel_desk")
    text = detail_of(page).inner_text()
    assert text.index("did not answer in time") < text.index("Arguments") < text.rindex("Hotel Miradouro")


@pytest.mark.slow
def test_a_tool_call_leads_to_what_the_model_saw_before_it(show):
    page = show("execute_tool book_hotel", status="error", hook="tool_call")
    before = page.url
    detail_of(page).get_by_role("button", name=re.compile("model", re.IGNORECASE)).or_(
        detail_of(page).get_by_role("link", name=re.compile("model", re.IGNORECASE))
    ).first.click()
    page.wait_for_url(lambda url: url != before)
    expect(page.locator("#main")).to_contain_text("Hotel Miradouro it is.")


@pytest.mark.slow
def test_an_rpc_shows_both_envelopes(show):
    page = show("tools/list")
    detail = detail_of(page)
    expect(detail).to_contain_text("tools/list")
    expect(detail).to_contain_text("stdio")
    expect(detail).to_contain_text("find_restaurants")


@pytest.mark.slow
def test_a_resource_shows_its_content_and_its_address_as_text(show):
    page = show("resources/read", kind="resource")
    expect(detail_of(page)).to_contain_text("guide://lisbon")
    expect(detail_of(page)).to_contain_text("pastries in Belém")
    expect(detail_of(page).locator('a[href^="guide:"]')).to_have_count(0)


@pytest.mark.slow
def test_a_prompt_shows_its_parameters_and_what_was_rendered(show):
    page = show("prompts/get", kind="prompt")
    expect(detail_of(page)).to_contain_text("trip_brief")
    expect(detail_of(page)).to_contain_text("400 EUR")
    expect(detail_of(page)).to_contain_text("Plan 2 nights in Lisbon for two people")


@pytest.mark.slow
def test_an_agent_shows_its_answer_and_what_happened_below_it(show):
    page = show("invoke_agent local_guide")
    expect(detail_of(page)).to_contain_text("sardines at Tasca da Esquina")
    expect(detail_of(page)).to_contain_text("find_restaurants")


@pytest.mark.slow
def test_attributes_can_be_narrowed(show):
    page = show("chat gpt-4.1")
    page.get_by_role("tab", name=re.compile("Attributes")).click()
    page.wait_for_url(re.compile("tab=attributes"))
    expect(detail_of(page)).to_contain_text("gen_ai.provider.name")
    detail_of(page).get_by_role("searchbox").or_(detail_of(page).get_by_role("textbox")).first.fill("temperature")
    expect(detail_of(page)).to_contain_text("gen_ai.request.temperature")
    expect(detail_of(page)).not_to_contain_text("gen_ai.provider.name")


@pytest.mark.slow
def test_the_changes_since_the_previous_call_of_the_agent_are_shown(story, visit):
    page = visit(story, f"/traces/{TRACE}?span={span_of(TRACE, 3).span_id}")
    detail = detail_of(page)
    expect(detail).to_contain_text("And back?")
    expect(detail.locator("ins").filter(has_text="old").first).to_be_visible()
    expect(detail).to_contain_text(re.compile(r"unchanged"))


@pytest.mark.slow
def test_a_large_value_is_loaded_on_demand(story, visit):
    page = visit(story, f"/traces/{TRACE}?span={span_of(TRACE, 4).span_id}")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    load = detail_of(page).get_by_role("button", name=re.compile("load", re.IGNORECASE)).first
    expect(load).to_be_visible()
    load.click()
    expect(detail_of(page)).to_contain_text("The whole text.")
    assert [url for url in asked if "/events/" in url and "clip=" not in url]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_each_middleware_did_to_a_tool_call_is_listed_in_declared_order(story, visit, theme):
    page = visit(story, f"/traces/{TRACE}?span={span_of(TRACE, 5).span_id}", color_scheme=theme)
    steps = detail_of(page).get_by_role("region", name="Middleware").get_by_role("list").get_by_role("listitem")
    expect(steps).to_contain_text(
        [
            re.compile(r"audit_hook\s*changed the arguments, changed the result"),
            re.compile(r"Retry\s*ran the call 3 times"),
            re.compile(r"Cache\s*answered instead.*<b>since noon</b>", re.DOTALL),
            re.compile(r"late\s*was not reached"),
        ]
    )
    expect(steps.first.locator("del")).to_have_text("40")
    expect(steps.first.locator("ins")).to_have_text(["10", '{type: "text", text: "[audit]"}'])


@pytest.mark.slow
@pytest.mark.parametrize("number", [5, 6], ids=["tool call", "model call"])
def test_what_the_controller_did_to_a_call_is_said_with_who_decided(story, visit, number):
    page = visit(story, f"/traces/{TRACE}?span={span_of(TRACE, number).span_id}")
    said = detail_of(page).get_by_role("region", name="Controller")
    expect(said).to_contain_text("changed the arguments, decided by <b>ada</b>, after 3.20 s")
    expect(said.locator("del")).to_have_text("4")
    expect(said.locator("ins")).to_have_text("2")


@pytest.mark.slow
def test_middleware_of_a_model_call_is_listed_too(story, visit):
    page = visit(story, f"/traces/{TRACE}?span={span_of(TRACE, 6).span_id}")
    expect(detail_of(page).get_by_role("region", name="Middleware")).to_contain_text("changed the request")


COPIES = {
    "curl": "curl",
    "Python": "import",
    "Markdown": "did not answer in time",
    "JSON": '"span_id"',
}


@pytest.mark.slow
@pytest.mark.parametrize("form", COPIES)
def test_a_call_is_copied(demo, demo_trace, visit, form):
    span_id = span_named(demo, demo_trace, "execute_tool book_hotel", status="error", hook="tool_call")
    page = visit(demo, f"/traces/{demo_trace}?span={span_id}", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as").click()
    page.get_by_role("listitem").get_by_role("button", name=re.compile(f"^{form}")).click()
    wait_until(lambda: COPIES[form] in page.evaluate("navigator.clipboard.readText()"))
    text = page.evaluate("navigator.clipboard.readText()")
    assert span_id in text or form == "Markdown"
    if form == "Python":
        compile(text, "copied", "exec")
    if form == "JSON":
        assert json.loads(text)["span_id"] == span_id


@pytest.mark.slow
@pytest.mark.parametrize(
    "form, name, inside", [("Messages", "chat", '"role"'), ("Conversation", "chat", "# Conversation")]
)
def test_a_conversation_is_copied(demo, demo_trace, visit, form, name, inside):
    span_id = span_named(demo, demo_trace, name, kind="llm")
    page = visit(demo, f"/traces/{demo_trace}?span={span_id}", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as").click()
    page.get_by_role("listitem").get_by_role("button", name=re.compile(f"^{form}")).click()
    wait_until(lambda: inside in page.evaluate("navigator.clipboard.readText()"))
    if form == "Messages":
        assert {"system", "user"} & {
            each["role"] for each in json.loads(page.evaluate("navigator.clipboard.readText()"))
        }


@pytest.mark.slow
def test_a_tool_call_is_copied_as_an_mcp_request(demo, demo_trace, visit):
    span_id = span_named(demo, demo_trace, "execute_tool book_hotel", status="error", hook="tool_call")
    page = visit(demo, f"/traces/{demo_trace}?span={span_id}", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as").click()
    page.get_by_role("listitem").get_by_role("button", name=re.compile("^MCP request")).click()
    wait_until(lambda: "tools/call" in page.evaluate("navigator.clipboard.readText()"))
    params = json.loads(page.evaluate("navigator.clipboard.readText()"))["params"]
    assert params["name"] == "book_hotel"
    assert params["arguments"]["hotel"] == "Hotel Miradouro"


SHOP = """
import asyncio
from toolkit import ToolNode, tool

@tool
async def refund(invoice: str, amount: float = 1.0, notes: list[str] | None = None) -> str:
    return f"{amount} for {invoice}, {notes}"

class Desk:
    @tool
    def close(self, invoice: str) -> str:
        return invoice

if __name__ == "__main__":
    calls = [{"name": "refund", "arguments": {"invoice": "A-17 'é\\n", "amount": 2.5, "notes": ["x", None]}}]
    calls.append({"name": "close", "arguments": {"invoice": "A-17"}})
    asyncio.run(ToolNode([refund, Desk().close]).invoke(calls))
"""


@pytest.mark.slow
def test_a_tool_call_is_copied_as_python_that_makes_it_again(homes: Path, serving, visit):
    program, home = homes / "shop", homes / "shop-recorded"
    program.mkdir()
    (program / "shop.py").write_text(SHOP)
    environment = {**os.environ, "INSPECTOR_HOME": str(home)}
    record = [sys.executable, "-m", "inspector", "run", "shop.py"]
    subprocess.run(record, cwd=program, env=environment, check=True, capture_output=True, timeout=60)
    with serving(home) as server:
        page = visit(server, "/", permissions=["clipboard-read", "clipboard-write"])
        found = {each["tool"]: each for each in server.get("/events?kind=tool&full=true")["items"]}
        place = "{trace_id}?span={span_id}"
        page.goto(f"{server.url}/#/traces/{place.format(**found['refund'])}")
        expect(detail_of(page)).to_contain_text("shop.refund")
        page.get_by_role("button", name="Copy as").click()
        page.get_by_role("listitem").get_by_role("button", name=re.compile("^Tool call")).click()
        wait_until(lambda: "from shop import refund" in page.evaluate("navigator.clipboard.readText()"))
        copied = page.evaluate("navigator.clipboard.readText()")
        page.goto(f"{server.url}/#/traces/{place.format(**found['close'])}")
        page.get_by_role("button", name="Copy as").click()
        entry = page.get_by_role("listitem").get_by_role("button", name=re.compile("^Tool call"))
        expect(entry).to_be_disabled()
        expect(entry).to_contain_text("a method")
    again = [sys.executable, "-c", copied]
    answer = subprocess.run(again, cwd=program, check=True, capture_output=True, text=True, timeout=60).stdout
    assert answer == "2.5 for A-17 'é\n, ['x', None]\n"


CLOCK = """
from mcp.server import MCPServer
server = MCPServer("clock")

@server.tool()
def now(zone: str, notes: list[str] | None = None) -> str:
    return f"noon in {zone}, {notes}"

server.run()
"""
ASK = """
import asyncio, sys
from mcp import Client, StdioServerParameters

async def main():
    async with Client(StdioServerParameters(command=sys.executable, args=["clock.py", "--quiet"])) as client:
        await client.call_tool("now", {"zone": "Lisboa 'é\\n", "notes": ["x"]})

asyncio.run(main())
"""


@pytest.mark.slow
def test_a_call_of_an_mcp_servers_tool_is_copied_as_a_client_that_makes_it_again(homes: Path, serving, visit):
    program, home = homes / "clock", homes / "clock-recorded"
    program.mkdir()
    (program / "clock.py").write_text(CLOCK)
    (program / "ask.py").write_text(ASK)
    environment = {**os.environ, "INSPECTOR_HOME": str(home)}
    record = [sys.executable, "-m", "inspector", "run", "ask.py"]
    subprocess.run(record, cwd=program, env=environment, check=True, capture_output=True, timeout=60)
    with serving(home) as server:
        page = visit(server, "/", permissions=["clipboard-read", "clipboard-write"])
        found = server.get("/events?kind=tool&full=true")["items"]
        (asked,) = (each for each in found if "inspector.rpc.server_command" in each["attributes"])
        page.goto(f"{server.url}/#/traces/{asked['trace_id']}?span={asked['span_id']}")
        page.get_by_role("button", name="Copy as").click()
        page.get_by_role("listitem").get_by_role("button", name=re.compile("^Tool call")).click()
        wait_until(lambda: "StdioServerParameters" in page.evaluate("navigator.clipboard.readText()"))
        copied = page.evaluate("navigator.clipboard.readText()")
    again = [sys.executable, "-c", copied]
    answer = subprocess.run(again, cwd=program, check=True, capture_output=True, text=True, timeout=60).stdout
    assert json.loads(answer)["content"][0]["text"] == "noon in Lisboa 'é\n, ['x']"


CHAT = """
import sys
import openai
client = openai.OpenAI(base_url=sys.argv[1], api_key="sk-planted-0123456789")
messages = [{"role": "user", "content": "what's $HOME, `id` and\\n \\u202e"}]
print(client.chat.completions.create(model="m", messages=messages, temperature=0.5).choices[0].message.content)
"""


@pytest.fixture
def models():
    with models_stub.serving() as served:
        yield served


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_a_model_call_is_copied_as_curl_that_sends_its_request_again(homes: Path, serving, visit, models):
    home = homes / "asking-recorded"
    (homes / "asking.py").write_text(CHAT)
    environment = {**os.environ, "INSPECTOR_HOME": str(home)}
    record = [sys.executable, "-m", "inspector", "run", "asking.py", f"{models.url}/v1"]
    subprocess.run(record, cwd=homes, env=environment, check=True, capture_output=True, timeout=60)
    with serving(home) as server:
        page = visit(server, "/", permissions=["clipboard-read", "clipboard-write"])
        (asked,) = server.get("/events?kind=llm")["items"]
        page.goto(f"{server.url}/#/traces/{asked['trace_id']}?span={asked['span_id']}")
        page.get_by_role("button", name="Copy as").click()
        page.get_by_role("listitem").get_by_role("button", name=re.compile("^Model request")).click()
        wait_until(lambda: "curl" in page.evaluate("navigator.clipboard.readText()"))
        copied = page.evaluate("navigator.clipboard.readText()")
    assert "planted" not in copied
    again = {**os.environ, "API_KEY": "mine"}
    answer = subprocess.run(["sh", "-c", copied], env=again, check=True, capture_output=True, timeout=60).stdout
    assert json.loads(answer)["choices"]
    first, second = models.requests
    assert second["path"] == first["path"]
    assert second["body"] == first["body"]


@pytest.mark.slow
def test_the_sibling_and_the_parent_are_one_step_away(show):
    page = show("execute_tool weather", hook="tool_call")
    before = page.url
    page.get_by_role("button", name=re.compile("next", re.IGNORECASE)).or_(
        page.get_by_role("link", name=re.compile("next", re.IGNORECASE))
    ).last.click()
    page.wait_for_url(lambda url: url != before)


@pytest.mark.slow
def test_what_was_lost_is_said_in_a_sentence(oddities, visit):
    from stories import STATES

    events = oddities.get(f"/events?trace_id={STATES}&kind=tool&status=lost&limit=1")["items"]
    page = visit(oddities, f"/traces/{STATES}?span={events[0]['span_id']}")
    expect(page.locator("#main")).to_contain_text(re.compile("process (went away|ended|is gone)", re.IGNORECASE))


@pytest.mark.slow
def test_a_value_of_a_call_leads_to_the_spans_that_have_it_too(story, visit):
    page = visit(story, f"/traces/{TRACE}?span={span_of(TRACE, 4).span_id}")
    detail_of(page).get_by_role("treeitem").filter(has_text="a.txt").hover()
    detail_of(page).get_by_role("link", name="Spans with this argument").click()
    grid = page.get_by_role("grid", name="Spans")
    expect(grid.get_by_role("row")).to_have_count(2)
    expect(grid).to_contain_text("read_file")
    expect(page.get_by_role("button", name="Change argument: path=a.txt")).to_be_visible()


@pytest.fixture(scope="module")
def refused(homes: Path, serving):
    """A call whose argument was refused, in a run without a model; the tool was listed in an earlier run."""
    listed = {"name": "book_hotel", "inputSchema": {"type": "object", "required": ["nights"], "properties": {}}}
    listed["inputSchema"]["properties"] = {
        "hotel": {"type": "string", "description": "Its name"},
        "nights": {"type": "integer", "description": "How many"},
    }
    answer = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [listed]}})
    key = semconv.SEED_RPC_RESPONSE
    earlier = span_of(f"{1:032x}", 1, "rpc", name="tools/list", run="earlier", attributes={key: answer}, output_key=key)
    message = "1 validation error for book_hotelArguments\nnights\n  Input should be a valid integer [type=int_parsing]"
    failed = tool_call(
        f"{2:032x}",
        1,
        "book_hotel",
        {"hotel": "Zoo", "nights": "two"},
        run="later",
        status="error",
        error=SpanError("tool_error", message),
        start_ms=MINUTE,
    )
    home = homes / "refused"
    fill(home, [earlier, failed])
    with serving(home) as server:
        yield server


@pytest.mark.slow
def test_a_refused_argument_is_marked_in_the_schema_that_an_earlier_run_saw(refused, visit):
    page = visit(refused, "/runs/later", viewport={"width": 1280, "height": 1400})
    detail = page.get_by_role("region", name="Span", exact=True)
    section = detail.get_by_role("region", name="Refused argument")
    expect(section).to_contain_text("nights")
    expect(section).to_contain_text("Input should be a valid integer")
    expect(section).to_contain_text("declared as integer, required: How many")
    schema = detail.get_by_role("region", name="As its server listed it")
    expect(schema.get_by_role("row").filter(has_text="nights")).to_contain_text("refused")
    expect(schema.get_by_role("row").filter(has_text="hotel")).not_to_contain_text("refused")
    schema.get_by_role("link", name="tools/list").click()
    expect(page.get_by_role("heading", name="tools/list").first).to_be_visible()


@pytest.mark.slow
def test_a_refused_argument_is_marked_in_the_schema_that_a_model_was_offered_earlier(homes: Path, serving, visit):
    schema = {"type": "object", "properties": {"nights": {"type": "integer", "description": "How many"}}}
    offered = [{"type": "function", "function": {"name": "book_hotel", "parameters": schema}}]
    attributes = {semconv.TOOL_DEFINITIONS: json.dumps(offered)}
    call = {"type": "tool_call", "id": "call-1", "name": "book_hotel", "arguments": {"nights": 2}}
    asked, answer = message("user", "Two nights, please"), message("assistant", "", call)
    earlier = model_call(f"{1:032x}", 1, [asked], answer, run="earlier", attributes=attributes)
    error = SpanError("tool_error", "1 validation error for book_hotel\nnights\n  Input should be a valid integer")
    given = {"hotel": "Zoo", "nights": "two"}
    fields = {"run": "later", "status": "error", "error": error, "start_ms": MINUTE}
    home = homes / "offered-earlier"
    fill(home, [earlier, tool_call(f"{2:032x}", 1, "book_hotel", given, **fields)])
    with serving(home) as server:
        page = visit(server, "/runs/later", viewport={"width": 1280, "height": 1400})
        schema = page.get_by_role("region", name="As it was offered to the model")
        expect(schema.get_by_role("row").filter(has_text="nights")).to_contain_text("refused")
        expect(schema.get_by_role("link", name="chat gpt-4.1")).to_be_visible()
