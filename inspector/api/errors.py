"""What can go wrong before the server runs, or while it does.

ApiError
    TokenUnusable      the token file or setting cannot be trusted
    AddressUnusable    the server cannot listen on the address
    GrpcMissing        OTLP over gRPC needs packages that are not installed
    Refusal            a request is answered with a problem
    ExportFailed       spans are not stored; the sender is told in the encoding it used
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


class ApiError(Exception):
    """Whatever the API package raises of its own."""


class TokenUnusable(ApiError):
    """The token cannot be read, is not private, or is too easy to guess."""


class AddressUnusable(ApiError):
    """The host or port cannot be listened on."""


class GrpcMissing(ApiError):
    """The packages of the extra ``grpc`` are not installed."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One answer that is not what was asked for, as RFC 9457 describes it."""

    status: int
    detail: str
    """What was wrong with this request and how to put it right."""
    parameter: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class Refusal(ApiError):
    """Ends a request with a problem, from wherever it is raised."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


class ExportFailed(ApiError):
    """Ends a request that carries spans.

    Args:
        status: 400, 413 or 415: not to be sent again as it is; 503: again after a while.
        message: What was wrong and how to put it right.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
