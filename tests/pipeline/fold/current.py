"""Where every group is, as the fold says it of a data directory: without Spark, for tests that compare with a broker's answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.decode.log_rows import log_rows
from muster.pipeline.fold.partition import FoldSettings, Partition, fold_partition
from muster.pipeline.log_schema import COMMIT_TYPES, LOG
from muster.pipeline.sources.log_source import Stretch, partition_count
from muster.pipeline.sources.segments import SegmentLogs
from muster.pipeline.tables.settings import GoldSettings


def current_offsets(data: Path, cluster: str = "c") -> list[dict[str, Any]]:
    """A row a position: group, topic, partition, offset, leader epoch and metadata of the commit that counts."""
    logs = SegmentLogs((str(data),), cluster=cluster)
    found: list[dict[str, Any]] = []
    for number, end in logs.ends().items():
        batches = [
            log_rows(bronze, partition_count(logs.ends())) for bronze in logs.open(Stretch(number, 0, end)).bronze()
        ]
        rows = pa.Table.from_batches(batches, schema=LOG)
        is_commit = pc.and_(
            pc.is_in(rows["record_type"], pa.array(COMMIT_TYPES, pa.int32())), rows["problem"].is_null()
        )
        given = Partition(cluster, number, rows.filter(is_commit), rows.filter(pc.invert(is_commit)))
        state = fold_partition(given, FoldSettings(GoldSettings(now_ms=0)))["state"]
        if "position" in state.columns:
            found += [position for position in state["position"].drop_nulls().to_list() if position["window"]]
    return [{**each, "committed_offset": each["window"][-1]["committed_offset"]} for each in found]
