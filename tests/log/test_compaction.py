"""What compaction keeps and what it drops, asked of every store. The rules are Kafka's log cleaner's (KIP-534, KIP-354)."""

from __future__ import annotations

import pytest

from muster.log.contract import CompactionOvertaken, LogStore
from muster.wire.batch import DELETE_HORIZON_BIT, check_crc, iterate_batches
from muster.wire.compression import NAMES
from tests.log.compacting import (
    DAY_MS,
    add,
    add_batch,
    compact,
    content,
    finish,
    headers,
    latest,
    marker,
    open_compacted,
    pairs_batch,
    shown,
)

FILLER = "x" * 250
"""More than half a segment: the next batch opens a new one."""


def close_segment(store: LogStore, log: object, key: str = "filler") -> None:
    """Make sure that what was written before is in a closed segment."""
    add(store, log, (key, FILLER))  # type: ignore[arg-type]
    add(store, log, (key, FILLER))  # type: ignore[arg-type]


def test_only_the_last_value_of_each_key_stays_and_offsets_do_not_change(store: LogStore) -> None:
    log = open_compacted(store)
    add(store, log, ("a", "1"), ("b", "1"))
    add(store, log, ("a", "2"), ("c", "1"))
    add(store, log, ("b", "2"))
    close_segment(store, log)
    before = dict(latest(log))
    report = compact(log)
    assert shown(log)[:3] == [(2, "a", "2"), (3, "c", "1"), (4, "b", "2")]
    assert latest(log) == before
    assert report.records_dropped >= 2
    assert report.bytes_after < report.bytes_before


def test_the_active_segment_is_not_touched(store: LogStore) -> None:
    log = open_compacted(store, segment_bytes=1_000_000)
    add(store, log, ("a", "1"))
    add(store, log, ("a", "2"))
    assert log.dirty_ratio(10_000) is None
    compact(log)
    assert shown(log) == [(0, "a", "1"), (1, "a", "2")]


def test_reading_from_any_offset_finds_the_next_record_that_is_still_there(store: LogStore) -> None:
    log = open_compacted(store)
    for number in range(12):
        add(store, log, (f"k{number % 3}", f"v{number}"), ("hot", str(number)))
    close_segment(store, log)
    compact(log)
    left = [record.offset for record in content(log)]
    for offset in range(log.durable_offset):
        piece = log.read(offset, 1_000_000)
        (_, first), *_ = iterate_batches(piece)
        assert first.last_offset >= offset
        wanted = next(kept for kept in left if kept >= offset)
        assert first.base_offset <= wanted
        assert next(iter(log.read_headers(offset)))[1].base_offset == first.base_offset


def test_every_batch_left_is_sound_and_keeps_its_first_and_last_offset(store: LogStore) -> None:
    log = open_compacted(store)
    for number in range(10):
        add(store, log, ("a", str(number)), (f"k{number}", "v"), ("a", str(number)))
    before = {header.base_offset: header.last_offset for header in headers(log)}
    compact(log)
    piece = log.read(0, 1_000_000)
    for position, header in iterate_batches(piece):
        check_crc(piece, header, position)
        assert before[header.base_offset] == header.last_offset


@pytest.mark.parametrize("codec", NAMES.values(), ids=list(NAMES))
def test_a_batch_keeps_its_codec(store: LogStore, codec: int) -> None:
    log = open_compacted(store)
    add(store, log, ("a", "1" * 50), ("b", "1" * 50), compression=codec)
    add(store, log, ("a", "2"))
    close_segment(store, log)
    close_segment(store, log)
    compact(log)
    assert shown(log)[:2] == [(1, "b", "1" * 50), (2, "a", "2")]
    assert headers(log)[0].compression == codec


