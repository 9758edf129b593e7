"""Whose models a client of the SDK calls, and where: many providers speak OpenAI's protocol."""

from typing import Any, Final
from urllib.parse import quote

from inspector.integrations.stainless import based_url

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


def provider_of(client: Any) -> str:
    """Name the provider by where the client sends requests; ``openai`` for its own address and for unknown ones."""
    if "Azure" in type(client).__name__:
        return "azure.ai.openai"
    host = str(getattr(client.base_url, "host", "")).lower()
    # Vertex AI puts the region before its name without a dot.
    return next((name for end, name in _BY_HOST if host == end or host.endswith(("." + end, "-" + end))), "openai")


_DEPLOYED: Final = ("/chat/completions", "/completions", "/embeddings")


def url_of(client: Any, path: str, model: str | None) -> str:
    """Return where a request goes; Azure's client puts the deployment into the path, and a version behind it."""
    url = based_url(client, path)
    if "Azure" not in type(client).__name__:
        return url
    base = str(client.base_url).rstrip("/")
    if path in _DEPLOYED and "/deployments" not in base and model is not None:
        url = f"{base}/deployments/{quote(model, safe='')}{path}"
    elif path not in _DEPLOYED and "/deployments/" in base:
        url = base.partition("/deployments/")[0] + path
    version = getattr(client, "_api_version", None)
    return f"{url}?api-version={quote(version, safe='')}" if isinstance(version, str) else url
