"""The subscriber that the hook contract's first version prints: a model's prompt on the current span.

The recorder writes ``mcp.llm.prompt_json`` itself, redacted, and its spans are left alone. This is for a program that
has OpenTelemetry spans of its own around its model calls, and no recorder.
"""

import json

from opentelemetry import trace

import instrument
from inspector import semconv as sc
from inspector.record.calls.spans import RecordedSpan

_HOOK = "before_llm_generate"


def subscribe() -> None:
    """Begin to write prompts; a second call changes nothing."""
    unsubscribe()
    instrument.register(_HOOK, write_prompt)


def unsubscribe() -> None:
    """Stop writing prompts."""
    instrument.unregister(_HOOK, write_prompt)


def write_prompt(*, prompt: object, **_later: object) -> None:
    """Write the prompt of a model call, as JSON text, on the span that is current."""
    span = trace.get_current_span()
    if span.is_recording() and not isinstance(span, RecordedSpan):
        span.set_attribute(sc.SEED_LLM_PROMPT, json.dumps(prompt, default=str))
