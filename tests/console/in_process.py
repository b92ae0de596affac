"""The console's application in this process, asked without a web server: for what a real console cannot be made to do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

from starlette.types import ASGIApp, Message

from tests.console.console_process import Answer


def asked(app: ASGIApp, path: str, form: Mapping[str, str] | None = None) -> Answer:
    """One request in a loop of its own."""
    return asyncio.run(ask(app, path, form))


async def ask(app: ASGIApp, path: str, form: Mapping[str, str] | None = None) -> Answer:
    """What a GET is answered, or a form of a page of the console."""
    parts, sent = urlsplit(path), list[Message]()
    body = b"" if form is None else urlencode(form).encode()
    headers = [(b"host", b"127.0.0.1")]
    if form is not None:
        headers += [(b"origin", b"http://127.0.0.1"), (b"content-length", str(len(body)).encode())]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET" if form is None else "POST",
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "root_path": "",
        "query_string": parts.query.encode(),
        "headers": headers,
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8080),
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    answered = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], answered, b"".join(each.get("body", b"") for each in sent[1:]).decode())
