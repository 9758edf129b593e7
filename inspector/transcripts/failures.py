"""What is said of a tool call that failed, and how much of it is content."""

import re
from typing import Final

from msgspec.structs import replace

from inspector.otlp import DecodedSpan

EXIT_CODE: Final = "exit code"
"""The error of a command that failed, before the number; that of another tool is what the model was told."""
ERROR_MESSAGE: Final = "error.message"
"""Why a tool call was not carried out."""


def without_reasons(span: DecodedSpan) -> DecodedSpan:
    """Return a span without what the model was told of a failure; an exit code alone has no content."""
    attributes = {key: value for key, value in span.attributes.items() if key != ERROR_MESSAGE}
    message = span.status_message
    is_kept = re.fullmatch(rf"{EXIT_CODE} -?\d+", message or "") is not None
    return replace(span, attributes=attributes, status_message=message if is_kept else None)
