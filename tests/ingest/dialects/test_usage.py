import json

import pytest

from inspector.otlp import DecodedSpan, Scope
from inspector.reading.dialects import read_span


def read(scope="logfire.openai", /, **attributes):
    times = {"kind": 3, "start_ns": 1, "end_ns": 2, "status_code": 0, "status_message": None}
    ids = {"trace_id": "1" * 32, "span_id": "2" * 16, "parent_id": None, "name": "chat"}
    more = {"events": (), "links": (), "resource": {}, "scope": Scope(scope)}
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


@pytest.mark.parametrize(
    ("read_key", "write_key"),
    [
        ("cache_read.input_tokens", "cache_write.input_tokens"),
        ("cache_read.input_tokens", "cache_creation.input_tokens"),
        ("cache_read_input_tokens", "cache_creation_input_tokens"),
        ("cache_read_tokens", "cache_write_tokens"),
        ("cache_read_tokens", "cache_creation_tokens"),
        ("details.cache_read_tokens", "details.cache_write_tokens"),
        ("cached_tokens", "cache_write_tokens"),
    ],
)
def test_cached_tokens_are_part_of_the_input_under_every_name(read_key, write_key):
    usage = "gen_ai.usage."
    counts = {f"{usage}input_tokens": 1000, f"{usage}output_tokens": 10}
    known = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "claude-sonnet-4-5"}
    span = read("", **known, **counts, **{f"{usage}{read_key}": 600, f"{usage}{write_key}": 100})
    assert (span.input_tokens, span.cached_tokens) == (1000, 600)
    assert span.cost_usd == pytest.approx((300 * 3 + 600 * 0.3 + 100 * 3.75 + 10 * 15) / 1e6)


def test_langsmiths_cached_tokens_are_those_of_the_answer():
    usage = {"input_tokens": 9, "output_tokens": 3, "input_token_details": {"cache_read": 4}}
    span = read(
        "langsmith",
        **{
            "langsmith.span.kind": "llm",
            "gen_ai.usage.input_tokens": 9,
            "gen_ai.usage.output_tokens": 3,
            "gen_ai.usage.input_token_details": str(usage["input_token_details"]),
            "gen_ai.completion": json.dumps({"generations": [[{"text": "hi"}]], "usage_metadata": usage}),
        },
    )
    assert (span.input_tokens, span.output_tokens, span.cached_tokens) == (9, 3, 4)
