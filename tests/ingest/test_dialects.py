from pathlib import Path

import pytest

from inspector.model import SpanError
from inspector.nouns import NOUNS
from inspector.otlp import decode
from inspector.reading.dialects import read_span

REQUIRED = {noun.name: noun.required for noun in NOUNS.values()}


@pytest.fixture
def read(make_span, make_request):
    def read(attributes, /, *, process=None, resource=None, **fields):
        [decoded] = decode(make_request(make_span(attributes, **fields), process=process, **(resource or {}))).spans
        return read_span(decoded)

    return read


@pytest.mark.parametrize(
    ("noun", "kind"),
    [
        ("workflow_run", "workflow"),
        ("agent_call", "agent"),
        ("llm_generate", "llm"),
        ("tool_call", "tool"),
        ("rpc_request", "rpc"),
        ("resource_fetch", "resource"),
        ("prompt_apply", "prompt"),
        ("something_new", "other"),
    ],
)
def test_the_noun_of_a_hook_is_the_kind(read, noun, kind):
    required = dict.fromkeys(REQUIRED.get(noun, ()), "x")
    span = read({"inspector.hook": noun, "gen_ai.operation.name": "chat"} | required)
    assert (span.kind, span.hook, span.dialect) == (kind, noun, "inspector/1")


@pytest.mark.parametrize(("noun", "key"), [(noun, key) for noun, keys in REQUIRED.items() for key in sorted(keys)])
def test_a_span_that_lacks_what_its_hook_always_writes_is_of_no_hook(read, noun, key):
    attributes = dict.fromkeys(REQUIRED[noun], "x") | {"inspector.hook": noun}
    assert read(attributes).hook == noun
    del attributes[key]
    assert (read(attributes).hook, read(attributes).kind) == (None, NOUNS[noun].kind)


@pytest.mark.parametrize(
    ("attributes", "otlp_kind", "kind"),
    [
        ({"gen_ai.operation.name": "chat"}, 3, "llm"),
        ({"gen_ai.operation.name": "text_completion"}, 3, "llm"),
        ({"gen_ai.operation.name": "generate_content"}, 3, "llm"),
        ({"gen_ai.operation.name": "embeddings"}, 3, "llm"),
        ({"gen_ai.operation.name": "execute_tool"}, 1, "tool"),
        ({"gen_ai.operation.name": "invoke_agent"}, 1, "agent"),
        ({"gen_ai.operation.name": "create_agent"}, 3, "other"),
        ({"gen_ai.operation.name": "invoke_workflow"}, 1, "workflow"),
        ({"gen_ai.operation.name": "plan"}, 1, "other"),
        ({"gen_ai.system": "openai"}, 3, "llm"),
        ({"mcp.method.name": "tools/list"}, 3, "rpc"),
        ({"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool"}, 2, "rpc"),
        ({"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool"}, 1, "tool"),
        ({"mcp.method.name": "resources/read"}, 3, "resource"),
        ({"mcp.method.name": "prompts/get"}, 2, "prompt"),
    ],
)
def test_the_conventions_operation_or_method_is_the_kind(read, attributes, otlp_kind, kind):
    span = read(attributes, kind=otlp_kind)
    assert (span.kind, span.dialect) == (kind, "gen_ai/2" if "gen_ai.system" not in attributes else "gen_ai/1")


def test_any_other_span_is_kept_as_it_is(read):
    span = read({"http.request.method": "GET"}, name="GET /", kind=2)
    assert (span.kind, span.dialect, span.name) == ("other", "otel", "GET /")
    assert span.attributes == {
        "http.request.method": "GET",
        "span.kind": "server",
        "otel.scope.name": "mcp-agent-inspector",
        "otel.scope.version": "0.1.0",
    }


