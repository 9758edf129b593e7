"""Makes published agent frameworks emit the contract's hooks: one module each, enabled by the framework's import."""

from inspector.integrations.enabling import Enabled, IntegrationUnknown, chosen
from inspector.integrations.registry import (
    HTTP_CLIENTS,
    INTEGRATIONS,
    JOBS,
    SERVERS,
    STANDARD_LIBRARY,
    Integration,
    loaded_versions,
)

__all__ = [
    "HTTP_CLIENTS",
    "INTEGRATIONS",
    "JOBS",
    "SERVERS",
    "STANDARD_LIBRARY",
    "Enabled",
    "Integration",
    "IntegrationUnknown",
    "chosen",
    "loaded_versions",
]
