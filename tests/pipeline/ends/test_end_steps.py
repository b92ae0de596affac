"""What is remembered of the topics' ends: equal to `s_leo` of all samples, however they come; bounded in length."""

from __future__ import annotations

from random import Random

import polars as pl
import pyarrow as pa
import pytest

from muster.pipeline.ends.schema import ENDS, MISSED, MISSED_ONCE
from muster.pipeline.ends.steps import folded, with_missed
from tests.pipeline.ends.samples import random_samples
from tests.pipeline.oracle.end_offsets import finished_end_offsets, newest_end_offsets
from tests.pipeline.tables.rows import Row, arrow, frame, sample

NOTHING = ENDS.empty_table()
ORDER = ("cluster", "topic", "partition", "topic_epoch", "end_ms", "leo", "log_start")


def fold(ends: pa.Table, rows: list[Row], **more: int) -> pa.Table:
    return folded(ends, arrow("b_leo_sample", rows), **more)


def steps_of(ends: pa.Table) -> pl.DataFrame:
    rows = pl.DataFrame(pl.from_arrow(ends)).select("cluster", "topic", "partition", "steps")
    return rows.explode("steps").unnest("steps").drop("exact", "start_moved").sort(ORDER)


def sorted_rows(ends: pa.Table) -> list[Row]:
    return sorted(ends.to_pylist(), key=lambda row: (row["cluster"], row["topic"], row["partition"]))


@pytest.mark.parametrize("seed", range(30))
def test_steps_of_random_samples_are_those_of_the_table_of_all_samples(seed: int) -> None:
    rounds = random_samples(Random(seed), partitions=6, rounds=40)
    ends = NOTHING
    for rows in rounds:
        ends = fold(ends, rows)
    expected = finished_end_offsets(frame("b_leo_sample", [row for rows in rounds for row in rows]))
    found = steps_of(ends).select(expected.columns)
    assert found.equals(expected.sort(ORDER))
    newest = (
        newest_end_offsets(expected).sort("partition").select("partition", "topic_epoch", "leo", "log_start", "end_ms")
    )
    assert pl.DataFrame(pl.from_arrow(ends)).sort("partition").select(newest.columns).equals(newest)


@pytest.mark.parametrize("seed", range(30))
def test_any_cut_gives_the_same_row(seed: int) -> None:
    """fold(fold(e, a), b) == fold(e, a + b), with rows that are thinned out on the way too."""
    random = Random(seed)
    rounds = random_samples(random, partitions=4, rounds=40)
    limit = random.choice((5, 8, 2_000))
    at_once, piece_by_piece, held = NOTHING, NOTHING, []
    at_once = fold(at_once, [row for rows in rounds for row in rows if row["sampler"] != "segment"], max_steps=limit)
    for rows in rounds:
        held += [row for row in rows if row["sampler"] != "segment"]
        if random.random() < 0.4:
            piece_by_piece, held = fold(piece_by_piece, held, max_steps=limit), []
    piece_by_piece = fold(piece_by_piece, held, max_steps=limit)
    assert sorted_rows(piece_by_piece) == sorted_rows(at_once)


def test_sample_that_is_known_already_changes_nothing() -> None:
    rows = [sample(10, 1_000, 1_100), sample(20, 2_000, 2_100)]
    once = fold(NOTHING, rows)
    assert fold(once, rows).to_pylist() == once.to_pylist()
    late = [sample(15, 1_500, 1_600)]
    assert fold(once, late).to_pylist() == once.to_pylist()


def test_clock_that_went_back_widens_the_bracket() -> None:
    """A higher end was sampled after the newest one, whatever its time says."""
    (row,) = fold(fold(NOTHING, [sample(10, 5_000, 5_100)]), [sample(20, 2_000, 2_100)]).to_pylist()
    assert [(step["leo"], step["begin_ms"], step["end_ms"]) for step in row["steps"]] == [
        (10, 5_000, 5_100),
        (20, 2_000, 5_100),
    ]
    assert (row["leo"], row["end_ms"], row["ring"]) == (20, 5_100, [10, 20])


def test_ring_holds_the_last_samples_as_they_were() -> None:
    ends = NOTHING
    for number in range(15):
        ends = fold(ends, [sample(7, 1_000 * number)])
    (row,) = ends.to_pylist()
    assert row["ring"] == [7] * 10
    assert [step["end_ms"] for step in row["steps"]] == [0, 14_000]


def missed(ends: pa.Table, rows: list[Row], cluster: str = "c", since_ms: int = 9_000) -> pa.Table:
    """After a round that was given these samples."""
    samples = arrow("b_leo_sample", rows)
    return with_missed(folded(ends, samples), samples, cluster, since_ms)


def samplers(ends: pa.Table) -> dict[int, str]:
    return {row["partition"]: row["sampler"] for row in ends.to_pylist()}


def test_partition_that_two_rounds_do_not_find_is_missed_and_its_next_sample_goes_on_from_there() -> None:
    first = [sample(10, 1_000, 1_100), sample(10, 1_000, 1_100, partition=1)]
    other = [sample(20, 2_000, 2_100, partition=1)]
    known = fold(NOTHING, first)
    assert missed(known, other, "another").equals(fold(known, other)), "that cluster was not asked"
    once = missed(known, other)
    assert samplers(once) == {0: MISSED_ONCE, 1: "list_offsets"}
    assert samplers(missed(once, other, since_ms=1_100)) == {0: MISSED_ONCE, 1: "list_offsets"}, "its end is young"
    twice = missed(once, other)
    assert samplers(twice) == {0: MISSED, 1: "list_offsets"}
    assert samplers(missed(twice, [], since_ms=0)) == {0: MISSED, 1: MISSED_ONCE}, (
        "a clock that was set back finds nothing"
    )
    again = [sample(30, 3_000, 3_100), *other]
    assert sorted_rows(missed(twice, again)) == sorted_rows(fold(NOTHING, first + again))


def test_partition_that_has_a_sample_is_there_whatever_the_clocks_say() -> None:
    """The driver's clock may be far ahead of the sampler's, or that one was set back: its sample says nothing new then."""
    known = fold(NOTHING, [sample(10, 5_000, 5_100)])
    late = [sample(10, 1_000, 1_100)]
    assert samplers(missed(known, late, since_ms=10**9)) == {0: "list_offsets"}
    gone = missed(missed(known, []), [])
    assert samplers(gone) == {0: MISSED}
    assert missed(gone, late).equals(known)
