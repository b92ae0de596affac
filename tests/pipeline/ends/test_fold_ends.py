"""The Spark program around the steps: two rounds of samples, all partitions at once."""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl

from muster.pipeline.ends.fold import fold_ends
from muster.pipeline.ends.schema import ENDS, end_steps
from muster.pipeline.ends.steps import folded
from muster.pipeline.ends.whole_keys import whole_keys
from tests.pipeline.ends.samples import random_samples
from tests.pipeline.oracle.end_offsets import finished_end_offsets
from tests.pipeline.tables.rows import arrow, frame

ORDER = ("cluster", "topic", "partition", "topic_epoch", "end_ms", "leo", "log_start")


def test_rounds_of_samples_give_the_steps_of_all_of_them(spark: Any) -> None:
    rounds = random_samples(Random(7), partitions=9, rounds=30)
    first, second = ([row for rows in half for row in rows] for half in (rounds[:20], rounds[20:]))
    known = folded(ENDS.empty_table(), arrow("b_leo_sample", first))
    wide = fold_ends(spark.createDataFrame(known), spark.createDataFrame(arrow("b_leo_sample", second)))
    rows = wide.toArrow()
    ends = pl.DataFrame(pl.from_arrow(rows)).filter(pl.col("table") == "ends")
    samples = pl.DataFrame(pl.from_arrow(rows)).filter(pl.col("table") == "b_leo_sample")
    assert set(ends["part"]) == {"now"}
    assert set(samples["part"]) == {"new"}
    assert len(samples) == len(second)

    expected = finished_end_offsets(frame("b_leo_sample", first + second)).sort(ORDER)
    table = ends.select(ENDS.names).to_arrow().cast(ENDS)
    found = pl.DataFrame(pl.from_arrow(end_steps(spark.createDataFrame(table)).toArrow()))
    assert found.sort(ORDER).equals(expected)


def test_pieces_hold_whole_keys() -> None:
    rows = arrow("b_leo_sample", [{"topic": "t", "partition": number // 7, "leo": number} for number in range(100)])
    pieces = list(whole_keys(rows.to_batches(max_chunksize=3), ("cluster", "topic", "partition"), piece_bytes=500))
    assert len(pieces) > 3
    assert sum(piece.num_rows for piece in pieces) == 100
    of_pieces = [set(piece.column("partition").to_pylist()) for piece in pieces]
    assert sum(map(len, of_pieces)) == len(set().union(*of_pieces))
