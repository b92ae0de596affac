"""Compaction and retention, both Delta's: rows that are too old are deleted, small files are merged (OPTIMIZE), and files that no
round names any more are removed (VACUUM), those of the tables' logs too (`old_versions`). Needs no Java.

What changes becomes visible as one new round, as always. The caller is the lake's only writer. A run that dies here leaves
tables whose newest versions no round names; the next round begins from those that the last one names.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from muster.pipeline.arrow_scalar import arrow_scalar
from muster.pipeline.lake.commit import KEEPS_LOG, Change, Signature, commit_change, keep_log, properties
from muster.pipeline.lake.delta import open_table, table_files
from muster.pipeline.lake.errors import LakeError, store_errors
from muster.pipeline.lake.files import REACHABLE, DataFile
from muster.pipeline.lake.location import Location, table_in
from muster.pipeline.lake.old_versions import drop_old_versions
from muster.pipeline.lake.opening import open_parquet
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.retention import RULES, Retention, Rule, bytes_too_old, too_old
from muster.pipeline.lake.rounds import Round, known_rounds, publish_round
from muster.pipeline.lake.tables import INNER, LOG, ROUNDS
from muster.pipeline.lake.writer_lock import WRITER

if TYPE_CHECKING:
    from deltalake import DeltaTable

TARGET_BYTES: Final = 128 << 20
"""Files of at least this size are left alone."""
GRACE_HOURS: Final = 1
"""How long files that were replaced stay for readers that opened the lake before."""
_COMPACTED: Final = "muster.compacted_ms"
"""A property of the table `rounds`: when the lake was last compacted."""
_NOW_PART: Final = "now"
_RECENT_MS: Final = 3_600_000
_SAID: Final = {"muster": "compact"}
"""What the history of a table says of our commits. Those that lead to a new round name it too."""
_AGAIN: Final = "nothing is lost, run it again"


@dataclass(slots=True)
class Compacted:
    files_before: int = 0
    files_after: int = 0
    rows_dropped: int = 0
    files_removed: int = 0
    changed: dict[str, int] = field(default_factory=dict)


def compact(
    location: Location,
    retention: Retention,
    at_ms: int | None = None,
    clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
) -> Compacted:
    """`at_ms`: what ages are counted back from; by default the newest time in the lake. Publishes only if something changed."""
    lake = Lake.open(location)
    done = Compacted()
    from_ms = newest_ms(lake.round, clock()) if at_ms is None else at_ms
    for table in sorted(lake.round.versions):
        if table == LOG or table not in INNER:
            _compact_table(lake, table, retention, from_ms, done)
    if done.changed:
        publish_round(location, _next_round(lake.round, done.changed))
    done.files_removed = vacuum(location, clock())
    _remember(location, clock())
    return done


def compacted_at(location: Location) -> int:
    """When the lake was last compacted, in milliseconds since 1970. 0: never."""
    with store_errors(f"{location} cannot be read", REACHABLE):
        delta = open_table(location, ROUNDS)
        return 0 if delta is None else int(delta.metadata().configuration.get(_COMPACTED) or 0)


def _remember(location: Location, at_ms: int) -> None:
    with store_errors(f"{location}: that it was compacted cannot be noted", _AGAIN):
        delta = open_table(location, ROUNDS)
        if delta is not None:
            _set(delta, {_COMPACTED: str(at_ms)})


def _set(delta: DeltaTable, table_properties: dict[str, str]) -> None:
    delta.alter.set_table_properties(
        table_properties,
        raise_if_not_exists=False,
        commit_properties=properties(Signature(None, _SAID)),
        post_commithook_properties=keep_log(),
    )


def newest_ms(this: Round, now_ms: int) -> int:
    """The newest time in the lake; a record whose producer's clock is ahead does not make everything else old."""
    known = [moment for moment in (this.newest_ms, this.gold_at_ms) if moment is not None]
    return min(max(known, default=now_ms), now_ms)


def vacuum(location: Location, now_ms: int, grace_hours: int = GRACE_HOURS) -> int:
    """Remove files that no recent round names and that were replaced before the grace, and what dead attempts left. How many."""
    rounds = known_rounds(location)
    recent = [each for each in rounds if each.at_ms >= now_ms - _RECENT_MS] or rounds[-1:]
    removed = 0
    for table in (*sorted(rounds[-1].versions), ROUNDS, WRITER):
        removed += _vacuum_table(location, table, _named(table, recent), grace_hours)
        with store_errors(f"{location}: old log files of {table} cannot be removed", _AGAIN):
            drop_old_versions(location, table, _named(table, rounds), grace_hours)
    if location.local is not None:
        _remove_empty_directories(location.local)
    return removed


def _compact_table(lake: Lake, table: str, retention: Retention, from_ms: int, done: Compacted) -> None:
    """Open rows (`part=now`) are set aside meanwhile: merged with others they could no longer be replaced."""
    location, files = lake.location, lake.table_files(table)
    aside = tuple(file for file in files if file.part == _NOW_PART)
    settled = [file for file in files if file.part != _NOW_PART]
    if not settled or (aside and not _is_due(lake, table, settled, retention, from_ms)):
        return
    with store_errors(f"{location}: {table} cannot be compacted", _AGAIN):
        _keep_log_when_merging(location, table)
        # The first commit also undoes what a dead attempt may have left behind the round's version.
        said = {**_SAID, "round": str(lake.round.round + 1)}
        signature = Signature(None, said, base=lake.round.versions)
        before = commit_change(location, table, signature, Change(replaced_parts=frozenset([_NOW_PART])))
        delta = open_table(location, table)
        if delta is None or delta.version() != before:
            raise LakeError(f"{location}: another writer committed {table} meanwhile; {_AGAIN}")
        dropped = _delete_old(lake, delta, table, retention, from_ms, signature)
        delta.optimize.compact(
            target_size=TARGET_BYTES,
            commit_properties=properties(signature),
            post_commithook_properties=keep_log(),
        )
        version = int(delta.version())
        if version == before and not aside:
            return
        left = table_files(delta)
        if aside:
            version = commit_change(location, table, Signature(None, said), Change(aside))
    done.rows_dropped += dropped
    done.files_before += len(settled)
    done.files_after += len(left)
    done.changed[table] = version


