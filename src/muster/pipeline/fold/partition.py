"""One log partition's round: its new rows and its state go in, finished facts, open rows and the new state come out.

Puts the parts of the fold together: how much was read (`extent`), commits and positions (`commits`), hours of committers
(`hours`), and everything about groups (`groups`). Plain frames: Spark's part is `kernel`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final, TypeAlias

import polars as pl
import pyarrow as pa

from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL
from muster.pipeline.fold.commits import Applied, fold_commits, newest_positions
from muster.pipeline.fold.extent import Extent, Runs, fold_extent
from muster.pipeline.fold.groups import Clocks, GroupRows, fold_groups, pause_records
from muster.pipeline.fold.hours import fold_hours, hot_committers
from muster.pipeline.fold.minutes import minutes_of
from muster.pipeline.fold.spans import spanning_pairs
from muster.pipeline.fold.state import KINDS, READ_BY_NOW
from muster.pipeline.log_schema import COMMIT_COLUMNS, COMMIT_TYPES, LOG
from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.settings import GoldSettings

Frames: TypeAlias = dict[str, pl.DataFrame]

_GENERATION_TYPE: Final = 2
_EPOCH_TYPES: Final = (3, 4, 5, 6, 7, 8)


@dataclass(frozen=True, slots=True)
class FoldSettings:
    gold: GoldSettings
    journal_partitions: frozenset[tuple[str, int]] = frozenset()
    """Cluster and log partition, of those whose groups have a journal: what it says of a rebalance is waited for."""
    round: int = 0
    """The round that is made: positions carry it."""
    only_changed: bool = False
    """Positions that are as they were are not written again."""


@dataclass(frozen=True, slots=True)
class Partition:
    """What is known of a log partition and what is new in it."""

    cluster: str
    log_partition: int
    commits: pa.Table | None
    """Offset commits that could be decoded, with `COMMIT_COLUMNS`."""
    others: pa.Table | None
    """All other rows of the log and of the journal, with the columns of `LOG`."""
    state: Mapping[str, pa.Table] = field(default_factory=dict)
    """By kind, in columns of its own or in one of JSON."""

    @property
    def is_quiet(self) -> bool:
        """Nothing of it is here but its positions, which other log partitions' round writes anew."""
        return self.commits is None and self.others is None and set(self.state) == {"position"}


def fold_partition(partition: Partition, settings: FoldSettings) -> Frames:
    """Rows by table: appended facts, `minute`, and the whole new contents of `state` and `open`; of positions perhaps only those
    that changed.
    """
    state = {kind: _state_frame(partition.state.get(kind), kind) for kind in KINDS}
    state["position"] = newest_positions(state["position"])
    if partition.is_quiet:
        kept = state["position"].clear() if settings.only_changed else state["position"]
        return _tables(partition, _log_frame(None, LOG.names), {}, {}, {"position": _written_in(kept, settings)})
    commits = _log_frame(partition.commits, COMMIT_COLUMNS)
    others = _log_frame(partition.others, LOG.names)
    offsets, journal = (others.filter(pl.col("log_topic") == topic) for topic in (CONSUMER_OFFSETS, GROUP_JOURNAL))
    known = {row["log_topic"]: row for row in state["extent"].iter_rows(named=True)}
    extent, runs = fold_extent(known.get(CONSUMER_OFFSETS), CONSUMER_OFFSETS, _whole_log(commits, offsets))
    told, _ = fold_extent(known.get(GROUP_JOURNAL), GROUP_JOURNAL, journal)
    state["extent"] = _extent_frame(extent, told)

    readable = offsets.filter(pl.col("problem").is_null() | pl.col("generation").is_not_null())
    applied, facts = _commits(state, commits, readable.filter(pl.col("is_control").fill_null(False)), runs, extent)
    rows = GroupRows(
        generations=_with_runs(readable.filter(pl.col("record_type") == _GENERATION_TYPE), runs),
        epochs=_with_runs(readable.filter(pl.col("record_type").is_in(_EPOCH_TYPES)), runs),
        events=journal.filter(pl.col("event").is_not_null()),
    )
    clocks = Clocks(
        offsets_ms=extent["newest_ms"],
        journal_ms=told["newest_ms"],
        has_journal=(partition.cluster, partition.log_partition) in settings.journal_partitions
        or told["newest_ms"] is not None,
    )
    pairs = spanning_pairs(applied.rows, pause_records(state, rows))
    folded, finished, opened = fold_groups(state, rows, pairs, clocks, settings.gold)
    state |= folded
    state["group"] = _with_progress(state["group"], applied)
    state["position"] = _written_in(
        pl.concat([applied.changed, applied.ended]) if settings.only_changed else applied.positions, settings
    )
    opened["g_hot_committers"] = hot_committers(state["hour"])
    return _tables(partition, others, facts | finished, opened, state)


