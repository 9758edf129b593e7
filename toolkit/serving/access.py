"""Who may call a server, and with which permissions."""

import hmac
import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.plain import texts_of

_LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a request is not let in."""

    status: int
    detail: str
    headers: Mapping[str, str]


class Access:
    """Decides about requests by their headers alone."""

    def __init__(
        self, host: str, *, auth_required: bool, tokens: Mapping[str, Iterable[str]], context: ToolContext
    ) -> None:
        if not isinstance(tokens, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
            raise DefinitionInvalid("tokens have permissions, as in tokens={'secret': ['read']}")
        if auth_required and not tokens:
            raise DefinitionInvalid("auth_required needs tokens, as in tokens={'secret': ['read']}")
        if not all(token.isascii() and token.strip() == token != "" for token in tokens):
            raise DefinitionInvalid("a token is empty, has spaces around it or is not ASCII; no client could send it")
        self._is_local = is_local(host)
        self._names = _LOCAL_NAMES | {host.lower(), f"[{host.lower()}]"}
        if not self._is_local and not auth_required:
            raise DefinitionInvalid(
                f"everybody who reaches {host} could call the tools: pass auth_required=True with tokens={{…}}, "
                "or listen on 127.0.0.1"
            )
        self._auth_required = auth_required
        self._tokens = {
            token.encode(): frozenset(texts_of(permissions, "the permissions of a token"))
            for token, permissions in tokens.items()
        }
        self._context = context

    def judge(self, headers: Mapping[str, str]) -> ToolContext | Denial:
        """Return what the caller may use, or why it may not."""
        host, origin = headers.get("host", ""), headers.get("origin")
        # A page of another site cannot name another host or hide its origin: this is what DNS rebinding comes to.
        if self._is_local and not self._names.intersection((host.lower(), host.lower().rpartition(":")[0])):
            return Denial(421, f"{host!r} is not this server; use 127.0.0.1 or localhost", {})
        if origin is not None and origin.partition("://")[2] != host:
            return Denial(403, f"requests of pages of {origin!r} are not answered", {})
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if not token and not self._auth_required:
            return self._allowed(frozenset() if self._tokens else None)
        known = self._permissions(token.strip()) if scheme.lower() == "bearer" else None
        if known is None:
            challenge = 'Bearer error="invalid_token"' if token else "Bearer"
            detail = "the token is not known here" if token else "a token is needed: Authorization: Bearer …"
            return Denial(401, detail, {"WWW-Authenticate": challenge})
        return self._allowed(known)

    def _permissions(self, token: str) -> frozenset[str] | None:
        secret, allowed = token.encode(), None
        # All are looked at, so that the time says nothing about which one is close.
        for known, permissions in self._tokens.items():
            if hmac.compare_digest(known, secret):
                allowed = permissions
        return allowed

    def _allowed(self, permissions: frozenset[str] | None) -> ToolContext:
        own = self._context.permissions
        if permissions is None or own is None:
            return replace(self._context, permissions=own if permissions is None else permissions)
        return replace(self._context, permissions=own & permissions)


def is_local(host: str) -> bool:
    """Tell whether only this machine can reach what listens there."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
