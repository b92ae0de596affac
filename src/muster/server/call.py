"""One request in work, and the right to answer it exactly once: the ticket that the core keeps and the runtime redeems.

Knows the frame of a reply and the request's header. Knows nothing of what is asked or answered. Handlers get one for each
request; it stays valid when the client has gone: the reply is then dropped and counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from librt.strings import write_i32_be
from mypy_extensions import i32, mypyc_attr

from muster.runtime.tickets import Redeemable
from muster.server.limits import LOGGED_TEXT_CHARS
from muster.wire.native import begun, finished
from muster.wire.value import Value

if TYPE_CHECKING:
    from muster.server.connection import Connection
    from muster.server.endpoint import Endpoint
    from muster.server.routes import Route


@mypyc_attr(allow_interpreted_subclasses=True)
class Call(Redeemable):
    """What a handler knows of the one who asked, and its only way to answer."""

    __slots__ = (
        "abandon",
        "client_id",
        "connection",
        "correlation_id",
        "outlives_client",
        "respond",
        "route",
    )

    def __init__(self, connection: Connection, route: Route, correlation_id: int, client_id: str | None) -> None:
        self.answered = False
        self.connection = connection
        self.route = route
        self.correlation_id = correlation_id
        self.client_id = client_id
        self.abandon: Callable[[], None] | None = None
        """Called if the client goes before it is answered: takes back what waits for this call alone."""
        self.respond: Callable[[Call, Any], object] | None = None
        """Lays out a core reply for this request's version; set by handlers whose answer comes from the runtime."""
        self.outlives_client = False
        """It is done to its end though the client has gone (Produce with acks=0): so long what was sent counts as held."""

    @property
    def api_key(self) -> int:
        return self.route.api_key

    @property
    def version(self) -> int:
        return self.route.version

    @property
    def is_abandoned(self) -> bool:
        """The client has gone."""
        return self.connection.is_gone

    @property
    def host(self) -> str:
        """Java's text of the client's address (spec 3.1)."""
        return self.connection.host

    @property
    def principal(self) -> str:
        return self.connection.principal

    @property
    def advertised(self) -> Endpoint:
        """This server's address, as clients of this listener are told."""
        return self.connection.advertised

    def reply(self, response: object) -> None:
        """Encode for the request's version and send; bytes are the body of a reply that is encoded already. Exactly once."""
        assert not self.answered, f"{self!r} is answered twice"
        self.answered = True
        route = self.route
        if isinstance(response, bytes):
            body = response
        else:
            body = route.encode(response)
        throttle = self.connection.throttle
        if throttle is not None:
            body = throttle.weigh(self, response, body)
        self.connection.finish(framed(self.correlation_id, body, has_tags=route.flexible_reply))

    def reply_nothing(self) -> None:
        """The client wants no answer (Produce with acks=0)."""
        assert not self.answered, f"{self!r} is answered twice"
        self.answered = True
        throttle = self.connection.throttle
        if throttle is not None:
            throttle.weigh_silence(self)
        self.connection.finish(None)

    def redeem(self, reply: Value) -> None:
        """The runtime has the core's answer. Never raises: a fault here is this connection's alone."""
        try:
            respond = self.respond
            assert respond is not None, f"{self!r} has nothing to lay a reply out with"
            self.reply(respond(self, reply))
        except Exception as fault:
            self.connection.fail(fault)

    def resume(self, step: Callable[[], None]) -> None:
        """Go on with this request from a callback of the runtime. Never raises, like `redeem`."""
        try:
            step()
        except Exception as fault:
            self.connection.fail(fault)

    def close(self, why: str) -> None:
        """Give no answer and close the connection, saying why in the log."""
        self.answered = True
        self.connection.refuse(f"{self.route.name} v{self.route.version}", why)

    def __repr__(self) -> str:
        route, client_id = self.route, self.client_id
        shown = client_id and client_id[:LOGGED_TEXT_CHARS]
        return f"Call({route.name} v{route.version} #{self.correlation_id} from {shown!r} at {self.host})"


def framed(correlation_id: i32, body: bytes, has_tags: bool) -> bytes:
    """A reply as it is sent; `has_tags`: its header has room for tagged fields, of which there are none."""
    frame = begun()
    if has_tags:
        write_i32_be(frame, len(body) + 5)
        write_i32_be(frame, correlation_id)
        frame.append(0)
    else:
        write_i32_be(frame, len(body) + 4)
        write_i32_be(frame, correlation_id)
    frame.write(body)
    return finished(frame)
