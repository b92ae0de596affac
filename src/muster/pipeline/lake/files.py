"""The Parquet files under a table's directory, found through delta-rs's own storage: on every store, and without Java.

Spark writes a round's files under a directory of the batch in each table; who commits them asks here what is there. Names that
begin with `_` or `.` are no data.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from muster.pipeline.lake.errors import store_errors
from muster.pipeline.lake.location import Location, batch_directory, table_directory, table_in

THREADS: Final = 16
_NO_VALUE: Final = "__HIVE_DEFAULT_PARTITION__"
REACHABLE: Final = "check that the store can be reached from here and that its address and credentials are right"


@dataclass(frozen=True, slots=True)
class DataFile:
    """One Parquet file; `path` is relative to its table's directory."""

    path: str
    size: int

    @property
    def part(self) -> str | None:
        """What of the table it holds: `new`, `now`, or the number of a part of the state. None: a merged file."""
        return component(self.path, "part")

    @property
    def batch(self) -> str | None:
        """The step of a round that wrote it."""
        return component(self.path, "batch")


@dataclass(frozen=True, slots=True)
class _Selection:
    """What the storage is asked for, in the shape of `pyarrow.fs.FileSelector`."""

    base_dir: str
    recursive: bool
    allow_not_found: bool = True


def component(path: str, key: str) -> str | None:
    """The value of the directory `key=value` in a path; None where there is none, or where it stands for null."""
    for piece in path.split("/")[:-1]:
        name, found, value = piece.partition("=")
        if found and name == key:
            return None if value == _NO_VALUE else unquote(value)
    return None


def storage(location: Location) -> Any:
    """delta-rs's storage with the lake as its root."""
    from deltalake.fs import DeltaStorageHandler

    with store_errors(f"{location} cannot be opened", REACHABLE):
        return DeltaStorageHandler(location.delta_url, location.options)


def read_text(location: Location, path: str) -> str | None:
    """A small text file by its path under the lake; None if there is none."""
    store = storage(location)
    with store_errors(f"{location}/{path} cannot be read", REACHABLE):
        try:
            with store.open_input_file(path) as file:
                return bytes(file.read()).decode("utf-8")
        except FileNotFoundError:
            return None


def list_batch(location: Location, batch: str, tables: Iterable[str] | None = None) -> dict[str, list[DataFile]]:
    """The files of one batch directory, by table; `tables` None: of every table. Tables without files are left out."""
    store = storage(location)
    names = table_names(location, store) if tables is None else sorted(tables)

    def of_table(table: str) -> list[DataFile]:
        return list_files(location, store, table, batch_directory(table, batch))

    with ThreadPoolExecutor(THREADS) as pool:
        found = dict(zip(names, pool.map(of_table, names), strict=True))
    return {table: files for table, files in found.items() if files}


def sizes_on_store(location: Location, tables: Iterable[str]) -> dict[str, int]:
    """The size of every data file under these tables' directories, by its path under the lake; committed or not."""
    store, names = storage(location), sorted(tables)
    with ThreadPoolExecutor(THREADS) as pool:
        found = zip(names, pool.map(lambda table: list_files(location, store, table, ""), names), strict=True)
        return {f"{table_directory(table)}/{file.path}": file.size for table, files in found for file in files}


def list_files(location: Location, store: Any, table: str, directory: str) -> list[DataFile]:
    root = f"{table_directory(table)}/"
    with store_errors(f"{location}: the files of {table} cannot be listed", REACHABLE):
        infos = store.get_file_info_selector(_Selection((root + directory).rstrip("/"), recursive=True))
    files = [DataFile(info.path.removeprefix(root), info.size) for info in infos if _is_data(info)]
    return sorted(files, key=lambda file: file.path)


def table_names(location: Location, store: Any | None = None) -> list[str]:
    """The tables that have a directory, committed or not."""
    tables = (table_in(name) for name, is_directory in entries(location, store) if is_directory)
    return sorted(table for table in tables if table is not None)


def entries(location: Location, store: Any | None = None) -> list[tuple[str, bool]]:
    """What lies directly under the lake's URL: (name, whether it is a directory)."""
    opened = storage(location) if store is None else store
    with store_errors(f"{location} cannot be read", REACHABLE):
        infos = opened.get_file_info_selector(_Selection("", recursive=False))
    return [(info.path.strip("/"), not info.is_file) for info in infos]


def _is_data(info: Any) -> bool:
    name: str = info.base_name
    hidden = any(piece.startswith(("_", ".")) for piece in info.path.split("/"))
    return info.is_file and name.endswith(".parquet") and not hidden
