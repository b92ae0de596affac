"""How much of a log partition was read, and where its runs begin: stretches of the log without holes.

Compaction takes records out of the middle. Two records of one run have nothing missing between them, so what is concluded from
both holds; across a hole it may not (trap 3). Every record that was read is a row, transaction markers too, so a hole is a step
of more than one between neighbours. A source that hides markers (Spark's Kafka connector) shows holes where none are, which
errs on the safe side (trap 8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

Longs: TypeAlias = npt.NDArray[np.int64]
Extent: TypeAlias = dict[str, Any]
"""One row of the state kind `extent`."""

_DECODED_TYPES: Final = tuple(range(9))
_NOBODY: Final = -1


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of one log partition, numbered from 0 in log order over all batches."""

    before: int
    """The run that the last batch ended in."""
    starts: Longs
    """First offset behind each hole that this batch shows."""
    start_times: Longs
    """The time of the record there."""

    @property
    def current(self) -> int:
        return self.before + len(self.starts)

    def of(self, offsets: Longs) -> npt.NDArray[np.int32]:
        """The run of each of these offsets, which are of this batch."""
        return (self.before + np.searchsorted(self.starts, offsets, side="right")).astype(np.int32)


def fold_extent(known: Extent | None, log_topic: str, rows: pl.DataFrame) -> tuple[Extent, Runs]:
    """`rows` are all new rows of one log, in log order; those of unreadable batches have the offset -1."""
    extent = dict(known) if known is not None else _nothing_read(log_topic)
    records = rows.filter(pl.col("log_offset") >= 0)
    extent["quarantined"] += rows["problem"].is_not_null().sum()
    runs = _find_runs(extent, records)
    if records.is_empty():
        return extent, runs
    extent["unknown_records"] += _unknown(records)
    offsets = records["log_offset"]
    if not extent["records"]:
        extent |= {"first_offset": offsets[0], "faithful_from": offsets[0], "faithful_from_ms": records["record_ms"][0]}
    if len(runs.starts):
        extent |= {"faithful_from": int(runs.starts[-1]), "faithful_from_ms": int(runs.start_times[-1])}
    newest = records["record_ms"].max()
    extent |= {
        "records": extent["records"] + len(records),
        "gaps": runs.current,
        "last_offset": offsets[-1],
        "newest_ms": newest if extent["newest_ms"] is None else max(extent["newest_ms"], newest),
        "open_producers": _open_producers(set(extent["open_producers"] or ()), records),
    }
    return extent, runs


def _nothing_read(log_topic: str) -> Extent:
    nothing: Extent = {
        "records": 0,
        "unknown_records": 0,
        "quarantined": 0,
        "gaps": 0,
        "first_offset": -1,
        "last_offset": -1,
    }
    unknown: Extent = {"faithful_from": None, "faithful_from_ms": None, "newest_ms": None, "open_producers": []}
    return {"log_topic": log_topic, **nothing, **unknown}


def _find_runs(extent: Extent, records: pl.DataFrame) -> Runs:
    offsets = records["log_offset"].to_numpy()
    if not len(offsets):
        return Runs(extent["gaps"], np.empty(0, np.int64), np.empty(0, np.int64))
    before = extent["last_offset"] if extent["records"] else offsets[0] - 1
    holes = np.flatnonzero(np.diff(offsets, prepend=before) > 1)
    return Runs(extent["gaps"], offsets[holes], records["record_ms"].to_numpy()[holes])


def _unknown(records: pl.DataFrame) -> int:
    """Records of types that nobody here decodes are counted, never dropped silently (trap 12)."""
    types = pl.col("record_type")
    return records.filter(types.is_not_null() & ~types.is_in(_DECODED_TYPES) & pl.col("problem").is_null()).height


def _open_producers(known: set[int], records: pl.DataFrame) -> list[int]:
    """Producers that have written behind their last marker. One that hangs stops every group of its partition (trap 5)."""
    told = records.filter(pl.col("is_transactional") | pl.col("is_control"))
    if told.is_empty():
        return sorted(known)
    last = (
        told.with_columns(pl.col("producer_id").fill_null(_NOBODY))
        .group_by("producer_id")
        .agg(is_open=~pl.col("is_control").fill_null(False).sort_by("log_offset").last())
    )
    for producer, is_open in last.iter_rows():
        (known.add if is_open else known.discard)(producer)
    return sorted(known)
