"""Which transactions were aborted, as Kafka's `.txnindex` keeps it: written, searched, and made anew from the log."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from muster.log.contract import LogStore
from muster.log.files import FileStore
from muster.log.index import IndexDamaged
from muster.log.transaction_index import AbortedTransaction, collect, decode_entries, encode_entries
from muster.wire.batch import EndMarker, encode_marker_batch, parse_header
from tests.log.batches import open_log, put
from tests.log.compacting import compact, finish, open_compacted
from tests.log.transactions import add, end

FIRST = "00000000000000000000.txnindex"


def kill(store: FileStore, directory: Path) -> None:
    """Stop without a clean mark: close, then take the mark away."""
    store.close()
    (directory / ".kafka_cleanshutdown").unlink()


def test_an_entry_is_34_bytes_in_kafkas_order() -> None:
    content = encode_entries([AbortedTransaction(7, 10, 20, 15)])
    assert content == struct.pack(">hqqqq", 0, 7, 10, 20, 15)
    assert len(content) == 34
    assert decode_entries(content, 0, 100) == [AbortedTransaction(7, 10, 20, 15)]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\0" * 33, "multiple"),
        (struct.pack(">hqqqq", -1, 7, 10, 20, 15), "negative"),
        (struct.pack(">hqqqq", 0, 7, 10, 20, 15) * 2, "ascend"),
        (struct.pack(">hqqqq", 0, 7, 10, 120, 15), "outside"),
    ],
)
def test_bytes_that_cannot_be_an_index_are_refused(content: bytes, problem: str) -> None:
    with pytest.raises(IndexDamaged, match=problem):
        decode_entries(content, 0, 100)


def test_a_search_stops_where_nothing_older_can_follow() -> None:
    """Kafka's TransactionIndex.collectAbortedTxns."""
    entries = [AbortedTransaction(1, 0, 5, 3), AbortedTransaction(2, 3, 9, 10), AbortedTransaction(3, 20, 25, 26)]
    found: list[AbortedTransaction] = []
    assert collect(entries, 0, 8, found)
    assert found == entries[:2]
    found = []
    assert collect(entries, 6, 10, found)
    assert found == entries[1:2]
    found = []
    assert not collect(entries, 10, 100, found)
    assert found == entries[2:]


def test_a_log_tells_of_aborted_transactions_once_their_markers_are_durable(store: LogStore) -> None:
    log = open_log(store)
    put(store, log, "plain")
    before = log.has_transactions
    first = add(store, log, 7)
    assert (before, log.has_transactions) == (False, True)
    aborted = end(store, log, 7, first)
    add(store, log, 8)
    end(store, log, 8, 3, committed=True)
    assert log.aborted_transactions(0, 5) == [aborted]
    assert log.aborted_transactions(3, 5) == []
    assert log.aborted_transactions(0, 1) == []


def test_a_marker_that_was_lost_leaves_no_entry(store: LogStore) -> None:
    log = open_log(store)
    first = add(store, log, 7)
    batch = encode_marker_batch(EndMarker(False, 0), 7, 0, 1_000)
    offset = log.append(batch, parse_header(batch), 0, now_ms=1_000)
    log.note_aborted(AbortedTransaction(7, first, offset, offset + 1))
    log.fall_back()  # type: ignore[attr-defined]
    put(store, log, "plain")
    assert log.aborted_transactions(0, 9) == []


