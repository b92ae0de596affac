"""A compaction that is stopped at any call to the disk, for once or for good: nothing that was durable is lost or comes back.

The script of each test runs with the 1st, 2nd, 3rd ... call failing, until none fails, as SQLite's tests do it. A disk that
fails for good is a crash: whatever the process did since did not happen, and a new one opens the directory.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from muster.log.checkpoints import CLEAN_OFFSETS, parse_offsets
from muster.log.contract import CompactionReport, PartitionLog, StorageError
from muster.log.files import FileStore
from tests.log.compacting import DAY_MS, add, compact, latest, open_compacted
from tests.log.failing_disk import FailingDisk, QuickFailingDisk

NOW_MS = 10_000


def filled(directory: Path, disk: FailingDisk | None = None) -> tuple[FileStore, PartitionLog]:
    """Several segments that become two groups, with tombstones whose time has come and ones whose has not."""
    template = directory.parent / "template"
    if not template.exists():
        _fill(template)
    shutil.copytree(template, directory, dirs_exist_ok=True)
    store = FileStore(str(directory), disk=disk or QuickFailingDisk())
    return store, open_compacted(store, segment_bytes=900, index_interval_bytes=100, delete_retention_ms=DAY_MS)


def _fill(directory: Path) -> None:
    store = FileStore(str(directory), disk=QuickFailingDisk())
    log = open_compacted(store, segment_bytes=900, index_interval_bytes=100, delete_retention_ms=DAY_MS)
    for number in range(12):
        add(store, log, (f"old-{number % 4}", f"{number}" * 40), ("gone", str(number)))
    add(store, log, ("gone", None), ("old-1", None))
    add(store, log, ("filler", "x" * 600))
    add(store, log, ("filler", "x" * 600))
    compact(log, NOW_MS - 2 * DAY_MS)
    for number in range(25):
        add(store, log, (f"new-{number % 5}", f"{number}" * 30), ("old-2", str(number)), ("late", None))
    add(store, log, ("filler", "x" * 600))
    store.close()


def try_to_compact(log: PartitionLog) -> CompactionReport | None:
    try:
        return compact(log, NOW_MS, piece_bytes=400)
    except StorageError:
        return None


def leftovers(directory: Path) -> list[str]:
    return sorted(name for name in os.listdir(directory) if name.endswith((".cleaned", ".swap", ".deleted", ".tmp")))


def test_the_script_has_what_can_go_wrong(tmp_path: Path) -> None:
    store, log = filled(tmp_path / "data")
    model = latest(log)
    before = log.size_bytes()
    assert "gone" not in model
    report = compact(log, NOW_MS)
    assert report.records_dropped > 50
    assert log.size_bytes() < before / 2
    assert latest(log) == model
    assert leftovers(tmp_path / "data" / "t-0") == []
    store.close()


def test_a_call_that_fails_once_ends_the_round_and_the_next_one_succeeds(tmp_path: Path) -> None:
    fail_at, failed_rounds, clean_run = 0, 0, False
    while not clean_run:
        fail_at += 1
        directory = tmp_path / str(fail_at)
        disk = QuickFailingDisk()
        store, log = filled(directory, disk)
        model = latest(log)
        disk.arm(fail_at)
        failed_rounds += try_to_compact(log) is None
        clean_run = not disk.failed
        disk.disarm()
        assert latest(log) == model, f"after call {fail_at} failed: {disk.failed}"
        add(store, log, ("more", "1"))
        model["more"] = "1"
        compact(log, NOW_MS)
        assert latest(log) == model
        store.close()
        assert leftovers(directory / "t-0") == []
        again = FileStore(str(directory), disk=QuickFailingDisk())
        assert latest(open_compacted(again, segment_bytes=900)) == model
        again.close()
        shutil.rmtree(directory)
    assert failed_rounds > 20


@pytest.mark.parametrize("rounds_before_reopening", [0, 1])
def test_a_crash_at_any_call_loses_nothing_and_brings_nothing_back(
    tmp_path: Path, rounds_before_reopening: int
) -> None:
    fail_at, clean_run = 0, False
    while not clean_run:
        fail_at += 1
        directory = tmp_path / str(fail_at)
        disk = QuickFailingDisk()
        store, log = filled(directory, disk)
        model, end = latest(log), log.durable_offset
        disk.arm(fail_at, for_good=True)
        try_to_compact(log)
        clean_run = not disk.failed
        for _ in range(rounds_before_reopening):
            if log.dirty_ratio(NOW_MS) is not None:
                try_to_compact(log)
        with suppress(StorageError):
            store.close()
        again = FileStore(str(directory), disk=QuickFailingDisk())
        reopened = open_compacted(again, segment_bytes=900, index_interval_bytes=100, delete_retention_ms=DAY_MS)
        assert (latest(reopened), reopened.durable_offset) == (model, end), (
            f"crashed in call {fail_at}: {disk.failed[0]}"
        )
        assert leftovers(directory / "t-0") == []
        # Later rounds, also after every tombstone's time, bring nothing back that was erased.
        for days in (0, 2, 4):
            add(again, reopened, ("filler", "x" * 600))
            add(again, reopened, ("filler", "x" * 600))
            compact(reopened, NOW_MS + days * DAY_MS)
            assert latest(reopened) == model
        again.close()
        shutil.rmtree(directory)
    assert fail_at > 25


def test_a_crash_while_a_start_finishes_a_swap_is_finished_by_the_next(tmp_path: Path) -> None:
    """The crash happens in the swap; then every call of the recovery fails in turn."""
    swap_calls = _swap_calls(tmp_path / "count")
    assert len(swap_calls) > 3
    for crash_at in swap_calls:
        fail_at, clean_run = 0, False
        while not clean_run:
            fail_at += 1
            directory = tmp_path / f"{crash_at}-{fail_at}"
            disk = QuickFailingDisk()
            store, log = filled(directory, disk)
            model = latest(log)
            disk.arm(crash_at, for_good=True)
            try_to_compact(log)
            with suppress(StorageError):
                store.close()
            second = QuickFailingDisk(fail_at, for_good=True)
            recovering = FileStore(str(directory), disk=second)
            with suppress(StorageError):
                open_compacted(recovering, segment_bytes=900)
            with suppress(StorageError):
                recovering.close()
            clean_run = not second.failed
            third = FileStore(str(directory), disk=QuickFailingDisk())
            assert latest(open_compacted(third, segment_bytes=900)) == model
            third.close()
            shutil.rmtree(directory)


def _swap_calls(directory: Path) -> list[int]:
    """The numbers of the renames of one round."""

    class Listening(QuickFailingDisk):
        renames: list[int]

        def rename(self, old: str, new: str) -> None:
            super().rename(old, new)
            self.renames.append(self.calls)

    disk = Listening()
    disk.renames = []
    store, log = filled(directory, disk)
    disk.arm(10**9)
    disk.renames.clear()
    compact(log, NOW_MS, piece_bytes=400)
    disk.disarm()
    store.close()
    return disk.renames[::3]


def test_how_far_a_log_is_compacted_survives_a_restart_in_kafkas_own_file(tmp_path: Path) -> None:
    store, log = filled(tmp_path / "data")
    report = compact(log, NOW_MS)
    store.close()
    kept = parse_offsets((tmp_path / "data" / CLEAN_OFFSETS).read_bytes(), CLEAN_OFFSETS)
    assert kept == {("t", 0): report.clean_offset}
    again = FileStore(str(tmp_path / "data"))
    reopened = open_compacted(again, segment_bytes=900)
    assert reopened.dirty_ratio(NOW_MS) is None
    again.delete("t", 0)
    assert parse_offsets((tmp_path / "data" / CLEAN_OFFSETS).read_bytes(), CLEAN_OFFSETS) == {}
    again.close()


def test_a_log_deleted_and_made_again_while_a_round_is_under_way_gets_nothing_of_it(tmp_path: Path) -> None:
    store, log = filled(tmp_path / "data")
    for pieces in range(1, 60, 4):
        round_ = log.begin_compaction(NOW_MS)
        for _ in range(pieces):
            round_.work(400)
            if round_.settle() is not None:
                break
        store.delete("t", 0)
        log = open_compacted(store, segment_bytes=900)
        add(store, log, ("fresh", "1"))
        round_.work(10**9)
        with suppress(StorageError):
            round_.settle()
            round_.abandon()
        assert latest(log) == {"fresh": "1"}
        assert leftovers(tmp_path / "data" / "t-0") == []
        for number in range(40):
            add(store, log, (f"k{number % 3}", "x" * 100))
    store.close()
