"""How much of each log partition was read, and from where on nothing is missing (analytics 2.5).

Compaction takes records out of the middle. Below the last hole rows are survivors: good as state, no good as history (trap 3).
Every record that was read is a row of bronze, transaction markers too, so a hole is a step of more than one between neighbours.
A source that hides markers (Spark's Kafka connector) shows holes where none are: that errs on the safe side (trap 8).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.pipeline.tables.columns import LOG as _LOG
from muster.pipeline.tables.columns import Frame

PLACE: Final = ("cluster", "log_topic", "log_partition")
EXTENT_COLUMNS: Final = (*PLACE, "log_offset", "record_ms", "producer_id", "is_transactional", "is_control")
"""What of `b_log_record` is looked at."""
_SCHEMA: Final[dict[str, Any]] = {
    "cluster": pl.String,
    "log_topic": pl.String,
    "log_partition": pl.Int32,
    "records": pl.Int64,
    "first_offset": pl.Int64,
    "last_offset": pl.Int64,
    "gaps": pl.Int64,
    "faithful_from": pl.Int64,
    "faithful_from_ms": pl.Int64,
    "open_transactions": pl.Int64,
    "run_starts": pl.List(pl.Int64),
}


class LogExtent:
    """One log partition, told of its bronze rows batch by batch, in log order."""

    def __init__(self) -> None:
        self.records = self.gaps = 0
        self.first_offset = self.last_offset = -1
        self.faithful_from: int | None = None
        self.faithful_from_ms: int | None = None
        self.run_starts: list[int] = []
        """The first offset behind each hole. Between two holes lies a run: a stretch of the log in which nothing is missing."""
        self._last_record: dict[int, int] = {}
        self._last_marker: dict[int, int] = {}

    def add(self, rows: Frame) -> None:
        if rows.is_empty():
            return
        offsets = rows["log_offset"].to_numpy()
        holes = np.flatnonzero(np.diff(offsets, prepend=self.last_offset if self.records else offsets[0] - 1) > 1)
        if not self.records:
            self.first_offset = int(offsets[0])
            self._whole_from(rows, 0)
        if len(holes):
            self.gaps += len(holes)
            self.run_starts += offsets[holes].tolist()
            self._whole_from(rows, int(holes[-1]))
        self.records += len(offsets)
        self.last_offset = int(offsets[-1])
        self._note_transactions(rows)

    @property
    def open_transactions(self) -> int:
        """Producers that have written behind their last marker. One that hangs stops every group of its partition (trap 5)."""
        return sum(offset > self._last_marker.get(producer, -1) for producer, offset in self._last_record.items())

    def row(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SCHEMA if name not in PLACE}

    def _whole_from(self, rows: Frame, index: int) -> None:
        self.faithful_from, self.faithful_from_ms = rows["log_offset"][index], rows["record_ms"][index]

    def _note_transactions(self, rows: Frame) -> None:
        control = rows["is_control"].fill_null(False)
        for those, noted in (
            (rows["is_transactional"].fill_null(False) & ~control, self._last_record),
            (control, self._last_marker),
        ):
            if those.any():
                chosen = rows.filter(those)
                noted.update(_last_of_each(chosen["producer_id"].fill_null(-1).to_numpy(), chosen["log_offset"]))


def _last_of_each(producers: npt.NDArray[np.int64], offsets: pl.Series) -> dict[int, int]:
    names, places = np.unique(producers[::-1], return_index=True)
    return dict(zip(names.tolist(), offsets.reverse().gather(places).to_list(), strict=True))


def log_extent(log_records: Frame) -> Frame:
    """A row a log partition: records, first_offset, last_offset, gaps, faithful_from and the rest of `LogExtent`."""
    found = {}
    for place, rows in log_records.select(EXTENT_COLUMNS).partition_by(PLACE, as_dict=True).items():
        found[place] = LogExtent()
        found[place].add(rows.sort("log_offset"))
    return extent_frame(found)


def extent_frame(extents: dict[tuple[Any, ...], LogExtent]) -> Frame:
    """By cluster, topic and number of the log partition; those of which nothing was read are left out."""
    rows = [dict(zip(PLACE, place, strict=True)) | extent.row() for place, extent in extents.items() if extent.records]
    return pl.DataFrame(rows, schema=_SCHEMA)


def with_runs(rows: Frame, extent: Frame) -> Frame:
    """Adds `run`: which stretch of `__consumer_offsets` without holes each row lies in, from 0 on; null if nobody knows.

    Two rows of one run have nothing missing between them: what is concluded from both holds. Across a hole it may not (trap 3).
    """
    offsets_log = extent.filter(pl.col("log_topic") == CONSUMER_OFFSETS)
    starts = (
        offsets_log.select(*_LOG, _start="run_starts")
        .explode("_start")
        .drop_nulls("_start")
        .sort("_start")
        .with_columns(run=(pl.int_range(pl.len()).over(_LOG) + 1).cast(pl.Int32))
    )
    known = offsets_log.select(*_LOG, _read=pl.lit(True))
    return (
        rows.sort("log_offset", maintain_order=True)
        .join_asof(
            starts, left_on="log_offset", right_on="_start", by=list(_LOG), strategy="backward", check_sortedness=False
        )
        .join(known, on=_LOG, how="left", maintain_order="left")
        .with_columns(run=pl.when("_read").then(pl.col("run").fill_null(0)))
        .drop("_start", "_read", strict=False)
    )
