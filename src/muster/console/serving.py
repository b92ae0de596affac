"""The web server around the app: listens, says where, and ends on Ctrl-C without waiting for open pages."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import signal
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import uvicorn

from muster.console.app import build_app
from muster.console.settings import ConsoleSettings

GOODBYE_SECONDS: Final = 2
MOST_CONNECTIONS: Final = 4_000
"""Of browsers; each open page is one. Requests on more are answered 503."""
SPARE_FILES: Final = 200
"""For connections to the cluster, the store and a lake: they must not fail because many pages are open."""


class CannotListen(Exception):
    """The address is taken or not ours, the certificate cannot be used, or there are too few open files. Says which."""


def serve(settings: ConsoleSettings) -> None:
    """Until SIGINT or SIGTERM."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("muster.console.audit").setLevel(logging.INFO)
    if settings.tls_certificate is not None:
        _try_certificate(settings.tls_certificate, settings.tls_key)
    listener = _listener(settings)
    port = listener.getsockname()[1]
    app = build_app(replace(settings, port=port))
    config = uvicorn.Config(
        app,
        limit_concurrency=most_connections(_open_files()) + 1,  # uvicorn refuses from this number on
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,  # whoever is on this machine could put any address into the audit line with them
        lifespan="on",
        timeout_graceful_shutdown=GOODBYE_SECONDS,
        ssl_certfile=settings.tls_certificate,
        ssl_keyfile=settings.tls_key,
    )
    config.load()
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    print(f"console on {settings.scheme}://{host}:{port}", flush=True)
    with listener:
        asyncio.run(_Server(config, app.state.end_streams).serve(sockets=[listener]))


def most_connections(open_files: int) -> int:
    """That fit among so many open files. CannotListen if none does."""
    if open_files <= SPARE_FILES:
        raise CannotListen(f"{open_files} open files are too few: allow more than {SPARE_FILES} (ulimit -n)")
    return min(MOST_CONNECTIONS, open_files - SPARE_FILES)


def _open_files() -> int:
    """How many this process may have, after asking for as many as it needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + SPARE_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return soft
    return wanted


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, end_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._end_streams = end_streams

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ends on a signal. uvicorn itself would raise the signal once more after that; here the end is the end."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, number)
        yield

    def _stop(self, number: int) -> None:
        self.handle_exit(number, None)
        self._end_streams()


def _try_certificate(certificate: str, key: str | None) -> None:
    """Says what is wrong with the files in one line; the web server itself would say it in a traceback, or ask for a password."""
    for flag, file in (("--tls-cert", certificate), ("--tls-key", key)):
        try:
            if file is not None:
                Path(file).read_bytes()
        except OSError as error:
            raise CannotListen(f"{flag} {file}: {error.strerror}") from None

    def refuse() -> str:
        raise CannotListen(f"{key or certificate}: the key is encrypted; give one that is not")

    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key, refuse)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise CannotListen(
                f"the key in {key or certificate} is not that of the certificate {certificate}"
            ) from None
        files = certificate if key is None else f"{certificate} and {key}"
        raise CannotListen(f"{files}: no usable PEM certificate and key ({error.reason or error})") from None


def _listener(settings: ConsoleSettings) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        return socket.create_server((settings.host, settings.port), family=family, backlog=256)
    except OSError as error:
        raise CannotListen(f"--listen {settings.host}:{settings.port}: {error.strerror or error}") from None