def _keep_log_when_merging(location: Location, table: str) -> None:
    """OPTIMIZE goes by the table's property alone (deltalake 1.6), which tables of an older muster lack."""
    delta = open_table(location, table)
    if delta is not None and not KEEPS_LOG.items() <= delta.metadata().configuration.items():
        _set(delta, KEEPS_LOG)


def _is_due(lake: Lake, table: str, settled: list[DataFile], retention: Retention, from_ms: int) -> bool:
    """Whether there is anything to merge or to delete, asked before open rows are set aside for it."""
    if sum(file.size < TARGET_BYTES for file in settled) > 1:
        return True
    rule = RULES.get(table)
    if rule is None:
        return False
    is_day = rule.time == "dt"
    horizon = retention.day(rule.layer, from_ms) if is_day else retention.horizon_ms(rule.layer, from_ms)
    pieces = lake.batches(table, [rule.time])
    return any(pc.any(pc.less(rows[rule.time], arrow_scalar(horizon))).as_py() for rows in pieces)


def _delete_old(
    lake: Lake, delta: DeltaTable, table: str, retention: Retention, from_ms: int, signature: Signature
) -> int:
    """Rows that are too old go, older bytes too. How many rows went."""
    dropped = 0
    old = too_old(table, retention, from_ms)
    if old is not None:
        kept = _still_so(lake, table, retention.horizon_ms(RULES[table].layer, from_ms))
        condition = f"{old} AND log_offset NOT IN ({', '.join(map(str, kept))})" if kept else old
        held = table_files(delta)
        done = delta.delete(condition, commit_properties=properties(signature), post_commithook_properties=keep_log())
        told = done.get("num_deleted_rows")
        dropped = _rows_gone(lake, table, held, table_files(delta)) if told is None else int(told)
    emptied = bytes_too_old(table, retention, from_ms)
    if emptied is not None:
        delta.update(
            updates={"key": "NULL", "value": "NULL"},
            predicate=emptied,
            commit_properties=properties(signature),
            post_commithook_properties=keep_log(),
        )
    return dropped


def _rows_gone(lake: Lake, table: str, before: list[DataFile], after: list[DataFile]) -> int:
    """Delta drops whole days without a look into their files; how many rows they had, their footers say."""
    left = {file.path for file in after}
    rows = 0
    for file in before:
        if file.path not in left:
            with open_parquet(lake.location, table, file) as source:
                rows += int(pq.ParquetFile(source).metadata.num_rows)
    return rows


def _still_so(lake: Lake, table: str, horizon_ms: int) -> list[int]:
    """The log offsets of old rows that are the newest of their key: a quiet group's generation may be months old.

    Read piece by piece: memory holds a row for each key (group, member), not the table.
    """
    rule = RULES[table]
    if not rule.newest_of:
        return []
    newest: pa.Table | None = None
    for rows in lake.batches(table, [*rule.newest_of, rule.time, "log_offset"]):
        newest = _newest(rows if newest is None else pa.concat_tables([newest, rows]), rule)
    if newest is None:
        return []
    quiet = newest.filter(pc.less(newest[rule.time], arrow_scalar(horizon_ms)))
    offsets: list[int] = pc.unique(quiet["log_offset"]).to_pylist()
    return offsets


def _newest(rows: pa.Table, rule: Rule) -> pa.Table:
    """One row for each key: its newest offset and time, in the columns of `rows`."""
    found = rows.group_by(list(rule.newest_of)).aggregate([("log_offset", "max"), (rule.time, "max")])
    ordered = found.select([*rule.newest_of, f"{rule.time}_max", "log_offset_max"])
    return ordered.rename_columns(rows.column_names)


def _next_round(last: Round, versions: dict[str, int]) -> Round:
    """The rows of the tables of now are as they were: if those were made in the last round, they still are up to date."""
    this = last.following(versions)
    if last.gold_round != last.round:
        return this
    return last.following(versions, gold_round=this.round)


def _named(table: str, rounds: list[Round]) -> list[int]:
    """The versions of a table that these rounds name."""
    return sorted({each.versions[table] for each in rounds if table in each.versions})


def _vacuum_table(location: Location, table: str, kept: list[int], grace_hours: int) -> int:
    with store_errors(f"{location}: unused files of {table} cannot be removed", _AGAIN):
        delta = open_table(location, table)
        if delta is None:
            return 0
        removed = delta.vacuum(
            retention_hours=grace_hours,
            dry_run=False,
            enforce_retention_duration=False,
            full=True,
            keep_versions=kept or None,
            commit_properties=properties(Signature(None, _SAID)),
            post_commithook_properties=keep_log(),
        )
        return len(removed)


def _remove_empty_directories(root: Path) -> None:
    """A store of objects has no directories; a local lake would keep an empty one for every batch that was merged."""
    for table in (entry for entry in root.iterdir() if table_in(entry.name) is not None):
        for directory, _, _ in os.walk(table, topdown=False):
            path = Path(directory)
            if path != table and path.name != "_delta_log" and not any(path.iterdir()):
                path.rmdir()
