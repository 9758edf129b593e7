"""Errors as HTTP has them: ``application/problem+json`` (RFC 9457), with the words that models read."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

from toolkit.errors import (
    ArgumentsInvalid,
    QuotaExceeded,
    SchemaMismatch,
    ServerFailed,
    ToolRefused,
    ToolTimedOut,
    ToolUnknown,
)
from toolkit.result import ToolResult

_STATUS: tuple[tuple[type[BaseException], HTTPStatus], ...] = (
    (ArgumentsInvalid, HTTPStatus.UNPROCESSABLE_ENTITY),
    (ToolRefused, HTTPStatus.FORBIDDEN),
    (ToolUnknown, HTTPStatus.NOT_FOUND),
    (ToolTimedOut, HTTPStatus.GATEWAY_TIMEOUT),
    (QuotaExceeded, HTTPStatus.TOO_MANY_REQUESTS),
    (ServerFailed, HTTPStatus.BAD_GATEWAY),
)


def problem(
    status: int, detail: str, *, instance: str, headers: Mapping[str, str] | None = None, **more: Any
) -> JSONResponse:
    """Return a problem as an answer."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return JSONResponse(
        body | {"instance": instance} | more,
        status,
        dict(headers or {}),
        media_type="application/problem+json",
    )


def problem_of(result: ToolResult, instance: str) -> JSONResponse:
    """Return a result that is an error as an answer."""
    error = result.exception
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    more: dict[str, Any] = {}
    if isinstance(error, SchemaMismatch):
        more["problems"] = [{"path": problem.path, "message": problem.message} for problem in error.problems]
    return problem(status, result.text, instance=instance, **more)
