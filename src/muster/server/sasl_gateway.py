"""SASL of one listener: which mechanisms there are, how long an authentication counts, what may be asked before it.

Shared by the connections of the listener; each has a `SaslSession` of its own.
"""

from __future__ import annotations

import logging
import os
import time
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from muster.security.sasl import NODE, NODE_MECHANISM, OAUTHBEARER, PLAIN, Accepted, Exchange
from muster.server.listener_addresses import ListenerAddress, SecurityProtocol
from muster.server.settings import ListenerSettings, Settings
from muster.topics.config_types import ConfigError

if TYPE_CHECKING:
    from muster.security.oauth import TokenChecker
    from muster.security.users import Users
    from muster.server.listener import Listener

_log = logging.getLogger("muster.sasl")
JWKS: Final = "sasl.oauthbearer.jwks.endpoint.url"
_FILE_URL: Final = "file://"
_PASSWORD_THREADS: Final = 2
"""Checking a password takes milliseconds on purpose; more at once would only take the loop's share of the cores."""


class SaslGateway:
    def __init__(
        self,
        listener: Listener,
        address: ListenerAddress,
        settings: Settings,
        own: ListenerSettings,
        own_certificate: Callable[[], bytes],
    ) -> None:
        """ConfigError if a mechanism cannot be offered. A listener without SASL has one for nodes alone."""
        self.listener = listener
        self.name = address.name
        self.mechanisms = own.words("sasl.enabled.mechanisms") if address.protocol.has_sasl else ()
        self._own_certificate = own_certificate
        if not self.mechanisms and address.protocol.has_sasl:
            raise ConfigError(f"listener {self.name}: sasl.enabled.mechanisms is empty, so nobody could come in")
        self.max_frame_bytes = settings.integer("sasl.server.max.receive.size")
        self.failure_delay_seconds = settings.integer("connection.failed.authentication.delay.ms") / 1000
        self._max_reauth_ms = own.integer("connections.max.reauth.ms")
        self._tokens = _token_checker(self.name, own) if OAUTHBEARER in self.mechanisms else None
        self._executor: ThreadPoolExecutor | None = None
        routes = listener.routes
        self.entry_routes = routes.only(
            ("ApiVersions", "SaslHandshake"), "before SASL authentication (is the client's security.protocol set?)"
        )
        self.token_routes = routes.only(("SaslAuthenticate",), "during SASL authentication")
        self.bare_token_routes = routes.only((), "during SASL authentication")
        self.expired_routes = routes.only(("SaslHandshake",), "after the authentication has expired")
        if PLAIN in self.mechanisms and address.protocol is SecurityProtocol.SASL_PLAINTEXT:
            _log.warning("listener %s: PLAIN without TLS lets everybody on the way read the passwords", self.name)

    @property
    def users(self) -> Users:
        users: Users = self.listener.node.users
        return users

    @property
    def executor(self) -> ThreadPoolExecutor:
        if self._executor is None:
            self._executor = ThreadPoolExecutor(_PASSWORD_THREADS, "muster-passwords")
        return self._executor

    def takes(self, mechanism: str) -> bool:
        """Whether somebody may come in by it: a client, or another node of the cluster."""
        is_node = mechanism == NODE_MECHANISM and self.listener.node.node_secret is not None
        return is_node or mechanism in self.mechanisms

    def begin(self, mechanism: str) -> Exchange:
        """A new exchange in a mechanism that it takes."""
        if mechanism == NODE_MECHANISM:
            from muster.security.node_proof import NodeExchange, new_nonce

            return NodeExchange(self.listener.node.node_secret, new_nonce(os.urandom), self._own_certificate())
        if mechanism == PLAIN:
            from muster.security.plain import PlainExchange

            return PlainExchange(self.users)
        if mechanism == OAUTHBEARER:
            from muster.security.oauth import OAuthExchange

            assert self._tokens is not None
            return OAuthExchange(self._tokens.check)
        from muster.security.scram import NONCE_BYTES, ScramExchange

        users = self.users
        nonce = b64encode(os.urandom(NONCE_BYTES))
        return ScramExchange(mechanism, lambda name: users.credential(mechanism, name), nonce)

    def lifetime_ms(self, accepted: Accepted) -> int | None:
        """KIP-368: how long an authentication of this moment counts; None: for good. The secret of nodes does not expire."""
        if accepted.principal_type == NODE:
            return None
        credential_expires_at_ms = accepted.expires_at_ms
        limits = []
        if self._max_reauth_ms > 0:
            limits.append(self._max_reauth_ms)
        if credential_expires_at_ms is not None:
            # At least 1: clients read a lifetime of 0 as "never expires". A token may be past its end and within the skew.
            limits.append(max(credential_expires_at_ms - int(time.time() * 1000), 1))
        return min(limits, default=None)

    @property
    def has_files(self) -> bool:
        return self._tokens is not None

    def refresh(self) -> None:
        if self._tokens is not None:
            self._tokens.refresh()

    def close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)


def _token_checker(listener: str, own: ListenerSettings) -> TokenChecker:
    from muster.security.oauth import KeyFileError, TokenChecker, TokenRules

    url = own.string(JWKS)
    if not url:
        raise ConfigError(f"listener {listener}: OAUTHBEARER needs {JWKS}=file:///PATH with the keys that sign tokens")
    if "://" in url and not url.startswith(_FILE_URL):
        raise ConfigError(f"listener {listener}: {JWKS} = {url}: only file:// is supported; fetch the keys into a file")
    rules = TokenRules(
        audiences=own.words("sasl.oauthbearer.expected.audience"),
        issuer=own.string("sasl.oauthbearer.expected.issuer") or None,
        clock_skew_seconds=own.integer("sasl.oauthbearer.clock.skew.seconds"),
        scope_claim=own.string("sasl.oauthbearer.scope.claim.name"),
        subject_claim=own.string("sasl.oauthbearer.sub.claim.name"),
    )
    try:
        return TokenChecker(url.removeprefix(_FILE_URL), rules, time.time)
    except KeyFileError as error:
        raise ConfigError(f"listener {listener}: {error}") from None
