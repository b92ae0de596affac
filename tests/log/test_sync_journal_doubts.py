"""A disk whose failed syncs lose pages for good, segments that could not be begun, and starts that are broken off."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from muster.log.contract import PartitionLog, StorageError
from muster.log.directory import CLEAN_MARK, journal_files
from muster.log.disk import Disk
from muster.log.files import FileStore
from muster.log.shared_files import SharedDirectory
from muster.log.sync_journal import MOST_FILES
from tests.log.batches import all_records, commit, open_log, put, stage
from tests.log.failing_disk import FailingDisk

FIRST = "00000000000000000000.log"


class ForgetfulDisk(Disk):
    """As Linux does it: what a failed sync did not get to the platter counts as clean, and the next sync leaves it out."""

    def __init__(self) -> None:
        self.fails = False
        self.platter: dict[str, bytearray] = {}
        self._dirty: dict[str, list[tuple[int, int]]] = {}
        self._paths: dict[int, str] = {}

    def open_for_append(self, path: str, *, fresh: bool = False) -> int:
        fd = super().open_for_append(path, fresh=fresh)
        self._paths[fd] = path
        return fd

    def open_fresh(self, path: str) -> int:
        fd = super().open_fresh(path)
        self._paths[fd] = path
        return fd

    def open_for_update(self, path: str) -> int:
        fd = super().open_for_update(path)
        self._paths[fd] = path
        return fd

    def open_for_read(self, path: str) -> int:
        fd = super().open_for_read(path)
        self._paths[fd] = path
        return fd

    def write(self, fd: int, parts: Sequence[bytes]) -> int:
        begin = os.fstat(fd).st_size
        written = super().write(fd, parts)
        self._dirty.setdefault(self._paths[fd], []).append((begin, begin + written))
        return written

    def write_at(self, fd: int, content: bytes, position: int) -> int:
        written = super().write_at(fd, content, position)
        self._dirty.setdefault(self._paths[fd], []).append((position, position + written))
        return written

    def sync(self, fd: int) -> None:
        path = self._paths[fd]
        ranges = self._dirty.pop(path, [])
        if self.fails and path.endswith(".log"):
            raise OSError(5, "Input/output error")
        now = Path(path).read_bytes()
        kept = self.platter.setdefault(path, bytearray())
        kept[len(now) :] = b""
        kept.extend(bytes(len(now) - len(kept)))
        for begin, end in ranges:
            kept[begin:end] = now[begin:end]

    def lose_power(self) -> None:
        for path, kept in self.platter.items():
            if os.path.exists(path):
                Path(path).write_bytes(kept)


def begun(store: FileStore, **config: Any) -> list[PartitionLog]:
    logs = [open_log(store, partition=partition, **config) for partition in range(2)]
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


def records(directory: Path) -> list[tuple[int, str]]:
    store = FileStore(str(directory))
    found = all_records(open_log(store))
    crash(store)
    return found


@pytest.mark.parametrize("stop", ["retired", "closed"])
def test_what_a_failed_sync_lost_is_written_again_before_the_journal_goes(tmp_path: Path, stop: str) -> None:
    disk = ForgetfulDisk()
    store = FileStore(str(tmp_path), disk=disk, journal_bytes=400)
    logs = begun(store)
    disk.fails = True
    commit_to(store, logs, "x" * 200)
    store._journal._wait()
    assert len(journal_files(str(tmp_path))) == 1
    disk.fails = False
    if stop == "retired":
        commit_to(store, logs, "y" * 200)
        store._journal._wait()
        crash(store)
    else:
        store.close()
    assert journal_files(str(tmp_path)) == []
    disk.lose_power()
    assert records(tmp_path)[:2] == [(0, "begun"), (1, "x" * 200)]


def test_a_commit_whose_sync_failed_takes_nothing_that_the_journal_has_with_it(tmp_path: Path) -> None:
    disk = ForgetfulDisk()
    store = FileStore(str(tmp_path), disk=disk)
    logs = begun(store)
    commit_to(store, logs, "in the journal")
    disk.fails = True
    stage(logs[0], "refused")
    assert [failure is None for _, failure in commit(store)] == [False]
    disk.fails = False
    put(store, logs[0], "next")
    store.close()
    disk.lose_power()
    assert records(tmp_path) == [(0, "begun"), (1, "in the journal"), (2, "next")]


class NoNewSegments(FailingDisk):
    """Fails to sync a log's directory, and to remove files, while told to."""

    fails = False
    keeps = False

    def sync_directory(self, path: str) -> None:
        if self.fails:
            raise OSError(5, "Input/output error")
        super().sync_directory(path)

    def remove(self, path: str) -> None:
        if self.keeps:
            raise OSError(5, "Input/output error")
        super().remove(path)


