"""What a running server tells those who watch over it: metrics, whether it is ready, and a line in the log for each rebalance.

Puts the figures of all rooms onto one page. `Server` says when the node is there and when clients are accepted; what only the pages
need is imported when the first one is asked for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from muster.runtime.rebalance_watch import RebalanceWatch
from muster.server.endpoint import Endpoint, parse_endpoint
from muster.server.listener import Listener
from muster.server.settings import Settings

if TYPE_CHECKING:
    from muster.runtime.metrics import Metric
    from muster.server.http_guard import HttpServer
    from muster.server.metrics_page import Page, Pages


class Monitoring:
    def __init__(self, settings: Settings, listener: Listener) -> None:
        self._listener = listener
        self._max_offsets = settings.integer("muster.metrics.max.offsets")
        text = settings.string("muster.metrics.listen")
        self.wanted = parse_endpoint("muster.metrics.listen", text) if text else None
        """Where the pages are to be served, if anywhere."""
        self.is_accepting = False
        """Clients are let in."""
        self._node: Any = None
        self._scraping = asyncio.Lock()
        self._started_ms = time.time_ns() // 1_000_000
        self._rebalances = RebalanceWatch(time.monotonic, with_lines=settings.boolean("muster.log.rebalances"))

    def watch(self, node: Any) -> None:
        """This is the node that the pages are about."""
        self._node = node
        journal = getattr(node, "journal", None)
        if journal is not None:
            journal.listeners.append(self._rebalances)

    async def serve_pages(self, endpoint: Endpoint) -> HttpServer:
        """OSError or OverflowError if the address cannot be had."""
        from muster.server.metrics_page import OK, serve_pages

        pages: Pages = {"/metrics": self.metrics_page, "/healthz": lambda: (OK, "ok\n"), "/readyz": self.readiness_page}
        return await serve_pages(endpoint.host, endpoint.port, pages)

    async def metrics_page(self) -> Page:
        """Made in slices, one page at a time: with ten thousand offsets it takes tens of milliseconds."""
        from muster.runtime.metrics import exposition
        from muster.server.metrics_page import OK, joined_in_slices

        async with self._scraping:
            return OK, await joined_in_slices(exposition(self._metrics()))

    def _metrics(self) -> Iterator[Metric | None]:
        """Each of these looks at nothing before its turn has come."""
        from muster.runtime.metrics import coordinator_metrics
        from muster.runtime.rebalance_watch import rebalance_metrics
        from muster.runtime.transaction_metrics import marker_metrics, transaction_metrics
        from muster.server.authorization_metrics import authorization_metrics
        from muster.server.group_offset_metrics import group_offset_metrics
        from muster.server.limit_metrics import limit_metrics
        from muster.server.process_metrics import process_metrics
        from muster.server.storage_metrics import storage_metrics
        from muster.server.traffic import traffic_metrics

        node, now_ms = self._node, self._node.clock.now_ms()
        yield from coordinator_metrics(node.coordinator)
        yield from rebalance_metrics(self._rebalances)
        yield from group_offset_metrics(node, self._max_offsets, now_ms)
        yield from marker_metrics(node.transactions.marker_writer)
        yield from transaction_metrics(node.transactions, now_ms)
        yield from traffic_metrics(self._listener)
        yield from authorization_metrics(node)
        yield from limit_metrics(self._listener, node)
        yield from storage_metrics(node)
        yield from process_metrics(self._started_ms)

    def readiness_page(self) -> Page:
        from muster.server.metrics_page import OK, UNAVAILABLE
        from muster.server.readiness import reasons_not_ready

        reasons = reasons_not_ready(self._node, is_accepting=self.is_accepting)
        return (UNAVAILABLE, "".join(f"not ready: {why}\n" for why in reasons)) if reasons else (OK, "ready\n")
