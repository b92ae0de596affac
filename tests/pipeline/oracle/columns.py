"""Keys and empty frames that only the oracle needs."""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.pipeline.tables.columns import Frame, schema_of

TOPIC_PARTITION: Final = ("cluster", "topic", "partition")


def no_rows(table: str) -> Frame:
    return pl.DataFrame(schema=schema_of(table))
