"""One connection's way to a principal: handshake, tokens, success or delayed failure, and once more before it expires.

KIP-43, KIP-152, KIP-368. Decides by swapping the table of routes of its connection, so that a request of an authenticated client
costs nothing here. Called by the handlers of SaslHandshake and SaslAuthenticate and, for bare tokens, by `bare_tokens`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from muster.security.sasl import Accepted, AuthenticationFailed, Challenge, Exchange
from muster.server.limits import LOGGED_TEXT_CHARS
from muster.wire.errors import ILLEGAL_SASL_STATE, NONE, SASL_AUTHENTICATION_FAILED, UNSUPPORTED_SASL_MECHANISM
from muster.wire.generated.sasl_authenticate import SaslAuthenticateResponse
from muster.wire.generated.sasl_handshake import SaslHandshakeResponse

if TYPE_CHECKING:
    from muster.server.call import Call
    from muster.server.connection import Connection
    from muster.server.sasl_gateway import SaslGateway

_log = logging.getLogger("muster.sasl")
MIN_REAUTHENTICATION_SECONDS: Final = 1.0
"""Kafka takes a second authentication only so long after the last."""


class Answers(Protocol):
    """How the client hears of each step: in a reply, or as a bare token."""

    def challenge(self, token: bytes) -> None: ...

    def accepted(self, token: bytes, lifetime_ms: int) -> None: ...

    def failed(self, told: str) -> None: ...

    def wait_for(self, timer: asyncio.TimerHandle) -> None:
        """The answer comes with this timer, unless the client goes before."""
        ...


class SaslSession:
    __slots__ = (
        "_checking",
        "_claimed",
        "_connection",
        "_exchange",
        "_expiry",
        "_gateway",
        "_mechanism",
        "_over",
        "_principal",
        "is_expired",
        "proven_at",
    )

    def __init__(self, connection: Connection, gateway: SaslGateway) -> None:
        self._connection = connection
        self._gateway = gateway
        self._exchange: Exchange | None = None
        """The authentication under way."""
        self._checking: asyncio.Future[Challenge | Accepted] | None = None
        """A slow step, in a thread or waiting for one."""
        self._mechanism = ""
        """Of the last success, or of the first try."""
        self._principal: str | None = None
        """None until the first success."""
        self.proven_at = 0.0
        """By the loop's clock."""
        self._expiry: asyncio.TimerHandle | None = None
        self._claimed: str | None = None
        """Whose password is being checked."""
        self.is_expired = False
        """The last authentication counts no more, and no other has taken its place."""
        self._over = False

    # ---- what clients ask

    def shake_hands(self, call: Call, mechanism: str) -> None:
        gateway = self._gateway
        offered = list(gateway.mechanisms)
        if self._principal is not None and self._is_too_soon():
            call.reply(SaslHandshakeResponse(ILLEGAL_SASL_STATE, []))
            return
        if not gateway.takes(mechanism):
            call.reply(SaslHandshakeResponse(UNSUPPORTED_SASL_MECHANISM, offered))
            gateway.listener.traffic.authentication_failures += 1
            gateway.listener.authentication_log.warning(
                "closing the connection from %s to listener %s: SASL mechanism %r is not enabled, only %s",
                self._connection.address,
                gateway.name,
                mechanism[:LOGGED_TEXT_CHARS],
                ", ".join(offered),
            )
            self._connection.part()
            return
        self._exchange = self._begin(mechanism)
        call.reply(SaslHandshakeResponse(NONE, offered))
        if call.version == 0:
            from muster.server.bare_tokens import BareTokens

            self._connection.use_routes(gateway.bare_token_routes, gateway.max_frame_bytes)
            self._connection.hand_over(BareTokens(self._connection, self, gateway.max_frame_bytes))
        else:
            self._connection.use_routes(gateway.token_routes, gateway.max_frame_bytes)

    def authenticate(self, call: Call, token: bytes) -> None:
        if self._exchange is None:
            call.reply(
                SaslAuthenticateResponse(
                    ILLEGAL_SASL_STATE, "SaslAuthenticate request received after successful authentication"
                )
            )
            return
        self.take(token, _Replies(call))

    def take(self, token: bytes, answers: Answers) -> None:
        exchange = self._exchange
        assert exchange is not None
        self._claimed = exchange.claimed_name(token)
        delay: float | None = 0.0
        if self._claimed is not None:
            delay = self._gateway.listener.guess_delays.take_place(self._connection.host, self._claimed)
        if delay is None:
            user, self._claimed = self._claimed or "", None  # nothing was checked that could count as a failure
            told = "Authentication failed: too many passwords of this user from this address are waiting to be checked"
            self._fail(AuthenticationFailed(told, name=user), answers)
        elif delay:
            # Before the check, not after it: somebody who guesses could take silence for a no, and try the next at once.
            loop = asyncio.get_running_loop()
            answers.wait_for(loop.call_later(delay, self._connection.guard, self._check, token, answers))
        else:
            self._check(token, answers)

    def _check(self, token: bytes, answers: Answers) -> None:
        exchange = self._exchange
        if exchange is None:
            return  # the client has gone
        if not exchange.is_slow:
            self._conclude(partial(exchange.step, token), answers)
            return
        loop = asyncio.get_running_loop()
        done = loop.run_in_executor(self._gateway.executor, exchange.step, token)
        self._checking = done
        done.add_done_callback(partial(self._checked, answers))

    def _is_too_soon(self) -> bool:
        return asyncio.get_running_loop().time() - self.proven_at < MIN_REAUTHENTICATION_SECONDS

    def _begin(self, mechanism: str) -> Exchange:
        exchange = self._gateway.begin(mechanism)
        if self._principal is not None and mechanism != self._mechanism:
            return _Refused(
                f"SASL mechanism '{mechanism}' requested by client is not supported for re-authentication of mechanism"
                f" '{self._mechanism}'"
            )
        self._mechanism = mechanism
        return exchange

    # ---- how it goes on

    def _checked(self, answers: Answers, done: asyncio.Future[Challenge | Accepted]) -> None:
        self._checking = None
        if not done.cancelled():
            done.exception()  # it has been seen, also if the client did not wait for it
            self._connection.guard(self._conclude, done.result, answers)

    def _conclude(self, outcome: Callable[[], Challenge | Accepted], answers: Answers) -> None:
        if self._over:
            return
        try:
            result = outcome()
        except AuthenticationFailed as failure:
            self._fail(failure, answers)
            return
        match result:
            case Challenge():
                answers.challenge(result.token)
            case Accepted():
                self._succeed(result, answers)

    def _succeed(self, accepted: Accepted, answers: Answers) -> None:
        principal = f"{accepted.principal_type}:{accepted.name}"
        if self._principal not in (None, principal):
            told = f"Cannot change principals during re-authentication from {self._principal} to {principal}"
            self._fail(AuthenticationFailed(told, f"it was {self._principal!r} before", accepted.name), answers)
            return
        listener, connection = self._gateway.listener, self._connection
        if self._claimed is not None:
            listener.guess_delays.succeeded(connection.host, self._claimed)
        if self._principal is None:
            listener.traffic.authentications += 1
            _log.debug("%s is %r, by %s", connection.address, principal, self._mechanism)
        else:
            listener.traffic.reauthentications += 1
        self._exchange = None
        self.is_expired = False
        self._principal = connection.principal = principal
        self.proven_at = asyncio.get_running_loop().time()
        connection.use_routes(listener.routes, listener.max_frame_bytes)
        lifetime_ms = self._gateway.lifetime_ms(accepted)
        self._plan_expiry(lifetime_ms)
        has_room = connection.newcomer is None or listener.prove(connection)
        if not has_room:
            connection.closing = True  # what it has sent already is not served
        answers.accepted(accepted.token, lifetime_ms or 0)
        if not has_room:
            connection.close()

    def _fail(self, failure: AuthenticationFailed, answers: Answers) -> None:
        """The answer comes late and the connection ends with it (KIP-306): guessing costs time, waiting costs us nothing."""
        connection, gateway = self._connection, self._gateway
        gateway.listener.traffic.authentication_failures += 1
        if self._claimed is not None:
            gateway.listener.guess_delays.failed(connection.host, self._claimed)
        gateway.listener.authentication_log.warning(
            "%s failed to authenticate as %r by %s on listener %s: %s",
            connection.address,
            failure.name[:LOGGED_TEXT_CHARS],
            self._mechanism,
            gateway.name,
            failure.why,
        )
        loop = asyncio.get_running_loop()
        delay = gateway.failure_delay_seconds
        answers.wait_for(loop.call_later(delay, connection.guard, self._tell_failure, answers, failure.told))

    def _tell_failure(self, answers: Answers, told: str) -> None:
        answers.failed(told)
        self._connection.part()

    # ---- the end of it

    def _plan_expiry(self, lifetime_ms: int | None) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        if lifetime_ms is not None:
            self._expiry = asyncio.get_running_loop().call_later(lifetime_ms / 1000, self.expire)

    def expire(self) -> None:
        """KIP-368: the next request closes the connection, unless it begins a new authentication."""
        self._expiry = None
        self.is_expired = True
        if self._exchange is None:
            self._gateway.listener.traffic.sessions_expired += 1
            self._connection.use_routes(self._gateway.expired_routes, self._gateway.max_frame_bytes)

    def end(self) -> None:
        """The connection is gone."""
        self._over = True
        self._exchange = None
        if self._checking is not None:
            self._checking.cancel()  # or those who do not wait for their answer would keep the threads from those who do
        self._plan_expiry(None)


class _Replies:
    """The answers to one SaslAuthenticate."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    def challenge(self, token: bytes) -> None:
        self._call.reply(SaslAuthenticateResponse(auth_bytes=token))

    def accepted(self, token: bytes, lifetime_ms: int) -> None:
        self._call.reply(SaslAuthenticateResponse(auth_bytes=token, session_lifetime_ms=lifetime_ms))

    def failed(self, told: str) -> None:
        self._call.reply(SaslAuthenticateResponse(SASL_AUTHENTICATION_FAILED, told))

    def wait_for(self, timer: asyncio.TimerHandle) -> None:
        self._call.abandon = timer.cancel


class _Refused:
    """An exchange that fails at its first token: Kafka answers the handshake before it, and only then says no."""

    is_slow = False

    def __init__(self, told: str) -> None:
        self._told = told

    def claimed_name(self, token: bytes) -> str | None:
        return None

    def step(self, token: bytes) -> Challenge | Accepted:
        raise AuthenticationFailed(self._told)
