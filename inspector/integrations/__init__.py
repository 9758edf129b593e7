"""Published agent frameworks made to emit the contract's hooks: one module each, switched on by its import."""

from inspector.integrations.enabling import Enabled, IntegrationUnknown, chosen
from inspector.integrations.registry import HTTP_CLIENTS, INTEGRATIONS, SERVERS, STANDARD_LIBRARY, Integration

__all__ = [
    "HTTP_CLIENTS",
    "INTEGRATIONS",
    "SERVERS",
    "STANDARD_LIBRARY",
    "Enabled",
    "Integration",
    "IntegrationUnknown",
    "chosen",
]
