"""The history of the lag, made round by round, is the one that is made of all rows at once; and so are the tables of now then."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import polars as pl
import pytest

from muster.pipeline.fold.kernel import open_schema
from muster.pipeline.now.build import tables_of_now
from muster.pipeline.now.groups import OF_GROUPS
from muster.pipeline.now.history import HISTORY, Sampled
from muster.pipeline.now.schema import MINUTE, stretches_by
from muster.pipeline.tables.columns import GROUP, POSITION
from tests.pipeline.now.histories import HOUR, LENGTH, START, History, random_history
from tests.pipeline.now.oracle import all_rows, assert_same, of_table
from tests.pipeline.now.state_of import ends_of, minutes_of, state_of
from tests.pipeline.oracle.build import GoldSettings, build_gold
from tests.pipeline.oracle.silver import finish_silver
from tests.pipeline.tables.rows import Row, frame, sample

KEYS = {
    "g_lag_history": (*POSITION, "minute_ms"),
    "g_lag": POSITION,
    "g_status": POSITION,
    "g_expiry": POSITION,
    "s_current_offset": POSITION,
    "g_group_lag": GROUP,
    "g_abandoned": GROUP,
    "g_data_quality": ("cluster", "log_topic", "log_partition"),
}
END = START + LENGTH
PLACE = ("cluster", "log_partition", "log_offset")
SETTINGS = GoldSettings(now_ms=END, sampled_ms=END, abandoned_after_ms=20 * 60_000, clock_skew_ms=50)
Tables = dict[str, pl.DataFrame]


def test_every_table_of_now_is_compared() -> None:
    """Nothing is pending in these histories; `test_tables_of_now` compares it."""
    compared = {*OF_GROUPS, HISTORY} - {"s_pending_offset"}
    assert KEYS.keys() == compared, "say in KEYS which columns make a row of a new table unique"


def frames(rows: dict[str, list[Row]]) -> Tables:
    return {name: frame(name, of_name, decoded=True) for name, of_name in rows.items()}


def in_rounds(spark: Any, history: History, moments: list[int]) -> Tables:
    """What the rounds at these moments leave in the tables. Files are read in every round: their end then is a sample too."""
    finished: list[pl.DataFrame] = []
    kept = MINUTE.empty_table()
    closed_before = pl.DataFrame(schema={"cluster": pl.String, "log_partition": pl.Int32, "log_offset": pl.Int64})
    for moment in moments:
        rows = frames(history.rows_until(moment))
        silver = finish_silver(rows)
        stretches = minutes_of(silver)
        closed = stretches.join(closed_before, on=PLACE, how="anti")
        closed_before = stretches.select(PLACE)
        minutes = [*kept.to_pylist(), *stretches_by(closed, [*POSITION, "log_partition"]).to_dicts()]
        frame_of = spark.createDataFrame
        made = tables_of_now(
            frame_of(state_of(rows, silver)),
            frame_of(ends_of(rows)),
            frame_of(MINUTE.empty_table().from_pylist(minutes, schema=MINUTE)),
            frame_of(open_schema().empty_table()),
            replace(SETTINGS, now_ms=moment),
            Sampled(moment, moment),
        )
        last = all_rows(made)
        finished.append(of_table(last, "g_lag_history", "new"))
        kept = last.filter(pl.col("table") == "minute").select(MINUTE.names).to_arrow().cast(MINUTE)
    tables = {name: of_table(last, name, "now") for name in KEYS}
    return {**tables, "g_lag_history": pl.concat([*finished, tables["g_lag_history"]])}


def test_a_round_of_another_cluster_finishes_nothing(spark: Any, history: History) -> None:
    """A lake may hold several clusters: whose ends were not asked has no minute finished, and none a second time."""
    rows = frames(history.rows_until(END))
    silver = finish_silver(rows)
    kept = stretches_by(minutes_of(silver), [*POSITION, "log_partition"]).to_dicts()

    def made(now_ms: int, sampled: Sampled) -> pl.DataFrame:
        frame_of = spark.createDataFrame
        return all_rows(
            tables_of_now(
                frame_of(state_of(rows, silver)),
                frame_of(ends_of(rows)),
                frame_of(MINUTE.empty_table().from_pylist(kept, schema=MINUTE)),
                frame_of(open_schema().empty_table()),
                replace(SETTINGS, now_ms=now_ms),
                sampled,
            )
        )

    first = made(END, Sampled(END, END))
    assert of_table(first, HISTORY, "new").height > 0
    kept = first.filter(pl.col("table") == "minute").select(MINUTE.names).to_dicts()
    then = made(END + HOUR, Sampled(END + HOUR, END + HOUR, cluster="another"))
    assert of_table(then, HISTORY, "new").height == 0
    assert then.filter(pl.col("table") == "minute").height == len(kept)
    assert of_table(then, "g_lag", "now").height == of_table(first, "g_lag", "now").height


@pytest.fixture(scope="module")
def history() -> History:
    return random_history(seed=4, partitions=6, groups=3)


@pytest.fixture(scope="module")
def rounds(spark: Any, history: History) -> tuple[Tables, Tables]:
    random = Random(1)
    moments = sorted({START + HOUR, *(START + random.randint(HOUR, LENGTH) for _ in range(3)), END})
    by_files = {(row["cluster"], row["partition"]) for row in history.samples if row["sampler"] == "segment"}
    for moment in moments:
        for cluster, partition in sorted(by_files):
            known = [
                row["leo"]
                for row in history.samples
                if (row["cluster"], row["partition"]) == (cluster, partition) and row["end_ms"] <= moment
            ]
            if known:
                place = {"cluster": cluster, "partition": partition, "sampler": "segment"}
                history.samples.append(sample(max(known), moment, moment, **place))
    rows = frames(history.rows_until(END))
    silver = finish_silver(rows)
    expected = {**build_gold({**rows, **silver}, SETTINGS), "s_current_offset": silver["s_current_offset"]}
    return in_rounds(spark, history, moments), expected


@pytest.mark.parametrize("table", KEYS)
def test_rounds_leave_the_table_of_all_rows(rounds: tuple[Tables, Tables], table: str) -> None:
    found, expected = rounds
    assert expected[table].height > 0
    assert_same(found[table], expected[table], KEYS[table])
