"""The store against a model: a dict from (group, topic, partition) to the record with the highest log offset."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from muster.core.offsets.partition_offsets import StoredOffset
from muster.core.offsets.store import OffsetStore
from muster.core.offsets.topic_offsets import topic_offsets
from muster.core.records import OffsetCommitted, OffsetErased, OffsetsCommitted, Record, singly

names = st.sampled_from(["a", "b", "c"])
places = st.tuples(names, names, st.integers(0, 2))


def record(group: str, topic: str, partition: int, offset: int) -> OffsetCommitted:
    return OffsetCommitted(group, topic, partition, offset, -1, "", 5)


def stored(store: OffsetStore) -> dict[tuple[str, str, int], int]:
    return {(group, topic, partition): entry.offset for group, topic, partition, entry in store}


@given(st.lists(st.tuples(places, st.one_of(st.none(), st.integers(-5, 100)), st.integers(0, 30)), max_size=60))
def test_puts_and_erasures_in_any_order_agree_with_the_model(
    steps: list[tuple[tuple[str, str, int], int | None, int]],
) -> None:
    """Spec 4.2: a record wins only over records before it in the log, whenever it comes in."""
    store = OffsetStore()
    model: dict[tuple[str, str, int], tuple[int, int]] = {}
    for place, offset, log_offset in steps:
        if offset is None:
            store.erase(*place)
            model.pop(place, None)
        else:
            store.put(record(*place, offset), log_offset)
            if place not in model or model[place][1] < log_offset:
                model[place] = (offset, log_offset)
    assert stored(store) == {place: offset for place, (offset, _) in model.items()}
    assert store.count == len(model)
    for group in ("a", "b", "c"):
        assert bool(store.of_group(group)) == any(place[0] == group for place in model)
        assert dict(store.of_topic(group)).keys() == {place[0] for place in model if place[1] == group}
    for place in model:
        entry = store.get(*place)
        assert entry is not None
        assert (entry.offset, entry.log_offset) == model[place]


@given(st.lists(st.tuples(places, st.integers(0, 9)), max_size=30), st.randoms())
def test_completions_out_of_order_never_move_an_offset_back_in_the_log(
    commits: list[tuple[tuple[str, str, int], int]], random: Random
) -> None:
    """Spec 4.2."""
    numbered = [(record(*place, offset), log_offset) for log_offset, (place, offset) in enumerate(commits)]
    in_order, shuffled = OffsetStore(), OffsetStore()
    for committed, log_offset in numbered:
        in_order.put(committed, log_offset)
    random.shuffle(numbered)
    for committed, log_offset in numbered:
        shuffled.put(committed, log_offset)
    assert in_order == shuffled


def test_a_tombstone_for_an_unknown_key_means_nothing() -> None:
    """T210."""
    store = OffsetStore()
    store.erase("g", "t", 0)
    store.put(record("g", "t", 0, 1), 0)
    store.erase("g", "t", 1)
    store.erase("g", "u", 0)
    assert stored(store) == {("g", "t", 0): 1}


def test_an_erased_offset_can_be_committed_again() -> None:
    store = OffsetStore()
    store.put(record("g", "t", 0, 1), 7)
    store.erase("g", "t", 0)
    assert store.get("g", "t", 0) is None
    store.put(record("g", "t", 0, 2), 9)
    assert stored(store) == {("g", "t", 0): 2}


def test_everything_of_the_record_is_kept() -> None:
    store = OffsetStore()
    store.put(OffsetCommitted("g", "t", 1, 100, 5, "note", 1_000, 2_000, b"i" * 16), 42)
    assert store.get("g", "t", 1) == StoredOffset(100, 5, "note", 1_000, 2_000, 42, b"i" * 16)
    assert repr(store) == "<OffsetStore 1 offsets of 1 groups>"
    assert OffsetErased("g", "t", 1) != store


def commit_of(group: str, topic: str, partitions: list[int], offset: int) -> OffsetsCommitted:
    rows = [(partition, offset, -1, "") for partition in partitions]
    return OffsetsCommitted(group, topic_offsets(topic, None, rows), 5)


def test_a_commit_is_on_its_way_until_it_is_replayed_or_lost() -> None:
    store = OffsetStore()
    of_t, of_u, of_h = commit_of("g", "t", [0, 1], 1), commit_of("g", "u", [1], 1), commit_of("h", "t", [0], 2)
    first: list[Record] = [of_t, of_u]
    second: list[Record] = [commit_of("h", "t", [0], 2)]
    third: list[Record] = [of_h]
    for commit in (first, second, third):
        store.expect(commit)
    store.lost(second)
    assert list(store.on_the_way()) == list(singly([*first, *third]))
    store.put_topic(of_t, 0)
    assert list(store.on_the_way()) == list(singly([*first, *third]))
    store.put_topic(of_u, 2)
    assert list(store.on_the_way()) == list(singly(third))
    store.lost([OffsetErased("g", "t", 0)])
    store.put_topic(of_h, 3)
    assert not list(store.on_the_way())


def test_what_a_commit_says_about_a_topic_is_put_row_by_row_and_the_last_row_of_a_partition_counts() -> None:
    rows = [(0, 10, 3, None), (70_000, 11, -1, ""), (2, 12, 4, "note"), (0, 13, 5, "")]
    commit = OffsetsCommitted("g", topic_offsets("t", b"i" * 16, rows), 1_000)
    store, model = OffsetStore(), OffsetStore()
    store.put_topic(commit, 40)
    for row, single in enumerate(commit.singly()):
        model.put(single, 40 + row)
    assert store == model
    assert store.count == 3
    assert store.get("g", "t", 0) == StoredOffset(13, 5, "", 1_000, -1, 43, b"i" * 16)
    assert store.get("g", "t", 2) == StoredOffset(12, 4, "note", 1_000, -1, 42, b"i" * 16)
