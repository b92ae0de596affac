"""One Parquet file of a lake as something that Arrow reads from: a local file itself, others through delta-rs's storage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from muster.pipeline.lake.files import DataFile
from muster.pipeline.lake.location import Location


@contextmanager
def open_parquet(location: Location, table: str, file: DataFile) -> Iterator[Any]:
    if location.local is not None:
        with pa.OSFile(str(location.local / f"table={table}" / file.path)) as opened:
            yield opened
        return
    from deltalake.fs import DeltaStorageHandler

    store = DeltaStorageHandler(location.delta_table_url(table), location.options, {file.path: file.size})
    with store.open_input_file(file.path) as opened:
        yield opened