def test_a_call_of_the_recorder_is_read_whole(read):
    span = read(
        {
            "inspector.hook": "llm_generate",
            "session.id": "s-1",
            "gen_ai.conversation.id": "c-1",
            "gen_ai.agent.name": "planner",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "gpt-4o",
            "gen_ai.response.model": "gpt-4o-2024-08-06",
            "gen_ai.input.messages": "[]",
            "mcp.llm.prompt_json": "{}",
            "mcp.llm.response_json": "{}",
            "gen_ai.usage.input_tokens": 1000,
            "gen_ai.usage.output_tokens": 100,
            "gen_ai.usage.cache_read.input_tokens": 500,
        },
        process="20261122T100000-1-00000000",
        parentSpanId="ef" * 8,
    )
    assert (span.session_id, span.service, span.agent, span.model) == ("s-1", "agent", "planner", "gpt-4o-2024-08-06")
    assert (span.input_tokens, span.output_tokens, span.cached_tokens) == (1000, 100, 500)
    assert span.cost_usd == pytest.approx(500 * 2.5e-6 + 500 * 1.25e-6 + 100 * 10e-6)
    assert (span.input_key, span.output_key) == ("gen_ai.input.messages", "mcp.llm.response_json")
    assert (span.process, span.parent_id, span.status) == ("20261122T100000-1-00000000", "ef" * 8, "ok")


def test_a_collectors_spans_are_read_by_the_conventions():
    chat, tool = map(read_span, decode((Path(__file__).parent / "collector.jsonl").read_bytes()).spans)
    assert (chat.kind, chat.service, chat.session_id, chat.model) == (
        "llm",
        "weather-bot",
        "conv-7",
        "gpt-4o-2024-08-06",
    )
    assert (chat.input_tokens, chat.output_tokens, chat.process) == (97, 17, None)
    assert chat.cost_usd == pytest.approx(97 * 2.5e-6 + 17 * 10e-6)
    assert chat.input_key == "gen_ai.input.messages"
    assert chat.attributes["gen_ai.input.messages"] == (
        '[{"role":"user","parts":[{"type":"text","content":"Weather in Paris?"}]}]'
    )
    assert chat.attributes["host.name"] == "laptop"
    assert (tool.kind, tool.tool, tool.status) == ("tool", "get_weather", "error")
    assert tool.error == SpanError("TimeoutError", "no answer after 200 ms", "Traceback (most recent call last):\n  …")


@pytest.mark.parametrize(
    ("fields", "attributes", "status"),
    [
        ({}, {}, "ok"),
        ({"status": {"code": 1}}, {}, "ok"),
        ({"status": {"code": 2}}, {}, "error"),
        ({"endTimeUnixNano": None}, {}, "running"),
        ({"endTimeUnixNano": "0"}, {}, "running"),
        ({"status": {"code": 2}}, {"inspector.status": "cancelled"}, "cancelled"),
        ({}, {"inspector.status": "denied"}, "denied"),
        ({}, {"inspector.status": "abandoned"}, "abandoned"),
        ({}, {"inspector.status": "error"}, "error"),
        # Sent so by another inspector's forwarding, which saw the process end.
        ({"status": {"code": 2}}, {"inspector.status": "lost"}, "lost"),
        ({}, {"inspector.status": 5}, "ok"),
    ],
)
def test_how_a_span_stands(read, fields, attributes, status):
    assert read(attributes, **fields).status == status


def test_the_exception_of_a_model_call_has_an_event_name_of_its_own(read, otlp_attributes):
    exception = {"exception.type": "RateLimit", "exception.message": "slow down", "exception.stacktrace": "at 1"}
    event = {"name": "gen_ai.client.operation.exception", "attributes": otlp_attributes(exception)}
    failed = {"code": 2, "message": "status text"}
    assert read({}, status=failed, events=[event]).error == SpanError("RateLimit", "slow down", "at 1")
    assert read({}, events=[event]).error is None


