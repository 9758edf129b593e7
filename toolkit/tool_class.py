"""The one way in which every tool is called, whatever is behind it."""

import os
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from inspect import isawaitable, signature
from typing import Any, ClassVar, TypeAlias, cast

from instrument import around, enabled
from toolkit.call import Arguments, ToolCall
from toolkit.context import ToolContext
from toolkit.definition import Schema, ToolDefinition, ToolSource
from toolkit.errors import ArgumentsInvalid, DefinitionInvalid, ResultInvalid, ToolkitError, ToolRefused
from toolkit.guardrails import InputGuardrail, OutputGuardrail, decide
from toolkit.handed import Handed
from toolkit.middleware.chain import Change
from toolkit.middleware.contexts import ToolCallArgs, ToolHookContext
from toolkit.middleware.tools import call_through
from toolkit.people.approver import callers_approver
from toolkit.result import ToolResult
from toolkit.validation import Validator, validator

OnError: TypeAlias = Callable[[Exception, ToolContext], ToolResult | Awaitable[ToolResult]]
"""Makes a result of what a tool raised; it may raise again."""


changes_told: ContextVar[list[Change] | None] = ContextVar("toolkit_changes_told", default=None)
"""What the middleware of the innermost watched call did, for a tool that passes the call on to another one."""


@dataclass(slots=True, eq=False)
class Rules:
    """What holds for every call of a tool; the tools bound to the instances of one class share it."""

    input_guardrails: list[InputGuardrail]
    output_guardrails: list[OutputGuardrail]
    on_error_func: OnError | None
    check_input: Validator | None = None
    check_output: Validator | None = None
    pending: bool = False
    """The schemas are to be compiled at the first call."""

    def compile(self, definition: ToolDefinition) -> None:
        """Hold calls against the definition's schemas from now on."""
        output_schema = definition.output_schema
        self.check_input = validator(definition.input_schema)
        self.check_output = None if output_schema is None else validator(output_schema)
        self.pending = False


