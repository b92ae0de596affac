"""Delta tables opened for reading: which version, which files. Every other module opens tables through this one."""

from __future__ import annotations

from urllib.parse import unquote

from deltalake import DeltaTable
from deltalake.exceptions import TableNotFoundError

from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.files import DataFile
from muster.pipeline.lake.location import Location, table_directory
from muster.pipeline.lake.tables import ROUNDS


def open_table(location: Location, table: str, version: int | None = None) -> DeltaTable | None:
    """A table at a version, or at its newest; None if there is no such table, or not that version of it any more.

    Errors of the storage are delta-rs's own.
    """
    if location.local is not None and not (location.local / table_directory(table) / "_delta_log").is_dir():
        return None  # a little quicker, and delta-rs would make the directory
    try:
        return DeltaTable(location.delta_table_url(table), version=version, storage_options=location.options)
    except TableNotFoundError:
        return None


def open_named(location: Location, table: str, version: int) -> DeltaTable:
    """A table at a version that a round names. LakeError: the version is gone, or the whole table."""
    delta = open_table(location, table, version)
    if delta is not None:
        return delta
    if open_table(location, table) is None:
        gone = f"{location}: the table {table} is gone, but {ROUNDS} names its version {version}"
    else:
        gone = f"{location}: version {version} of {table} is gone, but {ROUNDS} names it"
    raise LakeError(f"{gone}: somebody else touched the lake")


def table_files(delta: DeltaTable) -> list[DataFile]:
    """The files that count in a table, in the order in which they were added to it as far as their names tell."""
    actions = delta.get_add_actions(flatten=True)  # not through `pa.table`, which imports pandas
    paths, sizes = actions.column("path").to_pylist(), actions.column("size_bytes").to_pylist()
    return sorted((DataFile(unquote(path), size) for path, size in zip(paths, sizes, strict=True)), key=_order)


def _order(file: DataFile) -> str:
    return file.path
