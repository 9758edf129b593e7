"""``/``, ``/assets/`` and ``/codes``: the web app, and one-time codes, from issue to cookie."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from inspector.api.access.codes import LIFETIME_S
from inspector.api.access.rules import cookie_name, head_of
from inspector.api.bodies import json_response
from inspector.api.errors import Problem, RequestRefused
from inspector.api.packed import WebApp
from inspector.api.problems import not_found
from inspector.api.queries.parameters import SignInQuery
from inspector.api.queries.query import NoQuery, QueryOf
from inspector.api.routes.operations import LOOK, statuses
from inspector.api.service import InService

router = APIRouter()

SIGNED_IN_S = 7 * 24 * 3600
"""How long the browser keeps the cookie."""

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""What the app may load: its own files and the API. Recorded images are shown from ``data:``, and only on demand."""

_NOT_BUILT = b"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Inspector</title><link rel="icon" href="data:,">
<p>The API works; the web app is not built: run <code>make web</code> in the checkout and start the server again.</p>
"""


@dataclass(frozen=True, slots=True)
class SignInCode:
    """A code that signs one browser in, once."""

    code: str
    lifetime_s: int = LIFETIME_S


_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}


@router.api_route("/", methods=LOOK, include_in_schema=False)
async def start_page(
    request: Request, service: InService, query: Annotated[SignInQuery, Depends(QueryOf(SignInQuery))]
) -> Response:
    """Answer with the app's document; with a valid code, sign the browser in first."""
    head = head_of(request.scope)
    if query.code is not None and head.method == "GET":
        if service.access.codes.redeem(query.code):
            return _sign_in(request, service)
        # In a browser, the page explains how to sign in again; a program gets a problem.
        in_browser = "text/html" in ",".join(head.all("accept"))
        if "read" not in service.access.scopes(head) and not in_browser:
            raise RequestRefused(
                Problem(401, "this address was used or is older than ten minutes; 'inspector open' makes a new one")
            )
        return _to_the_page()
    web: WebApp = request.app.state.web
    return Response(web.page or _NOT_BUILT, media_type="text/html", headers={"Content-Security-Policy": PAGE_POLICY})


@router.post("/codes", responses=statuses())
async def create_sign_in_code(service: InService, _: NoQuery) -> Response:
    """Issue a code that signs a browser in. Whoever may request one has the same rights as that browser."""
    return json_response(SignInCode(service.access.codes.create()))


@router.api_route("/assets/{name}", methods=LOOK, include_in_schema=False)
async def asset(request: Request, name: str) -> Response:
    """Answer with a file of the app by its name. No token is needed: it contains nothing that was recorded."""
    web: WebApp = request.app.state.web
    file = web.assets.get(name)
    if file is None:
        raise RequestRefused(not_found("such file in the web app"))
    return Response(file.body, media_type=file.media_type, headers=_FOR_EVER)


def _sign_in(request: Request, service: InService) -> Response:
    answer = _to_the_page()
    answer.set_cookie(
        cookie_name(head_of(request.scope).port),
        service.access.token.derive("browser"),
        max_age=SIGNED_IN_S,
        path=request.scope.get("root_path", "").rstrip("/") + "/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return answer


def _to_the_page() -> Response:
    # Relative, so that the address holds behind a proxy that takes the prefix away; the browser keeps the fragment.
    return RedirectResponse("./", status_code=303)