class Tool(ABC):
    """Something an agent can have done. Subclasses write ``run``; the rest is here.

    A call passes, from the outside in: the hooks of the bus, the permissions, the context's middleware, the input
    guardrails (``on_invoke``), the input schema, ``run``, the output schema and the output guardrails (``on_output``).
    What is raised by the permissions, or from the guardrails on, comes to ``on_error``; of the latter, the middleware
    sees the result.

    Args:
        definition: What the tool is.
        input_guardrails: Look at the call before it runs.
        output_guardrails: Look at the result.
        on_error_func: Makes a result of what was raised; by default the model reads the exception's text.
        validate: False leaves out both schemas, and with them the need for ``jsonschema``.
    """

    source: ClassVar[ToolSource] = "function"

    def __init__(
        self,
        definition: ToolDefinition,
        *,
        input_guardrails: Iterable[InputGuardrail] = (),
        output_guardrails: Iterable[OutputGuardrail] = (),
        on_error_func: OnError | None = None,
        validate: bool = True,
    ) -> None:
        self._definition = definition
        _require_on_error(on_error_func)
        self._rules = Rules(list(input_guardrails), list(output_guardrails), on_error_func)
        if validate:
            self._rules.compile(definition)

    @property
    def definition(self) -> ToolDefinition:
        """What the tool is."""
        return self._definition

    @property
    def name(self) -> str:
        """The name by which a model calls it."""
        return self.definition.name

    @property
    def description(self) -> str:
        """What it does, for the model."""
        return self.definition.description

    @property
    def input_schema(self) -> Schema:
        """The JSON Schema of its arguments."""
        return self.definition.input_schema

    @property
    def output_schema(self) -> Schema | None:
        """The JSON Schema of its structured result, if it promises one."""
        return self.definition.output_schema

    @property
    def strict(self) -> bool:
        """Whether models have to keep to the input schema to the letter."""
        return self.definition.strict

    @property
    def server_name(self) -> str | None:
        """Whom middleware is told to be behind it; None for a local function."""
        return None

    @property
    def called_function(self) -> Callable[..., Any] | None:
        """The Python function behind it; None where there is none."""
        return None

    def add_input_guardrails(self, guardrails: Iterable[InputGuardrail]) -> None:
        """Add guardrails after those that are there."""
        self._rules.input_guardrails.extend(guardrails)

    def add_output_guardrails(self, guardrails: Iterable[OutputGuardrail]) -> None:
        """Add guardrails after those that are there."""
        self._rules.output_guardrails.extend(guardrails)

    def add_on_error_func(self, on_error_func: OnError) -> None:
        """Replace what makes a result of what is raised.

        Raises:
            DefinitionInvalid: There is one already.
        """
        if self._rules.on_error_func is not None:
            raise DefinitionInvalid(f"{self.name} has an on_error_func already")
        _require_on_error(on_error_func)
        self._rules.on_error_func = on_error_func

    async def __call__(self, call: ToolCall | Mapping[str, Any], context: ToolContext | None = None) -> ToolResult:
        """Call the tool; every call of the toolkit comes through here.

        Args:
            call: The call, or arguments alone.
            context: What the tool may use; an empty one by default.

        Raises:
            Exception: What a middleware raised, or ``on_error``. What the tool itself raises becomes a result.
        """
        if not isinstance(call, ToolCall):
            call = self._called(call)
        elif call.name != self.name:
            # Middleware goes by the tool's own name, whatever it was found by.
            call = replace(call, name=self.name)
        context = context or ToolContext()
        if enabled("before_tool_call") or enabled("after_tool_call") or enabled("error_tool_call"):
            return await self._watched(call, context)
        if context.tool_hooks or context.permissions is not None:
            return await self._through(call, context, None, None)
        return await self._perform(call, context, None)

    @abstractmethod
    async def run(self, call: ToolCall, context: ToolContext) -> object:
        """Do it. Returns a ``ToolResult`` or what ``ToolResult.of`` reads; raises what goes wrong."""

    async def on_invoke(self, call: ToolCall, context: ToolContext) -> ToolCall | None:
        """Return the call to run, after the input guardrails; None for the same. Raise ``ToolRefused`` to refuse it."""
        guardrails = self._rules.input_guardrails
        return await decide(guardrails, call, context) if guardrails else call

    async def on_output(self, result: ToolResult, context: ToolContext) -> ToolResult:
        """Return the result for the caller, after the output guardrails; raise ``ToolRefused`` to withhold it."""
        guardrails = self._rules.output_guardrails
        return await decide(guardrails, result, context) if guardrails else result

    async def on_error(self, error: Exception, context: ToolContext) -> ToolResult:
        """Return what the caller reads when something was raised."""
        if self._rules.on_error_func is not None:
            made = self._rules.on_error_func(error, context)
            result = ToolResult.of(await made if isawaitable(made) else made)
            if result.is_error and result.exception is None:
                result.exception = error
            return result
        return ToolResult.error(_said(error), exception=error)

    async def _watched(self, call: ToolCall, context: ToolContext) -> ToolResult:
        changes: list[Change] = []
        changes_told.set(changes)
        call_id = os.urandom(8).hex()
        told: dict[str, Any] = {"context": self._hook_context(call, context, call_id), "call_id": call_id}
        if self.called_function is not None:
            told["function"] = self.called_function
        async with around(
            "tool_call", emitter="toolkit", tool_name=call.name, args=call.arguments, **told
        ) as around_call:
            try:
                result = await self._through(call, context, call_id, changes)
            finally:
                if changes:
                    around_call.set(middleware=[each.told() for each in changes])
            around_call.set(result=result)
            if result.is_error and result.exception is not None:
                around_call.fail(result.exception)
            return result

    async def _through(
        self, call: ToolCall, context: ToolContext, call_id: str | None, changes: list[Change] | None
    ) -> ToolResult:
        """Pass the permissions and the middleware."""
        # First, since a middleware may answer a call itself: not everybody may have what it remembers.
        if refused := self._refused(context.permissions) or self._unreadable(call):
            return await self.on_error(refused, context.during(call, call_id))

        async def original(args: ToolCallArgs) -> ToolResult:
            return await self._perform(
                call if args is call.arguments else replace(call, arguments=args), context, call_id
            )

        if not context.tool_hooks:
            return await original(call.arguments)
        hook_context = self._hook_context(call, context, call_id, original)
        outer = callers_approver.get()
        callers_approver.set(context.approver)
        try:
            return await call_through(context.tool_hooks, hook_context, call.arguments, original, changes)
        finally:
            # Not by token: a coroutine that is left may be closed in another context.
            callers_approver.set(outer)

    def _hook_context(
        self,
        call: ToolCall,
        context: ToolContext,
        call_id: str | None,
        original: Callable[[ToolCallArgs], Awaitable[ToolResult]] | None = None,
    ) -> ToolHookContext:
        async def alone(args: ToolCallArgs) -> ToolResult:
            return await self._through(replace(call, arguments=args), replace(context, tool_hooks=()), call_id, None)

        return ToolHookContext(
            agent_name=context.agent_name,
            server_name=self.server_name,
            tool_name=call.name,
            tool_source=self.source,
            tool_use_id=call.id,
            correlation_id=context.correlation_id,
            original_tool_func=original or alone,
            call_id=call_id,
        )

    async def _perform(self, call: ToolCall, context: ToolContext, call_id: str | None) -> ToolResult:
        # Only here, since the middleware may have changed the arguments that a person is asked about.
        context = context.during(call, call_id)
        rules = self._rules
        try:
            if call.problem is not None:
                self._require_readable(call)
            if rules.pending:
                rules.compile(self.definition)
            if rules.input_guardrails or type(self).on_invoke is not Tool.on_invoke:
                passed = await self.on_invoke(call, context)
                if passed is not None and passed is not call:
                    call, context = passed, context.during(passed, context.call_id)
            if rules.check_input is not None:
                self._check_arguments(call, rules.check_input)
            result = ToolResult.of(await self.run(call, context))
            if rules.check_output is not None:
                self._check_result(result, rules.check_output)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is told to the model
            return await self._withheld(await self.on_error(error, context), context)
        if not rules.output_guardrails and type(self).on_output is Tool.on_output:
            return result
        try:
            return Handed(result).settled(ToolResult.of(await self.on_output(result, context)))
        except Exception as error:  # noqa: BLE001 - as above
            return await self.on_error(error, context)

    async def _withheld(self, failure: ToolResult, context: ToolContext) -> ToolResult:
        """Return a failure unless an output guardrail refuses it: exceptions quote what may not get out.

        Nothing else that guardrails make of it counts, since they are written for results.
        """
        guardrails = self._rules.output_guardrails
        if guardrails:
            try:
                await decide(guardrails, failure, context)
            except ToolRefused as error:
                return ToolResult.error(str(error), exception=error)
            except Exception:  # noqa: BLE001 - it looked for what only results have
                return failure
        return failure

    def _called(self, arguments: object) -> ToolCall:
        if not isinstance(arguments, Mapping):
            kind = type(arguments).__name__
            raise ToolkitError(f"{self.name} is a tool: call it with a ToolCall or a mapping of arguments, not {kind}")
        return ToolCall(self.name, dict(cast("Mapping[str, Any]", arguments)))

    def _refused(self, permissions: Collection[str] | None) -> ToolRefused | None:
        missing = [each for each in self.definition.permissions if permissions is not None and each not in permissions]
        return ToolRefused(f"{self.name} needs the permission {', '.join(map(repr, missing))}") if missing else None

    def _require_readable(self, call: ToolCall) -> None:
        if unreadable := self._unreadable(call):
            raise unreadable

    def _unreadable(self, call: ToolCall) -> ToolkitError | None:
        if call.problem is None or call.arguments is not None:
            return None
        return ToolkitError(f"{call.problem}; call {self.name} again with a JSON object")

    def _check_arguments(self, call: ToolCall, check: Validator) -> None:
        if problems := check(call.arguments or {}):
            raise ArgumentsInvalid(f"invalid arguments for {self.name}", problems)

    def _check_result(self, result: ToolResult, check: Validator) -> None:
        if result.is_error:
            return
        problems = check(result.structured)
        if problems and result.structured is None and result.content:
            # What came is text, or content, which can say more than that there is no value.
            problems = check(result.text) or problems
        if problems:
            raise ResultInvalid(f"{self.name} returned what its output schema does not allow", problems)


def _require_on_error(on_error_func: OnError | None) -> None:
    """Refuse now what could not be called once something goes wrong, when nobody would learn what it was."""
    if on_error_func is None:
        return
    try:
        signature(on_error_func).bind(None, None)
    except TypeError:
        name = getattr(on_error_func, "__name__", type(on_error_func).__name__)
        raise DefinitionInvalid(f"the on_error_func {name} has to take two arguments: (error, context)") from None
    except ValueError:
        return  # Python cannot tell


def _said(error: BaseException) -> str:
    """Return what the model reads of an exception; the toolkit's own are written for it, others need their type."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(map(_said, cast("BaseExceptionGroup[BaseException]", error).exceptions))
    try:
        told = str(error)
    except Exception:  # noqa: BLE001 - an exception's own words may raise anything
        told = ""
    if isinstance(error, ToolkitError):
        return told
    return f"{type(error).__name__}: {told}" if told else type(error).__name__


def arguments_of(call: ToolCall) -> Arguments:
    """Return the call's arguments, empty where it has none."""
    return call.arguments or {}
