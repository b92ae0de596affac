"""A streaming query of a test: what it reads is appended to files by `foreachBatch`, with a checkpoint beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from muster.pipeline.log_schema import log_spark_schema

Row = dict[str, Any]


class Streamed:
    """`frame` gives the streaming frame anew for each start. `batches` has the number of rows of each micro-batch so far."""

    def __init__(self, spark: Any, home: Path, frame: Callable[[], Any]) -> None:
        self._spark = spark
        self._frame = frame
        self._out = str(home / "out")
        self.checkpoint = home / "checkpoint"
        self.batches: list[int] = []

    def start(self, **trigger: Any) -> Any:
        writer = self._frame().writeStream.foreachBatch(self._append)
        return writer.option("checkpointLocation", str(self.checkpoint)).trigger(**trigger).start()

    def run_to_the_end(self) -> None:
        query = self.start(availableNow=True)
        assert query.awaitTermination(120)

    def _append(self, rows: Any, number: int) -> None:
        before = self._read().count() if Path(self._out).exists() else 0
        rows.write.mode("append").parquet(self._out)
        self.batches.append(self._read().count() - before)

    def _read(self) -> Any:
        return self._spark.read.schema(log_spark_schema()).parquet(self._out)

    def rows(self) -> list[Row]:
        return in_order(row.asDict(recursive=True) for row in self._read().collect())

    def offset(self) -> dict[str, Any]:
        """Of the newest micro-batch in the checkpoint: its last line."""
        newest = max((self.checkpoint / "offsets").glob("[0-9]*"), key=lambda file: int(file.name))
        found: dict[str, Any] = json.loads(newest.read_text().splitlines()[-1])
        return found


def in_order(rows: Any) -> list[Row]:
    return sorted(rows, key=lambda row: (row["log_topic"], row["log_partition"], row["log_offset"], row["place"] or ""))


def batch_rows(frame: Any) -> list[Row]:
    return in_order(row.asDict(recursive=True) for row in frame.collect())
