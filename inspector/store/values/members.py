"""The members of a recorded value, which may be anything."""

from collections.abc import Mapping
from typing import Any, cast


def members_of(value: Any) -> Mapping[str, Any]:
    """Return the members of an object; none of any other value."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
