import subprocess
import sys

import pytest

from inspector.reading.cost import Tokens, price_usd, why_unpriced

NOON_NS = 1_795_000_000_000_000_000


def test_the_price_of_a_call_is_the_lists_price_of_each_part():
    tokens = Tokens(input=10_000, output=1_000, cache_read=4_000, cache_write=2_000)
    usd = price_usd(tokens, model="claude-sonnet-4-0", provider="anthropic", start_ns=NOON_NS)
    assert usd == pytest.approx((4_000 * 3 + 4_000 * 0.3 + 2_000 * 3.75 + 1_000 * 15) / 1e6)


def test_a_count_that_nobody_gave_adds_nothing_to_the_price():
    # By its rates, and by the list where they vary with the amount.
    for model, provider in (("gpt-4o", "openai"), ("gemini-2.5-pro", "google")):
        known = {"model": model, "provider": provider, "start_ns": 0}
        assert price_usd(Tokens(1000, None), **known) == price_usd(Tokens(1000, 0), **known)
        assert price_usd(Tokens(None, 1000), **known) == price_usd(Tokens(0, 1000), **known)


def test_rates_agree_with_the_list_for_flat_and_for_tiered_prices():
    from genai_prices import Usage, calc_price

    tokens = Tokens(input=300_123, output=456, cache_read=1_234)
    usage = Usage(input_tokens=300_123, output_tokens=456, cache_read_tokens=1_234)
    for model, provider in [
        ("gpt-4o-mini", "openai"),
        ("gemini-2.5-pro", "google"),
        ("mistral-large-latest", "mistral"),
    ]:
        listed = calc_price(usage, model, provider_id=provider).total_price
        assert price_usd(tokens, model=model, provider=provider, start_ns=NOON_NS) == pytest.approx(float(listed)), (
            model
        )


def test_providers_are_known_by_their_conventional_names():
    for provider, model in [
        ("openai", "gpt-4o"),
        ("azure.ai.openai", "gpt-4o"),
        ("azure.ai.inference", "gpt-4o"),
        ("aws.bedrock", "anthropic.claude-3-5-sonnet-20240620-v1:0"),
        ("gcp.vertex_ai", "gemini-2.5-flash"),
        ("gcp.gemini", "gemini-2.5-flash"),
        ("x_ai", "grok-4"),
        ("mistral_ai", "mistral-large-latest"),
        ("gcp.gen_ai", "gemini-2.5-flash"),
        (None, "gpt-4o"),
    ]:
        usd = price_usd(Tokens(1000, 1000), model=model, provider=provider, start_ns=NOON_NS)
        assert usd is not None and usd > 0, provider


@pytest.mark.parametrize(
    ("of_sdk", "provider", "model"),
    [
        ("openai.responses", "openai", "gpt-4o"),
        ("azure.chat", "azure", "gpt-4o"),
        ("azure-openai.chat", "azure", "gpt-4o"),
        ("anthropic.messages", "anthropic", "claude-sonnet-4-5"),
        ("google.generative-ai", "google", "gemini-2.5-flash"),
        ("xai.chat", "x-ai", "grok-3"),
        ("groq.chat", "groq", "llama-3.3-70b-versatile"),
        ("deepseek.chat", "deepseek", "deepseek-chat"),
        ("togetherai.chat", "together", "meta-llama/Llama-3.3-70B-Instruct-Turbo"),
    ],
)
def test_providers_of_the_ai_sdk_are_known_with_and_without_its_gateway(of_sdk, provider, model):
    usd = price_usd(Tokens(1000, 1000), model=model, provider=provider, start_ns=NOON_NS)
    assert usd
    assert price_usd(Tokens(1000, 1000), model=model, provider=of_sdk, start_ns=NOON_NS) == usd
    if "/" not in model:
        named = f"{provider}/{model}"
        assert price_usd(Tokens(1000, 1000), model=named, provider="gateway", start_ns=NOON_NS) == usd


def test_a_server_of_ones_own_under_a_name_of_the_ai_sdk_has_no_price():
    assert price_usd(Tokens(1, 1), model="gpt-4o", provider="lmstudio.chat", start_ns=NOON_NS) is None
    assert why_unpriced("gpt-4o", "lmstudio.chat").endswith("provider unknown")
    assert why_unpriced("openai/stub", "gateway").endswith("model unknown")


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("scripted", None),
        ("scripted", "openai"),
        ("gpt-4o", "my own server"),
        ("", None),
        ("a" * 10_000, "openai"),
        ("gpt-4o", "o" * 10_000),
        ("\x00\ud800", "\x00"),
    ],
)
def test_what_is_not_on_the_list_has_no_price(model, provider):
    assert price_usd(Tokens(1, 1), model=model, provider=provider, start_ns=NOON_NS) is None


@pytest.mark.parametrize("start_ns", [0, 2**64 - 1])
@pytest.mark.parametrize("model", ["gpt-4o", "gemini-2.5-pro"])
def test_absurd_counts_and_times_have_the_price_of_so_many_tokens(model, start_ns):
    def usd(tokens):
        return price_usd(tokens, model=model, provider=None, start_ns=start_ns)

    most = 2**63 - 1
    assert usd(Tokens(0, 0)) == 0
    # Prices that depend on the amount have their last step long before a million tokens.
    assert usd(Tokens(most, most)) == pytest.approx(most / 10**7 * usd(Tokens(10**7, 10**7)), rel=0.1)


def test_parts_that_exceed_their_whole_have_a_price_or_none_and_never_one_below_zero():
    for model in ("gpt-4o", "gemini-2.5-pro"):
        usd = price_usd(Tokens(1, 1, 2**63 - 1, 2**63 - 1), model=model, provider=None, start_ns=NOON_NS)
        assert usd is None or usd > 0


def test_the_price_list_is_loaded_at_the_first_price_and_never_fetched():
    program = """
import sys, socket, threading
import inspector.ingest
assert "genai_prices" not in sys.modules
def refuse(*_): raise AssertionError("a connection was tried")
socket.socket.connect = socket.getaddrinfo = refuse
from inspector.reading.cost import Tokens, price_usd, warm
warm()
assert price_usd(Tokens(1000, 0), model="gpt-4o", provider="openai", start_ns=0) == 0.0025
assert threading.active_count() == 1
print("fine")
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ran.stdout == "fine\n", ran.stderr


def test_no_price_says_whether_provider_or_model_is_unknown():
    assert why_unpriced("gpt-5-mini", "scripted") == "no price for gpt-5-mini of provider 'scripted': provider unknown"
    assert why_unpriced("stub", "openai") == "no price for stub of provider 'openai': model unknown"
    assert why_unpriced("stub", "azure.ai.inference").endswith(": model unknown")
    assert why_unpriced("stub", None) == "no price for stub: model unknown"
    assert why_unpriced(None, "openai") == "no price for a call that names no model"
    assert len(why_unpriced("a" * 10_000, "o" * 10_000)) < 600


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "aws.bedrock"),
        ("amazon.nova-pro-v1:0", "aws.bedrock"),
        ("gpt-4.1", "openai"),
        ("gemini-2.5-flash", "gcp.gemini"),
    ],
)
def test_a_framework_given_as_the_provider_leaves_the_price_to_the_models_name(model, provider):
    given, framework = (
        price_usd(Tokens(1000, 1000), model=model, provider=each, start_ns=NOON_NS)
        for each in (provider, "strands-agents")
    )
    assert given is not None
    assert framework == given


def test_no_price_of_a_model_whose_provider_is_given_as_a_framework_is_due_to_the_model():
    assert why_unpriced("stub", "strands-agents") == "no price for stub: model unknown"
