"""One sample of all ends from a live broker, without the tasks that ask in a round (`sources.ends_by_tasks`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from muster.client.security import PLAINTEXT, Security
from muster.pipeline.schemas import TABLES
from muster.pipeline.sources.broker_client import BrokerClient
from muster.pipeline.sources.end_offsets import by_leader, sample_of_leader, wall_clock_ms


def sample_end_offsets(
    bootstrap: str,
    *,
    cluster: str = "default",
    topics: Sequence[str] | None = None,
    security: Security = PLAINTEXT,
    clock: Callable[[], int] = wall_clock_ms,
) -> pa.Table:
    """One sample of every partition that has a leader and answers; of all topics but internal ones, or of these."""
    rows: list[dict[str, Any]] = []
    with BrokerClient(bootstrap, security) as client:
        for leader, partitions in by_leader(client.metadata(topics), topics is not None).items():
            rows += sample_of_leader(client, leader, partitions, cluster, clock)
    return pa.Table.from_pylist(rows, schema=TABLES["b_leo_sample"])
