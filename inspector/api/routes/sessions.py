"""``/sessions``: traces with the same session id."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response

from inspector.api.queries.parameter_types import SessionIdInPath
from inspector.api.queries.parameters import NamedSession, NamedSessionPage, PageQuery, SessionsQuery
from inspector.api.queries.query import NoQuery, QueryOf
from inspector.api.read_scheduler import page_cost
from inspector.api.routes.operations import LOOK, statuses
from inspector.api.service import InService
from inspector.model import Filter


class _Whole(Convertor[str]):
    """The rest of a path, including line breaks, which ``path`` leaves out."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("whole", _Whole())
router = APIRouter()

_NO_SESSION = "session with that id; /sessions lists the sessions"


@router.api_route("/sessions", methods=LOOK, responses=statuses(404, 503))
async def list_sessions(
    request: Request, service: InService, query: Annotated[SessionsQuery, Depends(QueryOf(SessionsQuery))]
) -> Response:
    """Answer with one page of sessions, by default the one with the latest activity first."""
    return await service.reads.value(
        request,
        page_cost(query.limit, walks=query.sort != "time"),
        lambda: service.store.sessions(
            since_ns=query.since,
            until_ns=query.until,
            sort=query.sort,
            order=query.order,
            cursor=query.cursor,
            limit=query.limit,
        ),
    )


# The id is whatever text an agent chose, slashes included; it is decoded once and only ever compared.
@router.api_route("/sessions/{session_id:whole}", methods=LOOK, responses=statuses(404, 503))
async def get_session(
    request: Request,
    service: InService,
    session_id: SessionIdInPath,
    query: Annotated[PageQuery, Depends(QueryOf(PageQuery))],
) -> Response:
    """Answer with the summary of a session, and one page of its traces, newest first."""
    return await _answer(request, service, session_id, query)


@router.api_route("/session", methods=LOOK, responses=statuses(404, 503))
async def get_session_of_any_name(
    request: Request, service: InService, query: Annotated[NamedSessionPage, Depends(QueryOf(NamedSessionPage))]
) -> Response:
    """Answer like ``/sessions/{session_id}``; here ``.`` and ``..`` are ids, which in a path they cannot be."""
    return await _answer(request, service, query.session_id, query)


@router.delete("/sessions/{session_id:whole}", responses=statuses(404, 409, 503))
async def delete_session(service: InService, session_id: SessionIdInPath, _: NoQuery) -> Response:
    """Delete a session and all its traces."""
    return await service.delete("session", session_id, no=_NO_SESSION)


@router.delete("/session", responses=statuses(404, 409, 503))
async def delete_session_of_any_name(
    service: InService, query: Annotated[NamedSession, Depends(QueryOf(NamedSession))]
) -> Response:
    """Delete a session like ``/sessions/{session_id}``."""
    return await service.delete("session", query.session_id, no=_NO_SESSION)


async def _answer(request: Request, service: InService, session_id: str, query: PageQuery) -> Response:
    def read() -> object:
        session = service.store.session(session_id)
        if session is None:
            return None
        page = service.store.traces(Filter(session_id=session_id), cursor=query.cursor, limit=query.limit)
        return {"session": session, "items": page.items, "next_cursor": page.next_cursor}

    return await service.reads.value(request, page_cost(query.limit), read, no=_NO_SESSION)
