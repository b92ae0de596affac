"""The loader's short way for usual offsets and its common way come to the same facts, whatever is in the log."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.core.config import GroupConfig
from muster.core.records import GroupErased, GroupStored, LogRecord, OffsetCommitted, OffsetErased
from muster.core.shard import Shard
from muster.log.contract import LogConfig, PartitionLog
from muster.log.memory import MemoryStore
from muster.log.record_codec import decode_record, encode_record
from muster.runtime.loader import BYTES_A_STEP, LoadError
from muster.runtime.offsets_load import OffsetsLoad
from muster.wire.batch import Record as WireRecord
from muster.wire.batch import decode_records, encode_batch, iterate_batches, parse_header

TOPIC_ID = bytes(range(1, 17))

groups = st.sampled_from(["g", "group-1", "a group with quite a long name, as they are in practice " * 2, "Ω"])
topics = st.sampled_from(["t", "orders", "a.topic.with.a.long.name.that.takes.two.bytes.of.length" * 2])
commits = st.builds(
    OffsetCommitted,
    groups,
    topics,
    st.integers(0, 200),
    st.integers(0, 2**62),
    st.integers(-1, 2**31 - 1),
    st.sampled_from(["", "", "", "note", "ünïcode", "x" * 200]),
    st.sampled_from([1_000, 1_001, 1_700_000_000_000]),
    st.sampled_from([-1, -1, -1, 5_000]),
    st.sampled_from([TOPIC_ID, TOPIC_ID, bytes(16), None]),
)
others = st.one_of(
    st.builds(OffsetErased, groups, topics, st.integers(0, 200)),
    st.builds(GroupErased, groups),
    st.builds(
        GroupStored,
        groups,
        st.just("consumer"),
        st.integers(0, 9),
        st.just("range"),
        st.none(),
        st.just(1),
        st.just(()),
    ),
)
batches = st.lists(
    st.tuples(
        st.lists(st.one_of(commits, commits, commits, others), min_size=1, max_size=90),
        st.sampled_from([0, 0, 0, 0, 1, 4]),
        st.sampled_from([0, 0, 0, 100]),
    ),
    max_size=6,
)


def log_of(content: list[tuple[list[LogRecord], int, int]]) -> PartitionLog:
    store = MemoryStore()
    log = store.open("__consumer_offsets", 0, bytes(16), LogConfig())
    for records, codec, step_ms in content:
        pairs = [encode_record(record) for record in records]
        batch = encode_batch(
            [WireRecord(at, 1_000 + at * step_ms, key, value) for at, (key, value) in enumerate(pairs)],
            compression=codec,
        )
        log.append(batch, parse_header(batch), 0, 1_000)
    store.close()
    return log


def loaded(log: PartitionLog) -> tuple[Shard, OffsetsLoad]:
    shard = Shard(GroupConfig(), lambda: "unused")
    load = OffsetsLoad(shard, log, 5_242_880)
    while not load.step():
        pass
    return shard, load


def replayed_one_by_one(log: PartitionLog) -> tuple[Shard, int]:
    shard = Shard(GroupConfig(), lambda: "unused")
    count = 0
    content = log.read(log.start_offset, 1 << 30) if log.durable_offset > log.start_offset else b""
    for position, header in iterate_batches(content):
        for record in decode_records(content, header, position):
            if record.offset >= log.start_offset:
                shard.replay(decode_record(record.key, record.value), record.offset)
                count += 1
    return shard, count


@given(batches, st.integers(0, 100))
@settings(deadline=None, max_examples=150)
def test_loading_equals_replaying_record_by_record(content: Any, start: int) -> None:
    """Law 2: whatever path a record takes, `replay` decides what it means."""
    log = log_of(content)
    log.delete_before(start)
    fast, load = loaded(log)
    slow, count = replayed_one_by_one(log)
    assert fast.facts == slow.facts
    assert fast.offsets == slow.offsets
    assert fast.offsets.count == slow.offsets.count == sum(1 for _ in fast.offsets)
    assert {name: repr(group) for name, group in fast.groups.items()} == {
        name: repr(group) for name, group in slow.groups.items()
    }
    assert all(fast.groups[name].is_committed == group.is_committed for name, group in slow.groups.items())
    assert load.records == count


def usual(count: int) -> list[LogRecord]:
    return [OffsetCommitted("g", "t", at % 64, at, 1, "", 1_000, -1, TOPIC_ID) for at in range(count)]


def test_a_long_log_is_loaded_in_many_short_steps() -> None:
    """Others are served between two steps: the coordinator takes one a turn of the loop."""
    log = log_of([(usual(60), 0, 0)] * 400)
    shard = Shard(GroupConfig(), lambda: "unused")
    load = OffsetsLoad(shard, log, 5_242_880)
    most = steps = before = 0
    finished = False
    while not finished:
        finished = load.step()
        most = max(most, load.records - before)
        before = load.records
        steps += 1
    assert load.records == 400 * 60
    assert steps >= log.size_bytes() // (2 * BYTES_A_STEP)
    assert most <= 2_000


def test_equal_topic_ids_are_held_once() -> None:
    """A million equal ids would be 49 MB."""
    shard, _ = loaded(log_of([(usual(50), 0, 0)] * 3))
    stored = list(shard.offsets.of_group("g")["t"].values())
    assert len({id(entry.topic_id) for entry in stored}) == 1


@pytest.mark.parametrize("cut", [1, 20, 50])
def test_a_batch_whose_records_are_cut_off_fails_the_load_and_says_where(cut: int) -> None:
    log = log_of([(usual(3), 0, 0), (usual(3), 0, 0)])
    segment: Any = log._segments[0]  # type: ignore[attr-defined]
    sound = segment.batches[1]
    broken = sound[:8] + (len(sound) - 12 - cut).to_bytes(4, "big") + sound[12:-cut]
    segment.batches[1] = broken
    with pytest.raises(LoadError, match="__consumer_offsets-0 near offset 3"):
        loaded(log)
