"""Java's string hash and what hangs on it (spec 1.2, 3.8)."""

from __future__ import annotations

import pytest

from muster.core.hashing import in_hash_order, java_hash, partition_for

TABLE = [
    ("", 0, 0, 0, 0),
    ("a", 97, 47, 1, 6),
    ("grp", 102629, 29, 2, 2),
    ("group", 98629247, 47, 2, 3),
    ("test-group", 627841412, 12, 2, 2),
    ("my-group", -1906497762, 12, 0, 1),
    ("console-consumer-12345", 158455506, 6, 0, 6),
    ("polygenelubricants", -2147483648, 0, 0, 0),
    ("\u7ec4-1", 31187816, 16, 2, 2),
    ("\U0001f600grp", 1276929186, 36, 0, 1),
]


@pytest.mark.parametrize(("group_id", "expected", "of_50", "of_3", "of_7"), TABLE)
def test_hash_and_partitions_are_those_of_kafka(group_id: str, expected: int, of_50: int, of_3: int, of_7: int) -> None:
    """T001, T002, T003 and the table of spec 1.2, seen on a running 4.3.1."""
    assert java_hash(group_id) == expected
    assert [partition_for(group_id, count) for count in (50, 3, 7)] == [of_50, of_3, of_7]


def test_partition_goes_by_the_real_partition_count() -> None:
    """T004: with 7 partitions `a` is in 6, whatever the setting says."""
    assert partition_for("a", 7) == 6


@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        ("range", "roundrobin"),
        ("range", "cooperative-sticky"),
        ("sticky", "range"),
        ("sticky", "cooperative-sticky"),
        ("roundrobin", "cooperative-sticky"),
        ("compatible", "sessioned"),
        ("compatible", "eager"),
    ],
)
def test_hash_order_of_protocol_names_is_that_of_kafka(winner: str, loser: str) -> None:
    """Spec 3.8, seen on a running 4.3.1."""
    assert in_hash_order([loser, winner]) == [winner, loser]
    assert in_hash_order([winner, loser]) == [winner, loser]


def test_hash_order_of_more_than_twelve_names_uses_a_larger_table() -> None:
    """Spec 3.8: `p` is 112, so in bucket 0 of 16 and, with a thirteenth name, in bucket 16 of 32; `a` is in 1 of both."""
    names = [*"abcdefghijk", "p"]
    assert in_hash_order(names)[:2] == ["p", "a"]
    assert in_hash_order([*names, "l"])[0] == "a"


def test_equal_buckets_keep_the_order_of_insertion() -> None:
    """Spec 3.8: `a` (97) and `q` (113) share a bucket of 16."""
    assert in_hash_order(["q", "a"]) == ["q", "a"]
    assert in_hash_order(["a", "q"]) == ["a", "q"]


def test_lone_surrogates_are_hashed_as_units() -> None:
    """A group id may hold what UTF-8 cannot carry, if a log written elsewhere does."""
    assert java_hash("\ud83d") == 0xD83D
