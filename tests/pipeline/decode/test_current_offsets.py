"""Straight from segments to current offsets: the last word on every key, transactions included."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from muster.core.records import OffsetCommitted, OffsetErased
from muster.log.record_codec import encode_record
from muster.pipeline.decode import current_offsets as current_offsets_module
from muster.pipeline.decode.current_offsets import current_offsets
from muster.pipeline.schemas import TABLES
from tests.pipeline.sources.written_log import ABORT, COMMIT, NOW_MS, Pair, WrittenLog


def commit(offset: int, group: str = "g", topic: str = "t", partition: int = 0, metadata: str = "") -> Pair:
    return encode_record(OffsetCommitted(group, topic, partition, offset, 2, metadata, NOW_MS))


def erase(group: str = "g", topic: str = "t", partition: int = 0) -> Pair:
    return encode_record(OffsetErased(group, topic, partition))


def found(log: WrittenLog, **more: Any) -> dict[tuple[str, str, int], int]:
    table = current_offsets([log.folder], **more)
    assert table.schema == TABLES["s_current_offset"]
    return {(row["group_id"], row["topic"], row["partition"]): row["committed_offset"] for row in table.to_pylist()}


def test_last_commit_of_a_key_counts_also_when_it_rewinds(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    log.append(commit(5), commit(9, partition=1))
    log.append(commit(3))
    assert found(log) == {("g", "t", 0): 3, ("g", "t", 1): 9}


def test_tombstone_takes_the_offset_away_and_a_later_commit_brings_it_back(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    log.append(commit(5), commit(6, partition=1))
    log.append(erase(), erase(partition=1))
    log.append(commit(7, partition=1))
    assert found(log) == {("g", "t", 1): 7}


def test_tombstone_under_the_old_key_type_counts(tmp_path: Path) -> None:
    """Spec 5.7: types 0 and 1 name the same offset."""
    log = WrittenLog(tmp_path)
    key, _ = commit(5)
    assert key is not None
    log.append(commit(5), commit(6, partition=1))
    log.append((b"\0\0" + key[2:], None))
    assert found(log) == {("g", "t", 1): 6}


def test_committed_transaction_counts_and_aborted_and_open_ones_do_not(tmp_path: Path) -> None:
    """Analytics traps 5 to 7."""
    log = WrittenLog(tmp_path)
    log.append(commit(1), commit(1, "a"), commit(1, "o"))
    log.append(commit(2), producer=7, transactional=True)
    log.append(commit(2, "a"), producer=8, transactional=True)
    log.append(commit(2, "o"), producer=9, transactional=True)
    log.end_transaction(7, COMMIT)
    log.end_transaction(8, ABORT)
    assert found(log) == {("g", "t", 0): 2, ("a", "t", 0): 1, ("o", "t", 0): 1}


def test_order_is_the_records_place_and_not_the_markers(tmp_path: Path) -> None:
    """Analytics 2.4: a plain commit between a transactional one and its marker is the newer one."""
    log = WrittenLog(tmp_path)
    log.append(commit(2), producer=7, transactional=True)
    log.append(commit(5))
    log.end_transaction(7, COMMIT)
    assert found(log) == {("g", "t", 0): 5}


def test_tombstone_between_a_transactional_commit_and_its_marker_wins(tmp_path: Path) -> None:
    """Analytics 2.4: a tombstone also removes what is pending."""
    log = WrittenLog(tmp_path)
    log.append(commit(2), producer=7, transactional=True)
    log.append(erase())
    log.end_transaction(7, COMMIT)
    assert found(log) == {}


def test_transactions_of_one_producer_are_told_apart_by_their_markers(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    for offset, marker in ((2, COMMIT), (3, ABORT), (4, COMMIT), (5, ABORT)):
        log.append(commit(offset), producer=7, transactional=True)
        log.end_transaction(7, marker)
    assert found(log) == {("g", "t", 0): 4}


def test_record_that_cannot_be_decoded_does_not_hide_the_one_before(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    key, _ = commit(5)
    log.append(commit(5), erase("gone"), (key, b"\x00\x09junk"))
    assert found(log) == {("g", "t", 0): 5}


def test_misplaced_groups_do_not_count(tmp_path: Path) -> None:
    """Analytics trap 26: "grp" belongs into partition 29 of 50."""
    log = WrittenLog(tmp_path, partition=3)
    log.append(commit(5, "grp"))
    assert found(log, partition_count=50) == {}
    assert found(log) == {("grp", "t", 0): 5}


@pytest.mark.parametrize("seed", range(6))
def test_random_history_is_answered_as_a_plain_replay_does(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The coordinator's own rules (analytics 2.4), record by record, in plain Python."""
    monkeypatch.setattr(current_offsets_module, "_ROOM", 20)
    chance = random.Random(seed)
    log = WrittenLog(tmp_path)
    replay = _Replay()
    for _ in range(300):
        choice = chance.random()
        if choice < 0.1:
            producer = chance.randint(1, 3)
            marker = chance.choice([ABORT, COMMIT])
            log.end_transaction(producer, marker)
            replay.end(producer, marker == COMMIT)
            continue
        producer = chance.randint(1, 3) if choice < 0.4 else -1
        pairs: list[Pair] = []
        for _ in range(chance.randint(1, 4)):
            key = (f"g{chance.randint(0, 3)}", "t", chance.randint(0, 2))
            offset = None if chance.random() < 0.15 and producer < 0 else chance.randint(0, 99)
            replay.put(log.end + len(pairs), key, offset, producer)
            pairs.append(erase(*key) if offset is None else commit(offset, *key))
        log.append(*pairs, producer=producer, transactional=producer >= 0, compression=chance.choice([0, 0, 3]))
        if chance.random() < 0.05:
            log.roll()
    assert found(log) == {key: offset for key, (_, offset) in replay.current.items()}


class _Replay:
    """Committed and pending offsets as the coordinator keeps them."""

    def __init__(self) -> None:
        self.current: dict[tuple[str, str, int], tuple[int, int]] = {}
        self.pending: dict[int, dict[tuple[str, str, int], tuple[int, int]]] = {}

    def put(self, at: int, key: tuple[str, str, int], offset: int | None, producer: int) -> None:
        if offset is None:
            self.current.pop(key, None)
            for waiting in self.pending.values():
                waiting.pop(key, None)
        elif producer >= 0:
            self.pending.setdefault(producer, {})[key] = (at, offset)
        else:
            self.current[key] = (at, offset)

    def end(self, producer: int, is_commit: bool) -> None:
        for key, entry in self.pending.pop(producer, {}).items():
            if is_commit and entry[0] > self.current.get(key, (-1, 0))[0]:
                self.current[key] = entry
