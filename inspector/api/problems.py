"""The only place where errors become HTTP, each as ``application/problem+json`` (RFC 9457)."""

from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from inspector.api.access.rules import own_path
from inspector.api.bodies import json_response
from inspector.api.errors import Problem, RequestRefused
from inspector.api.queries.parameter_types import accepted_by
from inspector.store import CursorInvalid, QueryTooSlow, StoreBusy, StoreError, StoreReadOnly

MEDIA_TYPE = "application/problem+json"
RETRY_S = "2"
"""Seconds that a client should wait before it retries."""


def problem_response(problem: Problem, path: str) -> Response:
    """Turn a problem into the answer to a request for ``path``."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
    }
    if problem.parameter is not None:
        body["parameter"] = problem.parameter
    body["instance"] = path
    return Response(_json(body), problem.status, dict(problem.headers), MEDIA_TYPE)


def answer_errors_with_problems(app: FastAPI) -> None:
    """Register an answer for every error that a route can raise."""
    app.add_exception_handler(RequestRefused, _answer)
    app.add_exception_handler(HTTPException, _answer)
    app.add_exception_handler(RequestValidationError, _answer)
    app.add_exception_handler(StoreError, _answer)


async def _answer(request: Request, error: Exception) -> Response:
    return problem_response(problem_of(error, request), own_path(request.scope))


def problem_of(error: Exception, request: Request) -> Problem:
    """Return the problem that tells a client about ``error``.

    Raises:
        Exception: The error itself, if it is not one that a route should raise.
    """
    match error:
        case RequestRefused():
            return error.problem
        case HTTPException(status_code=405):
            allowed = ", ".join(allowed_methods(request.app.routes, request.scope))
            return Problem(405, f"this path allows {allowed}", headers={"Allow": allowed})
        case HTTPException(status_code=404):
            return not_found("such path; /openapi.json lists the paths")
        case HTTPException():
            return Problem(error.status_code, error.detail)
        case RequestValidationError():
            return _invalid(error)
        case StoreError():
            return _of_store(error)
        case _:
            raise error


def not_found(what: str) -> Problem:
    """Say that there is no ``what``, in the same words for everything that can be looked up."""
    return Problem(404, f"there is no {what}")


def json_or_404(value: Any, no: str) -> Response:
    """Answer with ``value``; None means that there is ``no`` such thing.

    Raises:
        RequestRefused: With 404, if there is none.
    """
    if value is None:
        raise RequestRefused(not_found(no))
    return json_response(value)


def retry_later(detail: str) -> Problem:
    """Say why something cannot be answered now, and when to ask again."""
    return Problem(503, detail, headers={"Retry-After": RETRY_S})


def allowed_methods(routes: list[BaseRoute], scope: Scope) -> list[str]:
    """Every method that a route has for the path of ``scope``, and ``OPTIONS``, which all of them have."""
    methods = {"OPTIONS"}
    for route in routes:
        match, _ = route.matches(scope)
        if match is not Match.NONE:
            methods.update(getattr(route, "methods", None) or ())
    return sorted(methods)


def _invalid(error: RequestValidationError) -> Problem:
    name = str(error.errors()[0]["loc"][-1])
    return Problem(422, f"{name} takes {accepted_by(name)}", parameter=name)


def _of_store(error: StoreError) -> Problem:
    match error:
        case CursorInvalid():
            return Problem(404, f"cursor: {error}", parameter="cursor")
        case StoreReadOnly():
            return Problem(409, f"this process only reads: {error}")
        case QueryTooSlow():
            return retry_later(f"{error}; narrow the filter, for example by since and until")
        case StoreBusy():
            return retry_later(f"the database is busy: {error}")
        case _:
            return retry_later(f"the database cannot be used: {error}")


def _json(body: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        # A path may hold half a surrogate pair, which JSON in UTF-8 cannot.
        return msgspec.json.encode(
            {
                key: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
                for key, value in body.items()
            }
        )