def _commits(
    state: Frames, commits: pl.DataFrame, markers: pl.DataFrame, runs: Runs, extent: Extent
) -> tuple[Applied, Frames]:
    """Hours in `state` are replaced; what is finished of the committers and of the history comes back."""
    applied = fold_commits(state["position"], commits, markers, runs)
    newest_ms = extent["newest_ms"] if extent["newest_ms"] is not None else 0
    state["hour"], closed = fold_hours(state["hour"], commits, applied.rows, runs, newest_ms)
    return applied, {"g_hot_committers": hot_committers(closed), "minute": minutes_of(applied.rows)}


def _written_in(positions: pl.DataFrame, settings: FoldSettings) -> pl.DataFrame:
    return positions.with_columns(round=pl.lit(settings.round, pl.Int64))


def _with_progress(groups: pl.DataFrame, applied: Applied) -> pl.DataFrame:
    """Whether any commit of a group ever moved on. Groups of which only offsets are known have a row for that alone."""
    progress = (pl.col("is_new") & (pl.col("committed_offset") > pl.col("prev_offset"))).fill_null(False)
    moved = applied.rows.group_by("group_id").agg(_moved=progress.any())
    found = groups.join(moved, on="group_id", how="full", coalesce=True)
    return found.with_columns(moved=pl.col("moved").fill_null(False) | pl.col("_moved").fill_null(False)).select(
        groups.columns
    )


def _with_runs(rows: pl.DataFrame, runs: Runs) -> pl.DataFrame:
    return rows.with_columns(pl.Series("run", runs.of(rows["log_offset"].to_numpy()), pl.Int32))


def _tables(partition: Partition, others: pl.DataFrame, facts: Frames, opened: Frames, state: Frames) -> Frames:
    place = {
        "cluster": pl.lit(partition.cluster, pl.String),
        "log_partition": pl.lit(partition.log_partition, pl.Int32),
    }
    problems = others.filter(pl.col("problem").is_not_null()).rename({"problem": "reason", "place": "where"})
    facts = {**facts, "b_quarantine": problems}
    tables = {name: _conform(frame.with_columns(**place), name) for name, frame in facts.items()}
    still_open = [
        _conform(frame.with_columns(**place), name).with_columns(of_table=pl.lit(name))
        for name, frame in opened.items()
        if not frame.is_empty()
    ]
    kinds = [
        frame.select(kind=pl.lit(kind), **_packed(kind)).with_columns(**place)
        for kind, frame in state.items()
        if not frame.is_empty()
    ]
    tables["open"] = pl.concat(still_open, how="diagonal") if still_open else pl.DataFrame()
    tables["state"] = pl.concat(kinds, how="diagonal") if kinds else pl.DataFrame()
    return tables


@cache
def _schema_of(table: str) -> pl.Schema:
    from muster.pipeline.now.schema import MINUTE

    known = MINUTE if table == "minute" else TABLES[table]
    return pl.DataFrame(pl.from_arrow(known.empty_table())).schema


def _conform(frame: pl.DataFrame, table: str) -> pl.DataFrame:
    """Exactly the columns of the table, in order and of its types."""
    return frame.select(pl.col(name).cast(kind) for name, kind in _schema_of(table).items())


@cache
def _kind_schema(kind: str) -> pl.Schema:
    return pl.DataFrame(pl.from_arrow(pa.schema(list(KINDS[kind])).empty_table())).schema


def _packed(kind: str) -> dict[str, pl.Expr]:
    row = pl.struct(pl.all())
    return {kind: row} if kind in READ_BY_NOW else {"row_json": row.struct.json_encode()}


def _state_frame(rows: pa.Table | None, kind: str) -> pl.DataFrame:
    schema = _kind_schema(kind)
    if rows is None:
        return pl.DataFrame(schema=schema)
    frame = pl.DataFrame(pl.from_arrow(rows))
    if kind not in READ_BY_NOW:
        frame = frame.select(pl.col("row_json").str.json_decode(pl.Struct(schema))).unnest("row_json")
    return frame.select(pl.col(name).cast(each) for name, each in schema.items())


def _log_frame(rows: pa.Table | None, columns: Sequence[str]) -> pl.DataFrame:
    """In log order; a round reads each log in one piece, but a day's end lies between two files."""
    if rows is None:
        rows = LOG.empty_table()
    frame = pl.DataFrame(pl.from_arrow(rows.select(columns)))
    if frame["log_offset"].is_sorted():
        return frame
    return frame.sort(*(("log_topic",) if "log_topic" in columns else ()), "log_offset", maintain_order=True)


def _whole_log(commits: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """What `fold_extent` asks of every row of the offsets log, in log order."""
    columns = ("log_offset", "record_ms", "record_type", "problem", "producer_id", "is_transactional", "is_control")
    told = others.select(columns)
    plain = commits.select(
        "log_offset",
        "record_ms",
        record_type=pl.lit(COMMIT_TYPES[-1], pl.Int32),
        problem=pl.lit(None, pl.String),
        producer_id="producer_id",
        is_transactional="is_transactional",
        is_control=pl.lit(False),
    )
    return pl.concat([plain, told]).sort("log_offset", maintain_order=True) if len(told) else plain


def _extent_frame(*extents: Extent) -> pl.DataFrame:
    seen = [extent for extent in extents if extent["records"] or extent["quarantined"]]
    return pl.DataFrame(seen, schema=_kind_schema("extent"))
