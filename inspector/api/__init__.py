"""The HTTP API of ``openapi.yaml``, served alone or inside another application.

Names are imported on first use, so a command that only needs the token does not load the web framework.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # What a type checker and an editor see.
    from inspector.api.access.tokens import Token, load_or_create
    from inspector.api.app import create_app
    from inspector.api.errors import AddressUnusable, ApiError, GrpcMissing, TokenUnusable
    from inspector.api.live import LiveLimits
    from inspector.api.mounted import mount
    from inspector.api.server import Listening, serve

_HOMES = {
    "AddressUnusable": "errors",
    "ApiError": "errors",
    "GrpcMissing": "errors",
    "Listening": "server",
    "LiveLimits": "live",
    "Token": "access.tokens",
    "TokenUnusable": "errors",
    "create_app": "app",
    "load_or_create": "access.tokens",
    "mount": "mounted",
    "serve": "server",
}

__all__ = [
    "AddressUnusable",
    "ApiError",
    "GrpcMissing",
    "Listening",
    "LiveLimits",
    "Token",
    "TokenUnusable",
    "create_app",
    "load_or_create",
    "mount",
    "serve",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'inspector.api' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"inspector.api.{_HOMES[name]}"), name)
    # Kept, also over the submodule of the same name that the import left here.
    globals()[name] = value
    return value
