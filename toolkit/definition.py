"""The definition of a tool: its name, its schemas, who may call it and where."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from toolkit.errors import ArgumentsInvalid, DefinitionInvalid
from toolkit.keywords import checks_keywords
from toolkit.plain import texts_of

Schema: TypeAlias = Mapping[str, Any]
"""A JSON Schema (2020-12)."""

ToolSource = Literal["mcp", "function", "agent", "runtime"]
"""Where a tool comes from: an MCP server, a local function, another agent, or the runtime itself (shell, files)."""

# MCP's rule for a tool's name (SEP-986), and slashes; OpenAI and Anthropic take no dots, no slashes, and 64 characters.
_NAME = re.compile(r"[A-Za-z0-9_./-]{1,128}")
_MODEL_NAME_LENGTH = 64
_PATH = re.compile(r"(/[A-Za-z0-9_.~-]+)+")


@checks_keywords
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A tool as models, MCP clients and people see it."""

    name: str
    description: str = ""
    input_schema: Schema = field(default_factory=lambda: {"type": "object", "properties": {}})
    """Schema of the arguments, an object."""
    output_schema: Schema | None = None
    """Schema of the structured result, if there is one."""
    strict: bool = False
    """Whether models must follow the input schema exactly, so that no argument may be optional."""
    mcp_route: str | None = None
    """Path under which a server offers it, as in ``/search``; None for a tool that is not routed."""
    permissions: tuple[str, ...] = ()
    """What a caller needs, all of them; a single text is one."""
    version: str = ""
    """The tool's own version, free text; several versions of a name can be registered side by side."""
    annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Hints for MCP clients, in the protocol's words, such as ``{"readOnlyHint": True}``; claims, not facts."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise DefinitionInvalid(
                f"{self.name!r} cannot be a tool's name: 1 to 128 letters, digits, '_', '-', '.' or '/'"
            )
        object.__setattr__(self, "permissions", texts_of(self.permissions, f"{self.name}, permissions"))
        if self.mcp_route is not None:
            require_route(self.mcp_route)
        if self.strict:
            _require_strict(self.name, self.input_schema)

    @property
    def model_name(self) -> str:
        """The name as providers take it, ``^[a-zA-Z0-9_-]{1,64}$``: dots and slashes become ``__``."""
        safe = self.name.replace(".", "__").replace("/", "__")
        if len(safe) <= _MODEL_NAME_LENGTH:
            return safe
        from hashlib import sha256  # slow to import, rarely needed

        digest = sha256(self.name.encode()).hexdigest()[:8]
        return f"{safe[: _MODEL_NAME_LENGTH - 9]}_{digest}"

    def check_arguments(self, arguments: Mapping[str, Any]) -> None:
        """Check arguments against the input schema, as every call does; an ``ArgumentsInvalid`` lists every problem."""
        from toolkit.schemas.validation import validator

        if problems := validator(self.input_schema)(arguments):
            raise ArgumentsInvalid(f"invalid arguments for {self.name}", problems)


def require_route(path: object) -> None:
    """Refuse what servers cannot offer a tool under."""
    if not isinstance(path, str) or not _PATH.fullmatch(path) or ".." in path:
        raise DefinitionInvalid(f"{path!r} is not a route; expected a path such as '/search'")


def _require_strict(name: str, schema: Mapping[str, Any]) -> None:
    """Check the input schema of ``name`` for strict mode: every argument required, and no others allowed."""
    required = schema.get("required", ())
    if optional := [argument for argument in schema.get("properties", {}) if argument not in required]:
        listed = ", ".join(map(repr, optional))
        raise DefinitionInvalid(
            f"{name} is strict, so no argument may be optional: {listed}; require them or drop strict"
        )
    if schema.get("additionalProperties") is not False:
        raise DefinitionInvalid(f"{name} is strict, so its schema needs additionalProperties: false for the arguments")
