"""Puts together the texts of a spool's attributes that were written as parts."""

from typing import Any

from inspector import semconv
from inspector.otlp import shapes
from inspector.parts import Parts


def put_together(request: shapes.Request[shapes.Span], parts: Parts[Any]) -> None:
    """Replace references to parts in the attributes of spans by their texts."""
    groups = (part for group in request.resource_spans or () for part in group.scope_spans or ())
    for span in (span for group in groups for span in group.spans or ()):
        for pair in span.attributes or ():
            value = pair.value
            if value is not None and memoryview(value.inspector_frame):
                text = parts.text(value.inspector_frame)
                if text is not None:
                    value.string_value = text.text
                if text is None or not text.is_whole:
                    flag = shapes.KeyValue(pair.key + semconv.TRUNCATED_SUFFIX, shapes.AnyValue(bool_value=True))
                    span.attributes = (*(span.attributes or ()), flag)
