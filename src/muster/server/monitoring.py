"""What a running server tells those who watch over it: metrics, whether it is ready, and a line in the log for each rebalance.

Puts the figures of all rooms onto one page. `Server` says when the node is there and when clients are accepted; what only the pages
need is imported when the first one is asked for.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from muster.runtime.rebalance_watch import RebalanceWatch
from muster.server.endpoint import Endpoint, parse_endpoint
from muster.server.listener import Listener
from muster.server.settings import Settings

if TYPE_CHECKING:
    from muster.server.http_guard import HttpServer
    from muster.server.metrics_page import Page


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

        pages = {"/metrics": self.metrics_page, "/healthz": lambda: (OK, "ok\n"), "/readyz": self.readiness_page}
        return await serve_pages(endpoint.host, endpoint.port, pages)

    def metrics_page(self) -> Page:
        from muster.runtime.metrics import coordinator_metrics, exposition
        from muster.runtime.rebalance_watch import rebalance_metrics
        from muster.runtime.transaction_metrics import marker_metrics, transaction_metrics
        from muster.server.authorization_metrics import authorization_metrics
        from muster.server.group_offset_metrics import group_offset_metrics
        from muster.server.limit_metrics import limit_metrics
        from muster.server.metrics_page import OK
        from muster.server.process_metrics import process_metrics
        from muster.server.storage_metrics import storage_metrics
        from muster.server.traffic import traffic_metrics

        node, now_ms = self._node, self._node.clock.now_ms()
        return OK, exposition(
            (
                *coordinator_metrics(node.coordinator),
                *rebalance_metrics(self._rebalances),
                *group_offset_metrics(node, self._max_offsets, now_ms),
                *marker_metrics(node.transactions.marker_writer),
                *transaction_metrics(node.transactions, now_ms),
                *traffic_metrics(self._listener),
                *authorization_metrics(node),
                *limit_metrics(self._listener, node),
                *storage_metrics(node),
                *process_metrics(self._started_ms),
            )
        )

    def readiness_page(self) -> Page:
        from muster.server.metrics_page import OK, UNAVAILABLE
        from muster.server.readiness import reasons_not_ready

        reasons = reasons_not_ready(self._node, is_accepting=self.is_accepting)
        return (UNAVAILABLE, "".join(f"not ready: {why}\n" for why in reasons)) if reasons else (OK, "ready\n")
