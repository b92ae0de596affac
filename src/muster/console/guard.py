"""Which requests are let in, and the headers of every answer. Stands before everything else.

- Host: a number, localhost, or a name that the console was started with. A page of somebody else whose name was made to lead here
  (DNS rebinding) comes with another one.
- Origin: whatever changes something must come from a page of this console itself: of the public address if it has one, else of the
  address that the request names.
- Content-Security-Policy: nothing is loaded from elsewhere, and no script or style in the markup itself counts.

What fails behind it without an answer is answered here too, so that this answer has the headers.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from muster.console.trouble import log_and_describe

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer browsers send `Origin: null` for forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
MOST_BODY_BYTES: Final = 1 << 20
MOST_LOGIN_BYTES: Final = 8 << 10
"""Of a form that anybody may send."""
_SAFE: Final = ("GET", "HEAD")


class Guard:
    def __init__(self, app: ASGIApp, host_names: Iterable[str], scheme: str, public_origin: str | None) -> None:
        self._app = app
        self._names = {name.lower().rstrip(".") for name in host_names} | {"localhost"}
        self._scheme = scheme
        self._public_origin = public_origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        has_started = False

        async def with_headers(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            await (self._app if refusal is None else refusal)(scope, receive, with_headers)
        except Exception as failure:
            if has_started:
                raise  # the web server ends the connection
            text = log_and_describe(failure, f"Answering {scope['path']}", "Load it again.")
            await PlainTextResponse(f"{text}\n", 500)(scope, receive, with_headers)

    def _refusal(self, method: str, path: str, headers: Headers) -> PlainTextResponse | None:
        host = headers.get("host", "")
        if not self._is_ours(host):
            return PlainTextResponse(
                "This console is not known by that name. Use its number or localhost, or start it with --host-name,"
                " behind a proxy with --public-url.\n",
                421,
            )
        if method in _SAFE:
            return None
        origin = self._public_origin or f"{self._scheme}://{host}"
        if headers.get("origin") != origin:
            return PlainTextResponse(
                f"This request does not come from a page of this console, which is at {origin}. Behind a proxy the console"
                " has to be started with --public-url.\n",
                403,
            )
        length = headers.get("content-length", "")
        most = MOST_LOGIN_BYTES if path == "/login" else MOST_BODY_BYTES
        if not length.isdecimal() or int(length) > most:
            return PlainTextResponse(f"This form has at most {most} bytes, and says how many.\n", 413)
        return None

    def _is_ours(self, host: str) -> bool:
        name = host.rpartition("]")[0].removeprefix("[") if host.startswith("[") else host.partition(":")[0]
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name.lower().rstrip(".") in self._names
        return True
