"""What a start makes of a journal that a crash left: logs get back what they lack, and nothing that is not theirs."""

from __future__ import annotations

import errno
import logging
from pathlib import Path
from typing import Any

import pytest

from muster.log.contract import LogConfig, StorageError
from muster.log.directory import CLEAN_MARK, journal_files
from muster.log.disk import Disk
from muster.log.files import FileStore
from muster.log.repair import cut, find_damage
from muster.log.shared_files import SharedDirectory
from muster.log.sync_frames import FILE_HEAD_BYTES, FILE_START
from muster.log.sync_reading import read_journal
from tests.log.batches import all_records, commit, open_log, put, stage

FIRST = "00000000000000000000.log"
OTHER_ID = bytes(range(16, 32))


def crashed(directory: Path, commits: int = 4) -> list[int]:
    """Two logs, each with one batch that was synced and some that are in the journal too; returns t-0's file sizes."""
    store = FileStore(str(directory))
    logs = [open_log(store, partition=partition) for partition in range(2)]
    sizes = []
    for number in range(commits + 1):
        for log in logs:
            stage(log, f"{number}a")
            stage(log, f"{number}b")
        assert all(failure is None for _, failure in commit(store))
        sizes.append((directory / "t-0" / FIRST).stat().st_size)
    crash(store)
    return sizes


def crash(store: FileStore) -> None:
    store._journal.abandon()
    store._access.readers.close()
    store._access.writers.close()
    store._release_directory()


def everything(commits: int = 4) -> list[tuple[int, str]]:
    values = [f"{number}{letter}" for number in range(commits + 1) for letter in "ab"]
    return list(enumerate(values))


def the_journal(directory: Path) -> Path:
    (path,) = journal_files(str(directory))
    return Path(path)


def frames_of(journal: Path) -> bytes:
    """Without the zeros that may follow them."""
    content = journal.read_bytes()
    last = read_journal(content).frames[-1].batches
    return content[: content.rindex(last) + len(last)]


def cut_file(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def zero(path: Path, begin: int, end: int) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:begin] + bytes(end - begin) + content[end:])


def test_after_a_killed_process_nothing_is_missing_and_the_journal_goes(tmp_path: Path) -> None:
    crashed(tmp_path)
    again = FileStore(str(tmp_path))
    assert journal_files(str(tmp_path)) == []
    for partition in range(2):
        assert all_records(open_log(again, partition=partition)) == everything()
    again.close()


