"""Variants as text: what is understood, how it is written, and what is refused."""

from __future__ import annotations

import pytest

from muster.whatif.variants import (
    Grid,
    Variant,
    VariantError,
    parse_grid,
    parse_variant,
    refused_by_default,
    variant_of,
)


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        (
            "session.timeout.ms=9000 max.poll.interval.ms=60000 group.initial.rebalance.delay.ms=0"
            " partition.assignment.strategy=sticky members=+2 partitions=x3 static",
            Variant(9_000, 0, "sticky", True, 60_000, 2, 3),
        ),
        (
            "group.protocol=consumer group.remote.assignor=range members=-1",
            Variant(members=-1, remote_assignor="range"),
        ),
        ("as recorded", Variant()),
    ],
)
def test_variants_are_written_as_they_are_read(text: str, variant: Variant) -> None:
    assert variant_of(text) == variant
    assert str(variant) == text


@pytest.mark.parametrize("text", ["group.protocol=consumer", "partition.assignment.strategy=uniform"])
def test_uniform_is_of_the_new_protocol_and_its_default(text: str) -> None:
    assert (
        parse_variant([text]) == parse_variant(["group.remote.assignor=uniform"]) == Variant(remote_assignor="uniform")
    )


def test_grid_has_every_combination_but_the_recorded_one() -> None:
    found = parse_grid(["session.timeout.ms=6000,30000", "static"])
    assert not found.left_out
    assert [str(each) for each in found.variants] == [
        "static",
        "session.timeout.ms=6000",
        "session.timeout.ms=6000 static",
        "session.timeout.ms=30000",
        "session.timeout.ms=30000 static",
    ]


def test_grid_is_without_combinations_that_contradict_themselves_and_says_why() -> None:
    found = parse_grid(["group.protocol=consumer", "group.initial.rebalance.delay.ms=0,3000"])
    assert [str(each) for each in found.variants] == [
        "group.initial.rebalance.delay.ms=0",
        "group.initial.rebalance.delay.ms=3000",
        "group.protocol=consumer group.remote.assignor=uniform",
    ]
    ((reason, count),) = found.left_out.items()
    assert count == 2
    assert "group.initial.rebalance.delay.ms is of the classic protocol" in reason


def test_grid_of_all_assignors_has_those_that_a_delay_goes_with() -> None:
    every = "partition.assignment.strategy=range,roundrobin,sticky,cooperative-sticky,uniform"
    found = parse_grid([every, "group.initial.rebalance.delay.ms=0"])
    assert len(found.variants) == 10, (
        "six assignors, the recorded one among them, with the delay or without; without both"
    )
    assert list(found.left_out.values()) == [1]


def test_grid_has_each_variant_once() -> None:
    assert parse_grid(["session.timeout.ms=6000,6000"]) == Grid([Variant(session_timeout_ms=6_000)], {})
    same = parse_grid(["group.protocol=consumer", "group.remote.assignor=uniform,range"])
    assert [each.remote_assignor for each in same.variants] == ["uniform", "range"]


def test_grid_with_a_value_that_is_not_understood_is_refused() -> None:
    with pytest.raises(VariantError, match="give milliseconds"):
        parse_grid(["session.timeout.ms=1,x"])
    with pytest.raises(VariantError, match="given twice"):
        parse_grid(["static", "static"])


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["session.timeout.ms=soon"], "give milliseconds"),
        (["session.timeout.ms=0"], "give milliseconds"),
        (["max.poll.interval.ms=0"], "give milliseconds"),
        (["session.timeout.ms=1", "session.timeout.ms=2"], "given twice"),
        (["partition.assignment.strategy=best"], "there are range, roundrobin, sticky, cooperative-sticky, uniform"),
        (["group.protocol=classic"], "give an assignor"),
        (["group.protocol=both"], "there are consumer"),
        (["group.remote.assignor=sticky"], "there are uniform, range"),
        (["group.protocol=consumer", "partition.assignment.strategy=sticky"], "of the classic protocol"),
        (["group.protocol=consumer", "group.initial.rebalance.delay.ms=0"], "of the classic protocol"),
        (["members=1"], "as [+]1 or -1"),
        (["members=+0"], "as [+]1 or -1"),
        (["partitions=2"], "as x2"),
        (["partitions=x1"], "as x2"),
        (["static=yes"], "takes no value"),
        (["max.poll.records=5"], "cannot be changed"),
    ],
)
def test_variant_that_makes_no_sense_is_refused(texts: list[str], said: str) -> None:
    with pytest.raises(VariantError, match=said):
        parse_variant(texts)


@pytest.mark.parametrize("session_ms", [1, 5_999, 1_800_001])
def test_session_timeout_that_a_broker_refuses_by_default_is_taken_with_a_note(session_ms: int) -> None:
    said = refused_by_default(Variant(session_timeout_ms=session_ms))
    assert said is not None
    assert said.startswith(f"session.timeout.ms={session_ms} is refused by a broker with default settings")


@pytest.mark.parametrize("session_ms", [None, 6_000, 1_800_000])
def test_session_timeout_that_a_broker_takes_has_no_note(session_ms: int | None) -> None:
    assert refused_by_default(Variant(session_timeout_ms=session_ms)) is None
    assert refused_by_default(Variant(session_timeout_ms=3_000, remote_assignor="uniform")) is None
