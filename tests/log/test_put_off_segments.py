"""While one commit follows another the sync journal alone has the ends of logs; every so many of them write the segments."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path

from muster.log.contract import PartitionLog
from muster.log.directory import journal_files
from muster.log.disk import Disk
from muster.log.files import FileStore
from tests.log.batches import all_records, open_log, stage
from tests.log.failing_disk import FailingDisk

MORE_THAN_A_COMMIT = 400_000


def store_at(
    directory: Path, *, every: int = 4, disk: Disk | None = None, journal_bytes: int = MORE_THAN_A_COMMIT
) -> FileStore:
    return FileStore(str(directory), disk=disk, journal_bytes=journal_bytes, commits_a_segment_write=every)


def commit_to(store: FileStore, logs: Sequence[PartitionLog], value: str, *, more_follow: bool = True) -> list[object]:
    """Which logs could not be committed."""
    for log in logs:
        stage(log, value)
    pending = store.begin_commit(more_follow=more_follow)
    assert pending is not None
    pending.run()
    return [log for log, failure in pending.finish() if failure is not None]


def begun(store: FileStore, count: int = 3) -> list[PartitionLog]:
    """Logs that had their first commit, which makes files."""
    logs = [open_log(store, partition=partition) for partition in range(count)]
    assert not commit_to(store, logs, "begun", more_follow=False)
    return logs


def lacks(directory: Path, log: PartitionLog) -> int:
    """How many durable bytes the log's file does not have."""
    return log.size_bytes() - sum(path.stat().st_size for path in directory.glob(f"t-{log.partition}/*.log"))


def values(log: PartitionLog) -> list[str]:
    return [value for _, value in all_records(log)]


def crash(store: FileStore) -> None:
    store._journal.abandon()
    store._side_by_side.close()
    store._access.readers.close()
    store._access.writers.close()
    store._release_directory()


def test_every_so_many_commits_that_follow_one_another_write_the_segments(tmp_path: Path) -> None:
    store = store_at(tmp_path, every=4)
    logs = begun(store)
    are_behind = []
    for number in range(8):
        assert not commit_to(store, logs, f"{number}")
        are_behind.append([lacks(tmp_path, log) > 0 for log in logs])
    assert are_behind == [[True] * 3, [True] * 3, [True] * 3, [False] * 3] * 2
    store.close()


def test_a_log_that_has_nothing_new_is_written_with_the_others(tmp_path: Path) -> None:
    store = store_at(tmp_path, every=3)
    logs = begun(store)
    commit_to(store, logs, "of all")
    commit_to(store, logs[:2], "of two")
    assert lacks(tmp_path, logs[2])
    commit_to(store, logs[:2], "of two again")
    assert not any(lacks(tmp_path, log) for log in logs)
    store.close()


