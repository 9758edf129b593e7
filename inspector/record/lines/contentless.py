"""Removes prompts, answers, arguments and results from a call, for recorders with content off."""

from dataclasses import replace
from typing import Final

from inspector.nouns import NOUNS
from inspector.plain import Plain, scalars
from inspector.reading.call_record import Read
from inspector.reading.control import without_content as controlled_without_content
from inspector.reading.llm_facts import request_facts, response_facts
from inspector.reading.middleware import without_content as middleware_without_content
from inspector.reading.usage import read_usage
from inspector.record.capture.captured import plain
from inspector.record.capture.hooks import Facts
from inspector.record.lines.content import is_content
from inspector.record.values.snapshot import snapshot

_CONTENT: Final = frozenset(
    ("prompt", "response", "args", "result", "input", "content", "parameters", "rendered", "envelope")
)
"""Facts that are dropped for every noun."""
_OF_PARAMS: Final = ("name", "uri", "protocolVersion")
_OF_META: Final = ("progressToken", "io.modelcontextprotocol/protocolVersion")


def without_content(noun: str, facts: Facts) -> Facts:
    """Return facts of a hook without content: names, ids, counts and times."""
    if noun == "label":
        return {key: value for key, value in facts.items() if not is_content(key)}
    if noun not in NOUNS:
        return {key: value for key, value in facts.items() if isinstance(value, str)}
    facts_left = {key: value for key, value in facts.items() if key not in _CONTENT}
    if "controlled" in facts_left:
        facts_left["controlled"] = controlled_without_content(facts_left["controlled"])
    if "middleware" in facts_left:
        facts_left["middleware"] = middleware_without_content(facts_left["middleware"])
    if noun == "rpc_request":
        facts_left |= {key: _message(facts[key]) for key in ("envelope", "response") if key in facts}
    return facts_left


def _message(envelope: Plain) -> Plain:
    """Return a JSON-RPC message with only its id, its method, and what it is about."""
    if not isinstance(envelope, dict):
        return None
    message = scalars(envelope, ("jsonrpc", "id", "method"))
    params, error = envelope.get("params"), envelope.get("error")
    if isinstance(params, dict):
        meta = params.get("_meta", params.get("meta"))
        message["params"] = scalars(params, _OF_PARAMS)
        if isinstance(meta, dict):
            message["params"] = {**scalars(params, _OF_PARAMS), "_meta": scalars(meta, _OF_META)}
    if isinstance(error, dict):
        message["error"] = scalars(error, ("code",))
    return message


def read_before_dropping(before: Facts, after: Facts | None) -> Read:
    """Return what is derived from a model call's prompt and answer before they are dropped."""
    # A copy, since a long prompt shares its texts with the program.
    request = replace(request_facts(snapshot(plain(before.get("prompt")))), tools=None)
    if after is None:
        return Read(request)
    answer = plain(after.get("response"))
    return Read(request, response_facts(answer), read_usage(answer))
