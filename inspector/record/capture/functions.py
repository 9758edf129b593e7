"""The Python function behind a tool: its name, and how to import it."""

import sys
from collections.abc import Iterator, Mapping
from inspect import Parameter, signature
from types import FunctionType, MethodType
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from inspector.plain import Plain
from instrument.signals import is_of_signal

_ANY_NUMBER: Final = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
_WRAPPED: Final = ("func", "fn", "function", "coroutine", "__wrapped__")
"""Attributes in which the decorators of frameworks keep the original function."""


class Located(NamedTuple):
    """The location of a function."""

    name: str
    """Module and qualified name, as in ``code.function.name``."""
    reference: str | None
    """How to import it, written like an entry point: ``module:attribute.attribute``; None if that is not possible."""
    unreachable: str | None
    """Why it cannot be imported: ``method``, ``lambda``, ``nested`` or ``hidden``."""
    required: frozenset[str]
    """Its required arguments."""


_located: WeakKeyDictionary[FunctionType, Located] = WeakKeyDictionary()


def function_facts(function: object, args: object) -> dict[str, Plain]:
    """Return what is recorded about the function behind a tool call; empty if it is not a Python function.

    Args:
        function: The called object, according to the emitter.
        args: The arguments of the call; a function that requires more cannot be called with them.
    """
    bound = type(function) is MethodType
    plain = function.__func__ if type(function) is MethodType else function
    if type(plain) is not FunctionType:
        return {}
    try:
        located = _located.get(plain) or _remembered(plain)
    except Exception as error:  # the boundary to the agent: its modules and objects may be anything
        if is_of_signal(error):
            raise
        return {}
    why = "method" if bound else located.unreachable
    if why is None and not (isinstance(args, Mapping) and located.required <= args.keys()):
        why = "arguments"
    return {"function": located.name, **({"reference": located.reference} if why is None else {"unreachable": why})}


def _remembered(function: FunctionType) -> Located:
    module = _module_name(function.__module__)
    name = f"{module or function.__module__}.{function.__qualname__}"
    path, unreachable = _path(function)
    if unreachable is None and (module is None or path is None):
        unreachable = "hidden"
    reference = None if unreachable else f"{module}:{path}"
    located = _located[function] = Located(name, reference, unreachable, frozenset(_required(function)))
    return located


def _module_name(name: str) -> str | None:
    """Return the name under which another program can import a module; None if there is none."""
    if name != "__main__":
        return name
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    if spec is not None:
        return spec.name
    stem = str(getattr(main, "__file__", None) or "").replace("\\", "/").rpartition("/")[2].removesuffix(".py")
    return stem if stem.isidentifier() else None


def _path(function: FunctionType) -> tuple[str | None, str | None]:
    """Return the attributes of its module that lead to a function, or why none do."""
    if function.__name__ == "<lambda>":
        return None, "lambda"
    if "<locals>" in function.__qualname__:
        return None, "nested"
    if "." in function.__qualname__:
        return None, "method"
    defined = vars(sys.modules[function.__module__]).get(function.__name__)
    if defined is function:
        return function.__name__, None
    for attribute in _WRAPPED:
        if getattr(defined, attribute, None) is function:
            return f"{function.__name__}.{attribute}", None
    return None, None


def _required(function: FunctionType) -> Iterator[str]:
    for name, parameter in signature(function).parameters.items():
        if parameter.default is Parameter.empty and parameter.kind not in _ANY_NUMBER:
            # A positional-only parameter is never among named arguments.
            yield "" if parameter.kind is Parameter.POSITIONAL_ONLY else name
