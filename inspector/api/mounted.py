"""The inspector inside a web application of the user."""

import atexit
from collections.abc import Callable
from typing import Any, cast

from starlette.applications import Starlette
from starlette.types import Scope

from inspector.api.access.rules import Access
from inspector.api.access.tokens import load_or_create
from inspector.api.app import assemble
from inspector.api.errors import AddressUnusable
from inspector.api.service import LateHome, OpenHome
from inspector.ingest import Owner
from inspector.settings import Settings
from inspector.store import OwnedElsewhere, open_store


def mount(app: Starlette, path: str = "/inspector", settings: Settings | None = None) -> str:
    """Serve the inspector under ``path`` of a FastAPI or Starlette application.

    The first request opens the home, and this process ingests what is recorded there, unless another already does. In
    that case it reads what the other one stores, and takes over once that has ended. The token guards it like the
    server.

    Returns:
        The path with a one-time code: append it to the application's address and open that in a browser within ten
        minutes.

    Raises:
        TokenUnusable: There is no token that can be trusted.
        AddressUnusable: ``path`` is not a prefix.
    """
    prefix = path.rstrip("/")
    if not prefix.startswith("/"):
        raise AddressUnusable(f"cannot mount at {path!r}; give a prefix such as '/inspector'")
    settings = settings or Settings()
    access = Access(load_or_create(settings), allowed_hosts=settings.allowed_hosts)
    home = LateHome(lambda: _own(settings, inner.state.service.live.wake), lambda: _read(settings))
    inner = assemble(home, access, settings=settings)
    _leave_out_of_traces(app, prefix)
    app.mount(prefix, inner)
    return f"{prefix}/?code={access.codes.create()}"


def _own(settings: Settings, committed: Callable[[], None]) -> OpenHome | None:
    try:
        owner = Owner(settings, check_later=True)
    except OwnedElsewhere:
        return None
    owner.on_commit(committed)
    owner.start()
    atexit.register(owner.close)
    return OpenHome(owner.store, owner)


def _read(settings: Settings) -> OpenHome:
    return OpenHome(open_store(settings, read_only=True))


def _leave_out_of_traces(app: Starlette, prefix: str) -> None:
    """Keep a FastAPI application from tracing requests to the inspector, which would record itself for ever."""
    # FastAPI takes an `exclude` only when it is constructed, and that was the user's doing.
    telemetry = cast("dict[str, Any] | None", getattr(app, "_telemetry", None))
    if telemetry is None:
        return
    before = telemetry.get("exclude")

    def exclude(scope: Scope) -> bool:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        return path == prefix or path.startswith(f"{prefix}/") or bool(before and before(scope))

    telemetry["exclude"] = exclude
