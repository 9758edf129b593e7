"""The attribute conventions that spans follow, as tables: which attribute is the model, the session, the input.

A dialect is recognised by its attributes and its instrumentation scope, never by span names, which differ between
versions of the same library. `docs/dialects.md` lists them all, and says how to add one.
"""

from inspector.reading.dialects.spans import DIALECTS, read_span

__all__ = ["DIALECTS", "read_span"]
