"""One Delta transaction a table: files that Spark wrote begin to count, files that they replace cease to.

A round's transactions say in the table's history which round and which micro-batch they are of, and carry Delta's `txn` (our
application id and the number of the round); those of the table `rounds` and of compaction have no `txn`. It is for other readers: a
transaction alone shows nothing to ours, who follow `rounds`, and a micro-batch that Spark repeats is known by `rounds` too. A round
that died after some of its commits is made again: what it committed is undone by the commit of the attempt that succeeds
(`Signature.base`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from muster.pipeline.lake.delta import open_named, open_table, table_files
from muster.pipeline.lake.errors import LakeError, store_errors
from muster.pipeline.lake.files import THREADS, DataFile, component
from muster.pipeline.lake.location import Location, table_directory
from muster.pipeline.lake.tables import partition_columns, schema_of

if TYPE_CHECKING:
    from deltalake import DeltaTable

APPLICATION: Final = "muster-pipeline"
"""Delta's name for whoever writes; its version is the number of the round."""
KEEPS_LOG: Final = {"delta.enableExpiredLogCleanup": "false"}
"""See `keep_log`, which says it again with each commit: tables that an older muster made lack the property."""
PROPERTIES: Final = {
    "delta.logRetentionDuration": "interval 6 hours",
    "delta.deletedFileRetentionDuration": "interval 1 hours",
    "delta.checkpointInterval": "20",
    **KEEPS_LOG,
}
"""Versions of a table are for readers of the last rounds, not an archive. A short log is quick to open, locally and in a store."""
_AGAIN: Final = "nothing is lost, the next run of the same command repeats the round"
_BASE_GONE: Final = (
    "What it held cannot be kept, so nothing was committed to it. Bring the files back if you can; `muster pipeline run --rebuild`"
    " makes anew what comes of the log; where that fails too, read the source into a new lake"
)


@dataclass(frozen=True, slots=True)
class Change:
    """What a round does to a table: these files come, and files of the same parts (or all others) go."""

    added: tuple[DataFile, ...] = ()
    replaced_parts: frozenset[str] = frozenset()
    remove_all: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """Who commits: the round (None outside of one) and what the history will say."""

    round: int | None
    metadata: Mapping[str, str] = field(default_factory=dict)
    base: Mapping[str, int] | None = None
    """The versions of the last round that was published. What a dead attempt committed behind them is undone by this commit."""


def commit_all(location: Location, signature: Signature, changes: Mapping[str, Change]) -> dict[str, int]:
    """Commit several tables at the same time, each in a transaction of its own. Their versions afterwards."""
    with ThreadPoolExecutor(THREADS) as pool:
        versions = pool.map(lambda table: commit_change(location, table, signature, changes[table]), changes)
        return dict(zip(changes, versions, strict=True))


def commit_change(location: Location, table: str, signature: Signature, change: Change) -> int:
    with store_errors(f"{location}: {table} cannot be committed", _AGAIN):
        return commit_opened(location, table, open_table(location, table), signature, change)


def commit_opened(
    location: Location, table: str, delta: DeltaTable | None, signature: Signature, change: Change
) -> int:
    """Commit a table that was opened before (None: there is none yet). Fails if somebody else committed to it since."""
    if delta is None:
        _base_files(location, table, signature, change)  # a table that a round names must not begin anew without a word
        _create(location, table, signature, change)
        return 0
    return _change(location, delta, table, signature, change)


def _create(location: Location, table: str, signature: Signature, change: Change) -> None:
    from deltalake.transaction import create_table_with_add_actions

    if location.local is not None:
        (location.local / table_directory(table)).mkdir(parents=True, exist_ok=True)
    create_table_with_add_actions(
        location.delta_table_url(table),
        delta_schema(table),
        [_added(table, file) for file in change.added],
        partition_by=list(partition_columns(table)),
        name=table,
        configuration=PROPERTIES,
        storage_options=location.options,
        commit_properties=properties(signature),
        post_commithook_properties=keep_log(),
    )


