"""A frame of the sync journal says something impossible: a position of 2^40, a topic that is no text, a log that is not there.

Each kept the server from starting, the topic with a traceback. Now the frame is reported and left out, or the one log that lacks
something stays offline.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from muster.log.contract import StorageError
from muster.log.directory import journal_files, journal_path
from muster.log.files import FileStore
from muster.wire.batch import with_offset_and_epoch
from tests.log.batches import TOPIC_ID, all_records, batch_of, open_log, put
from tests.security.attacks.forged_frames import journal_1, journal_2, kill

BATCH = with_offset_and_epoch(batch_of("forged"), 1, 0)
Frame = tuple[int, int, bytes, int, bytes, bytes]

IMPOSSIBLE: dict[str, Frame] = {
    "position of 2^40": (0, 2**40, TOPIC_ID, 0, b"t", BATCH),
    "negative position": (0, -1, TOPIC_ID, 0, b"t", BATCH),
    "negative segment": (-1, 0, TOPIC_ID, 0, b"t", BATCH),
    "topic that is no text": (0, 0, TOPIC_ID, 0, b"\xff\xfe", BATCH),
    "topic outside of the directory": (0, 0, TOPIC_ID, 0, b"../../t", BATCH),
    "no topic": (0, 0, TOPIC_ID, 0, b"", BATCH),
    "negative partition": (0, 0, TOPIC_ID, -7, b"t", BATCH),
    "bytes that are no batch": (0, 0, TOPIC_ID, 0, b"t", b"x" * 100),
    "no bytes": (0, 0, TOPIC_ID, 0, b"t", b""),
    "offsets of another segment": (0, 0, TOPIC_ID, 0, b"t", with_offset_and_epoch(BATCH, 2**40, 0)),
    "checksum of another batch": (0, 0, TOPIC_ID, 0, b"t", BATCH[:-1] + b"?"),
}
NOT_HERE: dict[str, Frame] = {
    "unknown topic": (0, 0, TOPIC_ID, 0, b"unknown", BATCH),
    "unknown partition": (0, 0, TOPIC_ID, 9, b"t", BATCH),
    "another topic's id": (0, 0, bytes(16), 0, b"t", BATCH),
    "segment that is not there": (2**30, 0, TOPIC_ID, 0, b"t", with_offset_and_epoch(BATCH, 2**30, 0)),
}
MAKERS = pytest.mark.parametrize("make", [journal_1, journal_2], ids=["format 1", "format 2"])


def killed_with(directory: Path, content: bytes) -> None:
    store = FileStore(str(directory))
    put(store, open_log(store), "honest")
    put(store, open_log(store, partition=1), "honest")
    kill(store)
    Path(journal_path(str(directory), 0, 1)).write_bytes(content)


@MAKERS
@pytest.mark.parametrize("frame", [*IMPOSSIBLE.values()], ids=[*IMPOSSIBLE])
def test_an_impossible_frame_is_reported_in_one_line_and_skipped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, frame: Frame, make: Callable[..., bytes]
) -> None:
    killed_with(tmp_path, make(frame, frame))
    store = FileStore(str(tmp_path))
    (line,) = [record.getMessage() for record in caplog.records]
    assert "2 frames that cannot be applied are skipped" in line
    assert "muster.sync.0.1" in line
    for partition in range(2):
        assert all_records(open_log(store, partition=partition)) == [(0, "honest")]
    store.close()
    assert journal_files(str(tmp_path)) == []


@MAKERS
@pytest.mark.parametrize("frame", [*NOT_HERE.values()], ids=[*NOT_HERE])
def test_a_frame_of_a_log_that_is_not_here_is_skipped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, frame: Frame, make: Callable[..., bytes]
) -> None:
    killed_with(tmp_path, make(frame))
    caplog.set_level("INFO")
    store = FileStore(str(tmp_path))
    assert "frames are skipped" in caplog.text
    assert store.partitions() == [("t", 0), ("t", 1)]
    for partition in range(2):
        assert all_records(open_log(store, partition=partition)) == [(0, "honest")]
    store.close()


@MAKERS
def test_a_frame_behind_a_gap_takes_its_partition_offline_and_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, make: Callable[..., bytes]
) -> None:
    """It is sound, and says that records were acknowledged that are not here."""
    killed_with(tmp_path, make((0, 5_000, TOPIC_ID, 0, b"t", BATCH)))
    for _ in range(2):
        store = FileStore(str(tmp_path))
        with pytest.raises(StorageError, match="muster log repair"):
            open_log(store)
        assert all_records(open_log(store, partition=1)) == [(0, "honest")]
        store.close()
    assert caplog.text.count("t-0 lacks records that were acknowledged") == 1


def test_a_partition_whose_own_files_cannot_be_read_keeps_no_other_from_starting(tmp_path: Path) -> None:
    killed_with(tmp_path, journal_2((0, 0, TOPIC_ID, 0, b"t", BATCH)))
    (tmp_path / "t-0" / "partition.metadata").write_text("nonsense")
    store = FileStore(str(tmp_path))
    with pytest.raises(StorageError, match="no readable topic_id"):
        open_log(store)
    assert all_records(open_log(store, partition=1)) == [(0, "honest")]
    store.close()