def test_a_record_without_a_key_goes(store: LogStore) -> None:
    """As in Kafka; produce refuses them, but a topic may have been changed to compact later."""
    log = open_compacted(store)
    add(store, log, (None, "1"), ("a", "1"))
    close_segment(store, log)
    assert compact(log).keyless_records == 1
    assert shown(log)[0] == (1, "a", "1")


def test_timestamps_survive_and_searches_by_time_find_what_is_left(store: LogStore) -> None:
    log = open_compacted(store)
    add(store, log, ("a", "1"), timestamp_ms=2_000)
    add(store, log, ("b", "1"), timestamp_ms=3_000)
    add(store, log, ("a", "2"), timestamp_ms=4_000)
    close_segment(store, log)
    compact(log)
    found = log.offset_for_timestamp(1_500)
    assert found is not None
    assert (found.timestamp_ms, found.offset) == (3_000, 1)
    assert [record.timestamp_ms for record in content(log)][:2] == [3_000, 4_000]


# -- tombstones


def test_a_tombstone_erases_at_once_and_stays_for_delete_retention(store: LogStore) -> None:
    """KIP-534: the first round that sees it writes the horizon into the batch, a round after the horizon drops it."""
    log = open_compacted(store, delete_retention_ms=DAY_MS)
    add(store, log, ("a", "1"), ("b", "1"), timestamp_ms=5_000)
    add(store, log, ("a", None), timestamp_ms=6_000)
    close_segment(store, log)
    compact(log, now_ms=10_000)
    assert shown(log)[:2] == [(1, "b", "1"), (2, "a", None)]
    header = next(header for header in headers(log) if header.base_offset == 2)
    assert header.attributes & DELETE_HORIZON_BIT
    assert header.base_timestamp == 10_000 + DAY_MS
    assert header.max_timestamp == 6_000
    assert next(record for record in content(log) if record.offset == 2).timestamp_ms == 6_000

    close_segment(store, log)
    compact(log, now_ms=9_999 + DAY_MS)
    assert (2, "a", None) in shown(log)
    close_segment(store, log)
    compact(log, now_ms=10_000 + DAY_MS)
    assert (2, "a", None) not in shown(log)
    assert "a" not in latest(log)


def test_a_key_written_again_after_its_tombstone_lives(store: LogStore) -> None:
    log = open_compacted(store, delete_retention_ms=0)
    add(store, log, ("a", "1"))
    add(store, log, ("a", None))
    add(store, log, ("a", "2"))
    for _ in range(3):
        close_segment(store, log)
        compact(log)
    assert latest(log)["a"] == "2"


# -- when


def test_a_log_is_due_only_above_the_dirty_ratio_and_not_again_right_after(store: LogStore) -> None:
    log = open_compacted(store, min_cleanable_dirty_ratio=0.5)
    for number in range(8):
        add(store, log, (f"k{number}", FILLER))
    ratio = log.dirty_ratio(10_000)
    assert ratio == 1.0
    compact(log)
    assert log.dirty_ratio(10_000) is None
    add(store, log, ("new", FILLER))
    add(store, log, ("new", FILLER))
    assert log.dirty_ratio(10_000) is None
    for _ in range(10):
        add(store, log, ("new", FILLER))
    ratio = log.dirty_ratio(10_000)
    assert ratio is not None
    assert 0.5 < ratio < 1.0


def test_a_topic_that_is_not_compacted_is_never_due(store: LogStore) -> None:
    log = open_compacted(store, cleanup_compact=False)
    close_segment(store, log)
    close_segment(store, log)
    assert log.dirty_ratio(10_000) is None


def test_records_younger_than_the_lag_are_left_alone(store: LogStore) -> None:
    log = open_compacted(store, min_compaction_lag_ms=1_000)
    add(store, log, ("a", "1"), timestamp_ms=1_000)
    add(store, log, ("a", FILLER), timestamp_ms=1_000)
    add(store, log, ("a", FILLER), timestamp_ms=9_500)
    add(store, log, ("b", FILLER), timestamp_ms=9_500)
    add(store, log, ("b", FILLER), timestamp_ms=9_500)
    compact(log, now_ms=10_000)
    assert [offset for offset, _, _ in shown(log)] == [1, 2, 3, 4]
    compact(log, now_ms=11_000)
    assert [offset for offset, _, _ in shown(log)] == [2, 3, 4]


