import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from inspector.otlp import decode
from inspector.reading.dialects import DIALECTS, read_span
from inspector.semconv import NORMALISED, UNPRICED

EXPORTS = sorted((Path(__file__).parents[1] / "exports").glob("*.jsonl"))
NOTED = {"span.kind", "otel.scope.name", "otel.scope.version", "telemetry.sdk.language", NORMALISED, UNPRICED}
BROKEN = ["{", "[{", '{"messages": [', "[[[[", '"', "nul", "[1,,2]", '{"a":}', "\ufeff[]", "[" * 2000, "{}x", "'[]'"]


@pytest.fixture
def read(make_span, make_request):
    def read(attributes, /, *, scope_name="somebody", **fields):
        request = make_request(make_span(attributes, **fields), process=None)
        request = request.replace(b'"mcp-agent-inspector"', json.dumps(scope_name).encode())
        [decoded] = decode(request).spans
        return read_span(decoded)

    return read


def test_a_dialect_has_one_name_and_a_version():
    names = [name for each in DIALECTS for name in {each.name, *(name for _, name in each.versions)}]
    assert len(names) == len(set(names))
    assert [name for name in names if "/" not in name] == ["otel"]


@pytest.mark.parametrize("export", EXPORTS, ids=lambda path: path.stem)
def test_every_attribute_stays_as_it_came(export):
    for sent, decoded in zip(decode(export.read_bytes()).spans, decode(export.read_bytes()).spans, strict=True):
        span = read_span(decoded)
        added = set(span.attributes.get(NORMALISED, ()))
        kept = {key: value for key, value in span.attributes.items() if key not in added | NOTED}
        assert kept == {key: value for key, value in sent.attributes.items() if key not in NOTED}
        assert not added & sent.attributes.keys()
        assert (list(span.events), list(span.links)) == (list(sent.events), list(sent.links))


@pytest.mark.parametrize("export", EXPORTS, ids=lambda path: path.stem)
def test_an_export_names_its_packages_and_no_place(export):
    text = export.read_text()
    assert '"exported.with"' in text
    assert not [
        place for place in ("/home/", "/root", "/tmp/", "/work/", "sk-") if place in text.replace("/home/user", "")
    ]


@pytest.mark.parametrize(
    ("attributes", "scope", "dialect"),
    [
        (
            {"openinference.span.kind": "LLM", "gen_ai.operation.name": "chat", "logfire.msg": "x"},
            "logfire",
            "openinference/1",
        ),
        ({"traceloop.span.kind": "tool", "gen_ai.operation.name": "chat"}, "opentelemetry.x", "openllmetry/2"),
        ({"logfire.msg": "x", "gen_ai.operation.name": "chat"}, "pydantic-ai", "logfire/2"),
        ({"gen_ai.operation.name": "chat"}, "pydantic-ai", "logfire/2"),
        ({"logfire.msg": "x", "mcp.method.name": "ping"}, "mcp-python-sdk", "mcp_sdk/2"),
        ({"gen_ai.system": "x", "gen_ai.provider.name": "x"}, "x", "gen_ai/2"),
        ({"inspector.hook": "tool_call", "openinference.span.kind": "LLM"}, "x", "inspector/1"),
        ({"mcp.tool.name": "x"}, "x", "hooks/1"),
        ({"http.route": "/"}, "openinference.instrumentation.x", "openinference/1"),
        ({"http.route": "/"}, "x", "otel"),
    ],
)
def test_a_span_of_two_vocabularies_is_named_after_the_more_specific(read, attributes, scope, dialect):
    assert read(attributes, scope_name=scope).dialect == dialect


def test_what_one_vocabulary_does_not_say_is_taken_from_the_conventions(read):
    span = read(
        {
            "openinference.span.kind": "LLM",
            "llm.token_count.prompt": 7,
            "gen_ai.usage.input_tokens": 99,
            "gen_ai.usage.output_tokens": 3,
            "gen_ai.request.model": "gpt-4o",
            "gen_ai.conversation.id": "c",
        }
    )
    assert (span.input_tokens, span.output_tokens, span.model, span.session_id) == (7, 3, "gpt-4o", "c")


