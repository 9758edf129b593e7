"""``/``: the start page, and where a one-time code becomes a cookie."""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from inspector.api.access import cookie_name, head_of
from inspector.api.errors import Problem, Refusal
from inspector.api.guard import CONTENT_SECURITY_POLICY
from inspector.api.operations import LOOK
from inspector.api.parameters import QueryOf, SignInQuery
from inspector.api.service import InService

router = APIRouter()

SIGNED_IN_S = 7 * 24 * 3600
"""How long the browser keeps the cookie."""

_STATE = {
    True: "You are signed in.",
    False: "You are not signed in: open the one-time address that the server printed.",
}


@router.api_route("/", methods=LOOK)
async def start_page(
    request: Request, service: InService, query: Annotated[SignInQuery, Depends(QueryOf(SignInQuery))]
) -> Response:
    """Show what this is; with a good code, sign the browser in first."""
    head = head_of(request.scope)
    if query.code is not None and head.method == "GET":
        if not service.access.codes.redeem(query.code):
            raise Refusal(
                Problem(401, "this address was used or is older than ten minutes; restart the server to get a new one")
            )
        return _sign_in(request, service)
    text, policy = _page()
    state = _STATE["read" in service.access.scopes(head)]
    return Response(text.replace("{state}", state), media_type="text/html", headers={"Content-Security-Policy": policy})


def _sign_in(request: Request, service: InService) -> Response:
    # Relative, so that the address holds behind a proxy that takes the prefix away.
    answer = RedirectResponse("./", status_code=303)
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


@cache
def _page() -> tuple[str, str]:
    """The page and the policy that lets its own style sheet in, by hash, and no other."""
    text = Path(__file__).with_name("page.html").read_text("utf-8")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256((style[1] if style else "").encode()).digest()).decode()
    return text, CONTENT_SECURITY_POLICY.replace("style-src 'self'", f"style-src 'sha256-{digest}'")
