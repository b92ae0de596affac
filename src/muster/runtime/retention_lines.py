"""What a retention pass tells the log: a line for each partition, of which clients can make very many, so many in a while.

They also choose how often segments begin and how long they are kept. The node calls it after each pass.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from muster.log_limit import LogLimit
from muster.topics.retention import RetentionPass

_log = logging.getLogger(__name__)


class RetentionLines:
    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock`: seconds."""
        self._dropped = LogLimit(_log, "partitions with old segments that were dropped", clock)
        self._failures = LogLimit(_log, "partitions with old segments that cannot be dropped", clock)

    def tell(self, done: RetentionPass) -> None:
        for partition, count in done.segments_dropped.items():
            self._dropped.info("%s: %d old segments dropped", partition, count)
        for partition, error in done.failures:
            self._failures.error("%s: old segments cannot be dropped: %s", partition, error)