@pytest.mark.parametrize(
    ("attributes", "kind", "input_key"),
    [
        (
            {"mcp.llm.prompt_json": '[{"role":"user","content":"hi"}]', "mcp.llm.model": "gpt-4o"},
            "llm",
            "gen_ai.input.messages",
        ),
        ({"mcp.tool.name": "search", "mcp.tool.input_json": "{}"}, "tool", "mcp.tool.input_json"),
        ({"mcp.agent.name": "planner"}, "agent", None),
        ({"mcp.workflow.type": "router", "mcp.workflow.input_json": "1"}, "workflow", "mcp.workflow.input_json"),
        ({"mcp.rpc.method": "tools/list", "mcp.rpc.request_json": "{}"}, "rpc", "mcp.rpc.request_json"),
        ({"mcp.rpc.method": "prompts/get", "mcp.prompt.parameters_json": "{}"}, "prompt", "mcp.prompt.parameters_json"),
    ],
)
def test_the_hook_contracts_names_are_read_without_a_hook(read, attributes, kind, input_key):
    span = read(attributes)
    assert (span.dialect, span.kind, span.input_key) == ("hooks/1", kind, input_key)


@pytest.mark.parametrize(
    ("attributes", "status", "error_type"),
    [
        ({"mcp.method.name": "tools/call", "error.type": "tool_error"}, "error", "tool_error"),
        ({"mcp.method.name": "tools/call", "result.isError": True}, "error", "tool_error"),
        ({"mcp.method.name": "tools/call", "result.isError": False}, "ok", None),
        ({"mcp.tool.name": "x", "mcp.status.code": "error"}, "error", None),
        ({"gen_ai.operation.name": "chat", "error.type": ""}, "ok", None),
        ({"http.route": "/", "error.type": "500"}, "ok", None),
    ],
)
def test_a_failure_that_the_status_does_not_tell_is_one(read, attributes, status, error_type):
    span = read(attributes, kind=3)
    assert (span.status, span.error and span.error.type) == (status, error_type)


@pytest.mark.parametrize(
    ("operation", "sought", "found"),
    [
        ("retrieval", "gen_ai.retrieval.query.text", "gen_ai.retrieval.documents"),
        ("search_memory", "gen_ai.memory.query.text", "gen_ai.memory.records"),
    ],
)
def test_what_a_retrieval_looks_for_and_finds_is_its_input_and_output(read, operation, sought, found):
    documents = [{"id": "d1", "score": 0.9, "content": "It rains."}]
    span = read({"gen_ai.operation.name": operation, sought: "rain?", found: json.dumps(documents)})
    assert (span.kind, span.input_key, span.output_key) == ("other", sought, found)


def test_a_reranker_has_its_query_and_the_documents_that_it_returns(read):
    documents = {f"reranker.output_documents.{at}.document.content": f"text {at}" for at in range(2)}
    given = {"reranker.input_documents.0.document.content": "text 1", "reranker.query": "rain?"}
    span = read({"openinference.span.kind": "RERANKER", **given, **documents})
    assert (span.kind, span.input_key) == ("other", "reranker.query")
    assert json.loads(span.attributes[span.output_key]) == [{"content": "text 0"}, {"content": "text 1"}]


def test_a_status_of_ok_is_believed(read):
    assert read({"gen_ai.operation.name": "chat", "error.type": "x"}, status={"code": 1}).status == "ok"


def test_a_pending_span_is_the_start_record_of_the_one_that_it_announces(read):
    pending = {
        "logfire.span_type": "pending_span",
        "logfire.pending_parent_id": "ab" * 8,
        "gen_ai.operation.name": "chat",
    }
    span = read(pending, spanId="cd" * 8, parentSpanId="ef" * 8)
    assert (span.span_id, span.parent_id, span.end_ns, span.status, span.kind) == (
        "ef" * 8,
        "ab" * 8,
        None,
        "running",
        "llm",
    )
    root = read({**pending, "logfire.pending_parent_id": "0" * 16}, parentSpanId="ef" * 8)
    assert (root.span_id, root.parent_id) == ("ef" * 8, None)


