"""Versions of the inspector and of what it runs on."""

import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "mcp-agent-inspector"
PACKAGES = (
    "alembic",
    "click",
    "fastapi",
    "genai-prices",
    "msgspec",
    "opentelemetry-api",
    "pydantic-settings",
    "sqlalchemy",
    "uvicorn",
    "wcwidth",
    "zstandard",
)
"""The packages that the extra ``inspector`` installs."""

MISSING = "not installed"


def versions() -> dict[str, str]:
    """Return each part and its version, our own first."""
    parts = {
        DISTRIBUTION: version_of(DISTRIBUTION),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }
    return parts | {"platform": platform.platform()} | {name: version_of(name) for name in PACKAGES}


def version_of(distribution: str) -> str:
    """Return the version of a distribution, or say that it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return MISSING
