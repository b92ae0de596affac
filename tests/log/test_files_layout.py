"""The data directory is Kafka's (design law 9): names, small files, the lock, and bytes that others can read."""

from __future__ import annotations

import os
import resource
import struct
from pathlib import Path

import pytest

from muster.log.contract import LogConfig, StorageError
from muster.log.files import FileStore
from tests.log.batches import TOPIC_ID, all_records, batch_of, open_log, put, stage
from tests.log.record_oracles import read_with_kafka_python


def listing(path: Path) -> list[str]:
    return sorted(os.listdir(path))


def test_a_closed_store_looks_like_kafkas_data_directory(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    log = open_log(store, segment_bytes=5_000, index_interval_bytes=1_000)
    for _ in range(12):
        put(store, log, "x" * 900)
    store.close()
    assert listing(tmp_path) == [
        ".kafka_cleanshutdown",
        ".lock",
        "log-start-offset-checkpoint",
        "recovery-point-offset-checkpoint",
        "t-0",
    ]
    expected = [f"{base:020d}{suffix}" for base in (0, 5, 10) for suffix in (".index", ".log", ".timeindex")]
    # The last segment is too small for an index entry.
    expected = [name for name in expected if not (name.startswith("00000000000000000010") and "index" in name)]
    assert listing(tmp_path / "t-0") == [*expected, "leader-epoch-checkpoint", "partition.metadata"]
    assert (tmp_path / "recovery-point-offset-checkpoint").read_text() == "0\n1\nt 0 12\n"
    assert (tmp_path / "log-start-offset-checkpoint").read_text() == "0\n0\n"
    assert (tmp_path / "t-0" / "leader-epoch-checkpoint").read_text() == "0\n1\n0 0\n"
    assert (tmp_path / "t-0" / "partition.metadata").read_text() == "version: 0\ntopic_id: AAECAwQFBgcICQoLDA0ODw\n"


def test_index_entries_are_kafkas(tmp_path: Path) -> None:
    """Offset index: last offset of a batch and its position. Time index: newest timestamp and the offset of its batch."""
    store = FileStore(str(tmp_path))
    log = open_log(store, index_interval_bytes=150)
    for number in range(6):
        put(store, log, f"{number}a", f"{number}b", timestamp_ms=1_000 + number)
    size = log.size_bytes() // 6
    store.close()
    index = (tmp_path / "t-0" / "00000000000000000000.index").read_bytes()
    times = (tmp_path / "t-0" / "00000000000000000000.timeindex").read_bytes()
    assert list(struct.iter_unpack(">ii", index)) == [(5, 2 * size), (9, 4 * size)]
    assert list(struct.iter_unpack(">qi", times)) == [(1_002, 5), (1_004, 9), (1_005, 11)]


def test_kafka_pythons_reader_reads_a_segment_file(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    log = open_log(store)
    put(store, log, "a", "b", timestamp_ms=1_700_000_000_000, step_ms=5)
    put(store, log, "c")
    store.close()
    found = read_with_kafka_python((tmp_path / "t-0" / "00000000000000000000.log").read_bytes())
    assert [(record.offset, record.timestamp_ms, record.value) for record in found] == [
        (0, 1_700_000_000_000, b"a"),
        (1, 1_700_000_000_005, b"b"),
        (2, 1_000, b"c"),
    ]


def test_files_that_kafka_leaves_beside_a_log_do_no_harm(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    put(store, open_log(store), "a")
    store.close()
    directory = tmp_path / "t-0"
    for name in ("00000000000000000001.snapshot", "00000000000000000000.txnindex"):
        (directory / name).write_bytes(b"whatever")
    for name in (
        "00000000000000000000.index.deleted",
        "00000000000000000007.index",
        "00000000000000000000.log.cleaned",
    ):
        (directory / name).write_bytes(b"whatever")
    (tmp_path / "bootstrap.checkpoint").write_bytes(b"")
    again = FileStore(str(tmp_path))
    assert all_records(open_log(again)) == [(0, "a")]
    assert listing(directory) == [
        "00000000000000000000.log",
        "00000000000000000000.txnindex",
        "00000000000000000001.snapshot",
        "leader-epoch-checkpoint",
        "partition.metadata",
    ]
    again.close()


def test_an_empty_swap_file_replaces_nothing(tmp_path: Path) -> None:
    """A compacted segment always keeps the header of its last batch, so an empty one says nothing."""
    store = FileStore(str(tmp_path))
    put(store, open_log(store), "a")
    store.close()
    (tmp_path / "t-0" / "00000000000000000000.log.swap").write_bytes(b"")
    again = FileStore(str(tmp_path))
    assert all_records(open_log(again)) == [(0, "a")]
    again.close()


def test_a_second_server_is_told_who_holds_the_directory(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    with pytest.raises(StorageError) as caught:
        FileStore(str(tmp_path))
    assert str(tmp_path) in str(caught.value)
    assert f"process {os.getpid()}" in str(caught.value)
    store.close()
    FileStore(str(tmp_path)).close()


def test_a_data_directory_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(StorageError, match="cannot be made a data directory"):
        FileStore(str(tmp_path / "data"))


def test_the_longest_topic_name_fits_also_when_deleted(tmp_path: Path) -> None:
    """249 characters are legal; Kafka cuts the name of the directory that is going away."""
    topic = "t" * 249
    store = FileStore(str(tmp_path))
    put(store, store.open(topic, 12345, TOPIC_ID, LogConfig()), "a")
    assert store.partitions() == [(topic, 12345)]
    store.delete(topic, 12345)
    store.close()
    assert not [name for name in listing(tmp_path) if name.startswith("t")]


def test_what_an_interrupted_deletion_left_is_cleared_away(tmp_path: Path) -> None:
    left = tmp_path / f"t-0.{'0123456789abcdef' * 2}-delete"
    left.mkdir()
    (left / "00000000000000000000.log").write_bytes(b"x")
    store = FileStore(str(tmp_path))
    assert store.partitions() == []
    assert not left.exists()
    store.close()


def test_a_namesake_of_a_deleted_log_starts_at_zero_even_after_a_crash_in_between(tmp_path: Path) -> None:
    (tmp_path / "log-start-offset-checkpoint").write_text("0\n1\nt 0 500\n")
    store = FileStore(str(tmp_path))
    assert open_log(store).start_offset == 0
    store.close()


@pytest.mark.parametrize("topic", ["", "a/b", "../x", "ä", "t" * 250])
def test_names_that_cannot_be_topics_never_become_paths(tmp_path: Path, topic: str) -> None:
    store = FileStore(str(tmp_path))
    with pytest.raises(StorageError, match="cannot be a log's directory"):
        store.open(topic, 0, TOPIC_ID, LogConfig())
    store.close()


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".lock"])
def test_names_that_cannot_be_documents_never_become_paths(tmp_path: Path, name: str) -> None:
    store = FileStore(str(tmp_path))
    with pytest.raises(StorageError, match="cannot be a document's name"):
        store.write_document(name, b"")
    with pytest.raises(StorageError, match="cannot be a document's name"):
        store.read_document(name)
    store.close()


def test_a_directory_of_another_topic_id_is_refused(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    put(store, open_log(store), "a")
    store.close()
    again = FileStore(str(tmp_path))
    with pytest.raises(StorageError, match="belongs to the topic with id 000102"):
        again.open("t", 0, bytes(16), LogConfig())
    again.close()


def test_a_topic_id_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    put(store, open_log(store), "a")
    store.close()
    (tmp_path / "t-0" / "partition.metadata").write_text("version: 0\ntopic_id: ?\n")
    again = FileStore(str(tmp_path))
    with pytest.raises(StorageError, match="no readable topic_id"):
        again.topic_id_of("t", 0)
    again.close()


@pytest.mark.parametrize("content", ["0\n", "1\n0\n", "0\n2\nt 0 1\n", "0\n1\nt zero 1\n", "0\n1\nt 0\n", "0\nx\n"])
def test_a_damaged_checkpoint_is_an_error_that_names_the_file(tmp_path: Path, content: str) -> None:
    path = tmp_path / "recovery-point-offset-checkpoint"
    path.write_text(content)
    with pytest.raises(StorageError, match=r"recovery-point-offset-checkpoint: .*remove it"):
        FileStore(str(tmp_path))
    path.unlink()
    FileStore(str(tmp_path)).close()


def test_many_idle_partitions_hold_no_files_open(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path), "os")
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else resource.RLIMIT_NOFILE
    for partition in range(50):
        open_log(store, "__consumer_offsets", partition)
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else before
    assert after <= before
    store.close()


def test_more_busy_partitions_than_files_may_be_open_all_get_their_records(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path), "os")
    logs = [open_log(store, partition=number) for number in range(300)]
    for round_ in range(2):
        for log in logs:
            stage(log, f"{round_}")
        pending = store.begin_commit()
        assert pending is not None
        pending.run()
        assert all(failure is None for _, failure in pending.finish())
    assert len(store._access.writers) <= 256
    for log in logs:
        assert all_records(log) == [(0, "0"), (1, "1")]
    store.close()


def test_a_batch_larger_than_a_segment_gets_one_of_its_own(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    log = open_log(store, segment_bytes=200)
    put(store, log, "a")
    put(store, log, "b" * 1_000)
    put(store, log, "c")
    names = [name for name in listing(tmp_path / "t-0") if name.endswith(".log")]
    assert names == [f"{base:020d}.log" for base in range(3)]
    assert [value[0] for _, value in all_records(log)] == ["a", "b", "c"]
    assert len(batch_of("b" * 1_000)) > 200
    store.close()
