"""A server with a listener of every kind, its certificates, and two users: what tests with raw bytes and real clients share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

from muster.security.guess_delays import GuessDelays
from muster.security.users import new_credential
from muster.server.connection import Connection
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.server.traffic import Traffic
from tests.interop.waiting import eventually
from tests.listeners import address_of
from tests.security.certificates import Authority
from tests.security.tokens import Issuer

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
PASSWORDS = {"alice": "correct-horse", "bob": "battery,staple="}
EVERYWHERE = ",".join(f"{name}://127.0.0.1:0" for name in PROTOCOLS)


class SecureServer:
    """`with SecureServer(folder) as server:`; `authority` signs, `issuer` gives tokens."""

    def __init__(
        self, folder: Path, settings: Mapping[str, str] | None = None, users: Mapping[str, str] = PASSWORDS
    ) -> None:
        self.authority = Authority(folder)
        self.issuer = Issuer(folder)
        self.certificate = self.authority.server()
        self._users = users
        self._running = RunningServer(
            Settings.of(
                {
                    "muster.storage": "memory",
                    "offsets.topic.num.partitions": "4",
                    "group.initial.rebalance.delay.ms": "0",
                    "listeners": EVERYWHERE,
                    "ssl.keystore.location": self.certificate.keystore,
                    "ssl.truststore.location": self.authority.file,
                    "sasl.enabled.mechanisms": ",".join(MECHANISMS),
                    "sasl.oauthbearer.jwks.endpoint.url": f"file://{self.issuer.path}",
                    "connection.failed.authentication.delay.ms": "1",
                    **(settings or {}),
                }
            )
        )

    def __enter__(self) -> SecureServer:
        self._running.start()
        credentials = [
            (name, mechanism, new_credential(mechanism, password))
            for name, password in self._users.items()
            for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512")
        ]
        if credentials:
            self._running.run(lambda: self._running.node.users.alter(credentials))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._running.stop()

    @property
    def running(self) -> RunningServer:
        return self._running

    def address(self, listener: str) -> str:
        return address_of(self._running, listener)

    def port(self, listener: str) -> int:
        return int(self.address(listener).rpartition(":")[2])

    @property
    def traffic(self) -> Traffic:
        self._end_this_step()
        assert self._running.server is not None
        return self._running.server.listener.traffic

    @property
    def connections(self) -> list[Connection]:
        self._end_this_step()
        assert self._running.server is not None
        return list(self._running.server.listener.connections)

    @property
    def newcomers(self) -> int:
        self._end_this_step()
        assert self._running.server is not None
        return len(self._running.server.listener.newcomers)

    def _end_this_step(self) -> None:
        """A client may have its answer before the server has counted it: what the test looks at then is behind that step."""
        if threading.current_thread() is not self._running._thread:
            self._running.run(lambda: None)

    def forget_guesses(self) -> None:
        """As if nobody had tried a wrong password yet."""
        assert self._running.server is not None
        listener = self._running.server.listener
        self._running.run(lambda: setattr(listener, "guess_delays", GuessDelays(time.monotonic)))

    def until(self, condition: Callable[[], bool]) -> None:
        """Let the server take steps until the condition holds in its thread."""
        eventually("the condition", lambda: self._running.run(condition))

    def connection_of(self, port: int) -> Connection:
        """The server's side of the client that has this local port."""
        return next(each for each in self.connections if each.address.endswith(f":{port}"))
