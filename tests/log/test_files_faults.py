"""A disk that fails at any step: the log keeps what was durable, gives the rest back and works again afterwards.

The script of each test runs with the 1st, 2nd, 3rd ... call failing, until none fails, as SQLite's tests do it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from muster.log.contract import StorageError
from muster.log.disk import MAX_PARTS_A_WRITE
from muster.log.files import FileStore
from tests.log.batches import all_records, commit, open_log, put, stage
from tests.log.failing_disk import FailingDisk, FailingPartition, SlowWriter


def reopened(path: Path) -> FileStore:
    return FileStore(str(path))


@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for good"])
def test_whichever_call_fails_durable_records_stay_and_the_log_works_again(tmp_path: Path, for_good: bool) -> None:
    """Contract step 4. The commit rolls a segment, begins an epoch and is the first of a second, new log."""
    fail_at = 0
    clean_run = False
    while not clean_run:
        fail_at += 1
        directory = tmp_path / str(fail_at)
        disk = FailingDisk()
        store = FileStore(str(directory), disk=disk)
        log = open_log(store, segment_bytes=300)
        put(store, log, "kept")
        other = open_log(store, partition=1)
        disk.arm(fail_at, for_good=for_good)
        for number in range(4):
            stage(log, f"{number}" * 100, epoch=number)
        stage(other, "other")
        outcomes = dict(commit(store))
        clean_run = not disk.failed
        disk.disarm()
        expected = [(0, "kept")]
        if outcomes[log] is None:
            expected += [(number + 1, f"{number}" * 100) for number in range(4)]
        assert all_records(log) == expected
        assert log.end_offset == log.durable_offset == len(expected)
        assert all_records(other) == ([(0, "other")] if outcomes[other] is None else [])
        again = put(store, log, "again")
        assert again == len(expected)
        expected.append((again, "again"))
        assert all_records(log) == expected
        stage(other, "other again")
        assert [failure for _, failure in commit(store)] == [None]
        store.close()
        later = reopened(directory)
        assert all_records(open_log(later)) == expected
        later.close()
    assert fail_at > 15, "the script should have had more calls that can fail"


def test_whichever_call_fails_while_a_log_is_made_it_can_be_opened_later(tmp_path: Path) -> None:
    """A disk that was full while the id of the topic was written left half an id, and the log could not be opened any more."""
    fail_at = 0
    clean_run = False
    while not clean_run:
        fail_at += 1
        disk = FailingDisk()
        store = FileStore(str(tmp_path / str(fail_at)), disk=disk)
        disk.arm(fail_at)
        with suppress(StorageError):
            open_log(store)
        clean_run = not disk.failed
        disk.disarm()
        log = open_log(store)
        put(store, log, "a")
        store.close()
        later = reopened(tmp_path / str(fail_at))
        assert all_records(open_log(later)) == [(0, "a")]
        later.close()
    assert fail_at > 3


def test_every_failed_commit_says_what_could_not_be_done(tmp_path: Path) -> None:
    disk = FailingDisk()
    store = FileStore(str(tmp_path), disk=disk)
    log = open_log(store)
    put(store, log, "a")
    disk.arm(1, for_good=True)
    stage(log, "b")
    ((_, failure),) = commit(store)
    assert isinstance(failure, StorageError)
    assert str(tmp_path / "t-0") in str(failure)
    assert "No space left" in str(failure)
    disk.disarm()
    store.close()


def test_a_disk_that_stays_full_fails_every_commit_and_recovers_when_there_is_room(tmp_path: Path) -> None:
    disk = FailingDisk()
    store = FileStore(str(tmp_path), disk=disk)
    log = open_log(store)
    put(store, log, "a")
    disk.arm(1, for_good=True)
    for _ in range(3):
        stage(log, "lost")
        assert [failure is None for _, failure in commit(store)] == [False]
        assert log.end_offset == 1
    disk.disarm()
    put(store, log, "b")
    assert all_records(log) == [(0, "a"), (1, "b")]
    store.close()


def test_one_logs_failure_is_not_anothers(tmp_path: Path) -> None:
    disk = FailingDisk()
    store = FileStore(str(tmp_path), disk=disk)
    first, second = open_log(store), open_log(store, partition=1)
    put(store, first, "a")
    put(store, second, "a")
    disk.arm(1)
    stage(first, "b")
    stage(second, "b")
    outcomes = [failure is None for _, failure in commit(store)]
    assert outcomes == [False, True]
    assert (first.durable_offset, second.durable_offset) == (1, 2)
    disk.disarm()
    store.close()


def test_a_write_that_cannot_be_undone_leaves_no_clean_mark_and_is_cut_at_the_next_start(tmp_path: Path) -> None:
    disk = FailingDisk()
    store = FileStore(str(tmp_path), disk=disk)
    log = open_log(store)
    put(store, log, "a")
    disk.arm(1, for_good=True)
    stage(log, "half of this is written")
    commit(store)
    assert disk.failed == ["write", "truncate"]
    with pytest.raises(StorageError, match="cannot be closed"):
        store.close()
    later = reopened(tmp_path)
    assert not later.was_clean
    log = open_log(later)
    assert all_records(log) == [(0, "a")]
    assert put(later, log, "b") == 1
    later.close()


@pytest.mark.parametrize("name", ["delete_before", "document", "delete"])
def test_other_changes_that_fail_say_so_and_change_nothing(tmp_path: Path, name: str) -> None:
    fail_at = 0
    clean_run = False
    while not clean_run:
        fail_at += 1
        disk = FailingDisk()
        store = FileStore(str(tmp_path / str(fail_at)), disk=disk)
        log = open_log(store)
        put(store, log, "a", "b")
        store.write_document("catalog", b"old")
        disk.arm(fail_at)
        try:
            if name == "delete_before":
                log.delete_before(1)
            elif name == "document":
                store.write_document("catalog", b"new")
            else:
                store.delete("t", 0)
        except StorageError:
            disk.disarm()
            assert log.start_offset == 0
            # A rename that came through before its sync failed may show the new content; both are whole.
            assert store.read_document("catalog") in (b"old", b"new")
        else:
            clean_run = not disk.failed
        disk.disarm()
        store.close()
    assert fail_at > 2


def test_short_writes_are_continued(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path), disk=SlowWriter(7))
    log = open_log(store)
    stage(log, "a" * 20)
    stage(log, "b", "c")
    assert [failure for _, failure in commit(store)] == [None]
    assert all_records(log) == [(0, "a" * 20), (1, "b"), (2, "c")]
    store.close()


def test_more_batches_than_one_system_call_takes_are_written_in_order(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    log = open_log(store)
    count = MAX_PARTS_A_WRITE * 2 + 5
    for number in range(count):
        stage(log, str(number))
    assert [failure for _, failure in commit(store)] == [None]
    assert all_records(log) == [(number, str(number)) for number in range(count)]
    store.close()


def test_a_log_deleted_while_its_commit_is_on_the_way_fails_that_commit_only(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    log, other = open_log(store), open_log(store, partition=1)
    stage(log, "a")
    stage(other, "b")
    pending = store.begin_commit()
    assert pending is not None
    store.delete("t", 0)
    fresh = open_log(store)
    pending.run()
    outcomes = [(entry.partition, failure is None) for entry, failure in pending.finish()]
    assert outcomes == [(0, False), (1, True)]
    assert all_records(fresh) == []
    assert put(store, fresh, "new") == 0
    store.close()


def test_among_many_logs_synced_side_by_side_only_the_failing_one_loses(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path), disk=FailingPartition("t-7"))
    logs = [open_log(store, partition=number) for number in range(80)]
    for log in logs:
        stage(log, "x")
    failed = [log.partition for log, failure in commit(store) if failure is not None]
    assert failed == [7]
    assert [log.partition for log in logs if log.durable_offset == 0] == [7]
    store.close()
