"""The text of pydantic's validation errors, which shows each value that was wrong.

Showing a value runs its ``__repr__`` over all of it, to keep fifty characters: of a list of a million texts that takes
two seconds. So the text is pydantic's own where its values are plain and small; else the values are left out, and of
many errors only the first are kept.
"""

from collections.abc import Callable
from typing import Any, Final

from inspector.record.layouts import type_name

VALIDATION_ERROR: Final = "pydantic_core._pydantic_core.ValidationError"
_MOST_ERRORS = 50
"""Errors that are read: pydantic makes all of them to give one."""


def validation_text(exc: Any, is_tame: Callable[[object], bool]) -> str:
    """Return what a ``ValidationError`` of pydantic says, in a time that its values and its length do not stretch."""
    count: int = exc.error_count()
    if count > _MOST_ERRORS:
        return f"{count} validation errors for {exc.title}"
    errors: list[dict[str, object]] = exc.errors(include_url=False, include_context=False)
    if is_tame([error["input"] for error in errors]):
        return str(exc)
    lines = [f"{count} validation error{'' if count == 1 else 's'} for {exc.title}"]
    for error in errors:
        parts: Any = error["loc"]
        lines += (
            ".".join(map(str, parts)),
            f"  {error['msg']} [type={error['type']}, input_type={type_name(type(error['input']))}]",
        )
    return "\n".join(lines)
