import asyncio
import json

import jsonschema
import pytest
from sent import request_of, span_of
from starlette.testclient import TestClient

import inspector
from inspector import nouns
from inspector.api import create_app
from inspector.api.contract import contract_json
from instrument import HOOKS, _emit, _emit_sync

REQUIRED = {noun.name: noun.required for noun in nouns.NOUNS.values() if noun.hooks}
BASE = "http://127.0.0.1:7800"
CONTRACT = json.loads(contract_json())
EVENT_PAGE = {"$ref": "#/components/schemas/EventPage", "components": CONTRACT["components"]}
CONTENT = {
    "workflow_run": {"mcp.workflow.output_json"},
    "agent_call": {"mcp.result.agent_call_json"},
    "llm_generate": {
        *("mcp.llm.prompt_json", "mcp.llm.response_json", "gen_ai.input.messages", "gen_ai.output.messages"),
        *("gen_ai.request.model", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
    },
    "tool_call": {
        *("gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "mcp.tool.input_json", "mcp.tool.output_json"),
    },
    "rpc_request": {"mcp.rpc.request_json", "mcp.rpc.response_json", "jsonrpc.request.id", "mcp.rpc.transport"},
    "resource_fetch": {"inspector.resource.content_json", "mcp.resource.uri"},
    "prompt_apply": {"mcp.prompt.parameters_json", "inspector.prompt.rendered_json"},
}
"""What a call of each noun that succeeded has beside what is required of it, when content is recorded."""
VALUES = {
    "workflow": "trip",
    "agent": "planner",
    "llm": "gpt-x",
    "prompt": [{"role": "user", "content": "Where to?"}],
    "response": "Lisbon",
    "usage": {"input_tokens": 12, "output_tokens": 3},
    "tool_name": "clock",
    "args": {"zone": "WET"},
    "result": "noon",
    "context": None,
    "transport": "stdio",
    "duration_ms": 1.5,
    "uri": "file:///leaflet",
    "content": "a leaflet",
    "mime_type": "text/plain",
    "template_id": "brief",
    "parameters": {"city": "Lisbon"},
    "rendered": "Go to Lisbon",
    "session_id": "trip-1",
    "reason": "a question",
    "progress": 1,
    "total": 2,
    "message": "half",
}
REQUEST = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {}}
RESPONSE = {"jsonrpc": "2.0", "id": 7, "result": {"tools": []}}
NOUNS = sorted({hook.noun for hook in HOOKS.values() if hook.phase == "before"})


def values_of(hook):
    envelope = RESPONSE if hook.name == "after_rpc_response" else REQUEST
    return {key: {**VALUES, "envelope": envelope, "exc": ValueError("no")}[key] for key in hook.keywords}


def hooks_of(noun):
    return {hook.phase: hook for hook in HOOKS.values() if hook.noun == noun}


async def emit_every_hook():
    """Each noun once with each way to end: answered, failed, left without a word."""
    for noun in NOUNS:
        trio = hooks_of(noun)
        for phase in ("after", "error"):
            await _emit(trio["before"].name, **values_of(trio["before"]))
            await _emit(trio[phase].name, **values_of(trio[phase]))
    for hook in HOOKS.values():
        if hook.phase == "notice":
            await _emit(hook.name, **values_of(hook))
    for noun in NOUNS:
        before = hooks_of(noun)["before"]
        await _emit(before.name, **values_of(before))


@pytest.fixture
def client(owner, settings):
    app = create_app(owner.store, settings=settings, owner=owner)
    headers = {"Authorization": f"Bearer {settings.token.get_secret_value()}"}
    with TestClient(app, base_url=BASE, headers=headers) as made:
        yield made


@pytest.fixture
def events_from(owner, settings, client):
    """Record what a function emits, take it in, and return the events that a server over it answers with, in full."""

    def events_from(emit, **options):
        inspector.attach(home=settings.home, integrations=False, **options)
        try:
            emit()
        finally:
            inspector.detach()
        owner.ingest_spools()
        return events_of(client)

    return events_from


def events_of(client):
    page = client.get("/events", params={"full": "true", "limit": 1000, "order": "asc"})
    jsonschema.Draft202012Validator(EVENT_PAGE).validate(page.json())
    return page.json()["items"]


@pytest.mark.parametrize("content", [True, False])
def test_every_hook_makes_an_event_with_the_attributes_that_it_requires(events_from, content):
    events = events_from(lambda: asyncio.run(emit_every_hook()), capture_content=content)
    for noun in NOUNS:
        its = [event for event in events if event["hook"] == noun]
        assert [event["status"] for event in its] == ["ok", "error", "abandoned"], noun
        for event in its:
            assert event["attributes"].keys() >= REQUIRED[noun] | {"inspector.hook"}
        answered, failed, _ = its
        assert (CONTENT[noun] <= answered["attributes"].keys()) is content
        assert failed["attributes"]["error.type"] == failed["error"]["type"] == "ValueError"


def test_hooks_of_plain_functions_make_the_same_events(events_from):
    def emit():
        for noun in NOUNS:
            for phase in ("before", "after"):
                hook = hooks_of(noun)[phase]
                _emit_sync(hook.name, **values_of(hook))

    events = events_from(emit)
    assert sorted(event["hook"] for event in events) == NOUNS
    for event in events:
        assert event["attributes"].keys() >= REQUIRED[event["hook"]] | CONTENT[event["hook"]]


@pytest.mark.parametrize("noun", NOUNS)
def test_the_schema_refuses_an_event_without_an_attribute_of_its_hook(events_from, noun):
    def emit():
        for phase in ("before", "after"):
            hook = hooks_of(noun)[phase]
            _emit_sync(hook.name, **values_of(hook))

    [event] = events_from(emit)
    validator = jsonschema.Draft202012Validator(
        {"$ref": "#/components/schemas/FullEvent", "components": CONTRACT["components"]}
    )
    for key in REQUIRED[noun]:
        without = {name: value for name, value in event["attributes"].items() if name != key}
        assert not validator.is_valid({**event, "attributes": without}), key
        assert validator.is_valid({**event, "attributes": without, "clipped": {f"attributes.{key}": 99}}), key


def test_a_sender_cannot_claim_a_hook_without_its_attributes(client, owner):
    claims = [*NOUNS, "my_own"]
    request = request_of(*(span_of(at, {"inspector.hook": noun}) for at, noun in enumerate(claims, 1)))
    assert client.post("/v1/traces", json=request).json() == {}
    assert sorted(event["hook"] or "" for event in events_of(client)) == [*[""] * len(NOUNS), "my_own"]
