"""The sync journal: when it is written, when it goes, and what becomes of a commit when it cannot be written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from muster.log.contract import PartitionLog
from muster.log.directory import journal_files
from muster.log.files import FileStore
from muster.log.shared_files import SharedDirectory, SharedFileStore
from muster.log.sync_reading import read_journal
from tests.log.batches import all_records, commit, open_log, put, stage
from tests.log.failing_disk import FailingDisk, QuickFailingDisk

WITH_ROOM = 400_000
"""A journal of this size has zeros behind its frames after a few small commits."""


class CountingDisk(FailingDisk):
    """Which files were synced, in order."""

    def __init__(self) -> None:
        super().__init__()
        self._paths: dict[int, str] = {}
        self.synced: list[str] = []

    def open_for_append(self, path: str, *, fresh: bool = False) -> int:
        fd = super().open_for_append(path, fresh=fresh)
        self._paths[fd] = path
        return fd

    def open_fresh(self, path: str) -> int:
        fd = super().open_fresh(path)
        self._paths[fd] = path
        return fd

    def open_for_read(self, path: str) -> int:
        fd = super().open_for_read(path)
        self._paths[fd] = path
        return fd

    def sync(self, fd: int) -> None:
        super().sync(fd)
        path = Path(self._paths[fd])
        self.synced.append(f"{path.parent.name}/{path.name}" if path.suffix == ".log" else path.name)


def begun(store: FileStore, count: int = 3) -> list[PartitionLog]:
    """Logs that had their first commit, which makes files and hence syncs each."""
    logs = [open_log(store, partition=partition) for partition in range(count)]
    commit_to(store, logs, "begun")
    return logs


def commit_to(store: FileStore, logs: Sequence[PartitionLog], value: str) -> None:
    for log in logs:
        stage(log, value)
    assert all(failure is None for _, failure in commit(store))


def crash(store: FileStore) -> None:
    store._journal.abandon()
    store._access.readers.close()
    store._access.writers.close()
    store._release_directory()


def test_logs_that_only_grow_share_one_sync(tmp_path: Path) -> None:
    disk = CountingDisk()
    store = FileStore(str(tmp_path), disk=disk)
    logs = begun(store)
    disk.synced.clear()
    commit_to(store, logs, "together")
    commit_to(store, logs, "together again")
    assert disk.synced == ["muster.sync.0.1", "muster.sync.0.1"]
    (path,) = journal_files(str(tmp_path))
    found = read_journal(Path(path).read_bytes())
    assert [(frame.topic, frame.partition) for frame in found.frames] == [("t", 0), ("t", 1), ("t", 2)] * 2
    assert not found.damage
    for frame in found.frames:
        segment = (tmp_path / f"t-{frame.partition}" / f"{frame.segment_base:020d}.log").read_bytes()
        assert segment[frame.position : frame.end] == frame.batches
    store.close()


def test_a_log_alone_in_its_commit_is_synced_itself(tmp_path: Path) -> None:
    disk = CountingDisk()
    store = FileStore(str(tmp_path), disk=disk)
    logs = begun(store)
    disk.synced.clear()
    put(store, logs[1], "alone")
    assert disk.synced == ["t-1/00000000000000000000.log"]
    assert journal_files(str(tmp_path)) == []
    store.close()


def test_a_log_that_rolls_or_has_much_syncs_itself_beside_the_others(tmp_path: Path) -> None:
    disk = CountingDisk()
    store = FileStore(str(tmp_path), disk=disk)
    logs = begun(store, 4)
    disk.synced.clear()
    stage(logs[0], "x" * 300_000)
    stage(logs[1], "new epoch", epoch=5)
    for log in logs[2:]:
        stage(log, "small")
    assert all(failure is None for _, failure in commit(store))
    assert {name for name in disk.synced if name.endswith(".log")} == {
        "t-0/00000000000000000000.log",
        "t-1/00000000000000000000.log",
    }
    assert disk.synced.count("muster.sync.0.1") == 1
    store.close()


def test_after_a_failed_commit_a_log_is_synced_itself_until_that_came_through(tmp_path: Path) -> None:
    """Its file may still come back from a power failure with what was refused."""
    disk = CountingDisk()
    store = FileStore(str(tmp_path), disk=disk)
    logs = begun(store)
    disk.arm(1)
    for log in logs:
        stage(log, "one of these is lost")
    assert [failure is None for _, failure in commit(store)] == [False, True, True]
    disk.disarm()
    disk.synced.clear()
    commit_to(store, logs, "next")
    assert sorted(disk.synced) == ["muster.sync.0.1", "t-0/00000000000000000000.log"]
    disk.synced.clear()
    commit_to(store, logs, "then")
    assert disk.synced == ["muster.sync.0.1"]
    store.close()


def test_a_clean_stop_syncs_the_logs_and_leaves_no_journal(tmp_path: Path) -> None:
    disk = CountingDisk()
    store = FileStore(str(tmp_path), disk=disk)
    logs = begun(store)
    commit_to(store, logs, "together")
    disk.synced.clear()
    store.close()
    assert {name for name in disk.synced if name.endswith(".log")} == {
        f"t-{partition}/00000000000000000000.log" for partition in range(3)
    }
    assert journal_files(str(tmp_path)) == []
    again = FileStore(str(tmp_path))
    assert again.was_clean
    again.close()


def test_with_durability_os_there_is_no_journal(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path), "os")
    logs = begun(store)
    commit_to(store, logs, "together")
    assert journal_files(str(tmp_path)) == []
    store.close()


def test_a_large_journal_is_worked_off_while_commits_go_on(tmp_path: Path) -> None:
    disk = CountingDisk()
    store = FileStore(str(tmp_path), disk=disk, journal_bytes=2_000)
    logs = begun(store)
    for number in range(40):
        commit_to(store, logs, f"{number}")
    store._journal._wait()
    assert len(journal_files(str(tmp_path))) <= 1
    assert disk.synced.count("t-2/00000000000000000000.log") >= 2
    expected = [(0, "begun"), *((number + 1, f"{number}") for number in range(40))]
    assert all(all_records(log) == expected for log in logs)
    store.close()
    assert journal_files(str(tmp_path)) == []


def test_a_log_deleted_before_the_journal_is_worked_off_stands_in_nobodys_way(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path), journal_bytes=600)
    logs = begun(store)
    commit_to(store, logs, "together")
    store.delete("t", 1)
    for number in range(10):
        commit_to(store, [logs[0], logs[2]], f"{number}")
    store._journal._wait()
    assert len(journal_files(str(tmp_path))) <= 1
    assert not (tmp_path / "t-1").exists()
    store.close()


def test_a_journal_that_cannot_be_worked_off_stays_until_it_can(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    disk = CountingDisk()
    store = FileStore(str(tmp_path), disk=disk, journal_bytes=400)
    logs = begun(store)
    disk.arm(3 + 3 + 2 + 1)  # three logs, three calls for the journal, its two syncs, then the first sync of retiring
    commit_to(store, logs, "x" * 200)
    store._journal._wait()
    assert disk.failed == ["sync"]
    assert "a sync journal is kept for longer" in caplog.text
    assert len(journal_files(str(tmp_path))) == 1
    disk.disarm()
    commit_to(store, logs, "x" * 200)
    store._journal._wait()
    assert journal_files(str(tmp_path)) == []
    store.close()


@pytest.mark.parametrize(
    ("journal_bytes", "commits"), [(700, 3), (WITH_ROOM, 6)], ids=["retiring", "with zeros behind the frames"]
)
@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for good"])
def test_whichever_call_of_a_journaled_commit_fails_nothing_durable_is_lost(
    tmp_path: Path, for_good: bool, journal_bytes: int, commits: int
) -> None:
    fail_at = 0
    clean_run = False
    while not clean_run:
        fail_at += 1
        directory = tmp_path / str(fail_at)
        disk = QuickFailingDisk()
        store = FileStore(str(directory), disk=disk, journal_bytes=journal_bytes)
        logs = begun(store)
        disk.arm(fail_at, for_good=for_good)
        expected = {log.partition: [(0, "begun")] for log in logs}
        for number in range(commits):
            for log in logs:
                stage(log, f"{number}" * 50)
            for log, failure in commit(store):
                if failure is None:
                    expected[log.partition].append((len(expected[log.partition]), f"{number}" * 50))
        store._journal._wait()
        clean_run = not disk.failed
        disk.disarm()
        for log in logs:
            assert all_records(log) == expected[log.partition]
        commit_to(store, logs, "again")
        store.close()
        later = FileStore(str(directory))
        assert later.was_clean
        for log in logs:
            there = all_records(open_log(later, partition=log.partition))
            assert there == [*expected[log.partition], (len(expected[log.partition]), "again")]
        later.close()
    assert fail_at > 15, "the script should have had more calls that can fail"


def content_of_the_journal(directory: Path) -> bytes:
    (path,) = journal_files(str(directory))
    return Path(path).read_bytes()


def test_a_journal_that_is_often_written_to_is_lengthened_by_zeros_now_and_then(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path), journal_bytes=WITH_ROOM)
    logs = begun(store)
    lengths = []
    for number in range(30):
        commit_to(store, logs, f"{number}")
        content = content_of_the_journal(tmp_path)
        found = read_journal(content)
        assert (len(found.frames), found.damage, found.unfinished_bytes) == (3 * (number + 1), [], 0)
        assert len(content) <= 2 * len(content.rstrip(b"\0")) + 2, "not more zeros than frames"
        lengths.append(len(content))
    assert len(set(lengths[:4])) == 4, "who commits now and then does without"
    assert len(set(lengths)) < 12
    crash(store)
    again = FileStore(str(tmp_path))
    expected = [(0, "begun"), *((number + 1, f"{number}") for number in range(30))]
    assert [all_records(open_log(again, partition=partition)) for partition in range(3)] == [expected] * 3
    assert journal_files(str(tmp_path)) == []
    again.close()


def test_a_journal_never_becomes_larger_by_zeros_than_it_may_be(tmp_path: Path) -> None:
    disk = CountingDisk()
    store = FileStore(str(tmp_path), disk=disk, journal_bytes=50_000)
    logs = begun(store)
    longest = 0
    for number in range(400):
        commit_to(store, logs, f"{number}")
        paths = journal_files(str(tmp_path))
        longest = max([longest, *(Path(path).stat().st_size for path in paths)])
        if longest >= 50_000:
            break
    assert 50_000 <= longest < 51_000, "the last frames alone cross the line"
    store.close()


def test_a_commit_with_much_is_not_followed_by_zeros(tmp_path: Path) -> None:
    """They would be used up by the next one."""
    store = FileStore(str(tmp_path), journal_bytes=WITH_ROOM)
    logs = begun(store)
    for number in range(8):
        commit_to(store, logs, f"{number}" * 2_000)
        content = content_of_the_journal(tmp_path)
        assert read_journal(content).frames[-1].batches == content[-len(read_journal(content).frames[-1].batches) :]
    store.close()


class NoRoomForZeros(CountingDisk):
    """Full, except for what is little."""

    zeros_refused = 0

    def write_at(self, fd: int, content: bytes, position: int) -> int:
        if not any(content):
            self.zeros_refused += 1
            super().write_at(fd, content[: len(content) // 2], position)
            raise OSError(28, "No space left on device")
        return super().write_at(fd, content, position)


def test_without_space_for_zeros_the_journal_grows_with_each_commit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    disk = NoRoomForZeros()
    store = FileStore(str(tmp_path), disk=disk, journal_bytes=WITH_ROOM)
    logs = begun(store)
    disk.synced.clear()
    for number in range(30):
        commit_to(store, logs, f"{number}")
    assert disk.zeros_refused == 1, "it is not tried again and again"
    assert disk.synced == ["muster.sync.0.1"] * 30
    assert not caplog.text
    found = read_journal(content_of_the_journal(tmp_path))
    assert (len(found.frames), found.damage) == (90, [])
    store.close()


def test_without_the_journal_each_log_is_synced_by_itself(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    disk = CountingDisk()
    store = FileStore(str(tmp_path), disk=disk)
    logs = begun(store)
    disk.synced.clear()
    disk.arm(4)  # three writes, then the making of the journal
    commit_to(store, logs, "kept")
    assert disk.failed == ["open"]
    assert "the sync journal cannot be written: No space left" in caplog.text
    assert sorted(disk.synced) == [f"t-{partition}/00000000000000000000.log" for partition in range(3)]
    store.close()


def test_workers_have_journals_of_their_own_and_settle_them_alone(tmp_path: Path) -> None:
    """A worker that was killed starts again while the others live: theirs stay."""

    def start(number: int, *, was_clean: bool) -> SharedFileStore:
        return SharedFileStore(
            str(tmp_path), lambda topic, partition: partition % 2 == number, number=number, was_clean=was_clean
        )

    directory = SharedDirectory(str(tmp_path))
    killed, living = start(0, was_clean=True), start(1, was_clean=True)
    logs = {partition: open_log((killed, living)[partition % 2], partition=partition) for partition in range(4)}
    for value in ("begun", "together"):
        for log in logs.values():
            stage(log, value)
        for store in (killed, living):
            assert all(failure is None for _, failure in commit(store))
    names = [Path(path).name for path in journal_files(str(tmp_path))]
    assert names == ["muster.sync.0.1", "muster.sync.1.1"]
    killed._journal.abandon()
    again = start(0, was_clean=False)
    assert [Path(path).name for path in journal_files(str(tmp_path))] == ["muster.sync.1.1"]
    assert all_records(open_log(again, partition=2)) == [(0, "begun"), (1, "together")]
    open_log(again, partition=0)
    living.close()
    again.close()
    assert again.is_closed_cleanly
    assert journal_files(str(tmp_path)) == []
    directory.leave(is_clean=True)
    killed._access.writers.close()
