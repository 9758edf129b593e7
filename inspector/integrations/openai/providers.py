"""Whose models a client of the SDK calls, and where: many providers speak OpenAI's protocol."""

from typing import Any, Final
from urllib.parse import quote

from inspector.integrations.providers import provider_at
from inspector.integrations.stainless import based_url


def provider_of(client: Any) -> str:
    """Name the provider by where the client sends requests; ``openai`` for its own address and for unknown ones."""
    if "Azure" in type(client).__name__:
        return "azure.ai.openai"
    return provider_at(str(getattr(client.base_url, "host", "")), "openai")


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
