import json

import pytest

from inspector.otlp import DecodedSpan, Scope
from inspector.reading.dialects import read_span


def read(**attributes):
    times = {"kind": 3, "start_ns": 1, "end_ns": 2, "status_code": 0, "status_message": None}
    ids = {"trace_id": "1" * 32, "span_id": "2" * 16, "parent_id": None, "name": "chat"}
    more = {"events": (), "links": (), "resource": {}, "scope": Scope("logfire.openai")}
    return read_span(DecodedSpan(attributes=attributes, **ids, **times, **more))


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}, (9, 3, 4)),
        ({"promptTokenCount": 9, "candidatesTokenCount": 3, "thoughtsTokenCount": 2}, (9, 5, None)),
        ({"input_tokens": 9, "output_tokens": 3, "cache_read_input_tokens": 100}, (109, 3, 100)),
        ({"usage": {"inputTokens": 9, "outputTokens": 3}}, (9, 3, None)),
        ({"total": 12}, (None, None, None)),
        (["prompt_tokens"], (None, None, None)),
    ],
)
def test_usage_as_its_provider_wrote_it_is_read_in_any_spelling(usage, tokens):
    for given in (usage, json.dumps(usage)):
        span = read(**{"gen_ai.usage.raw": given})
        assert (span.kind, span.input_tokens, span.output_tokens, span.cached_tokens or None) == ("llm", *tokens)
