"""A directory shared by several stores: each has its own logs, checkpoints stay Kafka's, a document has one writer at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from muster.log.checkpoints import CLEAN_OFFSETS, RECOVERY_POINTS, START_OFFSETS, parse_offsets
from muster.log.contract import DocumentChanged, LogConfig, LogUnusable, StorageError
from muster.log.files import FileStore
from muster.log.shared_files import SharedDirectory, SharedFileStore
from tests.log.batches import TOPIC_ID, put, stage

CONFIG = LogConfig()
OTHER_ID = bytes(range(16, 32))


def owns(number: int) -> Callable[[str, int], bool]:
    return lambda topic, partition: partition % 2 == number


def store(path: Path, number: int, *, was_clean: bool = True) -> SharedFileStore:
    return SharedFileStore(str(path), owns(number), number=number, was_clean=was_clean)


def test_each_store_sees_its_own_logs_and_leaves_the_others_alone(tmp_path: Path) -> None:
    even, odd = store(tmp_path, 0), store(tmp_path, 1)
    for index, each in ((0, even), (1, odd)):
        put(each, each.open("t", index, TOPIC_ID, CONFIG), "mine")
    even.delete("t", 1)
    assert even.partitions() == odd.partitions() == [("t", 0), ("t", 1)]
    assert even.get("t", 1) is None
    even.close()
    odd.close()


def test_checkpoints_of_all_stores_are_lines_of_kafkas_files(tmp_path: Path) -> None:
    even, odd = store(tmp_path, 0), store(tmp_path, 1)
    for index, each in ((0, even), (1, odd), (2, even)):
        log = each.open("t", index, TOPIC_ID, CONFIG)
        put(each, log, "one")
        put(each, log, "two")
        log.delete_before(1)
    even.keep_offsets(CLEAN_OFFSETS, {("t", 0): 1})
    odd.keep_offsets(CLEAN_OFFSETS, {("t", 1): 2})
    odd.close()
    even.close()
    assert offsets(tmp_path, RECOVERY_POINTS) == {("t", 0): 2, ("t", 1): 2, ("t", 2): 2}
    assert offsets(tmp_path, START_OFFSETS) == {("t", 0): 1, ("t", 1): 1, ("t", 2): 1}
    assert offsets(tmp_path, CLEAN_OFFSETS) == {("t", 0): 1, ("t", 1): 2}


def offsets(path: Path, name: str) -> dict[tuple[str, int], int]:
    return parse_offsets((path / name).read_bytes(), name)


def test_a_single_store_finds_everything_clean_after_all_have_closed(tmp_path: Path) -> None:
    directory = SharedDirectory(str(tmp_path))
    assert directory.was_clean
    stores = [store(tmp_path, 0), store(tmp_path, 1)]
    for index, each in enumerate(stores):
        stage(each.open("t", index, TOPIC_ID, CONFIG), "kept")
        each.close()
    assert all(each.is_closed_cleanly for each in stores)
    directory.leave(is_clean=True)
    alone = FileStore(str(tmp_path))
    assert alone.was_clean
    assert [alone.open("t", index, TOPIC_ID, CONFIG).durable_offset for index in (0, 1)] == [1, 1]
    alone.close()


def test_a_log_that_nobody_closed_keeps_the_directory_from_being_called_clean(tmp_path: Path) -> None:
    directory = SharedDirectory(str(tmp_path))
    killed = store(tmp_path, 0)
    put(killed, killed.open("t", 0, TOPIC_ID, CONFIG), "kept")
    again = store(tmp_path, 0, was_clean=False)
    again.close()  # without having opened, and hence checked, the log
    assert not again.is_closed_cleanly
    directory.leave(is_clean=again.is_closed_cleanly)
    alone = FileStore(str(tmp_path))
    assert not alone.was_clean
    alone.close()
    killed.close()


def test_the_directory_is_refused_while_somebody_shares_it(tmp_path: Path) -> None:
    directory = SharedDirectory(str(tmp_path))
    with pytest.raises(StorageError, match="in use by process"):
        FileStore(str(tmp_path))
    directory.leave(is_clean=True)
    FileStore(str(tmp_path)).close()


def test_the_second_to_write_a_document_has_to_read_it_again(tmp_path: Path) -> None:
    """The contract of `write_document`: DocumentChanged if it is not what this node read or wrote last."""
    first, second = store(tmp_path, 0), store(tmp_path, 1)
    told: list[str] = []
    first.on_document_written = told.append
    assert first.read_document("d.json") is None
    assert second.read_document("d.json") is None
    first.write_document("d.json", b"1")
    first.write_document("d.json", b"2")
    with pytest.raises(DocumentChanged):
        second.write_document("d.json", b"3")
    assert second.read_document("d.json") == b"2"
    second.write_document("d.json", b"3")
    assert told == ["d.json", "d.json"]
    seen = first.document_versions()["d.json"]
    assert first.versions_on_disk(["d.json", "absent.json"], trust_times=True) == {
        "d.json": second.document_versions()["d.json"],
        "absent.json": 0,
    }
    assert seen != second.document_versions()["d.json"]
    first.close()
    second.close()


def test_a_topic_made_again_does_not_begin_with_records_of_the_deleted_one(tmp_path: Path) -> None:
    """Deleted and made again while this worker was dead: nobody else may touch its directory."""
    before = store(tmp_path, 0)
    put(before, before.open("t", 0, TOPIC_ID, CONFIG), "old")
    before.close()
    after = store(tmp_path, 0)
    assert after.open("t", 0, OTHER_ID, CONFIG).end_offset == 0
    assert after.topic_id_of("t", 0) == OTHER_ID
    after.close()


def test_a_released_log_is_deleted(tmp_path: Path) -> None:
    """Another worker deleted the topic; each removes what is its own."""
    mine = store(tmp_path, 0)
    stage(mine.open("t", 0, TOPIC_ID, CONFIG), "gone")
    mine.release("t", 0)
    assert mine.partitions() == []
    mine.close()


def test_a_log_whose_files_cannot_be_read_is_told_apart_from_a_store_that_fails(tmp_path: Path) -> None:
    """A worker takes that partition offline and serves the others."""
    directory = SharedDirectory(str(tmp_path))
    first = store(tmp_path, 0)
    put(first, first.open("t", 0, TOPIC_ID, CONFIG), "v")
    first.close()
    (tmp_path / "t-0" / "partition.metadata").write_text("nonsense")
    again = store(tmp_path, 0)
    with pytest.raises(LogUnusable, match="no readable topic_id"):
        again.open("t", 0, TOPIC_ID, CONFIG)
    again.open("t", 2, TOPIC_ID, CONFIG)
    again.close()
    directory.leave(is_clean=again.is_closed_cleanly)
