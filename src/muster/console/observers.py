"""One observer for each principal that is logged in, made when its first page comes and closed when its last session is over."""

from __future__ import annotations

import asyncio
from typing import Final

from muster.client.cluster import Cluster
from muster.client.security import Security
from muster.console.live import Live, Render
from muster.console.observer import Observer
from muster.console.settings import ConsoleSettings
from muster.console.trouble import log_and_describe
from muster.wire.apis import API_KEYS, APIS, request_encoder, response_decoder

CLIENT_ID: Final = "muster-console"
_ASKED: Final = ("ListGroups", "DescribeGroups", "ConsumerGroupDescribe", "OffsetFetch", "ListOffsets", "Fetch")


def load_codecs() -> None:
    """Of what observers ask, in the newest versions: they are loaded at their first use, and the first page would wait for that."""
    for api in _ASKED:
        key = API_KEYS[api]
        request_encoder(key, APIS[key].max_version)
        response_decoder(key, APIS[key].max_version)


class Observers:
    def __init__(self, settings: ConsoleSettings, render: Render) -> None:
        self._settings = settings
        self._render = render
        self._live: dict[Security, Live] = {}

    def of(self, security: Security) -> Live:
        """Sessions of the same user with the same password share one."""
        found = self._live.get(security)
        if found is None:
            found = self._live[security] = Live(Observer(self.cluster(security)), self._render)
        return found

    def cluster(self, security: Security) -> Cluster:
        """Not connected yet."""
        seconds = self._settings.timeout_seconds
        return Cluster(
            self._settings.bootstrap,
            security=security,
            client_id=CLIENT_ID,
            request_timeout_seconds=seconds,
            patience_seconds=seconds,
        )

    def end_streams(self) -> None:
        for live in self._live.values():
            live.end()

    async def close_unused(self, used: set[Security]) -> None:
        """One that cannot be closed is logged, and does not keep the others."""
        over = [self._live.pop(security) for security in list(self._live) if security not in used]
        for outcome in await asyncio.gather(*(each.close() for each in over), return_exceptions=True):
            if isinstance(outcome, Exception):
                log_and_describe(outcome, "Closing the connections of a user", "They are forgotten.")

    async def close(self) -> None:
        await self.close_unused(set())
