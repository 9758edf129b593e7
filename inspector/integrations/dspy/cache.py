"""Answers that DSPy's cache had on disk before the program started, which a recording does not have."""

from typing import Any

from opentelemetry import trace

from inspector import semconv as sc
from inspector.integrations.calls import safely
from inspector.integrations.patches import wrapping


@wrapping
def looked_up(original: Any, self: Any, request: Any, ignored_args_for_cache_key: Any = None) -> Any:
    """Note at the call around it that an answer was on disk; one of this process is in memory too."""
    was_here = safely(lambda: _is_in_memory(self, request, ignored_args_for_cache_key), otherwise=True)
    found = original(self, request, ignored_args_for_cache_key)
    if found is not None and not was_here:
        trace.get_current_span().set_attribute(sc.DSPY_CACHE_HIT, "disk")
    return found


def _is_in_memory(cache: Any, request: Any, ignored: Any) -> bool:
    return not cache.enable_disk_cache or cache.cache_key(request, ignored) in cache.memory_cache
