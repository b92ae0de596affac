"""The console as an ASGI application: which path is served by which handler."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from muster import __version__
from muster.client.failure import ClientError
from muster.console import actions, pages
from muster.console.cluster_page import follow_cluster
from muster.console.guard import Guard
from muster.console.history_page import history_pages
from muster.console.live import View
from muster.console.login import MECHANISMS, Login, TooManyLogins, place_of
from muster.console.observers import Observers, load_codecs
from muster.console.record_tail import follow
from muster.console.rendering import Renderer
from muster.console.sessions import Sessions
from muster.console.settings import ConsoleSettings
from muster.console.web import BadRequest, Console, Handler, Visit, form_of, page_for

_TIDY_SECONDS: Final = 30.0
_POLLED: Final[dict[str, Handler]] = {"/live/messages": follow, "/live/cluster": follow_cluster}


def build_app(settings: ConsoleSettings) -> Starlette:
    render = Renderer(
        version=__version__,
        bootstrap=settings.bootstrap,
        allow_changes=settings.allow_changes,
        needs_login=settings.needs_login,
        has_history=settings.history is not None,
    )
    load_codecs()
    observers = Observers(settings, render)
    console = Console(settings, render, Sessions(settings), observers, Login(settings.security, observers))

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        tidying = asyncio.create_task(_tidy(console))
        yield
        tidying.cancel()
        await observers.close()

    app = Starlette(
        routes=[
            *_routes(console),
            Mount("/static", StaticFiles(packages=[("muster.console", "static")])),
            Route("/{path:path}", page_for(console, _no_such_page), methods=["GET", "POST"]),
        ],
        middleware=[Middleware(Guard, settings.known_names, settings.scheme, settings.public_origin)],
        lifespan=lifespan,
    )
    app.state.end_streams = observers.end_streams
    return app


def _routes(console: Console) -> list[BaseRoute]:
    routes: list[BaseRoute] = [Route(path, page_for(console, handler)) for path, handler in pages.PAGES.items()]
    routes += [Route(f"/live{path}", _stream_for(console, view)) for path, view in pages.VIEWS.items()]
    routes += [Route(path, page_for(console, handler)) for path, handler in _POLLED.items()]
    if console.settings.history is not None:
        shown = history_pages(console.settings.history)
        routes += [Route(path, page_for(console, handler)) for path, handler in shown.items()]
    if console.settings.allow_changes:
        routes += [Route(path, page_for(console, handler)) for path, handler in actions.QUESTIONS.items()]
        routes += [
            Route(path, page_for(console, handler, changes=True), methods=["POST"])
            for path, handler in actions.CHANGES.items()
        ]
    if console.settings.needs_login:
        routes += [
            Route("/login", _login_page(console)),
            Route("/login", _log_in(console), methods=["POST"]),
            Route("/logout", page_for(console, _log_out, changes=True), methods=["POST"]),
        ]
    return routes


async def _no_such_page(visit: Visit) -> Response:
    return visit.failure("This console has no such page.", 404)


async def _tidy(console: Console) -> None:
    """Connections of users whose sessions are over."""
    while True:
        await asyncio.sleep(_TIDY_SECONDS)
        await console.observers.close_unused(console.sessions.users())


def _stream_for(console: Console, make: pages.MakeView) -> pages.Endpoint:
    async def stream(visit: Visit) -> Response:
        if not visit.live.has_room():
            return Response("Too many pages are open.\n", 503, media_type="text/plain")
        view: View = make(visit)
        return StreamingResponse(visit.live.stream(view, visit.renew), media_type="text/event-stream")

    return page_for(console, stream)


def _login_page(console: Console) -> pages.Endpoint:
    async def endpoint(request: Request) -> Response:
        return _form(console, request.query_params.get("next", "/"), "", "")

    return endpoint


def _log_in(console: Console) -> pages.Endpoint:
    async def endpoint(request: Request) -> Response:
        try:
            form = await form_of(request)
        except BadRequest as error:
            return _form(console, "/", "", str(error), status=400)
        user, where = form.get("user", ""), form.get("next", "/")
        try:
            security = await console.login.verify(
                user,
                form.get("password", ""),
                form.get("mechanism", ""),
                place_of(
                    request.client.host if request.client is not None else "",
                    user,
                    is_behind_proxy=console.settings.public_origin is not None,
                ),
                request.is_disconnected,
            )
        except ClientError as failure:
            return _form(console, where, user, str(failure), status=403)
        except TooManyLogins as failure:
            return _form(console, where, user, str(failure), status=503)
        console.sessions.end_of(request)
        session = console.sessions.begin(security, user)
        response = RedirectResponse(_inside(where), 303)
        console.sessions.remember(session, response)
        return response

    return endpoint


async def _log_out(visit: Visit) -> Response:
    response = RedirectResponse("/login", 303)
    visit.console.sessions.end(visit.session, response)
    return response


def _form(console: Console, where: str, user: str, failure: str, *, status: int = 200) -> Response:
    context: Mapping[str, object] = {
        "next": _inside(where),
        "name": user,
        "failure": failure,
        "mechanisms": MECHANISMS,
        "mechanism": console.login.mechanism,
    }
    return Response(console.render("login.html", context), status, media_type="text/html")


def _inside(where: str) -> str:
    """A place of this console to go to after the login, whatever the address asked for."""
    parts = urlsplit(where)
    is_ours = where.startswith("/") and not where.startswith(("//", "/\\")) and not parts.netloc and not parts.scheme
    return where if is_ours else "/"
