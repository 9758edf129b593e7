"""A tool that is a Python function."""

import functools
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, cast, overload

from toolkit.call import ToolCall
from toolkit.content import TextContent
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ResultInvalid
from toolkit.extras import need
from toolkit.functions.callables import docstring_of, in_thread, is_async, is_method, name_of, require_callable
from toolkit.functions.docstrings import documentation
from toolkit.functions.routes import Route, route_of
from toolkit.keywords import require_known
from toolkit.middleware.guardrails import InputGuardrail, OutputGuardrail
from toolkit.middleware.rules import OnError
from toolkit.plain import texts_of
from toolkit.result import ToolResult
from toolkit.tool_class import Tool

if TYPE_CHECKING:
    from toolkit.functions.signature import Signature


@dataclass(slots=True, eq=False)
class _Declared:
    """What a function declares; tools bound to instances of its class share it."""

    definition: ToolDefinition
    """Without its schemas until the signature is read."""
    strict: bool
    signature: "Signature | None" = None


class FunctionTool(Tool):
    """A function as a tool; ``@tool`` and ``@FunctionTool`` are the same, with or without arguments.

    The input schema comes from the type hints, the descriptions from the docstring, the output schema from the return
    hint. The decorated name is the tool: ``await search(call, context)``; the Python function is ``search.function``.

    A coroutine function runs on the event loop. A plain one runs in a thread, with the caller's context variables; when
    such a call is cancelled or times out, its caller goes on at once, while the thread runs to its end and what it
    returns is dropped.

    In a class it is a method: ``agent.search`` is the tool bound to ``agent``. Guardrails that are added to it hold for
    all instances. ``@tool`` goes above ``@staticmethod`` and ``@classmethod``.

    Arguments named ``tool_call_id``, ``state`` and ``context``, and those hinted ``ToolContext`` or ``Inject[T]``, come
    from the context. Models neither see nor set them.

    Args:
        function: The function, a partial, or an object with ``__call__``.
        name: By default the function's name.
        description: By default the docstring up to its first section.
        strict: Whether every argument is required.
        on_error_func: Turns an exception into a result.
        input_guardrails: Check the call before it runs.
        output_guardrails: Check the result.
        permissions: What a caller needs, all of them.
        version: The version of the tool.
        mcp_route: Path under which a server offers it; ``@mcp_route`` says the same.
        annotations: Hints for MCP clients, in the protocol's words, such as ``{"readOnlyHint": True}``.
    """

    @overload
    def __new__(cls, function: None = None, /, **options: Any) -> Callable[[Any], Self]: ...
    @overload
    def __new__(cls, function: Any, /, **options: Any) -> Self: ...
    def __new__(cls, function: Any = None, /, **options: Any) -> Any:
        """Return the tool, or a decorator if only options are given."""
        require_known(cls, options)
        return functools.partial(cls, **options) if function is None else super().__new__(cls)

    def __init__(  # noqa: PLR0913 # pyright: ignore[reportInconsistentConstructor] - __new__ is for both ways to decorate
        self,
        function: Any,
        /,
        *,
        name: str = "",
        description: str = "",
        strict: bool = False,
        on_error_func: OnError | None = None,
        input_guardrails: Iterable[InputGuardrail] = (),
        output_guardrails: Iterable[OutputGuardrail] = (),
        permissions: Iterable[str] = (),
        version: str = "",
        mcp_route: str | None = None,
        annotations: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(function, Tool):
            raise DefinitionInvalid(f"{function.name} is a tool already")
        self._is_of_class = isinstance(function, classmethod)
        is_static = isinstance(function, staticmethod)
        raw: Any = cast("Any", function).__func__ if self._is_of_class or is_static else function
        require_callable(raw)
        self.function: Callable[..., Any] = raw
        """The Python function; of a tool in a class, bound as the tool is."""
        self._takes_self = self._is_of_class or (not is_static and is_method(raw))
        self._is_bound = not self._takes_self
        self._is_async = is_async(raw)
        written = ToolDefinition(
            name=name or name_of(raw),
            description=description,
            mcp_route=mcp_route,
            permissions=texts_of(permissions, f"{name or name_of(raw)}, permissions"),
            version=version,
            annotations=dict(annotations or {}),
        )
        self._declared = _Declared(written, strict)
        if (route := route_of(cast("object", function)) or route_of(raw)) is not None:
            self.routed(route)
        # Where a hint names what is defined further down, the first use will find it.
        with suppress(NameError):
            self._declare()
        super().__init__(
            self._declared.definition,
            input_guardrails=input_guardrails,
            output_guardrails=output_guardrails,
            on_error_func=on_error_func,
            validate=False,
        )

    @property
    def definition(self) -> ToolDefinition:
        """What the tool is."""
        declared = self._declared
        if declared.signature is None:
            try:
                self._declare()
            except NameError as error:
                raise DefinitionInvalid(f"{declared.definition.name}: a type hint is not defined: {error}") from error
        return declared.definition

    @property
    def name(self) -> str:
        """The name by which a model calls it."""
        # Every call asks for it, so that what is known need not be asked of the definition.
        declared = self._declared
        return self.definition.name if declared.signature is None else declared.definition.name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._declared.definition.name!r})"

    @property
    def called_function(self) -> Callable[..., Any] | None:
        """The Python function behind it."""
        return self.function

    def routed(self, route: Route) -> None:
        """Offer the tool under ``route``, for ``@mcp_route`` above ``@tool``."""
        written = self._declared.definition
        permissions = tuple(dict.fromkeys((*written.permissions, *route.permissions)))
        self._declared.definition = replace(written, mcp_route=route.path, permissions=permissions)

    def __get__(self, instance: object, owner: type | None = None) -> Self:
        """Return the tool bound to ``instance``, or to the class if it is a classmethod."""
        target = owner if self._is_of_class else instance
        if self._is_bound or target is None:
            return self
        bind = getattr(self.function, "__get__", None)
        function = functools.partial(self.function, target) if bind is None else bind(target)
        bound = copy(self)
        vars(bound).update(function=function, _is_bound=True)
        return bound

    def __copy__(self) -> Self:
        """Return a tool that shares everything with this one."""
        copied = object.__new__(type(self))
        vars(copied).update(vars(self))
        return copied

    def _sees_context(self) -> bool:
        signature, rules = self._declared.signature, self._rules
        if signature is None or signature.injections or type(self) is not FunctionTool:
            return True
        return bool(rules.input_guardrails or rules.output_guardrails or rules.on_error_func)

    async def run(self, call: ToolCall, context: ToolContext) -> object:
        """Call the function, and check what it returns against its hint."""
        signature = self._declared.signature
        if signature is None:
            _ = self.definition  # reads the signature
            signature = cast("Signature", self._declared.signature)
        if not self._is_bound:
            raise DefinitionInvalid(f"{self.name} is a method; call the tool of an instance")
        named = signature.bind(call, context)
        value = await self.function(**named) if self._is_async else await in_thread(self.function, **named)
        return value if signature.read_returned is None else self._checked(value, signature)

    def _checked(self, value: object, signature: "Signature") -> ToolResult:
        """Return ``value`` as a result, checked against the schema of its hint unless it is content or a message."""
        result = ToolResult.of(value)
        is_content = result.structured is None and result.content not in ([], [TextContent("null")])
        if result.is_error or (is_content and not isinstance(value, str)):
            return result
        if problems := signature.problems(value if is_content else result.structured):
            raise ResultInvalid(f"{self.name} returned what its output schema does not allow", problems)
        return result

    def _declare(self) -> None:
        need("pydantic", extra="toolkit", purpose="a tool made of a function")
        from toolkit.functions.signature import read_signature  # with pydantic, which takes its time

        declared, written = self._declared, self._declared.definition
        documented = documentation(docstring_of(self.function))
        signature = read_signature(self.function, tool=written.name, documented=documented, method=self._takes_self)
        declared.definition = replace(
            written,
            description=written.description or documented.description,
            input_schema=signature.input_schema,
            output_schema=signature.output_schema,
            strict=declared.strict,
        )
        declared.signature = signature


tool = FunctionTool
