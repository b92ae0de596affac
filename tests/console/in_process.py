"""The console's application in this process, asked without a web server: for what a real console cannot be made to do."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message

from tests.console.console_process import Answer


def asked(app: ASGIApp, path: str) -> Answer:
    """What a GET is answered."""
    parts, sent = urlsplit(path), list[Message]()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "root_path": "",
        "query_string": parts.query.encode(),
        "headers": [(b"host", b"127.0.0.1")],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8080),
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(_call(app, scope, receive, send))
    headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], headers, b"".join(each.get("body", b"") for each in sent[1:]).decode())


async def _call(app: ASGIApp, *arguments: object) -> None:
    await app(*arguments)  # type: ignore[arg-type]
