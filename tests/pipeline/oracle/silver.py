"""Decoded rows and their neighbours: finished silver, of whole log partitions.

Expects the tables of `muster.pipeline.decode` (with `txn_marker`), `b_log_record` for holes in the log and `b_leo_sample`. What is
not given is taken as empty. Everything is recomputed from all rows, so that how they were cut into batches cannot matter. The
publishing job finishes commits batch by batch instead (`commit_rows`): there are too many of them for one frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import pyarrow as pa

from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.columns import LOG, Frame, conform
from tests.pipeline.oracle.columns import no_rows
from tests.pipeline.oracle.commit_digest import current_offsets
from tests.pipeline.oracle.commit_rows import finished_commit_rows
from tests.pipeline.oracle.coordinator_replay import pending_offsets
from tests.pipeline.oracle.end_offsets import finished_end_offsets
from tests.pipeline.oracle.generations import finished_generations
from tests.pipeline.oracle.log_extent import log_extent

SILVER = tuple(name for name in TABLES if name.startswith("s_"))
_AS_DECODED = ("s_member", "s_assignment", "s_group_epoch", "s_member_epoch")


def finish_silver(rows: Mapping[str, Frame]) -> dict[str, Frame]:
    """Every table of `SILVER`."""
    decoded = rows.get("s_offset_commit", no_rows("s_offset_commit"))
    markers = rows.get("txn_marker", no_rows("txn_marker"))
    of_groups = finish_groups(rows)
    return {
        **of_groups,
        "s_current_offset": current_offsets(of_groups["s_offset_commit"]),
        "s_pending_offset": pending_offsets(decoded, markers),
        "s_leo": finished_end_offsets(rows.get("b_leo_sample", no_rows("b_leo_sample"))),
    }


def finish_groups(rows: Mapping[str, Frame]) -> dict[str, Frame]:
    """Commits, and what the log says of groups and members."""
    extent = log_extent(rows.get("b_log_record", no_rows("b_log_record")))
    decoded = rows.get("s_offset_commit", no_rows("s_offset_commit"))
    markers = rows.get("txn_marker", no_rows("txn_marker"))
    generations = rows.get("s_group_generation", no_rows("s_group_generation"))
    return {
        "s_offset_commit": _finished_commits(decoded, markers, extent),
        "s_group_generation": finished_generations(generations, extent),
        **{name: conform(rows.get(name, no_rows(name)), name) for name in _AS_DECODED},
    }


def _finished_commits(decoded: Frame, markers: Frame, extent: Frame) -> Frame:
    offsets_log = extent.filter(pl.col("log_topic") == "__consumer_offsets")
    starts = {row[0:2]: row[2] for row in offsets_log.select(*LOG, "faithful_from").iter_rows()}
    marks: dict[tuple[Any, ...], Frame] = markers.partition_by(LOG, as_dict=True)
    finished = [no_rows("s_offset_commit")]
    for place, rows in decoded.partition_by(LOG, as_dict=True).items():
        batches = rows.sort("log_offset").to_arrow().to_batches()
        ends = marks.get(place, no_rows("txn_marker")).to_arrow()
        found = finished_commit_rows(lambda b=batches: b, lambda b=batches: b, ends, starts.get(place))  # type: ignore[misc]
        finished += [
            conform(pl.DataFrame(pl.from_arrow(pa.Table.from_batches([batch]))), "s_offset_commit") for batch in found
        ]
    return pl.concat(finished)
