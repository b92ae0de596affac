"""The log of a partition whose files cannot be used: damaged, or not readable. Whoever asks for it is told why; others are served.

Stands in `Partition.log` until the next start, so that one broken partition keeps nobody else from being served.
"""

from __future__ import annotations

from typing import NoReturn

from muster.log.contract import LogConfig, StorageError
from muster.log.elsewhere import LogElsewhere


class LogOffline(LogElsewhere):
    """A `PartitionLog` that holds nothing and refuses everything but questions about upkeep."""

    may_come = False

    def __init__(self, topic: str, partition: int, config: LogConfig, reason: str) -> None:
        super().__init__(topic, partition, config)
        self.reason = reason

    def _refuse(self) -> NoReturn:
        raise StorageError(f"{self.topic}-{self.partition} is offline: {self.reason}")

    def __repr__(self) -> str:
        return f"<LogOffline {self.topic}-{self.partition}>"