def _change(location: Location, delta: DeltaTable, table: str, signature: Signature, change: Change) -> int:
    """Add and remove in one transaction, or do nothing if there is nothing to do. The table's version afterwards."""
    undone = signature.base is not None and signature.base.get(table) != delta.version()
    replaces = change.remove_all or change.replaced_parts or undone
    held = {file.path: file for file in table_files(delta)} if replaces else {}
    base = _base_files(location, table, signature, change) if undone else []
    kept = [file for file in base if not _goes(file, change)]
    wanted = {file.path: file for file in [*kept, *change.added]}
    gone = [file for path, file in held.items() if path not in wanted and (undone or _goes(file, change))]
    new = [file for path, file in wanted.items() if path not in held]
    actions = [_removed(table, file) for file in gone] + [_added(table, file) for file in new]
    if not actions:
        return int(delta.version())
    schema = delta_schema(table)
    _add_columns(delta, schema, signature)
    delta.create_write_transaction(
        actions,
        "append",
        schema,
        partition_by=list(partition_columns(table)),
        commit_properties=properties(signature),
        post_commithook_properties=keep_log(),
    )
    return int(delta.version()) + 1  # exactly: without retries a commit of somebody else in between makes ours fail


def _add_columns(delta: DeltaTable, schema: Any, signature: Signature) -> None:
    """Columns that the table has not had yet: a newer muster may know more kinds of state."""
    known = {field.name for field in delta.schema().fields}
    new = [field for field in schema.fields if field.name not in known]
    if new:
        said = properties(Signature(None, signature.metadata))
        delta.alter.add_columns(new, commit_properties=said, post_commithook_properties=keep_log())


def _base_files(location: Location, table: str, signature: Signature, change: Change) -> list[DataFile]:
    """The files that the table had in the last published round; none if all of them go anyway."""
    version = (signature.base or {}).get(table)
    if version is None or change.remove_all:
        return []
    try:
        return table_files(open_named(location, table, version))
    except LakeError as error:
        raise LakeError(f"{error}. {_BASE_GONE}") from None


def _goes(file: DataFile, change: Change) -> bool:
    return change.remove_all or file.part in change.replaced_parts


def _added(table: str, file: DataFile) -> Any:
    from deltalake.transaction import AddAction

    # Without statistics: counting rows would open every file again, and the files have statistics of their own.
    return AddAction(_quoted(file), file.size, _partition(table, file), _now_ms(), True, "{}")


def _removed(table: str, file: DataFile) -> Any:
    from deltalake.transaction import RemoveAction

    return RemoveAction(_quoted(file), True, _now_ms(), file.size, _partition(table, file))


def _quoted(file: DataFile) -> str:
    return quote(file.path, safe="/=")  # Delta's paths are URLs


def _partition(table: str, file: DataFile) -> dict[str, str | None]:
    return {column: component(file.path, column) for column in partition_columns(table)}


def properties(signature: Signature) -> Any:
    """What a commit says of itself. It is not tried again when somebody else committed meanwhile."""
    from deltalake.transaction import CommitProperties, Transaction

    marks = [] if signature.round is None else [Transaction(APPLICATION, signature.round, _now_ms())]
    return CommitProperties(custom_metadata=dict(signature.metadata), app_transactions=marks, max_commit_retries=0)


def keep_log() -> Any:
    """Goes with every commit: delta-rs drops no old files of the table's log behind it, `old_versions` does that.

    delta-rs judges by age alone. After a checkpoint it would drop the version that `rounds` names until the round is published.
    """
    from deltalake.transaction import PostCommitHookProperties

    return PostCommitHookProperties(cleanup_expired_logs=False)


def delta_schema(table: str) -> Any:
    """The table's columns as Delta knows them."""
    from deltalake import Schema

    return Schema.from_arrow(schema_of(table))


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