@pytest.mark.parametrize("keeps", [False, True], ids=["removed", "cannot be removed at first"])
@pytest.mark.parametrize("power", [False, True], ids=["killed", "power failure"])
def test_a_segment_that_could_not_be_begun_hides_nothing_that_comes_after(
    tmp_path: Path, keeps: bool, power: bool
) -> None:
    disk = NoNewSegments()
    store = FileStore(str(tmp_path), disk=disk)
    logs = begun(store, segment_ms=1_000, retention_ms=-1)
    disk.fails, disk.keeps = True, keeps
    with pytest.raises(StorageError, match="a new segment cannot be begun"):
        logs[0].apply_retention(10_000_000)
    disk.fails = disk.keeps = False
    commit_to(store, logs, "synced itself")
    size = (tmp_path / "t-0" / FIRST).stat().st_size
    commit_to(store, logs, "in the journal")
    assert [path.name for path in (tmp_path / "t-0").glob("*.log")] == [FIRST]
    crash(store)
    if power:
        os.truncate(tmp_path / "t-0" / FIRST, size)
    assert records(tmp_path) == [(0, "begun"), (1, "synced itself"), (2, "in the journal")]


def test_a_clean_stop_after_a_refused_commit_syncs_the_length_that_counts(tmp_path: Path) -> None:
    disk = ForgetfulDisk()
    store = FileStore(str(tmp_path), disk=disk)
    logs = begun(store)
    size = (tmp_path / "t-0" / FIRST).stat().st_size
    disk.fails = True
    stage(logs[0], "refused")
    assert [failure is None for _, failure in commit(store)] == [False]
    disk.fails = False
    disk.platter[str(tmp_path / "t-0" / FIRST)] += b"half of what was refused"
    store.close()
    assert len(disk.platter[str(tmp_path / "t-0" / FIRST)]) == size


def test_a_log_that_had_no_commit_before_a_clean_stop_has_its_id_synced_by_the_first(tmp_path: Path) -> None:
    """The journal gives back only to a log that has the right id."""
    store = FileStore(str(tmp_path))
    open_log(store)
    store.close()
    disk = ForgetfulDisk()
    store = FileStore(str(tmp_path), disk=disk)
    put(store, open_log(store), "first")
    assert str(tmp_path / "t-0" / "partition.metadata") in disk.platter
    store.close()


@pytest.mark.parametrize("take", [FileStore, SharedDirectory])
def test_an_outdated_journal_that_cannot_be_removed_is_not_read_by_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, take: type[FileStore] | type[SharedDirectory]
) -> None:
    store = FileStore(str(tmp_path))
    put(store, open_log(store), "first")
    store.close()
    (tmp_path / "muster.sync.0.1").write_bytes(b"of a time before another program had the directory")

    def refuse(disk: Disk, path: str) -> None:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(Disk, "remove", refuse)
        with pytest.raises(StorageError, match="cannot be worked off: Read-only"):
            take(str(tmp_path))
    assert (tmp_path / CLEAN_MARK).exists()


class NoRetiring(Disk):
    """Fails to open files for reading, as without a free descriptor, while told to."""

    fails = False

    def open_for_read(self, path: str) -> int:
        if self.fails:
            raise OSError(24, "Too many open files")
        return super().open_for_read(path)


def test_journals_that_cannot_be_retired_do_not_become_ever_more(tmp_path: Path) -> None:
    disk = NoRetiring()
    store = FileStore(str(tmp_path), disk=disk, journal_bytes=1)
    logs = begun(store)
    disk.fails = True
    for number in range(3 * MOST_FILES):
        commit_to(store, logs, f"{number}")
    assert len(journal_files(str(tmp_path))) == MOST_FILES
    disk.fails = False
    store.close()
    assert journal_files(str(tmp_path)) == []


def test_without_a_thread_to_retire_it_a_journal_stays_and_commits_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = FileStore(str(tmp_path), journal_bytes=1)
    logs = begun(store)

    def refuse(thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(Thread, "start", refuse)
        commit_to(store, logs, "kept")
    assert "a sync journal is kept for longer: can't start new thread" in caplog.text
    commit_to(store, logs, "then")
    store._journal._wait()
    assert journal_files(str(tmp_path)) == []
    store.close()
