"""A real lake from Arrow tables, without Spark: what `muster pipeline run` would have published."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from tests.pipeline.lake.delta_lakes import make_lake


def write_lake(root: Path, tables: Mapping[str, pa.Table], *, rows_in_a_group: int = 5_000) -> Path:
    make_lake(root, dict(tables), rows_in_a_group=rows_in_a_group)
    return root
