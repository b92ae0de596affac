"""Parquet files of a lake as something that Arrow reads from or writes to: local files themselves, others by delta-rs's storage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from muster.pipeline.lake.files import DataFile
from muster.pipeline.lake.location import Location, table_directory


@contextmanager
def open_parquet(location: Location, table: str, file: DataFile) -> Iterator[Any]:
    if location.local is not None:
        with pa.OSFile(str(location.local / table_directory(table) / file.path)) as opened:
            yield opened
        return
    from deltalake.fs import DeltaStorageHandler

    store = DeltaStorageHandler(location.delta_table_url(table), location.options, {file.path: file.size})
    with store.open_input_file(file.path) as opened:
        yield opened


def write_parquet(location: Location, table: str, path: str, rows: pa.Table) -> DataFile:
    """A small file of the lake's own bookkeeping; tables are written by Spark."""
    if location.local is not None:
        file = location.local / table_directory(table) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, file)
        return DataFile(path, file.stat().st_size)
    from deltalake.fs import DeltaStorageHandler

    store = DeltaStorageHandler(location.delta_table_url(table), location.options)
    with store.open_output_stream(path) as stream:
        pq.write_table(rows, stream)
        return DataFile(path, stream.tell())
