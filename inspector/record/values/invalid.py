"""The text of pydantic's validation errors, which includes each invalid value.

To show fifty characters of a value, pydantic runs ``__repr__`` on all of it, which takes two seconds for a list of a
million texts. So its own text is used only if the values are plain and small. Otherwise values are left out; if there
are many errors, the text is only their number.
"""

from collections.abc import Callable
from typing import Any, Final

from inspector.record.values.layouts import type_name

VALIDATION_ERROR: Final = "pydantic_core._pydantic_core.ValidationError"
_MOST_ERRORS = 50
"""With more errors, none is read, since pydantic builds all of them to return one."""


def validation_text(exc: Any, is_tame: Callable[[object], bool]) -> str:
    """Return the text of a pydantic ``ValidationError``, quickly even for large values and many errors."""
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
