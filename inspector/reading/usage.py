"""Token counts, in every spelling of providers and frameworks, by one rule.

The rule is OpenTelemetry's (semantic conventions for generative AI, ``gen_ai.usage.*``): input tokens include those
that were read from or written to a cache, output tokens include reasoning.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from inspector.plain import INT64_MAX, Plain

_NESTED: Final = (
    "usage",
    "usage_metadata",
    "usageMetadata",
    "token_usage",
    "tokenUsage",
    "response_metadata",
    "llm_output",
    "meta",
    "metrics",
    "message",
    "response",
)
_MAX_DEPTH: Final = 4


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call; None where the provider gave no count."""

    input_tokens: int | None = None
    """All input, including cached tokens."""
    output_tokens: int | None = None
    """All output, reasoning included."""
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    """What the provider says the call cost; most say nothing."""


class Spelling(NamedTuple):
    """How one family of APIs writes token counts. Paths are dotted; of several, the first with a count is taken."""

    name: str
    marks: str
    """The spelling is used if any of these is present."""
    input: str
    output: str
    cache_read: str = ""
    cache_write: str = ""
    reasoning: str = ""
    more_input: str = ""
    """Counts that the API keeps apart and the rule includes; all of them are added."""
    more_output: str = ""
    total: str = ""
    """The API's own total, which reveals reasoning tokens that are counted apart from the output."""


# The first matching row is used, so distinctive spellings come before those that share names.
SPELLINGS: Final = (
    # platform.openai.com/docs/api-reference/chat/object: cached and reasoning tokens are parts.
    # Also Mistral and Groq; DeepSeek, whose prompt_tokens is the sum of cache hits and misses; LiteLLM, which adds
    # Anthropic's cache names to an inclusive count; xAI, which counts reasoning beside the completion: its total tells.
    Spelling(
        "openai_chat",
        marks="prompt_tokens completion_tokens",
        input="prompt_tokens",
        output="completion_tokens",
        cache_read="prompt_tokens_details.cached_tokens prompt_cache_hit_tokens cache_read_input_tokens cached_tokens",
        cache_write="prompt_tokens_details.cache_write_tokens cache_creation_input_tokens",
        reasoning="completion_tokens_details.reasoning_tokens reasoning_tokens",
        total="total_tokens",
    ),
    # docs.anthropic.com/en/api/messages: the total of input tokens is the sum of input_tokens and both cache counts.
    Spelling(
        "anthropic",
        marks="cache_read_input_tokens cache_creation_input_tokens",
        input="input_tokens",
        output="output_tokens",
        cache_read="cache_read_input_tokens",
        cache_write="cache_creation_input_tokens",
        more_input="cache_read_input_tokens cache_creation_input_tokens",
    ),
    # UsageMetadata of ai.google.dev/api/generate-content says that promptTokenCount includes cached content, while
    # thoughts and the prompts of tools are counted apart.
    Spelling(
        "gemini",
        marks="promptTokenCount candidatesTokenCount",
        input="promptTokenCount",
        output="candidatesTokenCount responseTokenCount",
        cache_read="cachedContentTokenCount",
        reasoning="thoughtsTokenCount",
        more_input="toolUsePromptTokenCount",
        more_output="thoughtsTokenCount",
    ),
    Spelling(
        "gemini_python",
        marks="prompt_token_count candidates_token_count",
        input="prompt_token_count",
        output="candidates_token_count response_token_count",
        cache_read="cached_content_token_count",
        reasoning="thoughts_token_count",
        more_input="tool_use_prompt_token_count",
        more_output="thoughts_token_count",
    ),
    # docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html: cache counts stand beside the input.
    Spelling(
        "bedrock",
        marks="cacheReadInputTokens cacheWriteInputTokens",
        input="inputTokens",
        output="outputTokens",
        cache_read="cacheReadInputTokens",
        cache_write="cacheWriteInputTokens",
        more_input="cacheReadInputTokens cacheWriteInputTokens",
    ),
    # ai-sdk.dev/docs/reference (LanguageModelUsage, 5 and 6): details are parts. Bedrock without a cache is the same.
    Spelling(
        "vercel",
        marks="inputTokens outputTokens",
        input="inputTokens.total inputTokens",
        output="outputTokens.total outputTokens",
        cache_read="cachedInputTokens inputTokenDetails.cacheReadTokens inputTokens.cacheRead",
        cache_write="inputTokenDetails.cacheWriteTokens inputTokens.cacheWrite",
        reasoning="reasoningTokens outputTokenDetails.reasoningTokens outputTokens.reasoning",
    ),
    Spelling("vercel_4", marks="promptTokens completionTokens", input="promptTokens", output="completionTokens"),
    # docs.cohere.com/reference/chat: what is billed, and beside it what the model saw.
    Spelling(
        "cohere",
        marks="billed_units tokens",
        input="billed_units.input_tokens tokens.input_tokens",
        output="billed_units.output_tokens tokens.output_tokens",
        cache_read="cached_tokens",
    ),
    # docs.ollama.com/api: the counts stand at the top of the response.
    Spelling("ollama", marks="prompt_eval_count eval_count", input="prompt_eval_count", output="eval_count"),
    # langchain_core.messages.ai.UsageMetadata: details are parts.
    Spelling(
        "langchain",
        marks="input_token_details output_token_details",
        input="input_tokens",
        output="output_tokens",
        cache_read="input_token_details.cache_read",
        cache_write="input_token_details.cache_creation",
        reasoning="output_token_details.reasoning",
    ),
    # platform.openai.com/docs/api-reference/responses/object, also its Agents SDK: details are parts.
    # pydantic_ai.usage.RequestUsage: so are the cache counts. Anthropic without a cache reads the same.
    Spelling(
        "responses",
        marks="input_tokens output_tokens",
        input="input_tokens",
        output="output_tokens",
        cache_read="input_tokens_details.cached_tokens cache_read_tokens cached_tokens",
        cache_write="input_tokens_details.cache_write_tokens cache_write_tokens",
        reasoning="output_tokens_details.reasoning_tokens details.reasoning_tokens reasoning_tokens",
    ),
    # pydantic_ai.usage.Usage before 1.0.
    Spelling(
        "pydantic_ai_0",
        marks="request_tokens response_tokens",
        input="request_tokens",
        output="response_tokens",
        cache_read="details.cached_tokens",
        reasoning="details.reasoning_tokens",
    ),
    # ibm.github.io/watsonx-ai-python-sdk: results of text generation.
    Spelling(
        "watsonx",
        marks="input_token_count generated_token_count",
        input="input_token_count",
        output="generated_token_count",
    ),
)


