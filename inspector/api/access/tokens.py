"""The secret that opens the API, and the tokens derived from it, each with its scopes.

The text in the token file grants every scope. A token for one scope is derived from it by HMAC, so nothing more has to
be stored, and changing the file revokes all of them.
"""

import hmac
import os
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from inspector.api.errors import TokenUnusable
from inspector.homes import why_not_ours
from inspector.settings import Settings

Scope = Literal["read", "ingest", "control"]
"""``read`` reads, ``ingest`` adds spans, ``control`` changes and deletes."""

GRANTS: dict[str, frozenset[Scope]] = {
    "read": frozenset({"read"}),
    "ingest": frozenset({"ingest"}),
    "control": frozenset({"read", "control"}),
    "browser": frozenset({"read", "control"}),
}
"""The scopes of each derived token. Whoever deletes must also see what; ``browser`` is the cookie's."""

EVERYTHING: frozenset[Scope] = frozenset({"read", "ingest", "control"})
NOTHING: frozenset[Scope] = frozenset()

SHORTEST = 16
"""The minimum length of a token from the settings; a shorter one could be guessed."""


@dataclass(frozen=True, slots=True)
class Token:
    """The secret of one home directory."""

    secret: str = field(repr=False)

    def derive(self, scope: str) -> str:
        """Derive the token that has the scopes in ``GRANTS`` for ``scope``, and no others.

        Raises:
            KeyError: ``scope`` is not in ``GRANTS``.
        """
        if scope not in GRANTS:
            raise KeyError(scope)
        mark = hmac.digest(self.secret.encode(), f"mcp-agent-inspector {scope}".encode(), "sha256")
        return f"{scope}-{mark.hex()}"

    def scopes(self, presented: str) -> frozenset[Scope]:
        """Return the scopes of a presented token; none if it is not ours.

        It is compared with every possible token, in constant time, so that timing does not reveal how close a guess is.
        """
        token = presented.encode("utf-8", "replace")
        granted = NOTHING
        if hmac.compare_digest(token, self.secret.encode()):
            granted = EVERYTHING
        for scope, grants in GRANTS.items():
            if hmac.compare_digest(token, self.derive(scope).encode()):
                granted = grants
        return granted


def load_or_create(settings: Settings) -> Token:
    """Find the token in the settings or the token file, or write a new file that only this user can read.

    Raises:
        TokenUnusable: The setting is too short, or the file belongs to another user, is open to others or is a link.
    """
    if settings.token is not None:
        return _from_setting(settings.token.get_secret_value())
    _private_directory(settings.home)
    path = settings.token_file
    try:
        return _from_file(path)
    except FileNotFoundError:
        _write_new(path)
        return _from_file(path)


def _from_setting(text: str) -> Token:
    if len(text) < SHORTEST or not text.isascii() or not text.isprintable() or " " in text:
        raise TokenUnusable(
            f"INSPECTOR_TOKEN must be at least {SHORTEST} printable ASCII characters without spaces; "
            "unset it to use the token file"
        )
    return Token(text)


def _private_directory(home: Path) -> None:
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise TokenUnusable(
            f"cannot use {home}: {error.strerror}; set INSPECTOR_HOME to a directory of yours"
        ) from error
    if why := why_not_ours(home):
        raise TokenUnusable(why)


def _from_file(path: Path) -> Token:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        why = "is a link" if path.is_symlink() else f"cannot be read ({error.strerror})"
        raise TokenUnusable(f"the token file {path} {why}; remove it and start again to get a new one") from error
    try:
        _check_private(path, os.fstat(descriptor))
        text = os.read(descriptor, 4096).decode("utf-8", "replace").strip()
    finally:
        os.close(descriptor)
    if len(text) < SHORTEST or not text.isascii() or not text.isprintable() or " " in text:
        raise TokenUnusable(f"the token file {path} holds no token; remove it and start again to get a new one")
    return Token(text)


def _check_private(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise TokenUnusable(f"{path} is not a file; remove it and start again to get a new token")
    if status.st_uid != os.geteuid():
        raise TokenUnusable(f"the token file {path} belongs to another user; remove it and start again")
    if status.st_mode & 0o077:
        raise TokenUnusable(
            f"the token file {path} is open to others (mode {stat.S_IMODE(status.st_mode):04o}); "
            f"run: chmod 600 {path}, or remove it to get a new token"
        )


def _write_new(path: Path) -> None:
    """Create the file under another name and link it into place, so that two starting processes agree on one token."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(secrets.token_urlsafe(32) + "\n")
            with suppress(FileExistsError):
                os.link(draft, path)
        finally:
            draft.unlink()
    except OSError as error:
        raise TokenUnusable(f"cannot write the token file {path}: {error.strerror}; check the directory") from error