def test_a_pending_span_that_was_read_before_is_not_announced_again(read):
    pending = {"logfire.span_type": "pending_span", "logfire.pending_parent_id": "ab" * 8}
    span = read(pending, spanId="cd" * 8, parentSpanId="ab" * 8, endTimeUnixNano=None)
    assert (span.span_id, span.parent_id, span.status) == ("cd" * 8, "ab" * 8, "running")


def test_the_announced_span_of_an_export_ends_under_the_same_id():
    export = next(path for path in EXPORTS if path.stem == "logfire_pydantic_ai")
    spans = [read_span(decoded) for decoded in decode(export.read_bytes()).spans]
    started = {(span.span_id, span.parent_id) for span in spans if span.status == "running"}
    ended = {(span.span_id, span.parent_id) for span in spans if span.status != "running"}
    assert len(started) == 6
    assert started < ended


MESSAGE_KEYS = [
    ("ai.prompt.messages", {"ai.operationId": "ai.generateText.doGenerate"}, "input"),
    ("ai.response.toolCalls", {"ai.operationId": "ai.generateText.doGenerate"}, "output"),
    ("input.value", {"openinference.span.kind": "LLM"}, "input"),
    ("output.value", {"openinference.span.kind": "LLM"}, "output"),
    ("gen_ai.prompt", {"gen_ai.system": "x", "langsmith.span.kind": "llm"}, "input"),
    ("gen_ai.prompt.0.content", {"llm.request.type": "chat"}, "input"),
    ("request_data", {"gen_ai.operation.name": "chat", "logfire.msg": "x"}, "input"),
    ("gcp.vertex.agent.llm_request", {"gen_ai.system": "gcp.vertex.agent"}, "input"),
    ("gen_ai.input.messages", {"gen_ai.operation.name": "chat"}, "input"),
    ("mcp.llm.prompt_json", {}, "input"),
]


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize(("key", "beside", "side"), MESSAGE_KEYS)
def test_messages_that_are_no_json_are_shown_as_the_text_they_are(read, key, beside, side, broken):
    span = read({**beside, key: broken})
    shown = span.attributes[span.input_key if side == "input" else span.output_key]
    assert span.attributes[key] == broken
    assert shown == broken or broken in [part["content"] for each in json.loads(shown) for part in each["parts"]]


@pytest.mark.parametrize("count", [2**63, 2**64, 10**19, "9" * 20])
@pytest.mark.parametrize(
    ("key", "beside"),
    [
        ("llm.token_count.prompt", {"openinference.span.kind": "LLM"}),
        ("ai.usage.inputTokens", {"ai.operationId": "ai.streamText.doStream"}),
        ("gen_ai.usage.prompt_tokens", {"llm.request.type": "chat"}),
    ],
)
def test_counts_past_the_largest_are_the_largest(read, key, beside, count):
    assert read({**beside, key: str(count)}).input_tokens == 2**63 - 1


@pytest.mark.parametrize(
    ("finish", "status"),
    [
        ({}, "cancelled"),
        ({"ai.response.finishReason": "stop"}, "ok"),
        ({"ai.response.finishReason": "error"}, "error"),
        ({"ai.finishReason": "stop"}, "ok"),
    ],
)
def test_a_stream_of_the_ai_sdk_that_was_aborted_is_cancelled(read, finish, status):
    aborted = {"ai.operationId": "ai.streamText", "ai.model.id": "gpt-4o", **finish}
    assert read(aborted, name="ai.streamText", scope_name="ai").status == status
    whole = {"ai.operationId": "ai.generateText", "ai.model.id": "gpt-4o"}
    assert read(whole, name="ai.generateText", scope_name="ai").status == "ok"


def test_a_stream_of_the_ai_sdk_that_failed_is_not_called_cancelled(read):
    failed = {"ai.operationId": "ai.streamText", "ai.model.id": "gpt-4o"}
    assert read(failed, name="ai.streamText", scope_name="ai", status={"code": 2}).status == "error"


