"""What the coordinator knows after a log partition, record by record as analytics 2.4 has it: current and pending offsets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import polars as pl

from muster.pipeline.tables.columns import Frame, schema_of
from tests.pipeline.tables.rows import Row

Position: TypeAlias = tuple[str, str, int]
_COMMIT_MARKER = 1


class Replay:
    """Plain dicts, one record after the other."""

    def __init__(self) -> None:
        self.current: dict[Position, Row] = {}
        self.pending: dict[int, dict[Position, Row]] = {}

    def play(self, records: Iterable[Row]) -> Replay:
        """Commits and markers, which have a `control_type`, of one log partition."""
        for row in sorted(records, key=lambda row: row["log_offset"]):
            if row.get("control_type") is not None:
                self._end(row)
            else:
                self._commit(row, (row["group_id"], row["topic"], row["partition"]))
        return self

    def _commit(self, row: Row, position: Position) -> None:
        if row["is_tombstone"]:
            self.current.pop(position, None)
            for of_producer in self.pending.values():
                of_producer.pop(position, None)
        elif row["is_transactional"]:
            wanted = self.pending.setdefault(row["producer_id"], {})
            first = wanted.get(position, {}).get("since_ms", row["record_ms"])
            wanted[position] = {**row, "since_ms": min(first, row["record_ms"])}
        else:
            self.current[position] = row

    def _end(self, marker: Row) -> None:
        ended = self.pending.pop(marker["producer_id"], {})
        if marker["control_type"] != _COMMIT_MARKER:
            return
        for position, row in ended.items():
            known = self.current.get(position)
            if known is None or known["log_offset"] < row["log_offset"]:
                self.current[position] = row


def pending_offsets(commits: Frame, markers: Frame) -> Frame:
    """`s_pending_offset` of whole log partitions, from decoded rows."""
    names = ("cluster", "log_partition")
    found: dict[tuple[str, int], list[Row]] = {}
    for row in [*commits.iter_rows(named=True), *markers.iter_rows(named=True)]:
        found.setdefault((row["cluster"], row["log_partition"]), []).append(row)
    rows = [
        {**row, "pending_offset": row["committed_offset"], **dict(zip(names, place, strict=True))}
        for place, records in found.items()
        for wanted in Replay().play(records).pending.values()
        for row in wanted.values()
    ]
    names_of_table = schema_of("s_pending_offset")
    return pl.DataFrame([{name: row[name] for name in names_of_table} for row in rows], schema=names_of_table)
