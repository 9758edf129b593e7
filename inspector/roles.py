"""The names that APIs and frameworks give to the four message roles of OpenTelemetry's conventions."""

from collections.abc import Mapping

ROLES: Mapping[str, str] = {
    **dict.fromkeys(("user", "human", "chat"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "bot", "chatbot"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function"), "tool"),
}
"""Roles by their names in lower case; ``chat`` comes from LangChain's ``ChatMessage``."""


def role_named(name: str) -> str | None:
    """Return the role with this name, or of a message class with this name; None for others."""
    return ROLES.get(name.removesuffix("Chunk").removesuffix("Message").lower())
