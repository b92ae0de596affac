"""What a restart finds: after a clean stop, after a crash that tore the tail, after damage that no crash makes."""

from __future__ import annotations

import errno
import logging
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from muster.log.contract import LogUnusable, PartitionLog, StorageError, TimestampOffset
from muster.log.directory import CLEAN_MARK
from muster.log.disk import Disk
from muster.log.files import FileStore
from muster.log.repair import cut as cut_log
from muster.log.repair import find_damage
from muster.log.segment import Segment
from muster.wire.batch import Record, encode_batch, with_offset_and_epoch
from tests.log.batches import all_records, batch_of, commit, open_log, put, stage

FIRST_LOG = "00000000000000000000.log"


def crash(store: FileStore) -> None:
    """The process is gone: nothing more is written, the lock falls."""
    store._access.readers.close()
    store._access.writers.close()
    store._release_directory()


def the_log(store: FileStore) -> PartitionLog:
    log = store.get("t", 0)
    assert log is not None
    return log


def filled(directory: Path, count: int = 10, **config: Any) -> FileStore:
    store = FileStore(str(directory))
    log = open_log(store, **config)
    for number in range(count):
        put(store, log, f"{number}a", f"{number}b", timestamp_ms=1_000 + number)
    return store


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("segment_bytes", [200, 1_000_000])
def test_everything_durable_is_there_again(tmp_path: Path, clean: bool, segment_bytes: int) -> None:
    config: dict[str, Any] = {"segment_bytes": segment_bytes, "index_interval_bytes": 100}
    store = filled(tmp_path, **config)
    before = all_records(the_log(store))
    if clean:
        store.close()
    else:
        crash(store)
    again = FileStore(str(tmp_path))
    assert again.was_clean == clean
    assert again.partitions() == [("t", 0)]
    log = open_log(again, **config)
    assert all_records(log) == before
    assert log.end_offset == log.durable_offset == 20
    assert log.max_timestamp() == TimestampOffset(1_009, 18)
    assert log.offset_for_timestamp(1_004) == TimestampOffset(1_004, 8)
    assert put(again, log, "next") == 20
    again.close()


