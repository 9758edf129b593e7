"""Whose models are called, told by where a request goes: many providers speak OpenAI's protocol."""

from typing import Final

_BY_HOST: Final = (
    ("openai.azure.com", "azure.ai.openai"),
    ("cognitiveservices.azure.com", "azure.ai.openai"),
    ("services.ai.azure.com", "azure.ai.inference"),
    ("models.inference.ai.azure.com", "azure.ai.inference"),
    ("aiplatform.googleapis.com", "gcp.vertex_ai"),
    ("generativelanguage.googleapis.com", "gcp.gemini"),
    ("amazonaws.com", "aws.bedrock"),
    ("api.anthropic.com", "anthropic"),
    ("api.cerebras.ai", "cerebras"),
    ("api.cohere.ai", "cohere"),
    ("api.cohere.com", "cohere"),
    ("api.deepseek.com", "deepseek"),
    ("api.fireworks.ai", "fireworks"),
    ("api.groq.com", "groq"),
    ("api.mistral.ai", "mistral_ai"),
    ("api.perplexity.ai", "perplexity"),
    ("api.together.ai", "together"),
    ("api.together.xyz", "together"),
    ("api.x.ai", "x_ai"),
    ("openrouter.ai", "openrouter"),
)
"""Ends of host names; the names are OpenTelemetry's values of ``gen_ai.provider.name`` where it has one."""


def provider_at(host: str, otherwise: str) -> str:
    """Name the provider at a host; ``otherwise`` where none is known."""
    host = host.lower()
    # Vertex AI puts the region before its name without a dot.
    return next((name for end, name in _BY_HOST if host == end or host.endswith(("." + end, "-" + end))), otherwise)
