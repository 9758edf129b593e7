"""The rules that a tool has for its calls, whoever makes them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.middleware.guardrails import InputGuardrail, OutputGuardrail
from toolkit.result import ToolResult
from toolkit.schemas.validation import Validator, validator

OnError: TypeAlias = Callable[[Exception, ToolContext], ToolResult | Awaitable[ToolResult]]
"""Turns what a tool raised into a result; it may raise again."""


@dataclass(slots=True, eq=False)
class Rules:
    """The rules for every call of a tool; tools bound to instances of one class share them."""

    input_guardrails: list[InputGuardrail]
    output_guardrails: list[OutputGuardrail]
    on_error_func: OnError | None
    check_input: Validator | None = None
    check_output: Validator | None = None
    pending: bool = False
    """Whether the schemas are compiled at the first call."""

    def compile(self, definition: ToolDefinition) -> None:
        """Check calls against the definition's schemas from now on."""
        output_schema = definition.output_schema
        self.check_input = validator(definition.input_schema)
        self.check_output = None if output_schema is None else validator(output_schema)
        self.pending = False