def test_max_compaction_lag_closes_the_active_segment_and_makes_a_round_due_whatever_the_ratio(store: LogStore) -> None:
    """KIP-354."""
    log = open_compacted(
        store, segment_bytes=1_000_000, min_cleanable_dirty_ratio=1.0, max_compaction_lag_ms=5_000, retention_ms=-1
    )
    add(store, log, ("a", "1"), timestamp_ms=1_000)
    add(store, log, ("a", "2"), timestamp_ms=1_000)
    log.apply_retention(7_000)
    assert log.dirty_ratio(5_500) is None
    assert log.dirty_ratio(7_000) == 1.0
    compact(log, now_ms=7_000)
    assert shown(log) == [(1, "a", "2")]
    assert add(store, log, ("b", "1")) == 2


def test_small_neighbours_become_one_segment(store: LogStore) -> None:
    """Otherwise a compacted log would end as thousands of tiny files."""
    log = open_compacted(store, segment_bytes=400)
    for number in range(40):
        add(store, log, ("hot", f"{number}" * 30), ("k" + str(number % 5), "v"))
    compact(log)
    add(store, log, ("hot", FILLER))
    add(store, log, ("hot", FILLER))
    compact(log)
    assert log.size_bytes() < 1_500
    assert latest(log)["hot"] == FILLER


def test_more_new_keys_than_are_held_at_a_time_take_several_rounds(store: LogStore) -> None:
    log = open_compacted(store)
    log.max_keys_a_round = 10  # type: ignore[attr-defined]
    for number in range(120):
        add(store, log, (f"k{number % 40}", f"v{number}"))
    model = latest(log)
    rounds = 0
    while log.dirty_ratio(10_000) is not None:
        report = compact(log)
        assert latest(log) == model
        rounds += 1
        assert rounds < 20
    assert rounds > 3
    closed = [record.key for record in content(log) if record.offset < report.clean_offset]
    assert len(closed) == len(set(closed))


# -- producers and transactions


def test_the_last_batch_of_a_producer_stays_as_a_header(store: LogStore) -> None:
    """Otherwise its next batch would look out of order after a restart."""
    log = open_compacted(store)
    add(store, log, ("a", "1"), producer_id=7, producer_epoch=1, base_sequence=0)
    add(store, log, ("a", "2"), producer_id=7, producer_epoch=1, base_sequence=1)
    add(store, log, ("a", "3"))
    close_segment(store, log)
    compact(log)
    (left,) = [header for header in headers(log) if header.producer_id == 7]
    assert (left.base_sequence, left.record_count, left.base_offset, left.last_offset) == (1, 0, 1, 1)
    assert "7" not in {key for _, key, _ in shown(log)}
    close_segment(store, log)
    compact(log, now_ms=10_000 + 2 * DAY_MS)
    assert [header for header in headers(log) if header.producer_id == 7] == []


def transactional(pairs: list[tuple[str | None, str | None]], producer_id: int = 7, sequence: int = 0) -> bytes:
    return pairs_batch(pairs, producer_id=producer_id, producer_epoch=0, base_sequence=sequence, transactional=True)


def test_records_of_an_aborted_transaction_go_and_do_not_outlive_what_they_would_have_replaced(store: LogStore) -> None:
    log = open_compacted(store)
    add(store, log, ("a", "kept"))
    add_batch(store, log, transactional([("a", "aborted")]))
    add_batch(store, log, marker(7, committed=False))
    close_segment(store, log)
    compact(log)
    assert shown(log)[0] == (0, "a", "kept")
    assert "aborted" not in {value for _, _, value in shown(log)}


