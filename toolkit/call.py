"""Calls of tools."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from toolkit.plain import read_json
from toolkit.schemas.problems import value_text

Arguments = dict[str, Any]


def new_id() -> str:
    """Return an id for a call that has none from its model."""
    return f"call_{os.urandom(8).hex()}"


@dataclass(frozen=True, init=False)
class ToolCall:
    """A tool's name with the arguments for it."""

    name: str
    arguments: Arguments | None = None
    """By name; None if they could not be read, and ``problem`` says why."""
    id: str = field(default_factory=new_id)
    """The model's id of the call, which the answer must contain; a new one if there was none."""
    problem: str | None = None

    def __init__(
        self,
        name: str,
        arguments: Arguments | None = None,
        id: str = "",  # noqa: A002 - the field
        problem: str | None = None,
    ) -> None:
        # One is made for each call, and what dataclasses write for a frozen class takes three times as long.
        vars(self).update(name=name, arguments=arguments, id=id or new_id(), problem=problem)


def read_arguments(written: object) -> tuple[Arguments | None, str | None]:
    """Return the arguments that a model wrote, as JSON text or as an object; or None and what is wrong with them."""
    if written is None or written == "":
        return {}, None
    if isinstance(written, (str, bytes, bytearray)):
        try:
            written = read_json(written)
        except (ValueError, RecursionError) as error:
            return None, f"the arguments are not valid JSON: {error}"
        if type(written) is dict:
            return cast("Arguments", written), None
    if isinstance(written, Mapping):
        return {str(key): value for key, value in cast("Mapping[Any, Any]", written).items()}, None
    return None, f"the arguments must be a JSON object, not {value_text(written)}"
