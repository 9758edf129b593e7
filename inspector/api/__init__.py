"""The HTTP API: what ``openapi.yaml`` promises, served alone or inside another application."""

from inspector.api.app import create_app
from inspector.api.codes import OneTimeCodes
from inspector.api.errors import AddressUnusable, ApiError, TokenUnusable
from inspector.api.live import LiveLimits
from inspector.api.mount import mount
from inspector.api.server import Listening, serve
from inspector.api.tokens import Token, load_or_create

__all__ = [
    "AddressUnusable",
    "ApiError",
    "Listening",
    "LiveLimits",
    "OneTimeCodes",
    "Token",
    "TokenUnusable",
    "create_app",
    "load_or_create",
    "mount",
    "serve",
]