def test_a_commit_that_has_none_behind_it_writes_whatever_was_put_off(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    logs = begun(store)
    commit_to(store, logs, "put off")
    assert any(lacks(tmp_path, log) for log in logs)
    assert not commit_to(store, logs[:2], "last", more_follow=False)
    assert not store.has_put_off
    assert not any(lacks(tmp_path, log) for log in logs)
    commit_to(store, logs, "put off again")
    pending = store.begin_commit()
    assert pending is not None, "nothing is staged, but there is something to write"
    pending.run()
    assert [failure for _, failure in pending.finish()] == [None] * 3
    assert not any(lacks(tmp_path, log) for log in logs)
    assert store.begin_commit() is None
    store.close()


def test_told_to_put_off_nothing_each_commit_writes_the_segments(tmp_path: Path) -> None:
    store = store_at(tmp_path, every=1)
    logs = begun(store)
    commit_to(store, logs, "written")
    assert not store.has_put_off
    assert not any(lacks(tmp_path, log) for log in logs)
    store.close()


def test_a_log_that_is_not_in_the_journal_is_written_with_all_that_was_put_off(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    first, second = begun(store, 2)
    commit_to(store, [first, second], "together")
    commit_to(store, [first], "alone")
    assert [lacks(tmp_path, log) > 0 for log in (first, second)] == [False, True]
    assert values(first) == ["begun", "together", "alone"]
    store.close()


def test_readers_find_what_is_in_the_segment_and_what_is_put_off(tmp_path: Path) -> None:
    store = store_at(tmp_path, every=9)
    logs = begun(store, 2)
    for number in range(4):
        commit_to(store, logs, f"{number}")
    for log in logs:
        assert lacks(tmp_path, log)
        assert log.read(0, log.size_bytes()) == b"".join(log.read(offset, 1) for offset in range(5))
        for offset in range(5):
            assert [header.base_offset for _, header in log.read_headers(offset)] == [*range(offset, 5)]
        newest = log.max_timestamp()
        assert newest is not None
        assert newest.offset == 0, "all records have the same time"
    store.close()


def test_a_segment_that_is_full_has_what_was_put_off_before_the_next_begins(tmp_path: Path) -> None:
    store = store_at(tmp_path, every=99)
    logs = [open_log(store, partition=partition, segment_bytes=300) for partition in range(2)]
    commit_to(store, logs, "begun", more_follow=False)
    expected = ["begun"]
    for number in range(12):
        commit_to(store, logs, f"{number}")
        expected.append(f"{number}")
    assert len(list(tmp_path.glob("t-0/*.log"))) > 2
    assert [values(log) for log in logs] == [expected, expected]
    crash(store)
    again = store_at(tmp_path)
    assert [values(open_log(again, partition=partition, segment_bytes=300)) for partition in range(2)] == [expected] * 2
    again.close()


def test_a_killed_server_finds_what_it_had_put_off(tmp_path: Path) -> None:
    store = store_at(tmp_path, every=99)
    logs = begun(store)
    for number in range(5):
        commit_to(store, logs, f"{number}")
    assert all(lacks(tmp_path, log) for log in logs)
    crash(store)
    again = store_at(tmp_path)
    for partition in range(3):
        assert values(open_log(again, partition=partition)) == ["begun", "0", "1", "2", "3", "4"]
    again.close()
    assert not journal_files(str(tmp_path))


def test_a_clean_stop_writes_what_was_put_off(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    logs = begun(store)
    commit_to(store, logs, "put off")
    store.close()
    assert not any(lacks(tmp_path, log) for log in logs)
    again = store_at(tmp_path)
    assert again.was_clean
    assert values(open_log(again)) == ["begun", "put off"]
    again.close()


def test_a_log_that_is_released_is_whole(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    logs = begun(store)
    commit_to(store, logs, "put off")
    store.release("t", 0)
    assert values(open_log(store)) == ["begun", "put off"]
    store.close()


def test_a_deleted_log_is_not_written_any_more(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    logs = begun(store)
    commit_to(store, logs, "put off")
    store.delete("t", 0)
    assert not commit_to(store, logs[1:], "after it", more_follow=False)
    assert not (tmp_path / "t-0").exists()
    store.close()


def test_a_full_journal_stays_until_the_segments_have_what_it_holds(tmp_path: Path) -> None:
    store = store_at(tmp_path, every=99, journal_bytes=300)
    logs = begun(store)
    commit_to(store, logs, "fills the journal")
    (full,) = journal_files(str(tmp_path))
    assert all(lacks(tmp_path, log) for log in logs)
    commit_to(store, logs, "writes all")
    store._journal._wait()
    assert full not in journal_files(str(tmp_path))
    assert not any(lacks(tmp_path, log) for log in logs)
    store.close()


class NoRoomIn(Disk):
    """The segments of one partition cannot be written while this is armed."""

    def __init__(self, partition: int) -> None:
        self._name = f"t-{partition}/"
        self._paths: dict[int, str] = {}
        self.is_armed = False

    def open_for_append(self, path: str, *, fresh: bool = False) -> int:
        fd = super().open_for_append(path, fresh=fresh)
        self._paths[fd] = path
        return fd

    def write(self, fd: int, parts: Sequence[bytes]) -> int:
        if self.is_armed and self._name in self._paths.get(fd, ""):
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(fd, parts)


def test_what_was_put_off_and_cannot_be_written_is_kept_with_its_journal_until_it_can(tmp_path: Path) -> None:
    """It was acknowledged: a commit that fails takes nothing of it along, and no journal that holds it goes."""
    disk = NoRoomIn(0)
    store = store_at(tmp_path, every=2, disk=disk, journal_bytes=300)
    logs = begun(store)
    commit_to(store, logs, "put off")
    (full,) = journal_files(str(tmp_path))
    disk.is_armed = True
    assert commit_to(store, logs, "refused") == [logs[0]]
    assert values(logs[0]) == ["begun", "put off"]
    assert full in journal_files(str(tmp_path))
    assert store.has_put_off
    disk.is_armed = False
    assert not commit_to(store, logs, "goes on")
    store._journal._wait()
    assert full not in journal_files(str(tmp_path))
    assert values(logs[0]) == ["begun", "put off", "goes on"]
    crash(store)
    again = store_at(tmp_path)
    assert values(open_log(again)) == ["begun", "put off", "goes on"]
    assert values(open_log(again, partition=1)) == ["begun", "put off", "refused", "goes on"]
    again.close()


def test_if_the_journal_cannot_be_written_nothing_is_put_off(tmp_path: Path) -> None:
    disk = FailingDisk()
    store = store_at(tmp_path, every=99, disk=disk)
    logs = begun(store)
    commit_to(store, logs, "put off")
    disk.arm(1)
    assert not commit_to(store, logs, "synced by itself")
    assert disk.failed == ["write"]
    assert not any(lacks(tmp_path, log) for log in logs)
    assert [values(log) for log in logs] == [["begun", "put off", "synced by itself"]] * 3
    store.close()
