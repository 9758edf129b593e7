"""The provider of a model call: by the address of the request, as many speak OpenAI's protocol, or by the framework."""

from functools import lru_cache
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
"""Providers by the end of the host name; OpenTelemetry's values of ``gen_ai.provider.name`` if it has one."""
_BY_NAME: Final = {
    "amazon_bedrock": "aws.bedrock",
    "anthropic-vertex": "anthropic",
    "azure": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "azure_text": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "bedrock_converse": "aws.bedrock",
    "codexresponses": "openai",
    "gemini": "gcp.gemini",
    "google": "gcp.gemini",
    "google-gla": "gcp.gemini",
    "google-vertex": "gcp.vertex_ai",
    "google_genai": "gcp.gemini",
    "google_vertexai": "gcp.vertex_ai",
    "googleoai": "gcp.gemini",
    "mistral": "mistral_ai",
    "mistralai": "mistral_ai",
    "moonshot": "moonshot_ai",
    "responses": "openai",
    "text-completion-openai": "openai",
    "vertex_ai": "gcp.vertex_ai",
    "vertex_ai_beta": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""Frameworks' names for providers that OpenTelemetry spells differently."""


# A program calls few hosts, and comparing one with all takes 8 µs.
@lru_cache(maxsize=64)
def provider_at(host: str, otherwise: str) -> str:
    """Return the provider at a host; ``otherwise`` if it is unknown."""
    host = host.lower()
    # Vertex AI puts the region directly before its name, without a dot.
    return next((name for end, name in _BY_HOST if host == end or host.endswith(("." + end, "-" + end))), otherwise)


def provider_named(name: str) -> str:
    """Return OpenTelemetry's name for a framework's name of a provider."""
    return _BY_NAME.get(name, name)
