"""A producer sends records that contain frames of the sync journal, and waits for the server to be killed.

With WRITE on one topic alone he had his record appended to another: a start after the crash searched the journal for sound frames,
also inside the bytes that he had sent.
"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from muster.log.contract import PartitionLog
from muster.log.directory import journal_files
from muster.log.files import FileStore
from muster.wire.batch import Record, encode_batch, parse_header, with_offset_and_epoch
from tests.log.batches import TOPIC_ID, all_records, batch_of, commit, open_log, put, stage
from tests.security.attacks.forged_frames import frame_1, frame_2, kill

FIRST = "00000000000000000000.log"
HIS_RECORD = "written by somebody who may only read"
FAR_TICK = 10**9
"""Of a commit behind all others: what is before it must have been acknowledged."""


def his_frames(position: int, offset: int) -> bytes:
    """Frames of every format that say: this batch stands at the end of `secret`."""
    batch = with_offset_and_epoch(batch_of(HIS_RECORD), offset, 0)
    place = (0, position, TOPIC_ID, 0, b"secret", batch)
    frames = frame_1(FAR_TICK, *place)
    for sequence in range(6):
        frames += frame_2(sequence, FAR_TICK, *place)
    return frames


def produce(log: PartitionLog, value: bytes) -> None:
    batch = encode_batch([Record(0, 1_000, b"k", value)])
    log.append(batch, parse_header(batch), 0, 1_000)


def attacked(directory: Path) -> None:
    """Two logs in one commit after another, the attacker's with his frames in it; then the process is killed."""
    store = FileStore(str(directory))
    mine, secret = open_log(store, "mine"), open_log(store, "secret")
    put(store, mine, "first")
    put(store, secret, "first")
    for number in range(3):
        stage(secret, f"honest {number}")
        size = (directory / "secret-0" / FIRST).stat().st_size
        # He reads the topic: he knows where it ends, and how long the next batch will be.
        behind = size + len(batch_of(f"honest {number}"))
        produce(mine, his_frames(size, secret.durable_offset) + his_frames(behind, secret.end_offset) + b"x" * 300)
        assert all(failure is None for _, failure in commit(store))
    kill(store)


def test_a_frame_inside_a_record_is_never_read_wherever_the_journal_is_torn(tmp_path: Path) -> None:
    attacked(tmp_path)
    (path,) = journal_files(str(tmp_path))
    journal = Path(path)
    whole = journal.read_bytes()
    honest = [(0, "first"), (1, "honest 0"), (2, "honest 1"), (3, "honest 2")]
    kept = (tmp_path / "secret-0" / FIRST).read_bytes()
    for torn_at in range(40, len(whole), 97):
        for rest in (b"", bytes(4_000)):
            journal.write_bytes(whole[:torn_at] + rest)
            store = FileStore(str(tmp_path))
            assert all_records(open_log(store, "secret")) == honest
            open_log(store, "mine")
            kill(store)
            assert (tmp_path / "secret-0" / FIRST).read_bytes() == kept


def test_a_frame_inside_a_record_is_never_read_whichever_byte_of_the_journal_rots(tmp_path: Path) -> None:
    attacked(tmp_path)
    (path,) = journal_files(str(tmp_path))
    journal = Path(path)
    whole = journal.read_bytes()
    kept = (tmp_path / "secret-0" / FIRST).read_bytes()
    for rotten in range(22, len(whole), 53):
        journal.write_bytes(whole[:rotten] + bytes([whole[rotten] ^ 0x55]) + whole[rotten + 1 :])
        store = FileStore(str(tmp_path))
        open_log(store, "secret")
        kill(store)
        assert (tmp_path / "secret-0" / FIRST).read_bytes() == kept


def test_every_file_of_the_journal_has_a_secret_of_its_own(tmp_path: Path) -> None:
    secrets = set()
    for number in range(3):
        directory = tmp_path / str(number)
        attacked(directory)
        (path,) = journal_files(str(directory))
        secrets.add(Path(path).read_bytes()[22:38])
    assert len(secrets) == 3
    assert all(any(secret) for secret in secrets)


@pytest.mark.parametrize("sequence", [0, 2, 4], ids=["again", "skipped", "far"])
def test_a_frame_out_of_its_turn_ends_the_reading(tmp_path: Path, sequence: int) -> None:
    """Not even a copy of a real frame counts at another place."""
    from muster.log.sync_reading import read_journal

    attacked(tmp_path)
    (path,) = journal_files(str(tmp_path))
    whole = Path(path).read_bytes()
    found = read_journal(whole)
    second = whole.index(whole[22:38], 38 + 16)
    first = whole[38:second]
    moved = first[:16] + struct.pack(">q", sequence) + first[24:]
    assert len(read_journal(whole[:second] + moved + whole[second:]).frames) == 1
    assert len(found.frames) == 6
