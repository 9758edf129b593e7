import json
from zlib import crc32

import pytest

from inspector.store.values.identity import identity_text, packed_identity, read_identity, tool_call_of

PROMPT = "gen_ai.input.messages"
ARGUMENTS = "gen_ai.tool.call.arguments"


@pytest.fixture
def identity(make_span):
    def known(**fields):
        return read_identity(identity_text(make_span(**fields)))

    return known


@pytest.fixture
def asked(identity):
    return lambda *messages, **more: identity(kind="llm", attributes={PROMPT: json.dumps(messages), **more}).input


@pytest.fixture
def given(identity):
    return lambda text: identity(attributes={ARGUMENTS: text}, input_key=ARGUMENTS).input


def user(text):
    return {"role": "user", "parts": [{"type": "text", "content": text}]}


def test_a_recorder_is_an_emitter_a_scope_or_an_applications_hooks_in_one_process(identity):
    place = {"process.pid": 7, "host.name": "h"}
    assert identity(attributes={"inspector.emitter": "openai", **place}).recorder == crc32(b"openai@h:7")
    assert identity(attributes={"otel.scope.name": "ai", **place}).recorder == crc32(b"ai@h:7")
    assert identity(attributes=place).recorder == crc32(b"@h:7")
    assert identity(attributes={"otel.scope.name": "ai"}, service="shop").recorder == crc32(b"ai@shop")
    assert identity(process="p1").recorder == crc32(b"@p1")


@pytest.mark.parametrize("kind", ["llm", "tool", "agent", "resource", "rpc"])
def test_an_identity_is_the_same_as_json_and_in_few_bytes(make_span, kind):
    ids = {"gen_ai.tool.call.id": "call_1", "gen_ai.response.id": "chatcmpl-1", "inspector.call_id": "1af820c598bfda28"}
    asked = {PROMPT: json.dumps([user("Where to?")]), "span.kind": "server", "gen_ai.operation.name": "chat"}
    span = make_span(kind=kind, attributes={**ids, **asked}, process="p1")
    text, few = identity_text(span), packed_identity(span)
    assert read_identity(text) == read_identity(few)
    assert tool_call_of(text) == tool_call_of(few)
    assert tool_call_of(few)[0] == ("call_1" if kind == "tool" else None)
    assert len(few) <= len(text)


def test_only_calls_and_what_came_in_from_elsewhere_have_one(make_span):
    assert identity_text(make_span(kind="workflow")) is None
    assert identity_text(make_span(kind="rpc")) is None
    for came_in in ({"mcp.rpc.direction": "inbound"}, {"span.kind": "server"}):
        assert read_identity(identity_text(make_span(kind="rpc", attributes=came_in))).is_server


def test_ids_are_those_of_the_answer_the_tool_call_the_hooks_and_the_exchange(identity):
    ids = {"inspector.call_id": "c", "http.response.header.x-request-id": "req_1"}
    found = identity(kind="llm", attributes={"gen_ai.response.id": "chatcmpl-1", **ids})
    assert (found.response_id, found.call_id, found.request_id) == ("chatcmpl-1", crc32(b"c"), "req_1")
    headers = {"http.response.header.request-id": ["req_2"]}
    assert identity(kind="llm", attributes=headers).request_id == "req_2"
    assert identity(kind="tool", attributes={"gen_ai.tool.call.id": "call_1"}).tool_call_id == "call_1"
    assert identity(kind="llm", attributes={"gen_ai.response.id": "__fake_id__"}).response_id is None


def test_of_a_prompt_the_users_last_text_is_kept_however_it_is_written(asked):
    system = {"role": "system", "parts": [{"type": "text", "content": "Be short."}]}
    answer = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": {"role": "user"}}]}
    plain = asked(user("Where to?"))
    assert plain == asked(system, user("Hello"), {"role": "assistant", "content": "Hi"}, user("Where to?"), answer)
    assert plain == asked({"role": "user", "content": "Where\nto?"}, answer)
    assert plain != asked(user("Where from?"))
    assert asked(system) is None


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_texts_of_the_user_in_a_row_are_one_text_as_some_frameworks_send_them(identity, separators):
    def known(*messages):
        text = json.dumps(messages, separators=separators)
        return identity(kind="llm", attributes={PROMPT: text}).input

    system, answer = {"role": "system", "parts": []}, {"role": "assistant", "parts": []}
    apart, together = (user("It failed."), user("Where to?")), user("It failed.\nWhere to?")
    assert known(together) == known(*apart) == known(system, *apart) == known(apart[0], system, apart[1])
    assert known(user("Hi"), answer, together) == known(user("Hi"), answer, *apart)
    assert known(*apart) != known(apart[0], answer, apart[1]) == known(apart[1])


