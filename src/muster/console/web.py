"""What every page handler is given: who came, what the address says, and how to answer. Between Starlette and the views."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from muster.client.failure import ClientError
from muster.console.audit import write_audit_line
from muster.console.cluster_right import refusal_to_describe
from muster.console.live import Live, View
from muster.console.login import Login
from muster.console.observer import Observer
from muster.console.observers import Observers
from muster.console.rendering import Renderer, link
from muster.console.sessions import Session, Sessions
from muster.console.settings import ConsoleSettings
from muster.console.trouble import log_and_describe

MOST_FIELDS: Final = 200
_OLD_FORM: Final = "This form is from before the console was started, or from elsewhere: load it again."


class BadRequest(Exception):
    """Something in the address or form cannot be used; says what, and what to do."""


@dataclass(frozen=True, slots=True)
class Console:
    """Everything that lives as long as the console."""

    settings: ConsoleSettings
    render: Renderer
    sessions: Sessions
    observers: Observers
    login: Login


@dataclass(frozen=True, slots=True)
class Visit:
    console: Console
    request: Request
    session: Session
    form: Mapping[str, str]

    @property
    def query(self) -> Mapping[str, str]:
        return self.request.query_params

    @property
    def live(self) -> Live:
        return self.console.observers.of(self.session.security)

    @property
    def observer(self) -> Observer:
        return self.live.observer

    def renew(self) -> bool:
        """Keep the session from ending while its page is open; False if it has ended, by logout or in a day."""
        return self.console.sessions.renew(self.session)

    async def refusal_to_describe_cluster(self) -> str:
        """Why the visitor may not see what the console finds out of the cluster with rights of its own; empty if he may."""
        return await refusal_to_describe(self.observer.cluster) if self.console.settings.needs_login else ""

    def required(self, name: str) -> str:
        value = self.form.get(name) or self.query.get(name)
        if not value:
            raise BadRequest(f"The address lacks {name}.")
        return value

    def number(self, name: str, *, least: int = 0) -> int | None:
        """A number of the address or form; None if it is not given."""
        text = (self.form.get(name) or self.query.get(name) or "").strip()
        if not text:
            return None
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value < 1 << 63:
            raise BadRequest(f"{name} must be a whole number, {least} or more, not {text[:40]!r}.")
        return value

    def page(self, template: str, context: Mapping[str, Any], *, status: int = 200) -> Response:
        body = self.console.render(template, {**self._everywhere(), **context})
        response = HTMLResponse(body, status)
        self.console.sessions.remember(self.session, response)
        return response

    async def live_page(self, template: str, view: View, live_path: str) -> Response:
        """A page whose regions go on to change."""
        await self.live.visit(view)
        context = view.context()
        context["live"] = link(live_path, **dict(self.query))
        return self.page(template, context)

    def failure(self, text: str, status: int = 400) -> Response:
        return self.page("failure.html", {"text": text}, status=status)

    def _everywhere(self) -> dict[str, Any]:
        return {
            "path": self.request.url.path,
            "user": self.session.user,
            "token": self.session.token,
            "now_ms": self.observer.now_ms(),
            "trouble": "",
            "live": "",
            "is_asking": False,
        }


Handler: TypeAlias = Callable[[Visit], Awaitable[Response]]


def page_for(console: Console, handler: Handler, *, changes: bool = False) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that knows who came, checks the token of forms, and answers failures with a page."""

    async def endpoint(request: Request) -> Response:
        session = _session_of(console, request)
        if session is None:
            return _to_login(request)
        visit = Visit(console, request, session, {})
        try:
            if changes:
                visit = replace(visit, form=await form_of(request))
                if not session.allows(visit.form.get("token")):
                    return visit.failure(_OLD_FORM, 403)
            return await handler(visit)
        except BadRequest as error:
            return visit.failure(str(error))
        except ClientError as failure:
            return visit.failure(str(failure), 502)
        except Exception as failure:
            if changes:
                write_audit_line(request, session, f"{request.url.path} {visit.form.get('id', '')!r}", failure)
            next_step = "See whether it was done before you try again." if changes else "Load it again."
            return visit.failure(log_and_describe(failure, f"Answering {request.url.path}", next_step), 500)

    return endpoint


def _session_of(console: Console, request: Request) -> Session | None:
    if console.settings.needs_login:
        return console.sessions.of(request)
    return console.sessions.shared(console.settings.security, user_of(console.settings))


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form; its size is limited by the guard. BadRequest."""
    try:
        body = (await request.body()).decode("utf-8", "replace")
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise BadRequest(f"A form has at most {MOST_FIELDS} fields.") from None
    except ClientDisconnect:
        raise BadRequest("The form did not come as a whole.") from None


def user_of(settings: ConsoleSettings) -> str:
    """Who acts where nobody logs in."""
    return settings.security.username or (
        "the command line's certificate" if settings.security.wants_tls else "anonymous"
    )


def _to_login(request: Request) -> Response:
    if request.headers.get("accept", "").startswith("text/event-stream"):
        return Response("The session is over: log in again.\n", 401, media_type="text/plain")
    where = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(link("/login", next=where if request.method == "GET" else "/"), 303)
