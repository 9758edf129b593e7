import json

import pytest

FAILED = "told: An error occurred while running the tool. Please try again."
FAILED_BY_NAME = "told: Error executing tool 'book' with arguments {'city': 'Oslo', 'seats': 4}: "
FAILED_IN_HAYSTACK = "told: Failed to invoke Tool `book` with parameters {'city': 'Oslo', 'seats': 4}. Error: "
FRAMEWORKS = {
    "ag2": {
        "denied": "told: Traceback (most recent call last):",
        "raised": "told: Traceback (most recent call last):",
        "within": ("ag2",),
    },
    "agent_framework": {
        "denied": "told: Error: Function failed.",
        "raised": "told: Error: Function failed.",
        "within": ("current",),
    },
    "agno": {
        "denied": "told: groups are booked by phone",
        "raised": "told: planned",
        "within": ("agno",),
    },
    "anthropic": {
        "denied": "told: ",
        "raised": "told: ",
        "within": ("current",),
    },
    "autogen": {
        "denied": "told: groups are booked by phone",
        "raised": "told: planned",
        "within": ("autogen",),
    },
    "crewai": {
        "denied": "told: Error executing tool: groups are booked by phone",
        "raised": "told: Error executing tool: planned",
        "within": ("crewai",),
    },
    "dspy": {
        "denied": "told: instrument.control.Denied: groups are booked by phone",
        "raised": "told: OSError: planned",
        "within": ("dspy",),
    },
    "fast_agent": {
        "denied": "told: Error: groups are booked by phone",
        "raised": "told: Error: planned",
        "within": ("fast-agent",),
    },
    "google_adk": {
        "denied": "Denied: groups are booked by phone",
        "raised": "OSError: planned",
        "within": ("earlier",),
    },
    "haystack": {
        "denied": f"{FAILED_IN_HAYSTACK}groups are booked by phone",
        "raised": f"{FAILED_IN_HAYSTACK}planned",
        "within": ("haystack",),
    },
    "langchain": {
        "denied": "Denied: groups are booked by phone",
        "raised": "OSError: planned",
        "within": ("current",),
    },
    "llama_index": {
        "denied": "told: groups are booked by phone",
        "raised": "told: planned",
        "within": ("llama-index",),
    },
    "mcp_agent": {
        "denied": "told: Error executing tool 'book': groups are booked by phone",
        "raised": "told: Error executing tool 'book': planned",
        "within": ("mcp-agent",),
    },
    "openai_agents": {
        "denied": FAILED,
        "raised": FAILED,
        "within": ("current", "oldest-agents"),
    },
    "pydantic_ai": {
        "denied": "Denied: groups are booked by phone",
        "raised": "OSError: planned",
        "within": ("current", "oldest-agents"),
    },
    "semantic_kernel": {
        "denied": "told: An error occurred while invoking the function book: groups are booked by phone",
        "raised": "told: An error occurred while invoking the function book: planned",
        "within": ("semantic-kernel",),
    },
    "smolagents": {
        "denied": f"{FAILED_BY_NAME}Denied: groups are booked by phone",
        "raised": f"{FAILED_BY_NAME}OSError: planned",
        "within": ("smolagents",),
    },
    "strands": {
        "denied": "told: Error: Denied - groups are booked by phone",
        "raised": "told: Error: OSError - planned",
        "within": ("strands",),
    },
}
"""What becomes of a failure of a tool's, as it begins: the framework's own way, whoever it comes from."""


# Of the same frameworks for every test: each is run once for all of them.
pytestmark = pytest.mark.sweep(1)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((name, within), id=f"{name}-{within}", marks=[] if within == "current" else [pytest.mark.slow])
        for name, each in FRAMEWORKS.items()
        for within in each["within"]
    ],
)
def controlled(request, run):
    name, within = request.param
    return name, run("controlled_tools.py", name, within=within)


def test_the_body_runs_as_the_controller_decides(controlled):
    name, recorded = controlled
    done = recorded.ledger
    assert {way: each["booked"] for way, each in done.items()} == {
        "passed": [["Oslo", 4]],
        "changed": [["Oslo", 2]],
        "answered": [],
        "denied": [],
        "raised": [],
    }
    assert all(each["asked"] == [["book", {"city": "Oslo", "seats": 4}, name]] for each in done.values())
    # Frameworks log what tools raise.
    assert "/inspector/integrations/" not in recorded.stderr


def test_what_comes_of_it_goes_the_way_of_what_a_tool_gives_or_raises(controlled):
    name, recorded = controlled
    done = recorded.ledger
    assert [done[way]["out"] for way in ("passed", "changed", "answered")] == [
        "told: 4 seats in Oslo",
        "told: 2 seats in Oslo",
        "told: planned",
    ]
    for way in ("denied", "raised"):
        assert done[way]["out"].startswith(FRAMEWORKS[name][way])


def test_what_the_controller_did_is_recorded_with_the_call(controlled):
    _, recorded = controlled
    tools = [event for event in recorded.events if event.name == "execute_tool book"]
    held = [json.loads(bytes(event.attributes)) for event in tools]
    did = [json.loads(each["inspector.controlled_json"]) for each in held]
    assert [(event.status, each["did"]) for event, each in zip(tools, did, strict=True)] == [
        ("ok", "passed"),
        ("ok", "changed"),
        ("ok", "answered"),
        ("denied", "denied"),
        ("error", "raised"),
    ]
    assert did[1]["args"]["after"] == {"city": "Oslo", "seats": 2}
    assert did[1]["by"] == "ada"
    assert did[3]["reason"] == "groups are booked by phone"
