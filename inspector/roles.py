"""The names that APIs and frameworks give to the four message roles of OpenTelemetry's conventions."""

from collections.abc import Mapping

ROLES: Mapping[str, str] = {
    **dict.fromkeys(("user", "human", "chat"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "bot", "chatbot"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function"), "tool"),
}
"""Roles by their names in lower case; ``chat`` is what is left of LangChain's ``ChatMessage``."""


def role_named(name: str) -> str | None:
    """Return the role that a name stands for, be it a role's or that of a class of messages; None for any other."""
    return ROLES.get(name.removesuffix("Chunk").removesuffix("Message").lower())
