"""Asking the server of this machine to do what only it can."""

import http.client
import time
import urllib.error
import urllib.request

import msgspec

from inspector.api.tokens import load_or_create
from inspector.cli.errors import ServerRefused
from inspector.settings import Settings

_TIMEOUT_S = 30.0
_LARGEST_ANSWER = 64 * 1024
_BUSY_S = 5.0
"""How long a server is asked again that is busy: with what it takes in, or with its last byte of a full disk."""
_BUSY_AGAIN_S = 0.25


class _Deleted(msgspec.Struct):
    spans: int = 0
    detail: str = ""


def delete(settings: Settings, url: str, path: str) -> int:
    """Have the server delete something, and tell how many events that were; 0 when it was gone already.

    Raises:
        ServerRefused: It did not answer, or answered that it would not.
    """
    token = load_or_create(settings).derive("control")
    request = urllib.request.Request(  # noqa: S310 - the address is the one that the owner of the database wrote
        f"{url.rstrip('/')}/{path}", method="DELETE", headers={"Authorization": f"Bearer {token}"}
    )
    # The server is on this machine: a proxy of the environment must not see the token.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    give_up_s = time.monotonic() + _BUSY_S
    while True:
        try:
            with opener.open(request, timeout=_TIMEOUT_S) as response:
                return _read(response.read(_LARGEST_ANSWER)).spans
        except urllib.error.HTTPError as error:
            with error:
                if error.code == http.client.NOT_FOUND:
                    return 0
                detail = _read(error.read(_LARGEST_ANSWER)).detail
            if error.code != http.client.SERVICE_UNAVAILABLE or time.monotonic() > give_up_s:
                raise ServerRefused(f"the server at {url} answered {error.code}: {detail or error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            raise ServerRefused(f"the server at {url} does not answer ({error}); stop it and try again") from error
        time.sleep(_BUSY_AGAIN_S)


def post_traces(settings: Settings, url: str, request: bytes) -> None:
    """Have the server take in one OTLP/JSON request.

    Raises:
        ServerRefused: It did not answer, or answered that it would not.
    """
    token = load_or_create(settings).derive("ingest")
    posted = urllib.request.Request(  # noqa: S310 - the address is the one that the owner of the database wrote
        f"{url.rstrip('/')}/v1/traces",
        data=request,
        method="POST",
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(posted, timeout=_TIMEOUT_S):
            return
    except urllib.error.HTTPError as error:
        with error:
            reason = error.read(_LARGEST_ANSWER).decode(errors="replace")[:200]
        raise ServerRefused(f"the server at {url} answered {error.code}: {reason or error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        raise ServerRefused(f"the server at {url} does not answer ({error}); stop it and try again") from error


def _read(body: bytes) -> _Deleted:
    try:
        return msgspec.json.decode(body, type=_Deleted)
    except msgspec.MsgspecError:
        return _Deleted()
