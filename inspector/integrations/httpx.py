"""Model calls over plain `httpx`, recognised by the shape of the request."""

from importlib import import_module

from inspector.integrations.patches import Patches
from inspector.integrations.plain_http.httpx_clients import install_clients

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Record the model calls of every client of the package."""
    install_clients(patches, import_module("httpx"))
