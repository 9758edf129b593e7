"""What can go wrong before or while the server runs.

ApiError
    TokenUnusable      the token file or setting cannot be trusted
    AddressUnusable    the server cannot listen where it was told to
    Refusal            a request that is answered with a problem
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


class ApiError(Exception):
    """Whatever the API package raises of its own."""


class TokenUnusable(ApiError):
    """The token cannot be read, is not private, or is too easy to guess."""


class AddressUnusable(ApiError):
    """The host or port cannot be listened on."""


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
