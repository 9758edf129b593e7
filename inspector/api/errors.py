"""What can go wrong before the server runs, or while it does.

ApiError
    TokenUnusable      the token file or setting cannot be trusted
    AddressUnusable    the server cannot listen on the address
    GrpcMissing        OTLP over gRPC needs packages that are not installed
    RequestRefused     a request is answered with a problem
    ExportFailed       spans are not stored; the sender is told in the encoding it used
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


class ApiError(Exception):
    """Root of the errors that the API package raises."""


class TokenUnusable(ApiError):
    """The token cannot be read, is not private, or is too easy to guess."""


class AddressUnusable(ApiError):
    """The host or port cannot be listened on."""


class GrpcMissing(ApiError):
    """The packages of the extra ``grpc`` are not installed."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as an answer, in the form of RFC 9457."""

    status: int
    detail: str
    """What is wrong with the request and how to fix it."""
    parameter: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class RequestRefused(ApiError):
    """Ends a request with a problem, from anywhere."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def invalid(name: str, rule: str) -> RequestRefused:
    """Return the refusal of a request with a parameter, or a field of its body, that breaks a rule."""
    return RequestRefused(Problem(422, f"{name} {rule}", parameter=name))


class ExportFailed(ApiError):
    """Ends a request that carries spans.

    Args:
        status: 400, 413 or 415: do not retry; 503: retry later.
        message: What is wrong and how to fix it.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