def test_a_tail_that_the_disk_never_had_comes_back_at_any_byte(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sizes = crashed(tmp_path)
    segment, journal = tmp_path / "t-0" / FIRST, the_journal(tmp_path)
    whole, frames = segment.read_bytes(), journal.read_bytes()
    for size in range(sizes[0], sizes[-1], 7):
        segment.write_bytes(whole[:size])
        journal.write_bytes(frames)
        caplog.clear()
        again = FileStore(str(tmp_path))
        assert "gave back" in caplog.text
        log = open_log(again)
        assert all_records(log) == everything()
        assert put(again, log, "next") == 10
        crash(again)
        segment.write_bytes(whole)


def test_a_hole_with_sound_batches_behind_it_is_filled(tmp_path: Path) -> None:
    """Without the journal this is damage, and the partition does not open."""
    sizes = crashed(tmp_path)
    zero(tmp_path / "t-0" / FIRST, sizes[1] + 10, sizes[2] - 10)
    again = FileStore(str(tmp_path))
    assert all_records(open_log(again)) == everything()
    assert put(again, open_log(again), "next") == 10
    again.close()


def test_a_hole_before_the_journal_begins_is_damage(tmp_path: Path) -> None:
    crashed(tmp_path)
    zero(tmp_path / "t-0" / FIRST, 10, 60)
    again = FileStore(str(tmp_path))
    with pytest.raises(StorageError, match="damaged at position 0"):
        open_log(again)
    assert all_records(open_log(again, partition=1)) == everything()
    crash(again)


def test_a_torn_end_of_the_journal_was_never_acknowledged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    sizes = crashed(tmp_path)
    segment, journal = tmp_path / "t-0" / FIRST, the_journal(tmp_path)
    content = frames_of(journal)
    last = read_journal(content).frames[-1].tick
    for size in (last, last + 1, last + 11, last + 50, len(content) - 1):
        found = read_journal(content[:size])
        assert not found.damage
        assert 6 <= len(found.frames) <= 7
    cut_file(journal, last + 20)
    cut_file(segment, sizes[0])
    again = FileStore(str(tmp_path))
    assert "damaged" not in caplog.text
    assert all_records(open_log(again)) == everything(3)
    again.close()


def test_pages_of_the_last_write_in_any_order_are_a_torn_end_too(tmp_path: Path) -> None:
    crashed(tmp_path)
    content = the_journal(tmp_path).read_bytes()
    last = read_journal(content).frames[-1].tick
    for torn_at, left in ((last + 5, 6), (last + 130, 7)):
        found = read_journal(content[:torn_at] + bytes(20) + content[torn_at + 20 :])
        assert not found.damage
        assert len(found.frames) == left, (
            "behind a torn head nothing is looked for; behind torn batches the next frame counts"
        )


def test_zeros_behind_the_last_frame_are_no_damage_and_neither_is_a_torn_frame_before_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sizes = crashed(tmp_path)
    segment, journal = tmp_path / "t-0" / FIRST, the_journal(tmp_path)
    content, whole = frames_of(journal), segment.read_bytes()
    last = read_journal(content).frames[-1].tick
    assert read_journal(content + bytes(5_000)) == read_journal(content)
    assert read_journal(content).unfinished_bytes == 0
    for torn_at in (last, last + 1, last + 20, last + 60, len(content) - 2):  # the last byte is a zero by itself
        journal.write_bytes(content[:torn_at] + bytes(5_000))
        segment.write_bytes(whole[: sizes[0]])
        again = FileStore(str(tmp_path))
        assert "damaged" not in caplog.text
        assert all_records(open_log(again))[:8] == everything(3)
        crash(again)


def test_zeros_in_place_of_a_commit_end_the_reading_and_what_follows_is_said_to_be_unused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Where a head is missing nobody can say where the next frame begins, and nothing is searched for."""
    crashed(tmp_path)
    journal = the_journal(tmp_path)
    content = journal.read_bytes()
    ticks = sorted({frame.tick for frame in read_journal(content).frames})
    lost = content[: ticks[1]] + bytes(ticks[2] - ticks[1]) + content[ticks[2] :] + bytes(5_000)
    found = read_journal(lost)
    assert (len(found.frames), found.end, found.damage) == (2, ticks[1], [])
    journal.write_bytes(lost)
    again = FileStore(str(tmp_path))
    assert f"damaged at position {ticks[1]}: later commits are among" in caplog.text
    assert all_records(open_log(again)) == everything(), "it lacked nothing"
    assert (tmp_path / f"{journal.name}.kept").read_bytes() == lost, "others may have lacked what stands behind"
    again.close()


def test_damage_in_the_journal_is_said_with_its_place_and_harms_no_log_that_lacks_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crashed(tmp_path)
    journal = the_journal(tmp_path)
    zero(journal, FILE_HEAD_BYTES + 130, FILE_HEAD_BYTES + 150)
    again = FileStore(str(tmp_path))
    assert f"{journal}: damaged at position {FILE_HEAD_BYTES}" in caplog.text
    for partition in range(2):
        assert all_records(open_log(again, partition=partition)) == everything()
    again.close()


def test_a_log_that_needs_what_is_damaged_in_the_journal_stays_offline_until_it_is_repaired(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sizes = crashed(tmp_path)
    journal = the_journal(tmp_path)
    zero(journal, FILE_HEAD_BYTES + 130, FILE_HEAD_BYTES + 150)
    cut_file(tmp_path / "t-0" / FIRST, sizes[0])
    for _ in range(2):
        again = FileStore(str(tmp_path))
        with pytest.raises(
            StorageError, match=f"ends at position {sizes[0]}, but the sync journal knows of acknowledged"
        ):
            open_log(again)
        assert all_records(open_log(again, partition=1)) == everything()
        again.close()
    assert caplog.text.count("t-0 lacks records that were acknowledged") == 1
    assert "'muster log repair'" in caplog.text
    assert (tmp_path / f"{journal.name}.kept").exists()
    (damage,) = find_damage(str(tmp_path))
    assert not damage.is_torn_tail
    assert "acknowledged batches" in str(damage)
    cut(str(tmp_path), damage)
    mended = FileStore(str(tmp_path))
    assert all_records(open_log(mended)) == everything(0)
    mended.close()


@pytest.mark.parametrize("place", [3, len(FILE_START) + 2, FILE_HEAD_BYTES + 2, FILE_HEAD_BYTES + 20, -1])
def test_a_journal_with_a_rotten_head_before_later_commits_is_kept(tmp_path: Path, place: int) -> None:
    """In the file's head, in its secret, or in the head of a frame: what it held for others nobody knows."""
    crashed(tmp_path)
    journal = the_journal(tmp_path)
    content = bytearray(journal.read_bytes())
    ticks = sorted({frame.tick for frame in read_journal(bytes(content)).frames})
    content[ticks[-2] + 30 if place < 0 else place] ^= 0x40
    journal.write_bytes(content)
    found = read_journal(bytes(content))
    assert found.goes_on
    FileStore(str(tmp_path)).close()
    assert (tmp_path / f"{journal.name}.kept").read_bytes() == content


def test_a_journal_with_a_torn_end_is_not_kept(tmp_path: Path) -> None:
    """Any stop without warning may leave one."""
    crashed(tmp_path)
    journal = the_journal(tmp_path)
    zero(journal, read_journal(journal.read_bytes()).frames[-1].tick + 5, len(frames_of(journal)) - 90)
    found = read_journal(journal.read_bytes())
    assert found.unfinished_bytes
    assert not found.goes_on
    FileStore(str(tmp_path)).close()
    assert list(tmp_path.glob("muster.sync.*")) == []


def rot_last_frame_of(journal: Path, partition: int, tick: int) -> None:
    """A byte of the batches that this log has in that commit."""
    content = bytearray(journal.read_bytes())
    (frame,) = [
        each for each in read_journal(bytes(content)).frames if (each.partition, each.tick) == (partition, tick)
    ]
    content[content.index(frame.batches) + len(frame.batches) - 3] ^= 0x40
    journal.write_bytes(content)


@pytest.mark.parametrize("commits", [1, 3], ids=["its only frame", "its last frame"])
@pytest.mark.parametrize("left", ["nothing", "part of it", "zeros"])
def test_a_log_whose_last_frame_is_damaged_is_offline_if_it_lacks_what_that_held(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, left: str, commits: int
) -> None:
    """Later commits of others stand behind it, so it was acknowledged."""
    store = FileStore(str(tmp_path))
    logs = [open_log(store, partition=partition) for partition in range(3)]
    segment = tmp_path / "t-0" / FIRST
    sizes = []
    for number in range(commits + 2):
        for log in logs if number <= commits else logs[1:]:
            stage(log, f"{number}a")
            stage(log, f"{number}b")
        assert all(failure is None for _, failure in commit(store))
        sizes.append(segment.stat().st_size)
    crash(store)
    journal = the_journal(tmp_path)
    ticks = sorted({frame.tick for frame in read_journal(journal.read_bytes()).frames})
    rot_last_frame_of(journal, 0, ticks[-2])
    before, whole = sizes[commits - 1], sizes[commits]
    if left == "zeros":
        zero(segment, before, whole)
    else:
        cut_file(segment, before if left == "nothing" else before + 5)
    for _ in range(2):
        again = FileStore(str(tmp_path))
        with pytest.raises(StorageError, match=f"is sound up to position {before}, but .* up to position {whole}"):
            open_log(again)
        for partition in (1, 2):
            assert all_records(open_log(again, partition=partition)) == everything(commits + 1)
        again.close()
    assert caplog.text.count("t-0 lacks records that were acknowledged") == 1
    assert (tmp_path / f"{journal.name}.kept").exists()
    (damage,) = find_damage(str(tmp_path))
    cut(str(tmp_path), damage)
    mended = FileStore(str(tmp_path))
    assert all_records(open_log(mended)) == everything(commits - 1)
    mended.close()


def test_a_damaged_last_frame_harms_no_log_that_has_what_it_held(tmp_path: Path) -> None:
    crashed(tmp_path)
    journal = the_journal(tmp_path)
    ticks = sorted({frame.tick for frame in read_journal(journal.read_bytes()).frames})
    for tick in ticks[:-1]:
        rot_last_frame_of(journal, 0, tick)
    again = FileStore(str(tmp_path))
    for partition in range(2):
        assert all_records(open_log(again, partition=partition)) == everything()
    again.close()
    assert journal_files(str(tmp_path)) == []
    assert (tmp_path / f"{journal.name}.kept").exists(), "damage was found"


class NoMoreFiles(Disk):
    def open_for_read(self, path: str) -> int:
        raise OSError(errno.EMFILE, "Too many open files")


def test_a_machine_without_files_to_give_leaves_no_mark_and_the_journal_where_it_is(tmp_path: Path) -> None:
    sizes = crashed(tmp_path)
    cut_file(tmp_path / "t-0" / FIRST, sizes[0] + 5)
    with pytest.raises(StorageError, match="Too many open files"):
        FileStore(str(tmp_path), disk=NoMoreFiles())
    again = FileStore(str(tmp_path))
    for partition in range(2):
        assert all_records(open_log(again, partition=partition)) == everything()
    again.close()


def test_a_journal_of_another_release_is_refused(tmp_path: Path) -> None:
    crashed(tmp_path)
    journal = the_journal(tmp_path)
    journal.write_bytes(b"muster sync journal 3\n" + journal.read_bytes()[len(FILE_START) :])
    with pytest.raises(StorageError, match="another release"):
        FileStore(str(tmp_path))


def test_a_topic_made_again_under_the_same_name_gets_nothing_of_the_old_one(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    logs = [open_log(store, partition=partition) for partition in range(2)]
    for value in ("one", "two", "three"):
        for log in logs:
            stage(log, value)
        commit(store)
    store.delete("t", 0)
    namesake = store.open("t", 0, OTHER_ID, LogConfig())
    put(store, namesake, "one")
    crash(store)
    again = FileStore(str(tmp_path))
    assert all_records(again.open("t", 0, OTHER_ID, LogConfig())) == [(0, "one")]
    again.close()


def test_a_deleted_topic_does_not_come_back(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    logs = [open_log(store, partition=partition) for partition in range(2)]
    for value in ("one", "two"):
        for log in logs:
            stage(log, value)
        commit(store)
    store.delete("t", 0)
    crash(store)
    again = FileStore(str(tmp_path))
    assert again.partitions() == [("t", 1)]
    assert journal_files(str(tmp_path)) == []
    again.close()


def test_segments_that_were_closed_or_dropped_since_are_left_alone(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    config: dict[str, Any] = {"segment_bytes": 400, "retention_bytes": 500}
    logs = [open_log(store, partition=partition, **config) for partition in range(2)]
    for number in range(20):
        for log in logs:
            stage(log, f"{number}" * 10)
        commit(store)
    for log in logs:
        assert log.apply_retention(2_000)
    before = [all_records(log) for log in logs]
    crash(store)
    again = FileStore(str(tmp_path))
    assert [all_records(open_log(again, partition=partition, **config)) for partition in range(2)] == before
    again.close()


def test_after_a_clean_stop_of_whoever_a_journal_that_lies_there_is_not_used(tmp_path: Path) -> None:
    """Kafka may have opened the directory in between: it ignores the journal, goes on from what it finds, stops cleanly."""
    sizes = crashed(tmp_path)
    cut_file(tmp_path / "t-0" / FIRST, sizes[0])
    (tmp_path / CLEAN_MARK).write_bytes(b"{}")
    again = FileStore(str(tmp_path))
    assert journal_files(str(tmp_path)) == []
    assert all_records(open_log(again)) == everything(0)
    again.close()


def test_repair_gives_back_before_it_looks_and_a_log_that_was_cut_stays_cut(tmp_path: Path) -> None:
    sizes = crashed(tmp_path)
    cut_file(tmp_path / "t-1" / FIRST, sizes[1])
    zero(tmp_path / "t-0" / FIRST, 10, 60)
    (damage,) = find_damage(str(tmp_path))
    assert (damage.partition, damage.offset) == (0, 0)
    assert journal_files(str(tmp_path)) == []
    cut(str(tmp_path), damage)
    again = FileStore(str(tmp_path))
    assert all_records(open_log(again)) == []
    assert all_records(open_log(again, partition=1)) == everything()
    again.close()


def test_journals_of_all_workers_are_settled_before_the_first_of_them_starts(tmp_path: Path) -> None:
    """However many there will be now: whoever gets a log finds it whole."""
    sizes = crashed(tmp_path)
    journal = the_journal(tmp_path)
    journal.rename(tmp_path / "muster.sync.7.3")
    cut_file(tmp_path / "t-0" / FIRST, sizes[0])
    directory = SharedDirectory(str(tmp_path))
    assert journal_files(str(tmp_path)) == []
    assert (tmp_path / "t-0" / FIRST).stat().st_size == sizes[-1]
    directory.leave(is_clean=False)


def test_what_is_given_back_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    sizes = crashed(tmp_path)
    cut_file(tmp_path / "t-0" / FIRST, sizes[3])
    FileStore(str(tmp_path)).close()
    assert f"gave back {sizes[4] - sizes[3]} bytes from the sync journal at position {sizes[3]}" in caplog.text