def read_usage(plain: Plain) -> Usage | None:
    """Return the token counts of a usage object, or of a response that has one; None if there are none to read."""
    return _read(plain, 0)


def _read(plain: Plain, depth: int) -> Usage | None:
    if not isinstance(plain, dict) or depth > _MAX_DEPTH:
        return None
    for spelling in SPELLINGS:
        if not _names(spelling.marks).isdisjoint(plain) and (usage := _spelled(plain, spelling)):
            return usage
    for name in _NESTED:
        if name in plain and (usage := _read(plain[name], depth + 1)):
            return usage
    return None


def _spelled(plain: Mapping[str, Plain], spelling: Spelling) -> Usage | None:
    sent, received = _first(plain, spelling.input), _first(plain, spelling.output)
    if sent is None and received is None:
        return None
    reasoning = _first(plain, spelling.reasoning)
    if spelling.total and reasoning and _first(plain, spelling.total) == (sent or 0) + (received or 0) + reasoning:
        received = (received or 0) + reasoning
    return Usage(
        _sum(plain, sent, spelling.more_input),
        _sum(plain, received, spelling.more_output),
        _first(plain, spelling.cache_read),
        _first(plain, spelling.cache_write),
        reasoning,
        _charged_usd(plain),
    )


_TICKS_PER_USD: Final = 10**10
"""docs.x.ai/developers/cost-tracking."""
_TOTAL: Final = ("cost", "total_cost")
_UPSTREAM: Final = ("cost_details", "upstream_inference_cost")


def _charged_usd(plain: Mapping[str, Plain]) -> float | None:
    """Return what the call cost, as OpenRouter, xAI and Perplexity write it.

    With a key of one's own for the upstream provider (openrouter.ai/docs, "usage accounting"), ``cost`` is OpenRouter's
    fee alone.
    """
    if (ticks := _amount(plain.get("cost_in_usd_ticks"))) is not None:
        return ticks / _TICKS_PER_USD
    cost = _amount(plain.get("cost"))
    if cost is None:
        return _amount(_at(plain, _TOTAL))
    upstream = _amount(_at(plain, _UPSTREAM)) if plain.get("is_byok") is True else None
    return cost + (upstream or 0.0)


def _amount(value: Plain) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= INT64_MAX:
        return None
    return float(value)


def _first(plain: Mapping[str, Plain], paths: str) -> int | None:
    for path in _steps(paths):
        if (count := count_of(_at(plain, path))) is not None:
            return count
    return None


def _sum(plain: Mapping[str, Plain], count: int | None, paths: str) -> int | None:
    more = [count_of(_at(plain, path)) or 0 for path in _steps(paths)]
    return count if count is None and not any(more) else min((count or 0) + sum(more), INT64_MAX)


def _at(plain: Mapping[str, Plain], path: Sequence[str]) -> Plain:
    value: Plain = plain.get(path[0])
    for step in path[1:]:
        value = value.get(step) if isinstance(value, dict) else None
    return value


# Each model call is read by the same few texts, and splitting them took most of the time.
@cache
def _names(marks: str) -> frozenset[str]:
    return frozenset(marks.split())


@cache
def _steps(paths: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(path.split(".")) for path in paths.split())


def count_of(value: Plain) -> int | None:
    """Return a count, however it was written, at most the largest 64-bit integer.

    None for values that are not counts: below 0, NaN, booleans.
    """
    if isinstance(value, str) and value.isdecimal() and value.isascii() and len(value) < 4000:
        value = int(value)
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return min(value, INT64_MAX)
