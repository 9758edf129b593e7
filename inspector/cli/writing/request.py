"""Requests to the server of this machine, for what only it can do."""

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Mapping

import msgspec

from inspector.api.access.tokens import load_or_create
from inspector.cli.errors import ServerRefused, SpansRefused
from inspector.otlp import Signal
from inspector.settings import Settings

_TIMEOUT_S = 30.0
_LARGEST_ANSWER = 64 * 1024
_BUSY_S = 5.0
"""How long to retry if the server is busy ingesting, or with the last byte of a full disk."""
_BUSY_AGAIN_S = 0.25
_PATIENCE_S = 30.0
"""How long to retry sending spans to a busy server."""
_BUSY = (http.client.TOO_MANY_REQUESTS, http.client.SERVICE_UNAVAILABLE)
_OF_THE_SPANS = (http.client.BAD_REQUEST, http.client.REQUEST_ENTITY_TOO_LARGE)
"""Statuses that concern one request and not others."""


class _Deleted(msgspec.Struct):
    spans: int = 0
    detail: str = ""


class _Code(msgspec.Struct):
    code: str


class Rejected(msgspec.Struct, rename="camel"):
    """Spans or logs that the server rejected in a request that it otherwise accepted (OTLP's ``partialSuccess``)."""

    rejected_spans: str | int = 0
    rejected_log_records: str | int = 0
    error_message: str = ""

    @property
    def spans(self) -> int:
        """How many."""
        text = str(self.rejected_spans or self.rejected_log_records)
        return int(text) if text.isdecimal() else 0


class _ExportResponse(msgspec.Struct, rename="camel"):
    partial_success: Rejected | None = None


class _Answer(msgspec.Struct):
    message: str = ""
    detail: str = ""


def delete(settings: Settings, url: str, path: str) -> int:
    """Have the server delete something, and return how many spans that were; 0 if it was already gone.

    Raises:
        ServerRefused: It did not answer, or refused.
    """
    answer = _asked(settings, url, path, method="DELETE")
    return 0 if answer is None else _read(answer).spans


def sign_in_code(settings: Settings, url: str) -> str:
    """Have the server issue a code that signs a browser in, once, within ten minutes.

    Raises:
        ServerRefused: It did not answer, or refused.
    """
    answer = _asked(settings, url, "codes", method="POST")
    try:
        return msgspec.json.decode(answer or b"", type=_Code).code
    except msgspec.MsgspecError as error:
        raise ServerRefused(f"the server at {url} issues no codes; stop it and start it again") from error


def create_label(settings: Settings, url: str, label: Mapping[str, object]) -> None:
    """Have the server label a run or a span.

    Raises:
        ServerRefused: It did not answer, or refused.
    """
    if _asked(settings, url, "labels", method="POST", body=msgspec.json.encode(label)) is None:
        raise ServerRefused(f"the server at {url} no longer has this run or span, or is too old for labels")


def delete_label(settings: Settings, url: str, label_id: str) -> None:
    """Have the server delete a label, which may already be gone.

    Raises:
        ServerRefused: It did not answer, or refused.
    """
    _asked(settings, url, f"labels/{label_id}", method="DELETE")


def _asked(settings: Settings, url: str, path: str, *, method: str, body: bytes | None = None) -> bytes | None:
    """Make a request that needs the scope ``control``; None if the object does not exist."""
    headers = {"Authorization": f"Bearer {load_or_create(settings).derive('control')}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(  # noqa: S310 - the address is the one that the owner of the database wrote
        f"{url.rstrip('/')}/{path}", data=body, method=method, headers=headers
    )
    # The server is on this machine: a proxy of the environment must not see the token.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    give_up_s = time.monotonic() + _BUSY_S
    while True:
        try:
            with opener.open(request, timeout=_TIMEOUT_S) as response:
                return response.read(_LARGEST_ANSWER)
        except urllib.error.HTTPError as error:
            with error:
                if error.code == http.client.NOT_FOUND:
                    return None
                detail = _read(error.read(_LARGEST_ANSWER)).detail
            if error.code != http.client.SERVICE_UNAVAILABLE or time.monotonic() > give_up_s:
                raise ServerRefused(f"the server at {url} answered {error.code}: {detail or error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            raise ServerRefused(f"the server at {url} does not answer ({error}); stop it and try again") from error
        time.sleep(_BUSY_AGAIN_S)


def post_request(settings: Settings, url: str, request: bytes, signal: Signal = "traces") -> Rejected:
    """Send one OTLP/JSON request to the server, and return what it rejected; if it is busy, retry when it says so.

    Raises:
        SpansRefused: It will never accept these spans.
        ServerRefused: It did not answer, or accepts none.
    """
    token = load_or_create(settings).derive("ingest")
    posted = urllib.request.Request(  # noqa: S310 - the address is the one that the owner of the database wrote
        f"{url.rstrip('/')}/v1/{signal}",
        data=request,
        method="POST",
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    give_up_s = time.monotonic() + _PATIENCE_S
    while True:
        try:
            with opener.open(posted, timeout=_TIMEOUT_S) as response:
                return _rejected(response.read(_LARGEST_ANSWER))
        except urllib.error.HTTPError as error:
            with error:
                reason = _reason(error.read(_LARGEST_ANSWER)) or str(error.reason)
            wait_s = _wait_s(error.headers.get("Retry-After"))
            if error.code in _OF_THE_SPANS:
                raise SpansRefused(f"{error.code}: {reason}") from error
            if error.code not in _BUSY or time.monotonic() + wait_s > give_up_s:
                raise ServerRefused(f"the server at {url} answered {error.code}: {reason}") from error
        except (OSError, http.client.HTTPException) as error:
            raise ServerRefused(f"the server at {url} does not answer ({error}); stop it and try again") from error
        time.sleep(wait_s)


def _rejected(body: bytes) -> Rejected:
    try:
        response = msgspec.json.decode(body, type=_ExportResponse)
    except msgspec.MsgspecError:
        return Rejected()
    return response.partial_success or Rejected()


def _wait_s(retry_after: str | None) -> float:
    """Return how long to wait; a date, which our servers never send, is not a number."""
    return float(retry_after) if retry_after is not None and retry_after.isdecimal() else _BUSY_AGAIN_S


def _reason(body: bytes) -> str:
    """Return the message of an answer: an OTLP Status, a problem, or text."""
    try:
        answer = msgspec.json.decode(body, type=_Answer)
    except msgspec.MsgspecError:
        return body.decode(errors="replace")[:200]
    return (answer.message or answer.detail)[:200]


def _read(body: bytes) -> _Deleted:
    try:
        return msgspec.json.decode(body, type=_Deleted)
    except msgspec.MsgspecError:
        return _Deleted()
