"""The names that APIs and frameworks give to the four message roles of OpenTelemetry's conventions."""

from collections.abc import Mapping

ROLES: Mapping[str, str] = {
    **dict.fromkeys(("user", "human", "chat", "tool-response"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "bot", "chatbot", "tool-call"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function"), "tool"),
}
"""Roles by their names in lower case; ``chat`` comes from LangChain's ``ChatMessage``.

smolagents sends its ``tool-call`` and ``tool-response`` to models as messages of the assistant and the user.
"""

ITEM_ROLES: Mapping[str, str] = {
    **dict.fromkeys(("function_call", "custom_tool_call", "reasoning"), "assistant"),
    **dict.fromkeys(("function_call_output", "custom_tool_call_output"), "tool"),
    **dict.fromkeys(("computer_call_output", "local_shell_call_output"), "tool"),
    **dict.fromkeys(("shell_call_output", "apply_patch_call_output"), "tool"),
}
"""Roles of the items of OpenAI's Responses API that have a type instead of a role."""


def role_named(name: str) -> str | None:
    """Return the role with this name, or of a message class with this name; None for others."""
    return ROLES.get(name.removesuffix("Chunk").removesuffix("Message").lower())