def test_an_error_says_what_is_known(read, otlp_attributes):
    exceptions = [
        {
            "name": "exception",
            "attributes": otlp_attributes({"exception.type": "First", "exception.message": "retried"}),
        },
        {
            "name": "exception",
            "attributes": otlp_attributes({"exception.type": "Last", "exception.message": "gave up"}),
        },
        {"name": "other"},
    ]
    failed = {"code": 2, "message": "status text"}
    assert read({}, status=failed, events=exceptions).error == SpanError("Last", "gave up")
    assert read({"error.type": "timeout"}, status=failed).error == SpanError("timeout", "status text")
    assert read({"mcp.error.message": "seed"}, status={"code": 2}).error == SpanError(None, "seed")
    assert read({}, status={"code": 2}).error == SpanError(None, None)
    assert read({}, events=exceptions).error is None
    assert read({"inspector.status": "cancelled"}).error is None
    denied = {"inspector.status": "denied", "error.type": "Denied"}
    assert read(denied, events=exceptions).error == SpanError("Denied", "gave up")


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"gen_ai.usage.prompt_tokens": 7, "gen_ai.usage.completion_tokens": 3}, (7, 3, 0)),
        ({"gen_ai.usage.input_tokens": 10, "gen_ai.usage.cache_read.input_tokens": 10}, (10, None, 10)),
        ({"gen_ai.usage.input_tokens": 10, "gen_ai.usage.cache_read_input_tokens": 90}, (100, None, 90)),
        ({"gen_ai.usage.input_tokens": 1, "gen_ai.usage.cache_creation.input_tokens": 5}, (6, None, 0)),
        ({"gen_ai.usage.input_tokens": "12", "gen_ai.usage.output_tokens": 3.0}, (12, 3, 0)),
        ({"gen_ai.usage.input_tokens": -5, "gen_ai.usage.output_tokens": True}, (None, None, None)),
        (
            {"gen_ai.usage.input_tokens": 2**63 - 1, "gen_ai.usage.cache_read.input_tokens": 2**63 - 1},
            (2**63 - 1, None, 2**63 - 1),
        ),
        ({"gen_ai.usage.input_tokens": "9" * 20}, (2**63 - 1, None, 0)),
        ({"gen_ai.usage.output_tokens": 9}, (None, 9, 0)),
        ({"gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 0}, (9, 0, 0)),
        ({}, (None, None, None)),
    ],
)
def test_tokens_are_counted_once_in_every_spelling(read, usage, counts):
    span = read({"gen_ai.operation.name": "chat", **usage})
    assert (span.input_tokens, span.output_tokens, span.cached_tokens) == counts


def test_the_tokens_of_an_agent_are_those_of_its_calls(read):
    span = read(
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 9, "gen_ai.request.model": "gpt-4o"}
    )
    assert (span.input_tokens, span.cost_usd) == (None, None)
    assert span.attributes["gen_ai.usage.input_tokens"] == 9


def test_a_price_in_the_span_wins_over_the_list(read):
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000}
    assert read(chat).cost_usd == pytest.approx(0.0025)
    assert read({**chat, "gen_ai.usage.cost": 0.5}).cost_usd == 0.5
    assert read({**chat, "operation.cost": -1.0}).cost_usd == pytest.approx(0.0025)
    assert read({**chat, "gen_ai.usage.cost": True}).cost_usd == pytest.approx(0.0025)


def test_attributes_of_the_resource_yield_to_the_spans(read):
    span = read(
        {"inspector.hook": "tool_call", "host.name": "mine"},
        resource={"host.name": "theirs", "process.pid": 12, "process.command_args": ["a"], "os.type": "linux"},
    )
    assert span.attributes == {"inspector.hook": "tool_call", "host.name": "mine", "process.pid": 12}


def test_odd_attribute_types_are_no_names(read):
    span = read(
        {"session.id": ["a"], "gen_ai.conversation.id": 7, "gen_ai.tool.name": {"a": 1}, "gen_ai.agent.name": ""}
    )
    assert (span.session_id, span.tool, span.agent) == ("7", None, None)
