"""The one way in which every tool is called, whatever is behind it."""

import os
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import fields, replace
from inspect import isawaitable
from typing import Any, ClassVar, Never, Self, cast

from instrument import around, control, enabled
from toolkit.call import ToolCall
from toolkit.context import ToolContext, context_of
from toolkit.definition import Schema, ToolDefinition, ToolSource
from toolkit.errors import ArgumentsInvalid, DefinitionInvalid, ToolkitError, ToolRefused
from toolkit.keywords import require_known
from toolkit.middleware.chain import call_through
from toolkit.middleware.changes import Change, name_of, safely
from toolkit.middleware.checks import check_methods, checked_call, guardrails_of, require_on_error
from toolkit.middleware.contexts import ToolCallArgs, ToolHookContext
from toolkit.middleware.controlling import carried_out
from toolkit.middleware.guardrails import InputGuardrail, OutputGuardrail, decide, withheld
from toolkit.middleware.handed import Handed
from toolkit.middleware.rules import OnError, Rules
from toolkit.outcomes import check_result, failure, is_debugging, log_raised, logged, raise_ending
from toolkit.result import ToolResult

NO_CALL: Any = object()
"""Stands for a call that was not given."""

_DECLARED = tuple(each.name for each in fields(ToolDefinition))
"""What a subclass may set as attributes or properties of its own, instead of in a definition."""


