"""The lake: Parquet files under `table=NAME/batch=N/`, made visible by one manifest that is replaced atomically.

A writer holds the lock, writes a batch's files, then publishes. Until then nobody sees them; if it dies, the next writer finds the
same batch number free and writes it again. Knows files, not Spark and not what the tables mean.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from muster.pipeline.old.lake_delta import follow_manifest, require_delta
from muster.pipeline.old.lake_lock import only_writer
from muster.pipeline.old.manifest import DELTA, FILE_NAME, PARQUET, Batch, DataFile, LakeError, Manifest, parse_manifest
from muster.pipeline.schemas import SCHEMA_VERSION, TABLES

GRACE_MS: Final = 10 * 60_000
"""How long the files of a replaced batch stay for readers that opened the lake before."""


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Lake:
    """A lake to read. `manifest` is what it held when it was opened; `write` gives the one writer."""

    def __init__(self, root: Path, manifest: Manifest, table_format: str | None = None) -> None:
        self.root = root
        self.manifest = manifest
        self._table_format = table_format

    def __repr__(self) -> str:
        return f"<Lake {self.root} revision {self.manifest.revision}>"

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Lake:
        """A lake that is there; what is not one is refused with the reason."""
        root = local_path(path)
        if not root.is_dir():
            raise LakeError(f"no lake at {root}: make one with `muster pipeline run --from DIR --lake {root}`")
        manifest = _read_manifest(root)
        if manifest is None:
            raise LakeError(f"{root} holds no lake (no {FILE_NAME}): make one with `muster pipeline run --lake {root}`")
        return cls(root, manifest)

    @classmethod
    def open_or_create(cls, path: str | os.PathLike[str], table_format: str | None = None) -> Lake:
        """`table_format`: what its tables are to be; by default what they are, and Parquet where there are none."""
        root = local_path(path)
        if root.exists() and not root.is_dir():
            raise LakeError(f"{root} is a file; a lake is a directory")
        manifest = _read_manifest(root) if root.is_dir() else None
        if manifest is None:
            _refuse_foreign_files(root)
            root.mkdir(parents=True, exist_ok=True)
            manifest = Manifest(SCHEMA_VERSION)
        elif table_format == PARQUET and manifest.table_format == DELTA:
            raise LakeError(
                f"{root} holds Delta tables, which plain Parquet would leave behind: leave out --table-format, or choose a new lake"
            )
        if DELTA in (table_format, manifest.table_format):
            require_delta(root)
        return cls(root, manifest, table_format)

    def paths(self, table: str) -> list[str]:
        """The files of a table, in the order in which they were written."""
        return [str(self.root / file.path) for file in self.manifest.files(table)]

    def arrow(self, table: str, since: object = None) -> pa.Table:
        """Every row of a table, with the columns of the contract."""
        schema = TABLES[table]
        parts = [pq.ParquetFile(path).read().cast(schema) for path in self.paths(table)]
        return pa.concat_tables(parts) if parts else schema.empty_table()

    @contextmanager
    def write(self, clock: Callable[[], int] = now_ms, grace_ms: int = GRACE_MS) -> Iterator[LakeWriter]:
        """The only writer. What it has not published when it ends never happened."""
        self.root.mkdir(parents=True, exist_ok=True)
        with only_writer(self.root / ".lock"):
            self.manifest = self._in_wanted_format(_read_manifest(self.root) or Manifest(SCHEMA_VERSION))
            writer = LakeWriter(self, clock, grace_ms)
            writer.sweep()
            follow_manifest(self.root, self.manifest)
            yield writer

    def _in_wanted_format(self, manifest: Manifest) -> Manifest:
        """A Parquet lake becomes a Delta lake by being told so: its files stay as they are."""
        if self._table_format in (None, manifest.table_format):
            return manifest
        changed = replace(manifest, table_format=self._table_format)
        if manifest.revision:
            _write_atomically(self.root / FILE_NAME, changed.to_json())
        return changed


class LakeWriter:
    """Writes batches into a lake and publishes them. One at a time, under the lock."""

    def __init__(self, lake: Lake, clock: Callable[[], int], grace_ms: int) -> None:
        self._lake = lake
        self._clock = clock
        self._grace_ms = grace_ms

    @property
    def manifest(self) -> Manifest:
        return self._lake.manifest

    @property
    def root(self) -> Path:
        return self._lake.root

    def directory(self, table: str) -> Path:
        """Where the next batch of a table is to be written: empty, whatever a dead run left there."""
        directory = self.root / batch_directory(table, self.manifest.next_batch)
        if directory.exists():
            shutil.rmtree(directory)
        return directory

    def publish(self, manifest: Manifest) -> None:
        """The moment at which a batch begins to exist: everything it names is on disk, then the manifest is replaced."""
        now = self._clock()
        assert manifest.revision == self.manifest.revision, "made from an older state of the lake"
        published = manifest.published(now)
        for directory in {str(Path(f.path).parent) for f in _new_files(self.manifest, published)}:
            _sync_directory(self.root / directory)
        changed = {table for table in published.tables if published.batches(table) != self.manifest.batches(table)}
        _write_atomically(self.root / FILE_NAME, published.to_json())
        self._lake.manifest = published
        follow_manifest(self.root, published, changed)
        self._forget_retired(now)

    def sweep(self) -> None:
        """Remove what no manifest names: the leavings of a run that died before it published."""
        known = {(table, batch.number) for table, batches in self.manifest.tables.items() for batch in batches}
        known |= {(gone.table, gone.number) for gone in self.manifest.retired}
        for directory in self.root.glob("table=*/batch=*"):
            table = directory.parent.name.removeprefix("table=")
            number = directory.name.removeprefix("batch=")
            if not (number.isdigit() and (table, int(number)) in known):
                shutil.rmtree(directory)

    def _forget_retired(self, now: int) -> None:
        """Files go first, their mention at the next publish: never the other way round."""
        kept = []
        for gone in self.manifest.retired:
            if now - gone.at_ms < self._grace_ms:
                kept.append(gone)
            else:
                shutil.rmtree(self.root / batch_directory(gone.table, gone.number), ignore_errors=True)
        self._lake.manifest = replace(self.manifest, retired=tuple(kept))


def batch_directory(table: str, number: int) -> str:
    return f"table={table}/batch={number:08d}"


def batch_in(root: Path, table: str, number: int, rows_of: Callable[[Path], int]) -> Batch:
    """A batch whose files somebody else (Spark) has written into its directory."""
    directory = root / batch_directory(table, number)
    files = sorted(file for file in directory.rglob("*.parquet") if not file.name.startswith(("_", ".")))
    return Batch(number, tuple(_described(root, file, rows_of(file)) for file in files))


def _described(root: Path, file: Path, rows: int) -> DataFile:
    with file.open("rb") as written:
        os.fsync(written.fileno())
    return DataFile(str(file.relative_to(root)), rows, file.stat().st_size)


def local_path(path: str | os.PathLike[str]) -> Path:
    text = os.fspath(path)
    if text.startswith("file://"):
        text = text.removeprefix("file://")
    if "://" in text:
        scheme = text.partition("://")[0]
        raise LakeError(
            f"{text}: a lake is a directory (of this machine or mounted on every one); {scheme}:// is not supported"
        )
    return Path(text)


def _read_manifest(root: Path) -> Manifest | None:
    file = root / FILE_NAME
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise LakeError(f"{file} cannot be read: {error}") from None
    return parse_manifest(text, str(file), SCHEMA_VERSION)


def _refuse_foreign_files(root: Path) -> None:
    """A new lake goes into an empty directory: the writer removes files that it does not know."""
    strangers = [entry.name for entry in root.iterdir() if entry.name != ".lock"] if root.is_dir() else []
    unpublished = all(name.startswith(("table=", f"{FILE_NAME}.")) for name in strangers)
    if strangers and not unpublished:
        raise LakeError(
            f"{root} is not empty and holds no lake ({sorted(strangers)[0]} is there): choose a new directory"
        )


def _new_files(before: Manifest, after: Manifest) -> Iterator[DataFile]:
    for table, batches in after.tables.items():
        known = {batch.number for batch in before.batches(table)}
        for batch in batches:
            if batch.number not in known:
                yield from batch.files


def _write_atomically(file: Path, text: str) -> None:
    unfinished = file.with_name(f"{file.name}.tmp")
    with unfinished.open("w", encoding="utf-8") as target:
        target.write(text)
        target.flush()
        os.fsync(target.fileno())
    unfinished.replace(file)
    _sync_directory(file.parent)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def appended(writer: LakeWriter, files: Mapping[str, list[DataFile]]) -> Manifest:
    """The manifest with these files as the next batch of their tables; not published yet."""
    number = writer.manifest.next_batch
    return writer.manifest.with_appended({table: Batch(number, tuple(new)) for table, new in files.items()})
