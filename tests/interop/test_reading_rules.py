"""Each rule about a group's reading catches the history that it is for, and lets a good one pass."""

from __future__ import annotations

from typing import Any

from tests.interop.reading_rules import (
    Said,
    broken_rules,
    committed_without_reading,
    never_read,
    read_more_than_once,
    started_before_a_commit,
    two_readers_in_one_generation,
)


def history(*lines: tuple[str, str, dict[str, Any]]) -> list[Said]:
    return [Said(who, {"event": event, "at_ns": at, **details}) for at, (who, event, details) in enumerate(lines)]


def read(who: str, offset: int, generation: int = 1) -> tuple[str, str, dict[str, Any]]:
    return who, "read", {"partition": 0, "offset": offset, "generation": generation}


def committed(who: str, offset: int) -> tuple[str, str, dict[str, Any]]:
    return who, "committed", {"offsets": {"0": offset}}


def owns(who: str, *partitions: int, generation: int = 1) -> tuple[str, str, dict[str, Any]]:
    return who, "owns", {"partitions": list(partitions), "generation": generation}


GOOD = history(
    owns("anna", 0),
    read("anna", 0),
    read("anna", 1),
    committed("anna", 2),
    owns("anna", generation=2),
    owns("boris", 0, generation=2),
    read("boris", 2, 2),
    committed("boris", 3),
)


def test_a_good_history_breaks_no_rule() -> None:
    assert broken_rules(GOOD, {0: 3}) == []
    assert read_more_than_once(GOOD) == []


def test_two_readers_of_a_partition_in_one_generation_are_found() -> None:
    assert two_readers_in_one_generation(history(read("anna", 0), read("boris", 1))) == [
        "generation 1: partition 0 was read by ['anna', 'boris']"
    ]


def test_a_record_that_nobody_read_is_found() -> None:
    assert never_read(history(read("anna", 0), read("anna", 2)), {0: 3}) == ["partition 0: [1] were never read"]


def test_a_record_read_twice_is_found() -> None:
    assert read_more_than_once(history(read("anna", 0), read("boris", 0, 2))) == ["partition 0: 0 was read 2 times"]


def test_a_commit_beyond_what_was_read_is_found() -> None:
    assert committed_without_reading(history(read("anna", 0), committed("anna", 2))) == [
        "anna committed 2 of partition 0, unread: [1]"
    ]


def test_a_start_before_the_committed_offset_is_found() -> None:
    lines = (
        owns("anna", 0),
        read("anna", 0),
        committed("anna", 1),
        owns("anna"),
        owns("boris", 0),
        read("boris", 0, 2),
    )
    assert started_before_a_commit(history(*lines)) == ["boris began partition 0 at 0, committed was 1"]


def test_lines_that_arrive_late_are_put_in_order() -> None:
    assert broken_rules(GOOD[::-1], {0: 3}) == []
