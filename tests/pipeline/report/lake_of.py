"""A real lake from Arrow tables, without Spark: what `muster pipeline run` would have published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from muster.pipeline.old.lake import Lake, batch_in


def write_lake(root: Path, tables: Mapping[str, pa.Table], *, rows_in_a_group: int = 5_000) -> Path:
    lake = Lake.open_or_create(root)
    with lake.write() as writer:
        batches = {}
        for name, table in tables.items():
            directory = writer.directory(name)
            directory.mkdir(parents=True)
            pq.write_table(table, directory / "part-0.parquet", row_group_size=rows_in_a_group)
            batches[name] = batch_in(
                writer.root, name, writer.manifest.next_batch, lambda file: int(pq.read_metadata(file).num_rows)
            )
        manifest = writer.manifest.with_replaced(batches)
        writer.publish(replace(manifest, gold_of_revision=writer.manifest.revision))
    return root
