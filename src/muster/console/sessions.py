"""Browsers that have come, and who is logged in in them: a random id in a cookie, everything else here in memory.

A session ends by logout, by another login in the same browser, by a day, or by an hour in which nothing was asked; open pages
count as asking. Where no login is needed there is one session for everybody, without a cookie: all that it holds is the token
that forms carry (CSRF), and a page of somebody else can neither read it nor make another one.
"""

from __future__ import annotations

import hmac
import secrets
import time
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from muster.client.security import Security
from muster.console.settings import ConsoleSettings

MOST_SESSIONS: Final = 2_000
LIFETIME_SECONDS: Final = 86_400.0
IDLE_SECONDS: Final = 3_600.0


@dataclass(slots=True)
class Session:
    security: Security
    user: str
    """Who acts, for people: a SASL user, or what the command line was started with."""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    began: float = field(default_factory=time.monotonic)
    used: float = field(default_factory=time.monotonic)

    def is_over(self, now: float) -> bool:
        return now - self.began > LIFETIME_SECONDS or now - self.used > IDLE_SECONDS

    def allows(self, token: str | None) -> bool:
        return token is not None and hmac.compare_digest(token.encode(), self.token.encode())


class Sessions:
    def __init__(self, settings: ConsoleSettings) -> None:
        self._settings = settings
        self._sessions: dict[str, Session] = {}
        self._shared: Session | None = None
        """Where no login is needed."""
        prefix = "__Host-" if settings.is_secure else ""
        self._cookie = f"{prefix}muster-console-{settings.port}"  # browsers do not tell ports apart

    def shared(self, security: Security, user: str) -> Session:
        """The one of everybody, which does not end."""
        if self._shared is None:
            self._shared = Session(security, user)
        self._shared.used = time.monotonic()
        return self._shared

    def of(self, request: Request) -> Session | None:
        """The session of a browser, if it has one that is not over."""
        session = self._sessions.get(request.cookies.get(self._cookie, ""))
        return session if session is not None and self.renew(session) else None

    def renew(self, session: Session) -> bool:
        """Count an open page as asking. False if the session is over: nothing more may be sent to that page."""
        now = time.monotonic()
        if session is not self._shared and (self._sessions.get(session.id) is not session or session.is_over(now)):
            return False
        session.used = now
        return True

    def begin(self, security: Security, user: str) -> Session:
        """A new one, with a new id: an id from before a login is worth nothing after it."""
        now = time.monotonic()
        self._sessions = {key: each for key, each in self._sessions.items() if not each.is_over(now)}
        while len(self._sessions) >= MOST_SESSIONS:
            del self._sessions[min(self._sessions.values(), key=lambda each: each.used).id]
        session = Session(security, user)
        self._sessions[session.id] = session
        return session

    def end_of(self, request: Request) -> None:
        """The cookie of the browser opens no session after this, and the password is not kept."""
        self._sessions.pop(request.cookies.get(self._cookie, ""), None)

    def end(self, session: Session, response: Response) -> None:
        self._sessions.pop(session.id, None)
        response.delete_cookie(
            self._cookie, path="/", secure=self._settings.is_secure, httponly=True, samesite="strict"
        )

    def remember(self, session: Session, response: Response) -> None:
        if session is self._shared:
            return
        response.set_cookie(
            self._cookie, session.id, path="/", secure=self._settings.is_secure, httponly=True, samesite="strict"
        )

    def users(self) -> set[Security]:
        """Everybody who still has a session that somebody uses."""
        now = time.monotonic()
        found = {each.security for each in self._sessions.values() if not each.is_over(now)}
        if self._shared is not None and now - self._shared.used <= IDLE_SECONDS:
            found.add(self._shared.security)
        return found
