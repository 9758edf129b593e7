import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.reading.usage import SPELLINGS, Usage, read_usage

MAX = 2**63 - 1

COUNTED = {
    "openai chat": (
        {
            "prompt_tokens": 100,
            "completion_tokens": 30,
            "total_tokens": 130,
            "prompt_tokens_details": {"cached_tokens": 64},
            "completion_tokens_details": {"reasoning_tokens": 20},
        },
        Usage(100, 30, 64, None, 20),
    ),
    "openai responses": (
        {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 64},
            "output_tokens": 30,
            "output_tokens_details": {"reasoning_tokens": 20},
        },
        Usage(100, 30, 64, None, 20),
    ),
    "anthropic": (
        {"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 7},
        Usage(115, 7, 100, 5),
    ),
    "anthropic without cache": ({"input_tokens": 10, "output_tokens": 7}, Usage(10, 7)),
    "anthropic with empty cache": (
        {"input_tokens": 10, "cache_creation_input_tokens": None, "cache_read_input_tokens": 0, "output_tokens": 7},
        Usage(10, 7, 0),
    ),
    "gemini": (
        {
            "promptTokenCount": 100,
            "cachedContentTokenCount": 40,
            "candidatesTokenCount": 10,
            "thoughtsTokenCount": 25,
            "toolUsePromptTokenCount": 5,
            "totalTokenCount": 140,
        },
        Usage(105, 35, 40, None, 25),
    ),
    "gemini snake": (
        {
            "prompt_token_count": 100,
            "cached_content_token_count": 40,
            "candidates_token_count": 10,
            "thoughts_token_count": 25,
        },
        Usage(100, 35, 40, None, 25),
    ),
    "gemini that only thought": ({"promptTokenCount": 5, "thoughtsTokenCount": 25}, Usage(5, 25, None, None, 25)),
    "bedrock": (
        {
            "inputTokens": 10,
            "outputTokens": 7,
            "totalTokens": 17,
            "cacheReadInputTokens": 100,
            "cacheWriteInputTokens": 5,
        },
        Usage(115, 7, 100, 5),
    ),
    "vercel": (
        {"inputTokens": 100, "outputTokens": 7, "totalTokens": 107, "reasoningTokens": 3, "cachedInputTokens": 64},
        Usage(100, 7, 64, None, 3),
    ),
    "vercel 6": (
        {
            "inputTokens": 100,
            "inputTokenDetails": {"cacheReadTokens": 64, "cacheWriteTokens": 2},
            "outputTokens": 7,
            "outputTokenDetails": {"reasoningTokens": 3},
        },
        Usage(100, 7, 64, 2, 3),
    ),
    "vercel 4": ({"promptTokens": 100, "completionTokens": 7}, Usage(100, 7)),
    "langchain": (
        {
            "input_tokens": 100,
            "output_tokens": 7,
            "total_tokens": 107,
            "input_token_details": {"cache_read": 64, "cache_creation": 2},
            "output_token_details": {"reasoning": 3},
        },
        Usage(100, 7, 64, 2, 3),
    ),
    "pydantic-ai": (
        {
            "input_tokens": 100,
            "cache_read_tokens": 64,
            "cache_write_tokens": 2,
            "output_tokens": 7,
            "details": {"reasoning_tokens": 3},
        },
        Usage(100, 7, 64, 2, 3),
    ),
    "pydantic-ai 0": ({"requests": 1, "request_tokens": 100, "response_tokens": 7, "total_tokens": 107}, Usage(100, 7)),
    "ollama": ({"model": "m", "done": True, "prompt_eval_count": 26, "eval_count": 259}, Usage(26, 259)),
    "cohere": (
        {
            "usage": {
                "billed_units": {"input_tokens": 5, "output_tokens": 7},
                "tokens": {"input_tokens": 71, "output_tokens": 9},
            }
        },
        Usage(5, 7),
    ),
    "cohere 1": ({"meta": {"tokens": {"input_tokens": 71, "output_tokens": 9}}}, Usage(71, 9)),
    "mistral": ({"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17}, Usage(10, 7)),
    "deepseek": (
        {
            "prompt_tokens": 100,
            "completion_tokens": 7,
            "prompt_cache_hit_tokens": 64,
            "prompt_cache_miss_tokens": 36,
            "total_tokens": 107,
        },
        Usage(100, 7, 64),
    ),
    "xai": (
        {
            "prompt_tokens": 10,
            "completion_tokens": 7,
            "total_tokens": 37,
            "completion_tokens_details": {"reasoning_tokens": 20},
        },
        Usage(10, 27, None, None, 20),
    ),
    "litellm": (
        {
            "prompt_tokens": 115,
            "completion_tokens": 7,
            "total_tokens": 122,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 5,
        },
        Usage(115, 7, 100, 5),
    ),
    "watsonx": ({"input_token_count": 10, "generated_token_count": 7}, Usage(10, 7)),
    "langchain result": (
        {"generations": [], "llm_output": {"token_usage": {"prompt_tokens": 10, "completion_tokens": 7}}},
        Usage(10, 7),
    ),
    "langchain metadata": (
        {"content": "x", "response_metadata": {"token_usage": {"prompt_tokens": 10, "completion_tokens": 7}}},
        Usage(10, 7),
    ),
    "embedding": ({"usage": {"prompt_tokens": 10, "total_tokens": 10}}, Usage(10, None)),
}


@pytest.mark.parametrize("spelling", COUNTED)
def test_every_spelling_is_brought_to_one_rule(spelling):
    plain, usage = COUNTED[spelling]
    assert read_usage(plain) == usage
    for name in ("usage", "usage_metadata", "usageMetadata", "token_usage"):
        assert read_usage({"id": "r", name: plain}) == usage


@pytest.mark.parametrize(
    "plain",
    [
        None,
        "text",
        5,
        True,
        [],
        {},
        {"usage": None},
        {"usage": "12"},
        {"input_tokens": None},
        {"tokens": 5},
        {"input_tokens": {}},
    ],
)
def test_what_counts_nothing_is_no_usage(plain):
    assert read_usage(plain) is None


def test_odd_counts_are_left_out_and_huge_ones_kept_within_64_bits():
    assert read_usage({"input_tokens": -1, "output_tokens": 3}) == Usage(None, 3)
    assert read_usage({"input_tokens": True, "output_tokens": 3.0}) == Usage(None, 3)
    assert read_usage({"input_tokens": "NaN", "output_tokens": "12"}) == Usage(None, 12)
    assert read_usage({"input_tokens": 1.5, "output_tokens": 10**30}) == Usage(None, MAX)
    assert read_usage({"input_tokens": MAX, "cache_read_input_tokens": MAX, "output_tokens": 1}) == Usage(MAX, 1, MAX)
    assert read_usage({"input_tokens": "9" * 3000, "output_tokens": 1e300}) == Usage(MAX, MAX)


NAMES = sorted(
    {step for row in SPELLINGS for paths in row[1:] for path in paths.split() for step in path.split(".")} | {"usage"}
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=20,
)


@given(JSON)
def test_any_value_is_read_to_counts_within_bounds(plain):
    usage = read_usage(plain)
    if usage is not None:
        for count in (
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            usage.reasoning_tokens,
        ):
            assert count is None or (type(count) is int and 0 <= count <= MAX)


@pytest.mark.parametrize(
    ("charged", "usd"),
    [
        ({"cost": 0.0041, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.0041}}, 0.0041),
        ({"cost": 0.0002, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.004}}, 0.0042),
        ({"cost": 0, "is_byok": True, "cost_details": None}, 0.0),
        ({"cost_in_usd_ticks": 37_756_000}, 0.0037756),
        ({"cost": {"input_tokens_cost": 0.001, "total_cost": 0.006}}, 0.006),
        ({"cost": None}, None),
        ({"cost": "0.1"}, None),
        ({"cost": -1}, None),
        ({"cost": True}, None),
        ({"cost": float("nan")}, None),
    ],
    ids=["openrouter", "own key", "free", "xai", "perplexity", "none", "text", "negative", "bool", "nan"],
)
def test_what_the_provider_charged_is_read(charged, usd):
    usage = read_usage({"usage": {"prompt_tokens": 10, "completion_tokens": 7, **charged}})
    assert usage is not None
    assert usage.cost_usd == pytest.approx(usd)
