"""The application: every route, behind one guard."""

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from inspector.api.access.codes import OneTimeCodes
from inspector.api.access.guard import Guard
from inspector.api.access.rules import Access
from inspector.api.access.tokens import Token, load_or_create
from inspector.api.live import Live, LiveLimits
from inspector.api.network.arriving_bodies import ArrivingBodies
from inspector.api.packed import packed_web_app
from inspector.api.problems import allowed_methods, answer_errors_with_problems
from inspector.api.read_scheduler import SINGLE_EVENTS, ReadScheduler
from inspector.api.requests import Counting, Requests
from inspector.api.routes import (
    diff,
    events,
    labels,
    page,
    probes,
    receiver,
    runs,
    sessions,
    stats,
    storage,
    stream,
    traces,
)
from inspector.api.service import Changes, Home, OpenHome, Service
from inspector.ingest import Owner
from inspector.settings import Settings
from inspector.store import Store

# Before the route of a single event, which would take "stream" for a span id.
_ROUTERS = (
    page.router,
    stream.router,
    events.router,
    traces.router,
    runs.router,
    diff.router,
    sessions.router,
    labels.router,
    stats.router,
    storage.router,
    receiver.router,
    probes.router,
)


def create_app(
    store: Store,
    *,
    settings: Settings,
    owner: Owner | None = None,
    token: Token | None = None,
    codes: OneTimeCodes | None = None,
    limits: LiveLimits | None = None,
) -> FastAPI:
    """Create the API over a store, to be served or mounted under any prefix.

    Args:
        store: The store to read; the caller closes it.
        settings: Allowed hosts, and where the token is.
        owner: Writes the store; without one, nothing can be deleted, and the store is polled for changes.
        token: Opens the API; by default that of the home directory.
        codes: Sign a browser in; created by whoever prints the address.
        limits: Limits of streams.

    Raises:
        TokenUnusable: There is no token that can be trusted.
    """
    access = Access(token or load_or_create(settings), codes or OneTimeCodes(), settings.allowed_hosts)
    app = assemble(OpenHome(store, owner), access, settings=settings, limits=limits)
    if owner is not None:
        owner.on_commit(app.state.service.live.wake)
    return app


def assemble(home: Home, access: Access, *, settings: Settings, limits: LiveLimits | None = None) -> FastAPI:
    """Create the API over a home that may be opened later."""
    service = Service(
        home=home,
        access=access,
        live=Live(lambda: home.store, limits),
        requests=Requests(),
        arriving=ArrivingBodies(),
        reads=ReadScheduler(),
        single_reads=ReadScheduler(SINGLE_EVENTS),
        changes=Changes(),
        settings=settings,
    )
    # An inspector that traced itself would store its own requests for ever.
    app = FastAPI(
        telemetry={"tracing": False, "metrics": False, "logs": False},
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    app.state.web = packed_web_app()
    for router in _ROUTERS:
        app.router.routes.extend(router.routes)
    for path in sorted({route.path for route in app.router.routes if isinstance(route, APIRoute)}):
        app.router.add_route(path, _options, methods=["OPTIONS"], include_in_schema=False)
    answer_errors_with_problems(app)
    # The last one added is the outermost.
    app.add_middleware(Guard, access=access, routes=app.router.routes)
    app.add_middleware(Counting, requests=service.requests)
    return app


async def _options(request: Request) -> Response:
    allowed = ", ".join(allowed_methods(request.app.routes, request.scope))
    return Response(status_code=204, headers={"Allow": allowed})