def test_records_of_a_committed_transaction_replace_older_ones(store: LogStore) -> None:
    log = open_compacted(store)
    add(store, log, ("a", "old"))
    add_batch(store, log, transactional([("a", "new")]))
    add_batch(store, log, marker(7, committed=True))
    close_segment(store, log)
    compact(log)
    assert shown(log)[0] == (1, "a", "new")


def test_an_open_transaction_stays_as_it_is_and_is_looked_at_again_when_it_has_ended(store: LogStore) -> None:
    """A tombstone in it counts only once it is committed."""
    log = open_compacted(store, delete_retention_ms=0)
    add(store, log, ("a", "1"))
    add_batch(store, log, transactional([("a", None)]))
    close_segment(store, log)
    report = compact(log)
    assert report.clean_offset == 1
    assert shown(log)[:2] == [(0, "a", "1"), (1, "a", None)]
    assert log.dirty_ratio(10_000) is None, "nothing was learned since: another round would do the same"
    add_batch(store, log, marker(7, committed=True))
    for _ in range(3):
        close_segment(store, log)
        compact(log)
    assert "a" not in {key for _, key, _ in shown(log)}


def test_a_marker_goes_only_after_its_transactions_records_and_after_delete_retention(store: LogStore) -> None:
    log = open_compacted(store, delete_retention_ms=1_000, producer_id_expiration_ms=1)

    def markers() -> int:
        return sum(header.is_control for header in headers(log))

    add_batch(store, log, transactional([("a", "1")]))
    add_batch(store, log, marker(7, committed=True))
    add(store, log, ("a", "2"))
    close_segment(store, log)
    compact(log, now_ms=10_000)
    assert markers() == 1
    close_segment(store, log)
    compact(log, now_ms=20_000)
    assert markers() == 1, "its delete horizon is set now"
    close_segment(store, log)
    compact(log, now_ms=20_999)
    assert markers() == 1
    close_segment(store, log)
    compact(log, now_ms=21_000)
    assert markers() == 0


# -- around it


def test_appends_go_on_between_the_pieces_of_a_round(store: LogStore) -> None:
    log = open_compacted(store)
    for number in range(30):
        add(store, log, (f"k{number % 4}", f"v{number}" * 5))
    model = latest(log)
    round_ = log.begin_compaction(10_000)
    number = 0
    while True:
        round_.work(100)
        if round_.settle() is not None:
            break
        add(store, log, (f"k{number % 6}", f"new{number}"))
        model[f"k{number % 6}"] = f"new{number}"
        assert latest(log) == model
        number += 1
    assert number > 10
    assert latest(log) == model


def test_an_abandoned_round_leaves_the_log_whole_and_another_may_begin(store: LogStore) -> None:
    log = open_compacted(store)
    for number in range(30):
        add(store, log, (f"k{number % 4}", f"v{number}" * 5))
    model = latest(log)
    pieces = 0
    while pieces < 200:
        pieces += 7
        round_ = log.begin_compaction(10_000)
        for _ in range(pieces):
            round_.work(60)
            if round_.settle() is not None:
                return
        round_.abandon()
        assert latest(log) == model
    raise AssertionError("no round came to its end")


def test_retention_that_is_quicker_ends_the_round_and_harms_nothing(store: LogStore) -> None:
    log = open_compacted(store, cleanup_delete=True, retention_ms=5_000)
    for number in range(20):
        add(store, log, (f"k{number % 4}", f"v{number}" * 9), timestamp_ms=number * 1_000)
    round_ = log.begin_compaction(20_000)
    round_.work(400)
    assert round_.settle() is None
    assert log.apply_retention(20_000) > 3
    model = latest(log)
    with pytest.raises(CompactionOvertaken):
        finish(round_)
    assert latest(log) == model
    compact(log, now_ms=20_000)
    assert latest(log) == model
