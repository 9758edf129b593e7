"""What a return hint promises: a value, or content and messages, which speak for themselves."""

from types import NoneType, UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin

from toolkit.content import CONTENT_TYPES, CONTENT_WORDS
from toolkit.result import ToolResult

_NO_VALUE = (Any, None, NoneType, str, object)
_MESSAGES = ({"role", "content"}, {"tool_call_id", "content"})
_RESULTS = ({"content", "is_error"}, {"content", "isError"})


def is_value(hint: Any) -> bool:
    """Return whether ``ToolResult.of`` makes structured output of what ``hint`` names.

    Text, content, messages and results are none, whoever's they are, nor are lists and unions with any of them.
    """
    if hint in _NO_VALUE:
        return False
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return is_value(args[0])
    if origin in (Union, UnionType):
        return all(is_value(each) or each is NoneType for each in args)
    kind = origin or hint
    if isinstance(kind, type) and issubclass(kind, (str, ToolResult, *CONTENT_TYPES)):
        return False
    if origin in (list, tuple):
        return not any(map(_has_answer, args))
    return not _is_answer(kind)


def _has_answer(hint: Any) -> bool:
    options = get_args(hint) if get_origin(hint) in (Union, UnionType, Annotated) else (hint,)
    return any(each is ToolResult or _is_answer(get_origin(each) or each) for each in options)


def _is_answer(kind: Any) -> bool:
    """Return whether ``kind`` is made like content, a message or a result; known by its fields, as its values are."""
    fields = _fields(kind)
    if any(names <= fields.keys() for names in (*_MESSAGES, *_RESULTS)):
        return True
    return getattr(fields.get("type"), "default", None) in CONTENT_WORDS


def _fields(kind: Any) -> dict[str, Any]:
    """Return the fields of a pydantic model, a dataclass or a TypedDict."""
    for name in ("model_fields", "__dataclass_fields__"):
        if isinstance(fields := getattr(kind, name, None), dict):
            return cast("dict[str, Any]", fields)
    keys: frozenset[str] = getattr(kind, "__required_keys__", frozenset[str]())
    return dict.fromkeys(keys | getattr(kind, "__optional_keys__", frozenset[str]()))