def test_the_file_is_there_from_the_first_transactional_batch_on_and_filled_by_a_clean_stop(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    log = open_log(store)
    put(store, log, "plain")
    assert not (tmp_path / "t-0" / FIRST).exists()
    first = add(store, log, 7)
    assert (tmp_path / "t-0" / FIRST).read_bytes() == b""
    aborted = end(store, log, 7, first)
    store.close()
    assert aborted is not None
    assert (tmp_path / "t-0" / FIRST).read_bytes() == encode_entries([aborted])
    again = open_log(FileStore(str(tmp_path)))
    assert again.has_transactions
    assert again.aborted_transactions(0, 9) == [aborted]


def test_every_later_segment_has_a_file_so_that_retention_leaves_one(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    log = open_log(store, segment_bytes=100)
    for sequence in range(4):
        add(store, log, 7, sequence=sequence)
    names = sorted(name for name in os.listdir(tmp_path / "t-0") if name.endswith(".txnindex"))
    assert names == [f"{base:020d}.txnindex" for base in range(4)]
    log.delete_before(3)
    store.close()
    assert sorted(name for name in os.listdir(tmp_path / "t-0") if name.endswith(".txnindex")) == names[3:]
    assert open_log(FileStore(str(tmp_path))).has_transactions


def test_a_segment_rolled_by_the_clock_has_a_file_too(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    log = open_log(store, segment_ms=1_000)
    add(store, log, 7)
    log.apply_retention(now_ms=10_000)
    assert (tmp_path / "t-0" / "00000000000000000001.txnindex").exists()


def test_a_transaction_that_began_segments_ago_is_found_anew_after_a_crash(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    log = open_log(store, segment_bytes=100)
    add(store, log, 9)
    end(store, log, 9, 0)
    first = add(store, log, 7)
    for sequence in range(1, 4):
        add(store, log, 7, sequence=sequence)
    aborted = end(store, log, 7, first)
    kill(store, tmp_path)
    (tmp_path / "t-0" / "00000000000000000006.txnindex").write_bytes(b"rubbish")
    again = open_log(FileStore(str(tmp_path)), segment_bytes=100)
    assert aborted is not None
    # What was open before the segments that were read is not known, so the entry stops no search.
    assert again.aborted_transactions(3, 9) == [aborted._replace(last_stable_offset=0)]


def test_a_log_that_is_read_whole_after_a_crash_gets_the_same_entries_again(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    log = open_log(store)
    add(store, log, 7)
    add(store, log, 8)
    one = end(store, log, 7, 0, stable=1)
    two = end(store, log, 8, 1)
    kill(store, tmp_path)
    (tmp_path / "t-0" / FIRST).unlink()
    again = open_log(FileStore(str(tmp_path)))
    assert again.has_transactions
    assert again.aborted_transactions(0, 9) == [one, two]


def test_a_file_that_is_missing_or_damaged_is_made_anew_when_it_is_needed(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    log = open_log(store, segment_bytes=150)
    aborted = []
    for producer_id in (1, 2, 3):
        first = add(store, log, producer_id)
        aborted.append(end(store, log, producer_id, first))
    store.close()
    indexes = sorted((tmp_path / "t-0").glob("*.txnindex"))
    before = [path.read_bytes() for path in indexes]
    assert sum(map(len, before)) == 3 * 34
    indexes[0].write_bytes(b"x")
    for path in indexes[1:-1]:
        path.unlink()
    again = open_log(FileStore(str(tmp_path)), segment_bytes=150)
    found = again.aborted_transactions(0, 9)
    assert [entry._replace(last_stable_offset=0) for entry in found] == [
        entry._replace(last_stable_offset=0) for entry in aborted if entry is not None
    ]
    assert [len(path.read_bytes()) for path in indexes] == [len(content) for content in before]


def test_a_compaction_drops_the_entries_whose_markers_go(store: LogStore) -> None:
    log = open_compacted(store, segment_bytes=150, delete_retention_ms=100, producer_id_expiration_ms=1)
    first = add(store, log, 7)
    aborted = end(store, log, 7, first)
    for sequence in range(4):
        put(store, log, f"plain {sequence}")
    compact(log, now_ms=10_000)
    assert log.aborted_transactions(0, 9) == [aborted], "its marker is still there"
    compact(log, now_ms=20_000)
    for sequence in range(4):
        put(store, log, f"more {sequence}")
    compact(log, now_ms=30_000)
    compact(log, now_ms=40_000)
    assert not any(header.is_control for _, header in log.read_headers(0))
    assert log.aborted_transactions(0, 9) == []


def test_nothing_from_the_last_stable_offset_on_is_compacted(store: LogStore) -> None:
    """A reader of committed records would miss the old value and not see the new one yet."""
    log = open_compacted(store, segment_bytes=100)
    put(store, log, "old")
    add(store, log, 7)
    put(store, log, "new")
    put(store, log, "newest")
    assert log.dirty_ratio(10_000, 0) is None
    report = finish(log.begin_compaction(10_000, 1))
    assert (report.clean_offset, report.records_dropped) == (1, 0)
    assert log.dirty_ratio(10_000, 4) is not None
