"""The time lag as a bracket, from ends seen at known times."""

from __future__ import annotations

import pytest

from muster.client.groups import GroupListing
from muster.client.partitions import TopicPartition
from muster.console import time_lag
from muster.console.group_status import GroupStatus, Position
from muster.console.rendering import bracket, lag_sum
from muster.console.time_lag import KEPT, NO_LAG, Bracket, EndSamples, EndsSeen, worst


def _samples(*seen: tuple[int, int]) -> EndSamples:
    samples = EndSamples()
    for at_ms, end in seen:
        samples.add(at_ms, end)
    return samples


def _kept(samples: EndSamples) -> list[tuple[int, int]]:
    count = len(samples)
    return list(zip(samples._numbers[:count], samples._numbers[count:], strict=True))


def test_an_end_that_was_never_seen_says_nothing() -> None:
    assert EndSamples().waited(5, 1_000) is None


def test_who_has_read_everything_waits_for_nothing() -> None:
    assert _samples((0, 10)).waited(10, 60_000) == Bracket(0, 0)


def test_a_record_between_two_looks_waited_between_the_two() -> None:
    samples = _samples((0, 10), (10_000, 20), (20_000, 30))
    assert samples.waited(15, 25_000) == Bracket(15_000, 25_000)


def test_a_record_from_before_the_first_look_has_no_upper_end() -> None:
    assert _samples((0, 10), (10_000, 20)).waited(3, 30_000) == Bracket(30_000, None)


def test_looks_that_follow_closely_make_the_bracket_wider_and_no_narrower() -> None:
    samples = _samples((0, 10), (1_000, 11), (2_000, 12), (9_000, 13))
    found = samples.waited(11, 10_000)
    assert found is not None
    assert found.least_ms <= 8_000
    assert found.most_ms is not None
    assert found.most_ms >= 9_000


def test_a_log_that_was_cut_is_another_log() -> None:
    assert _samples((0, 100), (10_000, 5)).waited(2, 11_000) == Bracket(1_000, None)


def test_memory_is_bounded() -> None:
    samples = _samples(*((at * 6_000, at) for at in range(2 * KEPT)))
    assert len(_kept(samples)) == KEPT


def test_where_there_are_many_partitions_fewer_looks_are_kept_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_lag, "MOST_SAMPLES", 40)
    seen = EndsSeen()
    places = [TopicPartition("orders", number) for number in range(4)]
    for at in range(100):
        seen.add(dict.fromkeys(places, at), at * 6_000)
    assert [len(_kept(seen._by_place[place])) for place in places] == [10] * 4
    assert seen.waited(places[0], 98, 600_000) == Bracket(6_000, 12_000)


