"""Packed offsets against a model, a plain dict: whatever lies in slots and whatever does not, nobody can tell from outside."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i32

from muster.core.offsets.partition_offsets import PartitionOffsets, StoredOffset
from muster.core.offsets.run import OffsetRun
from tests.values import replaced

ID, OTHER_ID = b"i" * 16, b"o" * 16
NOW_MS = 1_700_000_000_000
HOUR_MS = 3_600_000

partitions = st.one_of(st.integers(0, 12), st.sampled_from([40, 41, 100, 5_000, 2**31 - 1, -1]))
entries = st.builds(
    StoredOffset,
    offset=st.one_of(st.integers(-1, 9), st.sampled_from([2**63 - 1, -(2**63)])),
    leader_epoch=st.sampled_from([-1, 0, 1, 4093, 4094, 4095, 2**20 - 2, 2**20 - 1, 2**31 - 1, -2]),
    metadata=st.sampled_from(["", "", "", "note"]),
    committed_ms=st.one_of(
        st.integers(NOW_MS, NOW_MS + 5 * HOUR_MS), st.sampled_from([0, 2**42 - 1, 2**42, -1, -(2**63), 2**63 - 1])
    ),
    expires_ms=st.sampled_from([-1, -1, -1, NOW_MS, 0]),
    log_offset=st.one_of(st.integers(0, 20), st.integers(0, 20), st.sampled_from([2**25 - 2, 2**25, 2**62, 2**63 - 1])),
    topic_id=st.sampled_from([None, ID, ID, OTHER_ID]),
)
steps = st.lists(st.tuples(partitions, st.one_of(st.none(), entries, entries)), max_size=60)


def put(held: PartitionOffsets, partition: int, entry: StoredOffset) -> None:
    held.put(partition, *entry.as_dict().values())


def usual(offset: int, log_offset: int = 0, topic_id: bytes | None = ID) -> StoredOffset:
    return StoredOffset(offset, 3, "", NOW_MS, -1, log_offset, topic_id)


def found(held: PartitionOffsets, asked: list[int]) -> list[tuple[int, int, str]]:
    offsets, leader_epochs, metadata = held.find(vec[i32](asked))
    return list(zip(offsets, leader_epochs, metadata or [""] * len(asked), strict=True))


def sought(model: dict[int, StoredOffset], partition: int) -> tuple[int, int, str]:
    entry = model.get(partition)
    return (-1, -1, "") if entry is None else (entry.offset, entry.leader_epoch, entry.metadata)


@given(steps)
def test_puts_and_erasures_agree_with_a_dict(steps: list[tuple[int, StoredOffset | None]]) -> None:
    held, model = PartitionOffsets(), dict[int, StoredOffset]()
    for partition, entry in steps:
        if entry is None:
            assert held.erase(partition) == (model.pop(partition, None) is not None)
        else:
            put(held, partition, entry)
            if partition not in model or model[partition].log_offset < entry.log_offset:
                model[partition] = entry
        assert len(held) == len(model)
    assert list(held.items()) == sorted(model.items())
    assert list(held) == sorted(model) == held.partitions()
    for partition in [*range(-1, 15), *model]:
        assert held.get(partition) == model.get(partition)
        assert (partition in held) == (partition in model)
        is_plain, offset, leader_epoch = held.plain(partition)
        if is_plain:
            assert (offset, leader_epoch) == (model[partition].offset, model[partition].leader_epoch)
            assert model[partition].metadata == ""
    asked = [*range(-1, 15), *model, 3, 3, 2**31 - 1, -(2**31)]
    assert found(held, asked) == [sought(model, partition) for partition in asked]


@given(steps, st.randoms())
def test_the_order_of_arrival_does_not_show(steps: list[tuple[int, StoredOffset | None]], random: Random) -> None:
    """Records of a log have places of their own, so whoever comes last in the log wins."""
    numbered = [(partition, entry, place) for place, (partition, entry) in enumerate(steps) if entry is not None]
    one, other = PartitionOffsets(), PartitionOffsets()
    for partition, entry, place in numbered:
        put(one, partition, replaced(entry, log_offset=place))
    random.shuffle(numbered)
    for partition, entry, place in numbered:
        put(other, partition, replaced(entry, log_offset=place))
    assert one == other
    assert repr(one) == repr(other)


@pytest.mark.parametrize("count", [1, 16, 17, 300])
def test_usual_offsets_are_all_plain(count: int) -> None:
    held = PartitionOffsets()
    for partition in range(count):
        put(held, partition, usual(partition * 10))
    assert [held.plain(partition) for partition in range(count)] == [(True, at * 10, 3) for at in range(count)]
    assert held.plain(count) == (False, -1, -1)


def test_texts_are_found_only_where_one_is_asked_for() -> None:
    held = PartitionOffsets()
    for partition in (0, 1, 900):
        put(held, partition, usual(partition))
    put(held, 2, replaced(usual(2), metadata="note"))
    assert held.find(vec[i32]([0, 1, 900]))[2] is None
    assert found(held, [900, 2, 7, 2]) == [(900, 3, ""), (2, 3, "note"), (-1, -1, ""), (2, 3, "note")]
    assert found(held, []) == []


def test_wide_slots_are_found_as_narrow_ones_are() -> None:
    held = PartitionOffsets()
    put(held, 0, usual(5))
    put(held, 1, replaced(usual(6), committed_ms=NOW_MS + 100 * HOUR_MS, leader_epoch=2**20 - 2))
    put(held, 3, replaced(usual(7), leader_epoch=-1))
    assert found(held, [3, 2, 1, 0]) == [(7, -1, ""), (-1, -1, ""), (6, 2**20 - 2, ""), (5, 3, "")]


def test_a_far_partition_alone_takes_no_room_for_those_before_it() -> None:
    held = PartitionOffsets()
    put(held, 2**31 - 1, usual(7))
    assert held.plain(2**31 - 1)[0] is False
    assert held.get(2**31 - 1) == usual(7)


def test_far_partitions_become_plain_when_enough_others_have_come() -> None:
    held = PartitionOffsets()
    put(held, 900, usual(1))
    put(held, 901, usual(2))
    assert not held.plain(900)[0]
    for partition in range(200):
        put(held, partition, usual(3))
    put(held, 902, usual(4))
    assert [held.plain(partition) for partition in (900, 901, 902)] == [(True, 1, 3), (True, 2, 3), (True, 4, 3)]
    assert len(held) == 203


def test_commits_without_a_topic_id_become_plain_with_one() -> None:
    """A log that an older broker has written: ids come with the next commits."""
    held = PartitionOffsets()
    for place, topic_id in enumerate((None, ID)):
        for partition in range(3):
            put(held, partition, usual(partition, place, topic_id))
        assert [held.plain(partition)[0] for partition in range(3)] == [True] * 3
        assert [stored.topic_id for stored in held.values()] == [topic_id] * 3


def test_a_group_that_commits_for_weeks_stays_as_it_was() -> None:
    """All partitions every few hours: the base that their times are counted from moves along."""
    held = PartitionOffsets()
    for builder in range(200):
        for partition in range(5):
            log_offset = 10_000_000 * builder + partition
            put(held, partition, StoredOffset(builder, 3, "", NOW_MS + builder * 3 * HOUR_MS, -1, log_offset, ID))
    last_ms = NOW_MS + 199 * 3 * HOUR_MS
    assert list(held.items()) == [
        (partition, StoredOffset(199, 3, "", last_ms, -1, 1_990_000_000 + partition, ID)) for partition in range(5)
    ]


@pytest.mark.parametrize(
    "late",
    [
        StoredOffset(5, 3, "", NOW_MS + 100 * HOUR_MS, -1, 10, ID),
        StoredOffset(5, 3, "", NOW_MS, -1, 10_000_000_000, ID),
        StoredOffset(5, 100_000, "", NOW_MS, -1, 10, ID),
        StoredOffset(5, 3, "", NOW_MS - 100 * HOUR_MS, -1, 10, None),
    ],
    ids=["days later", "far behind in the log", "many elections", "days before"],
)
def test_commits_far_from_each_other_keep_their_numbers(late: StoredOffset) -> None:
    held = PartitionOffsets()
    for partition in range(3):
        put(held, partition, usual(partition, partition))
    put(held, 1, late)
    put(held, 3, usual(3, 20))
    assert list(held.values()) == [usual(0, 0), late, usual(2, 2), usual(3, 20)]
    assert all(held.plain(partition)[0] for partition in range(4))


def test_the_first_commit_at_the_very_beginning_of_time_keeps_its_numbers() -> None:
    held = PartitionOffsets()
    first, second = StoredOffset(1, 0, "", 5, -1, 0, None), StoredOffset(2, 0, "", NOW_MS, -1, 1, ID)
    put(held, 0, first)
    put(held, 1, second)
    assert list(held.values()) == [first, second]


def test_metadata_comes_and_goes_with_the_commits() -> None:
    held = PartitionOffsets()
    with_metadata = StoredOffset(5, -1, "note", NOW_MS, -1, 1, ID)
    for entry in (usual(1, 0), with_metadata, usual(2, 2)):
        put(held, 0, entry)
        assert held.get(0) == entry
        assert len(held) == 1
    put(held, 0, with_metadata)
    assert held.get(0) == usual(2, 2)


def test_a_run_is_put_as_its_rows_would_be() -> None:
    run, one_by_one, at_once = OffsetRun(), PartitionOffsets(), PartitionOffsets()
    for first in (5, 0):
        run.clear()
        run.topic_id = ID
        for partition in (first, first + 3, first + 1, first):
            run.add(partition, partition * 2, 3, NOW_MS, 50 - first + len(run))
            put(one_by_one, partition, usual(partition * 2, 50 - first + len(run) - 1))
        run.put_into(at_once)
    assert at_once == one_by_one
    assert list(at_once) == [0, 1, 3, 5, 6, 8]
