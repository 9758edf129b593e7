"""A secret that a cut goes through leaves no part behind, wherever a text is cut."""

import linecache
import logging
from types import SimpleNamespace

import pytest
from opentelemetry import trace

from inspector import context
from inspector.plain import EDGE_CHARS
from inspector.record.manual.logs import record_logs, stop_recording_logs
from instrument import _emit_sync, around

SECRET = "sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIj"
SHOWN = SECRET[:12]
"""What of it would be left before the cut."""


def text_cut_at(most):
    """A text in which the secret begins so far before ``most`` that only its first half is kept."""
    return " ".join("word" for _ in range(most))[: most - 13] + " " + SECRET + " and more" * 2000


def failing(message):
    with pytest.raises(ValueError):
        with around("tool_call", tool_name="t", args={}, context=None):
            raise ValueError(*message)


def ended(**after):
    _emit_sync("before_tool_call", tool_name="t", args={}, context=None, call_id="c")
    _emit_sync("after_tool_call", tool_name="t", args={}, context=None, call_id="c", **after)


def answered(response):
    keywords = {"transport": "stdio", "call_id": "c"}
    _emit_sync("before_rpc_request", envelope={"jsonrpc": "2.0", "id": 1, "method": "m"}, **keywords)
    _emit_sync("after_rpc_response", envelope=response, duration_ms=1, **keywords)


def noted(key, value):
    with around("tool_call", tool_name="t", args={}, context=None):
        trace.get_current_span().set_attribute(key, value)


def in_a_chain(message):
    try:
        raise KeyError(message)
    except KeyError:
        failing(["x"])


def in_a_note(message):
    with pytest.raises(ValueError):
        with around("tool_call", tool_name="t", args={}, context=None):
            exc = ValueError("x")
            exc.add_note(message)
            raise exc


def in_a_group(message):
    with pytest.raises(ExceptionGroup):
        with around("tool_call", tool_name="t", args={}, context=None):
            raise ExceptionGroup("x", [ValueError(message)])


def in_source(text):
    source = f"raise ValueError(1)  # {text}"
    linecache.cache["made.py"] = (len(source), None, [source], "made.py")
    with pytest.raises(ValueError):
        with around("tool_call", tool_name="t", args={}, context=None):
            exec(compile(source, "made.py", "exec"), {})


def logged(message):
    record_logs()
    try:
        with around("tool_call", tool_name="t", args={}, context=None):
            try:
                raise ValueError(message)
            except ValueError:
                logging.getLogger("shop").exception("failed")
    finally:
        stop_recording_logs()


def below_a_session(name):
    with context.bind(name):
        ended(result=1)


def noted_exception(text):
    with around("tool_call", tool_name="t", args={}, context=None):
        trace.get_current_span().record_exception(ValueError(text))


def around_tool(name, **ids):
    with around("tool_call", tool_name=name, args={}, context=None, **ids):
        pass


def around_agent(agent):
    with around("agent_call", agent=agent):
        pass


def around_resource(uri):
    with around("resource_fetch", uri=uri, context=None):
        pass


def called(name):
    with around("rpc_request", envelope={"id": 1, "method": "tools/call", "params": {"name": name}}, transport="stdio"):
        pass


def thought(text):
    prompt = [{"role": "user", "content": [{"type": "thinking", "thinking": [{"text": text}, {"text": "more"}]}]}]
    with around("llm_generate", llm="m", prompt=prompt):
        pass


CUTS = {
    "message of an exception": (10_000, lambda text: failing([text])),
    "one of its arguments": (10_000 - 2, lambda text: failing([text, 5])),
    "exception before it": (10_000, in_a_chain),
    "note": (1_000, in_a_note),
    "exception in a group": (500, in_a_group),
    "line of source": (500 - 23, in_source),
    "exception that was logged": (10_000, logged),
    "exception that was handled": (10_000, noted_exception),
    "text of a failed result": (1_000, lambda text: ended(result={"isError": True, "content": text})),
    "parts of a failed result": (
        1_000,
        lambda text: ended(result={"isError": True, "content": [{"type": "text", "text": text}]}),
    ),
    "name of a tool": (8192, around_tool),
    "name of an agent": (8192, lambda text: around_agent(SimpleNamespace(name=text, description=text))),
    "id of a call": (8192, lambda text: around_tool("t", call_id=text)),
    "session": (8192, below_a_session),
    "address": (8192, around_resource),
    "attribute": (131_072 - EDGE_CHARS, lambda text: noted("a", text + "x" * 200_000)),
    "attribute of many": (131_072 - EDGE_CHARS, lambda text: noted("a", [text + "x" * 200_000])),
    "error of a response": (
        131_072 - EDGE_CHARS,
        lambda text: answered({"id": 1, "error": {"code": 1, "message": text + "x" * 200_000}}),
    ),
    "name in a request": (131_072 - EDGE_CHARS, lambda text: called(text + "x" * 200_000)),
    "thoughts in parts": (131_072 - EDGE_CHARS, lambda text: thought(text + "x" * 200_000)),
    "thoughts in parts, behind a cut": (131_072, lambda text: thought(text + "x" * 200_000)),
}


@pytest.mark.parametrize("place", CUTS)
def test_no_part_of_a_secret_that_a_cut_goes_through_is_written(record, place):
    most, emit = CUTS[place]
    recording = record()
    emit(text_cut_at(most))
    assert recording.spans()
    (path,) = recording.directory.glob("*.jsonl")
    text = path.read_text()
    assert "word word" in text
    assert SHOWN not in text