class Tool(ABC):
    """Something an agent can call. Subclasses implement ``run``; the rest is here.

    A definition describes it, or a subclass does with attributes or properties named like the definition's fields:
    ``name``, ``input_schema``, ``permissions`` and so on. A subclass with an ``__init__`` of its own need not call this
    one. ``__call__`` lists the steps of a call in their order.

    Args:
        definition: What the tool is; not needed if the class has a ``name``.
        input_guardrails: Check the call before it runs.
        output_guardrails: Check the result.
        on_error_func: Turns an exception into a result; by default the model reads the exception's text.
        validate: False leaves out both schemas, and with them the need for ``jsonschema``.
    """

    source: ClassVar[ToolSource] = "function"

    _own: tuple[str, ...]
    _definition: ToolDefinition | None
    _rules: Rules

    def __init_subclass__(cls, **more: Any) -> None:
        """Refuse a class whose methods could not be called."""
        super().__init_subclass__(**more)
        check_methods(cls)

    def __new__(cls, *_: Any, **named: Any) -> Self:
        """Return a tool that can be called, whatever its class does in an ``__init__`` of its own."""
        require_known(cls, named)
        tool = super().__new__(cls)
        tool._own, tool._definition, tool._rules = _declared(cls), None, Rules([], [], None, pending=True)
        return tool

    def __init__(
        self,
        definition: ToolDefinition | None = None,
        *,
        input_guardrails: Iterable[InputGuardrail] = (),
        output_guardrails: Iterable[OutputGuardrail] = (),
        on_error_func: OnError | None = None,
        validate: bool = True,
    ) -> None:
        if definition is None and "name" not in self._own and type(self).definition is Tool.definition:
            kind = type(self).__name__
            raise DefinitionInvalid(f"{kind} has no name; give it a class attribute name, or {kind}(ToolDefinition(…))")
        self._definition = definition
        require_on_error(on_error_func)
        rules = guardrails_of(input_guardrails), guardrails_of(output_guardrails)
        self._rules = Rules(*rules, on_error_func, pending=validate)
        # A property may need what the subclass sets up after this.
        if validate and not self._own:
            self._rules.compile(self.definition)

    @property
    def definition(self) -> ToolDefinition:
        """What the tool is."""
        if self._definition is not None and not self._own:
            return self._definition
        own: dict[str, Any] = {name: getattr(self, name) for name in self._own}
        return ToolDefinition(**own) if self._definition is None else replace(self._definition, **own)

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
    def permissions(self) -> tuple[str, ...]:
        """What a caller needs, all of them."""
        return self.definition.permissions

    @property
    def server_name(self) -> str | None:
        """The server that middleware sees behind it; None for a local function."""
        return None

    @property
    def called_function(self) -> Callable[..., Any] | None:
        """The Python function behind it, if there is one."""
        return None

    def add_input_guardrails(self, guardrails: Iterable[InputGuardrail]) -> None:
        """Add guardrails after those that are there."""
        self._rules.input_guardrails.extend(guardrails_of(guardrails))

    def add_output_guardrails(self, guardrails: Iterable[OutputGuardrail]) -> None:
        """Add guardrails after those that are there."""
        self._rules.output_guardrails.extend(guardrails_of(guardrails))

    def add_on_error_func(self, on_error_func: OnError) -> None:
        """Set what turns exceptions into results; a tool has one."""
        if self._rules.on_error_func is not None:
            raise DefinitionInvalid(f"{self.name} has an on_error_func already")
        require_on_error(on_error_func)
        self._rules.on_error_func = on_error_func

    async def __call__(
        self, call: ToolCall | Mapping[str, Any] = NO_CALL, context: ToolContext | None = None, **named: Never
    ) -> ToolResult:
        """Call the tool; every call of the toolkit comes through here.

        These are the steps, in their order:

        1. the hooks of the bus, which see the call as it was requested and its final result (``_watched``),
           and ``instrument.control``, which may change it, answer it or refuse it (``toolkit.middleware.controlling``);
        2. the permissions, and arguments that could not be read (``forward``);
        3. the context's middleware, the first one outermost (``forward``);
        4. ``on_invoke``, then the input guardrails;
        5. the input schema;
        6. ``run``;
        7. the output schema;
        8. ``on_output``, then the output guardrails.

        ``failed`` turns what steps 2 and 4 to 8 raise into a result, which the middleware sees. A subclass that
        overrides a method overrides nothing else: guardrails and ``on_error_func`` are separate steps.

        Args:
            call: The call, or arguments alone.
            context: What the tool may use; an empty one by default.
            named: Not accepted: arguments are a mapping.

        Raises:
            EndRun: Any step raised it.
            Exception: What a middleware raised, or ``on_error``. What the tool itself raises becomes a result.
        """
        if named or not isinstance(call, ToolCall) or call.name != self.name:
            call = self._received(call, named)
        if type(context) is not ToolContext:
            context = context_of(context)
        if is_debugging():
            target = f"{call.name} ({' '.join(filter(None, (self.source, self.server_name)))})"
            return await logged(target, context.agent_name, self._watched(call, context))
        if _somebody_watches():
            return await self._watched(call, context)
        if context.tool_hooks or context.permissions is not None or call.problem is not None:
            return await self.forward(call, context.announced(call))
        # Steps 1 to 3 have nothing to do.
        return await self._perform(call, context.announced(call) if self._sees_context() else context)

    def _sees_context(self) -> bool:
        """Return whether anything of the tool gets the context, which contains the current call."""
        return True

    async def forward(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Make a call without announcing it, for a tool that wraps this one and announces its own call.

        What middleware and guardrails do here is recorded with the current call of ``context``.
        """
        if context.call is not call:
            context = context.during(call)
        # First, since a middleware may answer a call from its memory, which not every caller may read.
        refused: ToolkitError | None = None if context.permissions is None else self._refused(context.permissions)
        if refused is None and call.problem is not None and call.arguments is None:
            refused = ToolkitError(f"{call.problem}; call {self.name} again with a JSON object")
        if refused is not None:
            return await self.failed(refused, context)
        if not context.tool_hooks:
            return await self._perform(call, context)

        async def rest(args: ToolCallArgs) -> ToolResult:
            # A person is asked about the arguments that middleware made of them.
            passed = call if args is call.arguments else replace(call, arguments=args)
            return await self._perform(passed, context.during(passed))

        hook_context = self._hook_context(call, context, rest)
        return await call_through(context.tool_hooks, hook_context, call.arguments, rest, context.changes)

    @abstractmethod
    async def run(self, call: ToolCall, context: ToolContext) -> object:
        """Do the work. Return a ``ToolResult`` or what ``ToolResult.of`` reads; raise what goes wrong."""

    async def on_invoke(self, call: ToolCall, context: ToolContext) -> ToolCall | None:  # noqa: ARG002 - for subclasses
        """Return the call to run; None for the same one. Raise ``ToolRefused`` to refuse it."""
        return call

    async def on_output(self, result: ToolResult, context: ToolContext) -> ToolResult | None:  # noqa: ARG002 - as above
        """Return the result for the caller; None for the same one. Raise ``ToolRefused`` to withhold it."""
        return result

    async def on_error(self, error: Exception, context: ToolContext) -> ToolResult | None:  # noqa: ARG002 - as above
        """Return what the caller reads after an exception; None for the exception's text.

        What this raises is handled as ``ToolContext.errors`` says.
        """
        return failure(self.name, error)

    async def failed(self, error: Exception, context: ToolContext) -> ToolResult:
        """Return the result of a call that raised: that of ``on_error``, then that of the ``on_error_func``.

        The function is called only if the result of ``on_error`` is an error.
        """
        default = failure(self.name, error)
        by, result = "on_error", _of_error(await self.on_error(error, context), default)
        on_error_func = self._rules.on_error_func
        if result.is_error and on_error_func is not None:
            returned = on_error_func(error, context)
            result = _of_error(await returned if isawaitable(returned) else returned, default)
            by = name_of(on_error_func)
        if context.changes is not None and result != default:
            shown = safely(ToolResult.snapshot, default), safely(ToolResult.snapshot, result)
            context.changes.append(Change(by, "changed" if result.is_error else "recovered", result=shown))
        return result

    async def _watched(self, call: ToolCall, context: ToolContext) -> ToolResult:
        changes: list[Change] = []
        call_id = os.urandom(8).hex()
        context = context.announced(call, call_id, changes)
        keywords: dict[str, Any] = {"context": self._hook_context(call, context), "call_id": call_id}
        if self.called_function is not None:
            keywords["function"] = self.called_function
        async with around(
            "tool_call", emitter="toolkit", tool_name=call.name, args=call.arguments, **keywords
        ) as around_call:
            try:
                result = await carried_out(self, call, context, around_call.set)
            finally:
                if changes:
                    around_call.set(middleware=[change.recorded() for change in changes])
            around_call.set(result=result)
            if result.is_error and result.exception is not None:
                around_call.set(returned=result)
                around_call.fail(result.exception)
            return result

    def _hook_context(
        self, call: ToolCall, context: ToolContext, rest: Callable[[ToolCallArgs], Awaitable[ToolResult]] | None = None
    ) -> ToolHookContext:
        async def alone(args: ToolCallArgs) -> ToolResult:
            return await self.forward(replace(call, arguments=args), replace(context, tool_hooks=(), changes=None))

        return ToolHookContext(
            agent_name=context.agent_name,
            server_name=self.server_name,
            tool_name=call.name,
            tool_source=self.source,
            tool_use_id=call.id,
            correlation_id=context.correlation_id,
            original_tool_func=rest or alone,
            call_id=context.call_id,
            approver=context.approver,
            changes=context.changes,
        )

    async def _perform(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Take steps 4 to 7, and step 8 with what came of them."""
        rules, kind = self._rules, type(self)
        place = "the definition"
        try:
            if rules.pending:
                rules.compile(self.definition)
            place = "on_invoke"
            if kind.on_invoke is not Tool.on_invoke:
                call = checked_call(self.name, await self.on_invoke(call, context), call)
                context = context.during(call)
            place = "a guardrail"
            if rules.input_guardrails:
                call = await decide(rules.input_guardrails, call, context)
                context = context.during(call)
            place = ""
            if rules.check_input is not None and (problems := rules.check_input(call.arguments or {})):
                raise ArgumentsInvalid(f"invalid arguments for {self.name}", problems)  # noqa: TRY301 - as what a tool raises
            result = ToolResult.of(await self.run(call, context))
            if rules.check_output is not None:
                check_result(self.name, result, rules.check_output)
        except Exception as error:  # noqa: BLE001 - the model reads whatever a tool raises
            return await withheld(rules.output_guardrails, await self._raised(place, error, context), context)
        return await self._let_out(result, context)

    async def _let_out(self, result: ToolResult, context: ToolContext) -> ToolResult:
        guardrails, has_on_output = self._rules.output_guardrails, type(self).on_output is not Tool.on_output
        if not guardrails and not has_on_output:
            return result
        place = "on_output"
        try:
            if has_on_output:
                handed, returned = Handed(result), await self.on_output(result, context)
                result = handed.settled(result if returned is None else ToolResult.of(returned))
            place = "a guardrail"
            return Handed(result).settled(await decide(guardrails, result, context))
        except Exception as error:  # noqa: BLE001 - as above
            return await self._raised(place, error, context)

    async def _raised(self, place: str, error: Exception, context: ToolContext) -> ToolResult:
        raise_ending(error)
        log_raised(self.name, error, place=place)
        return await self.failed(error, context)

    def _received(self, call: object, named: Mapping[str, Any]) -> ToolCall:
        """Return the call under the tool's own name, which middleware goes by, whatever name it was found by."""
        if isinstance(call, ToolCall) and not named:
            return replace(call, name=self.name)
        if not isinstance(call, Mapping) or named:
            kind = "keywords" if named else "nothing" if call is NO_CALL else type(cast("object", call)).__name__
            raise ToolkitError(f"{self.name} is a tool: call it with a ToolCall or a mapping of arguments, not {kind}")
        return ToolCall(self.name, dict(cast("Mapping[str, Any]", call)))

    def _refused(self, permissions: Collection[str]) -> ToolRefused | None:
        missing = [each for each in self.definition.permissions if each not in permissions]
        return ToolRefused(f"{self.name} needs the permission {', '.join(map(repr, missing))}") if missing else None


def _of_error(returned: object, default: ToolResult) -> ToolResult:
    result = default if returned is None else ToolResult.of(returned)
    # The application may have one such result for all failures.
    return replace(result, exception=default.exception) if result.is_error and result.exception is None else result


def _declared(kind: type[Tool]) -> tuple[str, ...]:
    """Return the fields of a definition that a class sets itself."""
    if hasattr(kind, "schema"):
        raise DefinitionInvalid(f"{kind.__name__}.schema is not looked at; call it input_schema")
    declared = tuple(each for each in _DECLARED if getattr(kind, each, None) is not getattr(Tool, each, None))
    if kind.definition is Tool.definition:
        return declared
    for each in declared:
        if not isinstance(getattr(kind, each), property):
            raise DefinitionInvalid(f"{kind.__name__}.{each} is not looked at, as it has a definition; say it there")
    return ()


def _somebody_watches() -> bool:
    return (
        control.controller is not None
        or enabled("before_tool_call")
        or enabled("after_tool_call")
        or enabled("error_tool_call")
    )
