"""The only place that parses a query.

Parsing is strict: an undeclared name, a single parameter given twice, and text that is not UTF-8 are refused, and the
answer names the parameter.
"""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import unquote_to_bytes

from fastapi import Depends
from pydantic import ValidationError
from starlette.requests import Request

from inspector.api.errors import RequestRefused, invalid
from inspector.api.queries.forms import describe
from inspector.api.queries.parameter_types import MOST_ATTRIBUTES
from inspector.api.queries.parameters import Query
from inspector.model import PARAMETERS

Q = TypeVar("Q", bound=Query)


class QueryOf(Generic[Q]):
    """A dependency that parses the query of a request as ``model``."""

    def __init__(self, model: type[Q]) -> None:
        self.model = model
        """The parameters of the operation; a test compares them with ``openapi.yaml``."""

    async def __call__(self, request: Request) -> Q:
        """Parse and check the query.

        Raises:
            RequestRefused: With 422, naming the first invalid parameter.
        """
        return read_query(self.model, request.scope.get("query_string", b""))


NoQuery = Annotated[Query, Depends(QueryOf(Query))]
"""The query of an operation without parameters, which refuses any."""


@cache
def _form_of(model: type[Query]) -> Mapping[str, Any]:
    """Return the JSON schema of each parameter, by name."""
    return model.model_json_schema().get("properties", {})


def read_query(model: type[Q], query: bytes) -> Q:
    """Parse a query string strictly.

    Raises:
        RequestRefused: With 422, naming the first invalid parameter.
    """
    form = _form_of(model)
    values: dict[str, Any] = {}
    for name, text in _pairs(query):
        pairs, dot, _ = name.partition(".")
        if dot and pairs in _PAIRS and pairs in form:
            _once(values.setdefault(pairs, {}), name, text)
        elif name not in form or name in _PAIRS:
            raise _unknown(name, form)
        elif form[name].get("type") == "array":
            values.setdefault(name, []).append(text)
        else:
            _once(values, name, text)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        where = error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"]
        raise _misfit(where, form) from error


def _pairs(query: bytes) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for part in query.split(b"&"):
        if part:
            name, _, value = part.partition(b"=")
            pairs.append((_decode(name, name), _decode(value, name)))
    return pairs


def _decode(text: bytes, name: bytes) -> str:
    try:
        return unquote_to_bytes(text.replace(b"+", b" ")).decode()
    except UnicodeDecodeError:
        shown = unquote_to_bytes(name).decode("utf-8", "replace")
        raise invalid(shown, "takes text in UTF-8, percent-encoded") from None


def _once(values: dict[str, Any], name: str, text: str) -> None:
    if name in values:
        raise invalid(name, "may be given once")
    values[name] = text


_PAIRS = {name: f"{name}.<{row.key}>" for name, row in PARAMETERS.items() if row.form == "pairs"}
"""How parameters with open names are written."""


def _unknown(name: str, form: Mapping[str, Any]) -> RequestRefused:
    accepted = ", ".join(_PAIRS.get(key, key) for key in sorted(form))
    return invalid(name, f"is not a parameter here; known: {accepted or 'none'}")


def _misfit(where: tuple[int | str, ...], form: Mapping[str, Any]) -> RequestRefused:
    field = str(where[0])
    if field in _PAIRS:
        name = str(where[1]) if len(where) > 1 else _PAIRS[field]
        return invalid(
            name, f"takes up to {MOST_ATTRIBUTES} keys of 256 characters, each with text of up to 1,024, no NUL"
        )
    return invalid(field, f"takes {describe(form[field])}")