def test_a_tail_torn_at_any_byte_is_cut_back_to_the_last_whole_batch(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A crash in the middle of an unsynced commit of two batches."""
    store = filled(tmp_path / "whole", 3)
    path = tmp_path / "whole" / "t-0" / FIRST_LOG
    durable = path.stat().st_size
    log = the_log(store)
    stage(log, "first torn", "x" * 40)
    middle = durable + len(batch_of("first torn", "x" * 40))
    stage(log, "second torn")
    commit(store)
    end = path.stat().st_size
    crash(store)
    for cut in range(durable, end + 1):
        directory = tmp_path / "torn"
        shutil.copytree(tmp_path / "whole", directory)
        os.truncate(directory / "t-0" / FIRST_LOG, cut)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            again = FileStore(str(directory))
            log = open_log(again)
        sound = end if cut == end else middle if cut >= middle else durable
        assert (directory / "t-0" / FIRST_LOG).stat().st_size == sound
        assert log.end_offset == {durable: 6, middle: 8, end: 9}[sound]
        if cut > sound:
            (message,) = [record.getMessage() for record in caplog.records]
            assert f"cut {cut - sound} bytes" in message
            assert FIRST_LOG in message
            assert f"position {sound}" in message
        else:
            assert caplog.records == []
        put(again, log, "after")
        assert all_records(log)[-1] == (log.end_offset - 1, "after")
        again.close()
        shutil.rmtree(directory)


TORN = with_offset_and_epoch(batch_of("torn", "x" * 200), 6, 0)


@pytest.mark.parametrize(
    "tail",
    [
        bytes(5_000),
        TORN[:100] + bytes(len(TORN) - 100),
        TORN[:-50] + bytes(50) + TORN[:-50] + bytes(50),
        TORN[:-50] + bytes(50) + bytes(3_000),
        TORN[:60],
    ],
    ids=["zeros", "batch without its last pages", "two of them", "one and zeros", "less than a header"],
)
def test_what_a_power_failure_leaves_of_an_unfinished_write_is_cut(tmp_path: Path, tail: bytes) -> None:
    """File systems may lengthen a file before they write the bytes."""
    crash(filled(tmp_path, 3))
    with open(tmp_path / "t-0" / FIRST_LOG, "ab") as file:
        file.write(tail)
    again = FileStore(str(tmp_path))
    assert open_log(again).end_offset == 6
    again.close()


@pytest.mark.parametrize("tail", [b"\x01" * 300, bytes(50) + TORN], ids=["noise", "header missing"])
def test_where_no_header_stands_nothing_is_searched_for_and_the_operator_decides(tmp_path: Path, tail: bytes) -> None:
    """What lies behind it may have been acknowledged, and no length says where that begins."""
    crash(filled(tmp_path, 3))
    with open(tmp_path / "t-0" / FIRST_LOG, "ab") as file:
        file.write(tail)
    again = FileStore(str(tmp_path))
    with pytest.raises(StorageError, match="is no header of a batch, so this is not a torn tail"):
        open_log(again)
    crash(again)


def test_a_batch_that_holds_sound_batches_and_is_torn_is_cut_like_any_other(tmp_path: Path) -> None:
    """Topics may carry Kafka's own batches, and clients may send whatever they like."""
    inner = with_offset_and_epoch(batch_of("inner"), 7, 0)
    outer = with_offset_and_epoch(encode_batch([Record(0, 1_000, b"k", inner * 3 + b"x" * 100)]), 6, 0)
    for torn in range(61, len(outer), 13):
        directory = tmp_path / str(torn)
        crash(filled(directory, 3))
        with open(directory / "t-0" / FIRST_LOG, "ab") as file:
            file.write(outer[:torn])
        again = FileStore(str(directory))
        assert open_log(again).end_offset == 6
        again.close()


@pytest.mark.parametrize("where", ["length", "body", "magic"])
def test_a_bad_batch_with_sound_ones_behind_it_is_an_error_that_says_where(tmp_path: Path, where: str) -> None:
    """Design law 10: it may hold acknowledged records, so nobody but the operator may cut there."""
    store = filled(tmp_path, 5)
    log = the_log(store)
    position, _ = list(log.read_headers(0))[2]
    crash(store)
    path = tmp_path / "t-0" / FIRST_LOG
    content = bytearray(path.read_bytes())
    content[position + {"length": 11, "body": 65, "magic": 16}[where]] ^= 0x41
    path.write_bytes(content)
    again = FileStore(str(tmp_path))
    with pytest.raises(StorageError) as caught:
        open_log(again)
    message = str(caught.value)
    assert str(path) in message
    assert f"position {position}" in message
    assert "offset 4" in message
    assert "muster log repair" in message
    crash(again)
    os.truncate(path, position)
    mended = FileStore(str(tmp_path))
    assert open_log(mended).end_offset == 4
    mended.close()


@pytest.mark.parametrize("length_byte", [8, 9, 10, 11])
def test_a_rotten_length_before_the_recovery_point_is_damage_although_it_reaches_past_the_end(
    tmp_path: Path, length_byte: int
) -> None:
    """What was synced is no unfinished write, whatever it looks like."""
    store = filled(tmp_path, 5)
    position, _ = list(the_log(store).read_headers(0))[2]
    store.close()
    (tmp_path / CLEAN_MARK).unlink()
    path = tmp_path / "t-0" / FIRST_LOG
    content = bytearray(path.read_bytes())
    content[position + length_byte] ^= 0x40
    path.write_bytes(content)
    again = FileStore(str(tmp_path))
    with pytest.raises(
        StorageError, match=f"damaged at position {position}, offset 4.*everything before offset 10 was"
    ):
        open_log(again)
    crash(again)
    (damage,) = find_damage(str(tmp_path))
    assert not damage.is_torn_tail
    cut_log(str(tmp_path), damage)
    mended = FileStore(str(tmp_path))
    log = open_log(mended)
    assert log.end_offset == 4
    put(mended, log, "next")
    crash(mended)
    with open(path, "ab") as file:
        file.write(with_offset_and_epoch(batch_of("torn"), 5, 0)[:-3])
    last = FileStore(str(tmp_path))
    assert open_log(last).end_offset == 5, "the cut took the recovery point with it: this is a torn tail again"
    last.close()


def test_a_batch_that_reaches_past_the_end_and_says_an_offset_that_is_there_already_is_damage(tmp_path: Path) -> None:
    crash(filled(tmp_path, 3))
    with open(tmp_path / "t-0" / FIRST_LOG, "ab") as file:
        file.write(with_offset_and_epoch(batch_of("x" * 100), 5, 0)[:-3])
    again = FileStore(str(tmp_path))
    with pytest.raises(StorageError, match="says offset 5, which nobody was writing, so this is not a torn tail"):
        open_log(again)
    crash(again)


@pytest.mark.parametrize("restarts", [False, True])
def test_a_topic_made_again_does_not_inherit_the_recovery_point_of_its_namesake(tmp_path: Path, restarts: bool) -> None:
    filled(tmp_path).close()
    store = FileStore(str(tmp_path))
    store.delete("t", 0)
    if restarts:
        crash(store)
        store = FileStore(str(tmp_path))
    put(store, open_log(store), "new")
    crash(store)
    with open(tmp_path / "t-0" / FIRST_LOG, "ab") as file:
        file.write(with_offset_and_epoch(batch_of("torn"), 1, 0)[:-3])
    again = FileStore(str(tmp_path))
    assert open_log(again).end_offset == 1
    again.close()


class ShortOfSomething(Disk):
    def __init__(self, number: int) -> None:
        self.number = number

    def open_for_read(self, path: str) -> int:
        raise OSError(self.number, os.strerror(self.number))


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_what_the_machine_lacks_takes_no_healthy_partition_offline(tmp_path: Path, number: int) -> None:
    crash(filled(tmp_path, 3))
    short = FileStore(str(tmp_path), disk=ShortOfSomething(number))
    with pytest.raises(StorageError) as caught:
        open_log(short)
    assert not isinstance(caught.value, LogUnusable)
    crash(short)
    again = FileStore(str(tmp_path))
    assert open_log(again).end_offset == 6
    again.close()


def test_what_is_the_matter_with_one_file_takes_its_partition_offline(tmp_path: Path) -> None:
    crash(filled(tmp_path, 3))
    refused = FileStore(str(tmp_path), disk=ShortOfSomething(errno.EACCES))
    with pytest.raises(LogUnusable):
        open_log(refused)
    crash(refused)


def test_a_bad_end_of_a_closed_segment_is_an_error(tmp_path: Path) -> None:
    """A segment is synced before the next one is made: a crash cannot tear it."""
    store = filled(tmp_path, 10, segment_bytes=200)
    crash(store)
    (tmp_path / "recovery-point-offset-checkpoint").unlink()
    os.truncate(tmp_path / "t-0" / FIRST_LOG, 100)
    again = FileStore(str(tmp_path))
    with pytest.raises(StorageError, match="newer segments follow"):
        open_log(again)
    crash(again)


def test_closed_segments_before_the_recovery_point_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash(filled(tmp_path, 50, segment_bytes=1_000))
    read: list[str] = []
    original = Segment.read_at

    def spying(self: Segment, position: int, size: int) -> bytes:
        read.append(os.path.basename(self.log_path))
        return original(self, position, size)

    monkeypatch.setattr(Segment, "read_at", spying)
    again = FileStore(str(tmp_path))
    assert open_log(again, segment_bytes=1_000).end_offset == 100
    last = sorted(name for name in os.listdir(tmp_path / "t-0") if name.endswith(".log"))[-1]
    assert set(read) == {last}
    again.close()


def test_after_a_clean_stop_only_the_end_of_a_log_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = FileStore(str(tmp_path))
    log = open_log(store)
    for _ in range(100):
        put(store, log, "x" * 2_000)
    total = log.size_bytes()
    store.close()
    read: list[int] = []
    original = Segment.read_at

    def spying(self: Segment, position: int, size: int) -> bytes:
        read.append(size)
        return original(self, position, size)

    monkeypatch.setattr(Segment, "read_at", spying)
    again = FileStore(str(tmp_path))
    assert open_log(again).end_offset == 100
    assert sum(read) < total / 10
    again.close()


@pytest.mark.parametrize("damage", ["missing", "half an entry", "zeros", "pointing outside", "leading astray"])
def test_damaged_or_missing_indexes_are_made_anew(tmp_path: Path, damage: str) -> None:
    config: dict[str, Any] = {"segment_bytes": 2_000, "index_interval_bytes": 100}
    store = filled(tmp_path, 40, **config)
    store.close()
    for name in os.listdir(tmp_path / "t-0"):
        path = tmp_path / "t-0" / name
        if not name.endswith(("index",)):
            continue
        if damage == "missing":
            path.unlink()
        elif damage == "half an entry":
            path.write_bytes(path.read_bytes()[:-5])
        elif damage == "zeros":
            path.write_bytes(bytes(24 * 5))
        elif damage == "pointing outside":
            path.write_bytes(path.read_bytes()[: -len(path.read_bytes()) // 2] + b"\x7f" * 24)
        elif name.endswith(".index"):
            entries = bytearray(path.read_bytes())
            entries[7::8] = bytes((byte + 1) % 256 for byte in entries[7::8])
            path.write_bytes(entries)
    again = FileStore(str(tmp_path))
    log = open_log(again, **config)
    assert len(all_records(log)) == 80
    for offset in range(0, 80, 7):
        (_, header) = next(iter(log.read_headers(offset)))
        assert header.base_offset <= offset <= header.last_offset
    assert log.offset_for_timestamp(1_021) == TimestampOffset(1_021, 42)
    assert log.max_timestamp() == TimestampOffset(1_039, 78)
    again.close()


@pytest.mark.parametrize("clean", [True, False])
def test_the_start_offset_survives(tmp_path: Path, clean: bool) -> None:
    store = filled(tmp_path)
    log = the_log(store)
    log.delete_before(7)
    if clean:
        store.close()
    else:
        crash(store)
    again = FileStore(str(tmp_path))
    log = open_log(again)
    assert log.start_offset == 7
    assert all_records(log)[0] == (7, "3b")
    again.close()


@pytest.mark.parametrize("clean", [True, False])
def test_offsets_go_on_after_retention_took_everything(tmp_path: Path, clean: bool) -> None:
    store = filled(tmp_path, retention_ms=10)
    log = the_log(store)
    log.apply_retention(10**12)
    if clean:
        store.close()
    else:
        crash(store)
    again = FileStore(str(tmp_path))
    log = open_log(again)
    assert (log.start_offset, log.end_offset) == (20, 20)
    assert put(again, log, "x") == 20
    again.close()


def test_a_log_that_lost_everything_after_its_start_begins_anew_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = filled(tmp_path)
    log = the_log(store)
    log.delete_before(15)
    crash(store)
    os.truncate(tmp_path / "t-0" / FIRST_LOG, 0)
    again = FileStore(str(tmp_path))
    log = open_log(again)
    assert (log.start_offset, log.end_offset) == (15, 15)
    assert "begins anew" in caplog.text
    assert put(again, log, "x") == 15
    again.close()


def test_leader_epochs_survive_and_are_made_anew_if_lost(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    log = store.open("t", 0, bytes(16), open_log(store, "other").config)
    for epoch in (0, 0, 3, 5):
        stage(log, "x", epoch=epoch)
    commit(store)
    expected = [(0, 0), (3, 2), (5, 3)]
    assert log.leader_epochs == expected
    store.close()
    path = tmp_path / "t-0" / "leader-epoch-checkpoint"
    assert path.read_text() == "0\n3\n0 0\n3 2\n5 3\n"
    for content in (path.read_text(), "nonsense", None):
        if content is None:
            path.unlink()
        else:
            path.write_text(content)
        again = FileStore(str(tmp_path))
        assert again.open("t", 0, bytes(16), log.config).leader_epochs == expected
        again.close()


def test_a_log_not_opened_since_a_crash_keeps_the_next_stop_from_being_clean(tmp_path: Path) -> None:
    store = filled(tmp_path)
    put(store, open_log(store, partition=1), "x")
    crash(store)
    second = FileStore(str(tmp_path))
    open_log(second)
    second.close()
    third = FileStore(str(tmp_path))
    assert not third.was_clean
    open_log(third)
    open_log(third, partition=1)
    third.close()
    fourth = FileStore(str(tmp_path))
    assert fourth.was_clean
    fourth.close()


def test_what_was_staged_is_committed_by_close(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    stage(open_log(store), "last words")
    store.close()
    again = FileStore(str(tmp_path))
    assert all_records(open_log(again)) == [(0, "last words")]
    again.close()


def test_with_durability_os_a_stop_syncs_and_is_clean(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path), "os")
    put(store, open_log(store), "a")
    store.close()
    again = FileStore(str(tmp_path), "os")
    assert again.was_clean
    assert all_records(open_log(again)) == [(0, "a")]
    again.close()
