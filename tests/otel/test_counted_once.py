"""Spans of libraries beside calls of hooks, once they are stored: none lost, none counted twice."""

import threading

import pytest
from opentelemetry import trace
from opentelemetry.propagate import extract, inject

import inspector
from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings
from instrument import around


@pytest.fixture
def stored(spool):
    """Read all that was recorded, in the order it began, as pairs of a name and whether it counts."""

    def read():
        inspector.detach()
        with Owner(Settings(home=spool.home)) as owner:
            owner.ingest_spools()
            found = owner.store.events(Filter(), order="asc", limit=500, full=True).items
        return [(event.name, event.folded_into is None) for event in found]

    return read


def test_a_librarys_tool_below_a_hook_of_another_name_is_a_call_of_its_own(attached, stored):
    said = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
    with around("tool_call", tool_name="research", args={}, context=None):
        with trace.get_tracer("lib").start_as_current_span("execute_tool search", attributes=said):
            pass
    assert stored() == [("execute_tool research", True), ("execute_tool search", True)]


def test_a_librarys_span_for_the_call_of_a_hook_counts_once_with_it(attached, stored):
    tracer = trace.get_tracer("lib")
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4.1"}
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add"}
    with around("llm_generate", llm="gpt-4.1", prompt="hi", emitter="framework") as call:
        with tracer.start_as_current_span("chat gpt-4.1 of lib", attributes=chat) as span:
            span.set_attributes({"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 2})
        call.set(response="hello", usage={"input_tokens": 7, "output_tokens": 2})
    with around("tool_call", tool_name="math__add", args={}, context=None, emitter="framework"):
        with tracer.start_as_current_span("add of lib", attributes=tool):
            pass
    found = dict(stored())
    assert found == {
        "chat gpt-4.1": True,
        "chat gpt-4.1 of lib": False,
        "execute_tool math__add": True,
        "add of lib": False,
    }


def test_a_hook_below_a_librarys_span_for_the_same_call_counts_once_with_it(attached, stored):
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4.1"}
    usage = {"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 2}
    with trace.get_tracer("framework").start_as_current_span("chat of framework", attributes={**chat, **usage}):
        with around("llm_generate", llm="gpt-4.1", prompt="hi", emitter="openai") as call:
            call.set(response="hello", usage={"input_tokens": 7, "output_tokens": 2})
    assert sorted(counts for _, counts in stored()) == [False, True]


def test_a_model_call_of_smolagents_counts_once_after_a_tool_answered(attached, stored):
    history = [("user", "user", "Tide?"), ("tool-call", "assistant", "Calling tide"), ("tool-response", "user", "high")]
    told = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "gpt-4.1",
        "llm.token_count.prompt": 7,
        "llm.token_count.completion": 2,
    }
    for at, (role, _, text) in enumerate(history):
        message = f"llm.input_messages.{at}.message"
        told |= {f"{message}.role": role, f"{message}.contents.0.message_content.type": "text"}
        told[f"{message}.contents.0.message_content.text"] = text
    sent = [{"role": role, "content": text} for _, role, text in history]
    tracer = trace.get_tracer("openinference.instrumentation.smolagents")
    with tracer.start_as_current_span("generate", attributes=told):
        with around("llm_generate", llm="gpt-4.1", prompt={"messages": sent}, emitter="openai") as call:
            call.set(response="hello", usage={"input_tokens": 7, "output_tokens": 2})
    assert stored() == [("generate", True), ("chat gpt-4.1", False)]


def test_two_spans_of_one_library_are_two_calls(attached, stored):
    tracer = trace.get_tracer("lib")
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "walk"}
    with tracer.start_as_current_span("outer", attributes=tool), tracer.start_as_current_span("inner", attributes=tool):
        pass
    assert stored() == [("outer", True), ("inner", True)]


def test_a_request_that_the_mcp_sdk_makes_spans_of_too_counts_once_for_both_sides(attached, stored):
    """As the MCP SDK does: the client's span travels, and the server's begins below it inside of the server's hook."""
    said = {"mcp.method.name": "tools/list", "jsonrpc.request.id": "1"}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    sdk = trace.get_tracer("mcp-python-sdk")
    carrier = {}
    with around("rpc_request", envelope=request, transport="stdio", emitter="mcp"):
        with sdk.start_as_current_span("MCP send tools/list", kind=trace.SpanKind.CLIENT, attributes=said):
            inject(carrier)

    def serve():
        received = {**request, "params": {"_meta": carrier}}
        with around("rpc_request", envelope=received, transport="stdio", direction="inbound", emitter="mcp"):
            context = extract(carrier)
            with sdk.start_as_current_span("tools/list", context, trace.SpanKind.SERVER, attributes=said):
                with around("tool_call", tool_name="add", args={}, context=None):
                    pass

    thread = threading.Thread(target=serve)
    thread.start()
    thread.join()
    tree = attached.tree()
    assert tree["MCP send tools/list"] == "tools/list"
    assert tree["execute_tool add"] == "tools/list"
    assert [counts for _, counts in stored()] == [True, False, False, False, True]


@pytest.mark.parametrize(
    ("method", "target", "noun", "words"),
    [
        ("resources/read", {"uri": "a://b"}, "resource_fetch", {"uri": "a://b"}),
        ("prompts/get", {"name": "p"}, "prompt_apply", {"template_id": "p", "parameters": {}}),
    ],
    ids=["resource", "prompt"],
)
def test_a_resource_or_prompt_that_the_mcp_sdk_makes_spans_of_too_counts_once(
    attached, stored, method, target, noun, words
):
    said = {"mcp.method.name": method, "jsonrpc.request.id": "1"}
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": target}
    sdk = trace.get_tracer("mcp-python-sdk")
    with around(noun, emitter="mcp", **words):
        with sdk.start_as_current_span("of the SDK", kind=trace.SpanKind.CLIENT, attributes=said):
            with around("rpc_request", envelope=request, transport="memory", direction="outbound", emitter="mcp"):
                pass
    with around(noun, **words):
        with sdk.start_as_current_span("of the SDK", kind=trace.SpanKind.CLIENT, attributes=said):
            pass
    with around(noun, **words), around(noun, **words):
        pass
    assert [counts for _, counts in stored()] == [True, False, True, False, True, True]
