"""The history of all ends in data directories, without the tasks that read it in a round (`sources.ends_by_tasks`)."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from muster.pipeline.sources.segment_end_offsets import folder_end_offsets, topic_folders
from muster.pipeline.sources.stable_ends import KnownEnd


def segment_end_offsets(
    directories: Sequence[str],
    *,
    cluster: str = "default",
    topics: Sequence[str] | None = None,
    known: dict[tuple[str, int], KnownEnd] | None = None,
    resolution_ms: int = 1,
    read_at_ms: int | None = None,
) -> pa.Table:
    """`folder_end_offsets` of all topics but internal ones, or of these."""
    return folder_end_offsets(
        topic_folders(directories, topics),
        cluster=cluster,
        known=known,
        resolution_ms=resolution_ms,
        read_at_ms=read_at_ms,
    )
