"""A log partition that is too long to be looked at at once, laid down again in shares: every key's records in one of them.

Shares are Arrow streams in a temporary directory (`TMPDIR`), each in log order. Written once and read twice, so that the cost of a
long log partition stays linear and the memory of its worker bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.tables.commit_rows import Keys


def split_by_key(batches: Iterable[pa.RecordBatch], count: int, directory: Path) -> list[Path]:
    """One file a share that has rows."""
    keys = Keys()
    writers: dict[int, pa.RecordBatchStreamWriter] = {}
    with ExitStack() as open_files:
        for batch in batches:
            which = pa.array(keys.shares(batch, count))
            for share in which.unique().to_pylist():
                rows = batch.filter(pc.equal(which, share))
                if share not in writers:
                    path = directory / f"{share:06d}.arrows"
                    options = pa.ipc.IpcWriteOptions(compression="lz4")
                    writers[share] = open_files.enter_context(
                        pa.ipc.new_stream(str(path), rows.schema, options=options)
                    )
                writers[share].write_batch(rows)
    return sorted(directory.glob("*.arrows"))


def rows_of_share(path: Path, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as stream:
        for batch in stream:
            yield batch if columns is None else batch.select(columns)