KEYS = sorted(
    {mark for each in DIALECTS for mark in each.marks}
    | {key for each in DIALECTS for keys in (*each.inputs.values(), *each.outputs.values()) for key in keys}
    | {"llm.input_messages.0.message.content", "llm.input_messages.0.message.tool_calls.0.tool_call.function.name"}
    | {
        "llm.input_messages.0",
        "gen_ai.completion.0.tool_calls",
        "gen_ai.completion.99999999999.role",
        "metadata",
        "events",
    }
    | {"ai.response.toolCalls", "ai.prompt.tools", "response.0.tool_calls", "result.content", "logfire.span_type"}
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "messages",
                    "role",
                    "content",
                    "parts",
                    "type",
                    "text",
                    "tool_calls",
                    "function",
                    "name",
                    "id",
                    "message",
                ]
                + [
                    "lc",
                    "kwargs",
                    "data",
                    "choices",
                    "input",
                    "function_call",
                    "arguments",
                    "event.name",
                    "usage",
                    "system",
                ]
            ),
            below | st.sampled_from(["text", "tool_call", "tool_result", "ai", "human", "gen_ai.choice"]),
            max_size=4,
        )
    ),
    max_leaves=15,
)


@pytest.mark.parametrize("as_sent", [json.dumps, dict], ids=["JSON", "values"])
def test_the_body_of_an_event_is_the_same_as_json_and_as_values(read, otlp_attributes, as_sent):
    bodies = {
        "gen_ai.user.message": {"content": "Where to?"},
        "gen_ai.choice": {"index": 0, "finish_reason": "stop", "message": {"content": "Berlin"}},
    }
    events = [
        {"name": name, "attributes": otlp_attributes({"gen_ai.event.content": as_sent(body)})}
        for name, body in bodies.items()
    ]
    span = read({"gen_ai.operation.name": "chat"}, events=events)
    asked, answered = (json.loads(span.attributes[key]) for key in (span.input_key, span.output_key))
    assert asked == [{"role": "user", "parts": [{"type": "text", "content": "Where to?"}]}]
    assert answered == [
        {"role": "assistant", "parts": [{"type": "text", "content": "Berlin"}], "finish_reason": "stop"}
    ]


@given(
    attributes=st.dictionaries(
        st.sampled_from(KEYS), JSON | JSON.map(json.dumps) | st.sampled_from(BROKEN), max_size=6
    ),
    events=st.lists(
        st.tuples(st.sampled_from(["gen_ai.choice", "gen_ai.user.message", "gen_ai.content.prompt"]), JSON), max_size=3
    ),
)
def test_no_span_is_too_odd_to_be_read(read, otlp_attributes, attributes, events):
    told = [
        {"name": name, "attributes": otlp_attributes({"gen_ai.event.content": content, "message": body})}
        for name, body in events
        for content in (body, json.dumps(body))
    ]
    span = read(attributes, events=told)
    assert json.dumps(dict(span.attributes))
    for key in (span.input_key, span.output_key):
        assert key is None or isinstance(span.attributes[key], str)


@pytest.mark.parametrize("export", EXPORTS, ids=lambda path: path.stem)
def test_a_span_of_very_many_attributes_is_read_like_any_other(export):
    for few, many in zip(decode(export.read_bytes()).spans, decode(export.read_bytes()).spans, strict=True):
        more = {f"zz.{at}": at for at in range(100)}
        many.attributes.update(more)
        wide, span = read_span(many), read_span(few)
        kept = {key: value for key, value in wide.attributes.items() if key not in more}
        assert structs.replace(wide, attributes=kept) == structs.replace(span, attributes=dict(span.attributes))


@pytest.mark.parametrize(
    ("requested", "answered", "cost"),
    [
        ("gemini-2.5-flash", "gemini-2.5-flash-001", 0.0028),
        ("gpt-4o", "gpt-4o-2031-01-01", 0.0125),
        ("gpt-4o", "gpt-4o-2024-05-13", 0.02),
        ("gpt-4o", "gpt-4o-nano", None),
        ("gpt-4o", "my-own", None),
    ],
)
def test_a_version_that_the_price_list_lacks_costs_what_the_requested_model_does(read, requested, answered, cost):
    models = {"gen_ai.request.model": requested, "gen_ai.response.model": answered}
    usage = {"gen_ai.usage.input_tokens": 1000, "gen_ai.usage.output_tokens": 1000}
    span = read({"gen_ai.operation.name": "chat"} | models | usage)
    assert span.model == answered
    assert span.cost_usd == cost
    assert (UNPRICED in span.attributes) is (cost is None)
