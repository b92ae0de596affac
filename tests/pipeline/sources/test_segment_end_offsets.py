"""Where topics ended at every moment, read from their batches."""

from __future__ import annotations

from pathlib import Path

from muster.pipeline.sources.stable_ends import KnownEnd
from tests.pipeline.sources.segment_ends import segment_end_offsets
from tests.pipeline.sources.written_log import WrittenLog, pairs


def history(directory: Path, **more: int) -> list[tuple[int, int]]:
    return [(row["leo"], row["end_ms"]) for row in segment_end_offsets([str(directory)], **more).to_pylist()]  # type: ignore[arg-type]


def test_every_batch_is_a_step(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path, "orders")
    for at_ms in (1_000, 2_000, 2_500):
        log.append(*pairs(1), at_ms=at_ms)
    assert history(tmp_path) == [(1, 1_000), (2, 2_000), (3, 2_500)]


def test_batches_of_one_moment_are_one_step(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path, "orders")
    for at_ms in (1_000, 1_000, 2_000, 2_400, 3_100):
        log.append(*pairs(1), at_ms=at_ms)
    assert history(tmp_path) == [(2, 1_000), (3, 2_000), (4, 2_400), (5, 3_100)]
    assert history(tmp_path, resolution_ms=1_000) == [(2, 1_000), (4, 2_400), (5, 3_100)]


def test_time_that_goes_back_does_not_take_the_end_back(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path, "orders")
    for at_ms in (5_000, 1_000, 6_000):
        log.append(*pairs(1), at_ms=at_ms)
    assert history(tmp_path) == [(2, 5_000), (3, 6_000)]


def test_append_time_is_used_where_the_topic_stores_it(tmp_path: Path) -> None:
    WrittenLog(tmp_path, "orders").append(*pairs(3), at_ms=10, append_ms=7_000)
    assert history(tmp_path) == [(3, 7_000)]


def test_end_as_it_is_now_is_added_on_demand(tmp_path: Path) -> None:
    WrittenLog(tmp_path, "orders").append(*pairs(3), at_ms=1_000)
    assert history(tmp_path, read_at_ms=9_000) == [(3, 1_002), (3, 9_000)]


def test_beginning_that_was_deleted_is_said_by_the_checkpoint(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path, "orders")
    log.append(*pairs(5))
    (tmp_path / "log-start-offset-checkpoint").write_text("0\n1\norders 0 3\n")
    (row,) = segment_end_offsets([str(tmp_path)]).to_pylist()
    assert (row["log_start"], row["leo"]) == (3, 5)


def test_internal_topics_are_left_out_unless_named(tmp_path: Path) -> None:
    WrittenLog(tmp_path, "__consumer_offsets").append(*pairs(2))
    assert segment_end_offsets([str(tmp_path)]).num_rows == 0
    assert segment_end_offsets([str(tmp_path)], topics=["__consumer_offsets"]).num_rows == 1


def test_only_what_is_new_is_read_from_a_start(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path, "orders")
    for at_ms in (1_000, 2_000, 3_000):
        log.append(*pairs(2), at_ms=at_ms)
    table = segment_end_offsets([str(tmp_path)], known={("orders", 0): KnownEnd(4)})
    assert table["leo"].to_pylist() == [6]
