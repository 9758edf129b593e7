"""The example of the project managers, as decorators and as cards: it says, does and records the same."""

import json
import runpy
from pathlib import Path

import pytest

import inspector
from instrument.testing import capture
from toolkit.declare import FastAgent
from toolkit.node import ToolNode
from toolkit.tools.shell import ShellTool

EXAMPLES = Path(__file__).parents[3] / "examples"
AUDIT = {"type": "text", "text": "[audit]"}
PAGE = "Two model makers announce a developer day."


def decorated():
    return runpy.run_path(str(EXAMPLES / "pmo" / "agents_as_tools_extended.py"))["fast"]


def cards():
    fast = FastAgent("cards")
    fast.load_agents(EXAMPLES / "pmo_cards")
    return fast


async def report(fast):
    async with fast.run() as agent:
        return await agent("Run PMO report and add 1 to 3")


def calls(hooks):
    begun = {values["call_id"]: values for name, values in hooks if name == "before_tool_call"}
    for name, values in hooks:
        if name == "after_tool_call":
            before = begun.pop(values["call_id"])
            source = (before["context"].tool_source, before["context"].server_name)
            content = [each["text"] for each in values["result"].snapshot()["content"]]
            who = (before["context"].agent_name, before["tool_name"], *source)
            yield who, before["args"], content, values.get("middleware")
    assert not begun


def in_any_order(found):
    return sorted(json.dumps(each, sort_keys=True) for each in found)


def middleware(answer, **changes):
    """What `audit_hook` did to a result that was one piece of content."""
    kind = {"type": "text", "text": str(answer)}
    structured = {} if isinstance(answer, str) else {"structured": answer}
    before = {"content": [kind], "is_error": False, **structured}
    result = {"before": before, "after": {**before, "content": [kind, AUDIT]}}
    return [{"name": "audit_hook", "did": "changed", **changes, "result": result}]


def audited(tool, source, arguments, answer, **changes):
    who = ("PMO-orchestrator", tool, *source)
    return who, arguments, [str(answer), "[audit]"], middleware(answer, **changes)


def plain(agent, tool, server, args, answer):
    return (agent, tool, "mcp", server), args, [answer], None


def managed(agent, message, zone, time, page, answer):
    """A child as a tool, and what it calls itself, without the middleware of the agent above it."""
    child = agent.partition("-")[0]
    url = f"https://news.example/{'new-york' if child == 'NY' else 'london'}"
    yield audited(f"agent__{agent}", ("agent", "agent"), {"message": message}, f"{message}: {time} in {zone}; {page}")
    yield plain(agent, "time__get_time", "time", {"timezone": zone}, f"{time} in {zone}")
    yield plain(agent, "fetch__fetch", "fetch", {"url": url}, answer)


EXPECTED = [
    audited("time__get_time", ("mcp", "time"), {"timezone": "UTC"}, "14:30 in UTC"),
    *(
        call
        for topic in ("Anthropic", "evalstate/fast-agent", "OpenAI")
        for call in managed("NY-Project-Manager", topic, "America/New_York", "09:30", PAGE, PAGE)
    ),
    *managed(
        "London-Project-Manager",
        "economics review",
        "Europe/London",
        "14:30",
        "Rates stay where they are.",
        "Rates stay where they are.",
    ),
    audited("add_one", ("function", None), {"x": 3}, 4),
    audited("add_one", ("function", None), {"x": 41}, 11, args={"before": {"x": 41}, "after": {"x": 10}}),
]

CHILD = ["chat gpt-5-mini", "execute_tool get_time", "execute_tool fetch", "chat gpt-5-mini"]

# A request of the Model Context Protocol is told on the span of the tool that it calls.
TREE = [
    "initialize",
    "initialize",
    "tools/list",
    "tools/list",
    "invoke_agent PMO-orchestrator",
    "  chat gpt-5-mini",
    "  execute_tool get_time",
    *(
        line
        for child in ["NY-Project-Manager"] * 3 + ["London-Project-Manager"]
        for line in [f"  execute_tool {child}", f"    invoke_agent {child}", *(f"      {each}" for each in CHILD)]
    ),
    "  execute_tool add_one",
    "  chat gpt-5-mini",
    "  execute_tool add_one",
    "  chat gpt-5-mini",
]


@pytest.mark.parametrize("path", ["pmo/agents_as_tools_extended.py", "pmo_cards/hooks.py"])
def test_the_hook_of_the_example_blocks_the_shell(run, path):
    hook = runpy.run_path(str(EXAMPLES / path))["audit_hook"]
    node = ToolNode([ShellTool(allow=["echo"])], tool_hooks=[hook])
    [result] = run(node.invoke([{"name": "shell.execute", "arguments": {"argv": ["echo", "hello"]}}]))
    assert (result.is_error, result.text) == (True, "blocked")


@pytest.mark.sweep(1)
@pytest.mark.parametrize("declared", [decorated, cards])
def test_the_report_is_made_with_audited_tools_and_recorded_whole(run, tree, tmp_path, declared):
    inspector.attach(service="pmo", home=tmp_path, integrations=False)
    try:
        with capture() as hooks:
            answer = run(report(declared()))
    finally:
        inspector.detach()

    assert answer == (
        "Three projects are on track in New York, London sees steady rates, 3 + 1 = 4, and 41 + 1 = 11\n[audit]"
    )
    assert in_any_order(calls(hooks)) == in_any_order(EXPECTED)
    assert tree(tmp_path, "pmo") == TREE


def test_both_declarations_say_the_same_of_each_agent():
    def said(fast):
        return {
            each.name: (each.instruction.replace("\n", " "), each.servers, each.tools, each.agents, each.default)
            for each in fast.configs
        }

    assert said(decorated()) == said(cards())
