"""The tables of a lake as Delta tables: every `table=NAME/` gets a transaction log over the Parquet files that are there anyway.

The manifest stays the truth of what counts and how far logs were read; one transaction a table follows each publish, so a Delta
reader sees a whole batch or none of it. What was missed (a run that died between the two) the next writer makes up for: the log is
always brought to the manifest's files, whatever it held. Written through delta-rs (`deltalake`), which needs no Java.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

from muster.pipeline.old.manifest import DELTA, DataFile, LakeError, Manifest

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

APPLICATION: Final = "muster-lake"
"""Delta's name for whoever writes; its version is the manifest's revision."""
_KEPT: Final = {
    "delta.logRetentionDuration": "interval 1 days",
    "delta.deletedFileRetentionDuration": "interval 1 hours",
}
"""Replaced files go after minutes (`lake.GRACE_MS`): older versions of a table cannot be read, so their log need not stay."""


def require_delta(where: Path | str) -> None:
    if find_spec("deltalake") is None:
        raise LakeError(
            f"{where} is to hold Delta tables, which needs deltalake: pip install 'muster-kafka[delta]',"
            " or leave out --table-format delta for a new lake in plain Parquet"
        )


def follow_manifest(root: Path, manifest: Manifest, tables: Iterable[str] | None = None) -> list[str]:
    """Bring the Delta logs of these tables, or of all, to the manifest's files. Which tables had to change."""
    if manifest.table_format != DELTA:
        return []
    require_delta(root)
    from deltalake.exceptions import DeltaError

    changed = []
    for table in sorted(manifest.tables if tables is None else tables):
        try:
            if _follow(root / f"table={table}", table, manifest):
                changed.append(table)
        except (DeltaError, OSError) as error:
            raise LakeError(
                f"{root}: revision {manifest.revision} is published, but Delta's log of {table} could not follow:"
                f" {str(error).splitlines()[0]}; the next run tries again"
            ) from error
    return changed


def _follow(directory: Path, table: str, manifest: Manifest) -> bool:
    from deltalake import DeltaTable
    from deltalake.transaction import create_table_with_add_actions

    wanted = {_inside(file.path, table): file for file in manifest.files(table)}
    if not DeltaTable.is_deltatable(str(directory)):
        directory.mkdir(parents=True, exist_ok=True)
        create_table_with_add_actions(
            str(directory),
            _delta_schema(table),
            [_added(path, file, manifest) for path, file in wanted.items()],
            name=table,
            configuration=_KEPT,
            commit_properties=_signed(manifest),
        )
        return True
    return _change(DeltaTable(str(directory)), table, wanted, manifest)


def _change(delta: DeltaTable, table: str, wanted: dict[str, DataFile], manifest: Manifest) -> bool:
    """One transaction: what is new comes and what no longer counts goes, or nothing at all happens."""
    held = _held(delta)
    gone, new = held.keys() - wanted.keys(), wanted.keys() - held.keys()
    if not gone and not new:
        return False
    actions = [_removed(held[path], manifest) for path in sorted(gone)]
    actions += [_added(path, wanted[path], manifest) for path in sorted(new)]
    delta.create_write_transaction(actions, "append", _delta_schema(table), commit_properties=_signed(manifest))
    return True


def _held(delta: DeltaTable) -> dict[str, dict[str, Any]]:
    """The files that count in Delta's log, by path."""
    import pyarrow as pa

    rows = pa.table(delta.get_add_actions(flatten=True)).to_pylist()
    return {unquote(row["path"]): row for row in rows}


def _added(path: str, file: DataFile, manifest: Manifest) -> Any:
    from deltalake.transaction import AddAction

    stats = json.dumps({"numRecords": file.rows})
    return AddAction(quote(path, safe="/="), file.size, {}, manifest.published_ms, True, stats)


def _removed(row: dict[str, Any], manifest: Manifest) -> Any:
    from deltalake.transaction import RemoveAction

    return RemoveAction(row["path"], True, manifest.published_ms, row["size_bytes"], {})


def _signed(manifest: Manifest) -> Any:
    from deltalake.transaction import CommitProperties, Transaction

    said = {"revision": str(manifest.revision), "goldAtMs": str(manifest.gold_at_ms)}
    return CommitProperties(
        custom_metadata=said, app_transactions=[Transaction(APPLICATION, manifest.revision, manifest.published_ms)]
    )


def _delta_schema(table: str) -> Any:
    from deltalake import Schema

    return Schema.from_arrow(_arrow_schema(table))


def _arrow_schema(table: str) -> pa.Schema:
    from muster.pipeline.decode.row_schemas import ROW_TABLES
    from muster.pipeline.schemas import TABLES

    if table.endswith(".rows"):
        return ROW_TABLES[table.removesuffix(".rows")]
    return TABLES[table.removesuffix(".kept")]


def _inside(path: str, table: str) -> str:
    return path.removeprefix(f"table={table}/")