def test_partitions_that_are_looked_at_one_part_after_the_other_share_the_same_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A list is swept in portions: what is known of earlier ones has to make room for the later ones."""
    monkeypatch.setattr(time_lag, "MOST_SAMPLES", 40)
    seen = EndsSeen()
    places = [TopicPartition("orders", number) for number in range(5)]
    for part, place in enumerate(places):
        for at in range(50):
            seen.add({place: at}, (50 * part + at) * 6_000)
        assert sum(len(each) for each in seen._by_place.values()) <= 40
    assert [len(_kept(seen._by_place[place])) for place in places] == [8] * 5
    assert _kept(seen._by_place[places[0]]) == [(at * 6_000, at) for at in range(42, 50)], "the newest"


def test_samples_of_partitions_that_are_forgotten_or_cut_leave_their_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_lag, "MOST_SAMPLES", 20)
    monkeypatch.setattr(time_lag, "MOST_PLACES", 2)
    seen = EndsSeen()
    for number in range(4):
        for at in range(30):
            seen.add({TopicPartition("orders", number): at}, (30 * number + at) * 6_000)
    seen.add({TopicPartition("orders", 3): 0}, 10_000_000)
    assert seen._count == sum(len(each) for each in seen._by_place.values()) == 11


def test_more_partitions_at_once_than_are_kept_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_lag, "MOST_PLACES", 2)
    seen = EndsSeen()
    places = [TopicPartition("orders", number) for number in range(5)]
    seen.add(dict.fromkeys(places, 7), 0)
    assert [seen.waited(place, 7, 10) for place in places] == [None] * 3 + [Bracket(0, 0)] * 2


def test_the_samples_of_a_partition_are_one_small_object() -> None:
    """There may be 200,000 of them."""
    assert not hasattr(EndSamples(), "__dict__")


def test_the_partition_that_was_not_looked_at_for_longest_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_lag, "MOST_PLACES", 2)
    seen = EndsSeen()
    one, two, three = (TopicPartition("orders", number) for number in range(3))
    for at_ms, place in enumerate((one, two, one, three)):
        seen.add({place: 5}, at_ms)
    assert seen.waited(two, 5, 10) is None
    assert seen.waited(one, 5, 10) == seen.waited(three, 5, 10) == Bracket(0, 0)


def test_of_looks_that_found_the_same_end_the_first_and_the_last_are_kept() -> None:
    samples = _samples((0, 5), *((at * 6_000, 10) for at in range(1, 100)), (600_000, 20))
    assert _kept(samples) == [(0, 5), (6_000, 10), (594_000, 10), (600_000, 20)]
    assert samples.waited(7, 600_000) == Bracket(594_000, 600_000)
    assert samples.waited(10, 600_000) == Bracket(0, 6_000)


def test_the_worst_of_partitions_has_an_upper_end_only_if_all_have() -> None:
    assert worst([Bracket(1, 2), Bracket(3, None)]) == Bracket(3, None)
    assert worst([Bracket(1, 9), Bracket(3, 4)]) == Bracket(3, 9)
    assert worst([]) is None


def test_a_partition_whose_end_is_not_known_may_be_later_than_the_others() -> None:
    """One without a commit cannot be late."""

    def waited(*brackets: Bracket | None, committed: int | None = 5) -> str:
        status = GroupStatus(GroupListing("billing", "consumer", "Stable", "classic"))
        status.positions = [Position(TopicPartition("orders", 0), 5, "", 5, 0, NO_LAG)]
        status.positions += [
            Position(TopicPartition("orders", 1), committed, "", None, None, each) for each in brackets
        ]
        return bracket(status.waited)

    assert waited() == "0 s"
    assert "not known" in waited(None)
    assert waited(None, Bracket(3_000, 4_000)) == "over 3 s"
    assert waited(None, committed=None) == "0 s"


def test_a_lag_without_some_partitions_is_at_least_that() -> None:
    """Nothing was ever written to a partition that ends at 0: there is nothing to be behind of."""

    def told(*others: tuple[int | None, int | None]) -> str:
        """Committed offset and end of the other partitions."""
        status = GroupStatus(GroupListing("billing", "consumer", "Stable", "classic"))
        status.positions = [Position(TopicPartition("orders", 0), 1_000, "", 2_000, 1_000, None)]
        status.positions += [Position(TopicPartition("orders", 1), at, "", end, None, None) for at, end in others]
        return lag_sum(status.lag, status.unknown_lag)

    assert told() == told((None, 0)) == "1,000"
    assert told((None, 7)) == '<span title="at least: 1 partition without a commit or a known end">1,000+</span>'
    assert ">1,000+<" in told((5, None), (None, None))
    assert "not known" in lag_sum(None, 3)


def test_words_of_brackets() -> None:
    assert bracket(Bracket(0, 0)) == "0 s"
    assert bracket(Bracket(400, 2_100)) == "up to 3 s"
    assert bracket(Bracket(61_000, 65_000)) == "1 min 1 s to 1 min 5 s"
    assert bracket(Bracket(30_000, None)) == "over 30 s"
    assert "not known" in bracket(None)
    assert "not known" in bracket(Bracket(0, None))