def test_embeddings_are_told_from_other_operations_where_one_is_named(identity):
    operations = {"embeddings": True, "chat": False, "generate_content": False}
    known = {name: identity(kind="llm", attributes={"gen_ai.operation.name": name}).embeds for name in operations}
    assert known == operations
    assert identity(kind="llm", attributes={}).embeds is None


def test_compact_messages_are_found_without_reading_the_history(identity):
    def known(*messages):
        text = json.dumps(messages, separators=(",", ":"))
        return identity(kind="llm", attributes={PROMPT: text}).input

    history = [user("filling " * 10_000), {"role": "assistant", "parts": []}, user("Where to?")]
    nested = {"role": "tool", "parts": [{"type": "tool_call_response", "response": [user("Someone else")]}]}
    assert known(user("Where to?")) == known(*history) == known(user("Where to?"), nested)
    only_results = {"role": "user", "parts": [{"type": "tool_call_response", "response": "3"}]}
    assert known(user("Where to?"), only_results) == known(user("Where to?"))


def test_what_an_agent_was_asked_is_read_out_of_the_forms_that_frameworks_have(identity):
    key = "inspector.agent.input_json"
    forms = ["Where to?", [user("Where to?")], {"messages": [user("Where to?")]}, {"input": "Where to?"}]
    found = [identity(kind="agent", attributes={key: json.dumps(form)}, input_key=key).input for form in forms]
    assert found[0]
    assert found == [found[0]] * 4
    assert identity(kind="agent", attributes={key: '{"place": 7}'}, input_key=key).input is None


def test_arguments_are_kept_apart_whatever_their_spelling(given):
    assert given('{"city": "Caf\\u00e9", "nights": [1, 2]}') == given('{"nights":[1,2],"city":"Café","limit":null}')
    one, other = given('{"a": 1, "b": {"x": 1, "y": 2}}'), given('{"a": 2, "b": {"y": 2, "x": 1}}')
    assert (one["a"] == other["a"], one["b"] == other["b"]) == (False, True)


def test_what_is_shortened_redacted_too_long_or_no_json_is_unknown(given, asked):
    assert given('{"key": "[redacted:password]", "city": "Rome"}') == given('{"city": "Rome"}')
    assert given(json.dumps({"text": "long" * 2000})) is None
    assert given("city=Rome") is None
    assert given("[1]") is None
    assert asked(user("[redacted:token]")) is None
    assert asked(user("Where to?"), **{f"{PROMPT}_truncated": True}) is None
    assert asked(user("Where to?" * 10_000)) is None


@pytest.mark.parametrize("text", ["[" * 5000, '[{"role":"user","parts":7}]', "[{]", '[{"role":"user"}', "[null]"])
def test_no_text_of_a_prompt_keeps_a_span_from_being_stored(identity, text):
    assert identity(kind="llm", attributes={PROMPT: text}).input is None


def test_a_tool_call_is_repeated_where_middleware_says_that_it_called_on_several_times(identity):
    def repeated(text):
        return identity(attributes={"inspector.middleware_json": text}).is_repeated

    assert repeated('[{"name":"audit","did":"passed"},{"name":"Retry","did":"changed","calls":3}]') is True
    for text in ('[{"name":"audit","did":"passed"}]', '[{"calls":1}]', '[{"calls":"3"}]', '{"calls":3}', '"calls":'):
        assert repeated(text) is None


def test_what_is_unknown_at_the_end_is_not_written_and_was_by_earlier_versions(make_span):
    text = identity_text(make_span(kind="agent", attributes={"inspector.call_id": "c"}, service="shop"))
    assert text == '["@shop",false,null,null,"c"]'
    assert read_identity(text) == read_identity('["@shop",false,null,null,"c",null,null,null,null,null]')
