"""The cost of a model call in US dollars, by the price list in the installed ``genai-prices``.

Nothing is fetched: prices are as old as the package, whose updater over the network is never started.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Literal

PROVIDERS = {
    "x_ai": "x-ai",
    "azure.ai.inference": "azure",
    "az.ai.inference": "azure",
    "az.ai.openai": "azure",
    "azure-openai": "azure",
    "gcp.gen_ai": "google",
    "togetherai": "together",
}
"""Values of OpenTelemetry's ``gen_ai.provider.name``, and names of the AI SDK, that the price list spells otherwise."""

FRAMEWORKS = frozenset({"strands-agents"})
"""Values of it that name no provider: that is Bedrock, if the model has a name of its form, else an unnamed one."""

_OF_AI_SDK = re.compile(r"([\w-]+)\.(?:chat|completion|embedding|messages|responses|textEmbedding)", re.ASCII)
"""A provider of the AI SDK with the API that it is asked by: ``groq.chat``."""
_GATEWAY = "gateway"
"""That of Vercel, whose models are named with their providers: ``openai/gpt-4o``."""
_LONGEST_NAME = 256
_BEDROCK = re.compile(r"(?:[a-z-]+\d*\.){1,2}[a-z]")
_PROBE_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of one model call; the cache counts are parts of ``input``. One that is not known costs nothing."""

    input: int | None
    output: int | None
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class _Rates:
    """US dollars for the call itself and for each token."""

    call: float
    fresh: float
    output: float
    cache_read: float
    cache_write: float


def warm() -> None:
    """Load the price list, which takes about a second, before the first call has to be priced."""
    price_usd(Tokens(1, 1), model="gpt-4o", provider="openai", start_ns=0)


def price_usd(tokens: Tokens, *, model: str, provider: str | None, start_ns: int) -> float | None:
    """Return what the call cost, or None when the model or its provider is not on the list. Never raises.

    A model of an unnamed provider is looked up by its name alone; one of a provider that is not on the list (a server
    of one's own) has no price, whatever its name. ``start_ns`` decides between prices that depend on the time of day.
    """
    if len(model) > _LONGEST_NAME or len(provider or "") > _LONGEST_NAME:
        return None
    try:
        rates = _rates(model, provider)
        if rates is None:
            return None
        if isinstance(rates, _Rates):
            return _linear(tokens, rates)
        return float(_listed(tokens, model, provider, start_ns))
    # A price list is data with code for odd cases; if that code fails, the span is still worth keeping.
    except Exception:  # noqa: BLE001
        return None


@lru_cache(maxsize=4096)
def why_unpriced(model: str | None, provider: str | None) -> str:
    """Say why a call has no price: whether the list does not know its provider, or not its model. Never raises."""
    if model is None:
        return "no price for a call that names no model"
    model, provider = model[:_LONGEST_NAME], provider and provider[:_LONGEST_NAME]
    if provider is None or provider in FRAMEWORKS:
        return f"no price for {model}: model unknown"
    unknown = "model" if _knows_provider(provider, model) else "provider"
    return f"no price for {model} of provider '{provider}': {unknown} unknown"


def _knows_provider(provider: str, model: str) -> bool:
    try:
        from genai_prices.data_snapshot import get_snapshot

        get_snapshot().find_provider(None, _on_list(model, provider)[1], None)
    # As in `price_usd`.
    except Exception:  # noqa: BLE001
        return False
    return True


def _on_list(model: str, provider: str | None) -> tuple[str, str | None]:
    """Return a model and its provider as the price list names them; None if the provider is not named."""
    if provider in FRAMEWORKS:
        return model, "aws" if _BEDROCK.match(model) else None
    if provider == _GATEWAY:
        named, _, rest = model.rpartition("/")
        provider, model = named, rest
    if not provider:
        return model, None
    of_sdk = _OF_AI_SDK.fullmatch(provider)
    name = str(of_sdk[1]) if of_sdk else provider
    return model, PROVIDERS.get(name.lower(), name)


def _linear(tokens: Tokens, rates: _Rates) -> float:
    fresh = max(0, (tokens.input or 0) - tokens.cache_read - tokens.cache_write)
    usd = (
        rates.call
        + fresh * rates.fresh
        + (tokens.output or 0) * rates.output
        + tokens.cache_read * rates.cache_read
        + tokens.cache_write * rates.cache_write
    )
    return round(usd, 12)


def _listed(tokens: Tokens, model: str, provider: str | None, start_ns: int) -> Decimal:
    from genai_prices import Usage, calc_price

    usage = Usage(
        input_tokens=tokens.input or 0,
        output_tokens=tokens.output or 0,
        cache_read_tokens=tokens.cache_read,
        cache_write_tokens=tokens.cache_write,
    )
    when = datetime.fromtimestamp(start_ns / 1e9, tz=UTC)
    model, provider_id = _on_list(model, provider)
    return calc_price(usage, model, provider_id=provider_id, genai_request_timestamp=when).total_price


@lru_cache(maxsize=4096)
def _rates(model: str, provider: str | None) -> _Rates | Literal["varies"] | None:
    """Return prices a token, ``"varies"`` where they depend on time or amount, None where there are none.

    A price from the list costs 200 us, one from rates less than one; so the list is asked once a model.
    """
    from genai_prices.data_snapshot import get_snapshot
    from genai_prices.types import ModelPrice, TieredPrices

    try:
        name, provider_id = _on_list(model, provider)
        _, found = get_snapshot().find_provider_model(name, None, provider_id, None)
    except LookupError:
        return None
    prices = found.prices
    if not isinstance(prices, ModelPrice) or any(isinstance(price, TieredPrices) for price in vars(prices).values()):
        return "varies"

    def usd(tokens: Tokens) -> Decimal:
        return _listed(tokens, model, provider, 0)

    call, n = usd(Tokens(0, 0)), _PROBE_TOKENS
    return _Rates(
        call=float(call),
        fresh=float((usd(Tokens(n, 0)) - call) / n),
        output=float((usd(Tokens(0, n)) - call) / n),
        cache_read=float((usd(Tokens(n, 0, cache_read=n)) - call) / n),
        cache_write=float((usd(Tokens(n, 0, cache_write=n)) - call) / n),
    )
