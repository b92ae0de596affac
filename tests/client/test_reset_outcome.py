"""A reset that fails in the middle: what was set, what was not, and what nobody knows."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from muster.client import offsets, reset_outcome
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.offset_messages import raise_for_commit
from muster.client.offsets import commit_offsets, committed_offsets
from muster.client.partitions import TopicPartition
from muster.client.reset_outcome import ResetOutcome, carry_out
from muster.client.reset_plan import Move
from muster.testing import Broker
from muster.wire.errors import NETWORK_EXCEPTION, TOPIC_AUTHORIZATION_FAILED
from muster.wire.generated.offset_commit import OffsetCommitResponse

PLACES = [TopicPartition("orders", number) for number in range(3)]


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 3}) as running:
        yield running


@pytest.fixture(autouse=True)
def one_partition_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offsets, "PARTITIONS_A_REQUEST", 1)


def _carried_out(broker: Broker, group: str, moves: list[Move]) -> tuple[ResetOutcome, dict[TopicPartition, int]]:
    async def go() -> tuple[ResetOutcome, dict[TopicPartition, int]]:
        async with Cluster(broker.bootstrap_servers) as cluster:
            await commit_offsets(cluster, group, dict.fromkeys(PLACES, 5))
            outcome = await carry_out(cluster, group, moves)
            return outcome, {place: each.offset for place, each in (await committed_offsets(cluster, group)).items()}

    return asyncio.run(go())


def _moves(group: str, *new: int) -> list[Move]:
    return [Move(group, place, 5, offset) for place, offset in zip(PLACES, new, strict=True)]


def _fail_after(monkeypatch: pytest.MonkeyPatch, groups_commits: int, code: int) -> None:
    """All commits but the first ones are refused; those of the preparation are the first three."""
    asked = [0]

    def refuse(reply: OffsetCommitResponse, group_id: str) -> None:
        asked[0] += 1
        if asked[0] > groups_commits:
            raise ClientError(code, f"commit offsets of group {group_id}")
        raise_for_commit(reply, group_id)

    monkeypatch.setattr(offsets, "raise_for_commit", refuse)


def test_a_reset_that_goes_well_has_done_everything(broker: Broker) -> None:
    moves = _moves("whole", 1, 5, 3)
    outcome, committed = _carried_out(broker, "whole", moves)
    assert outcome == ResetOutcome(tuple(moves))
    assert list(committed.values()) == [1, 5, 3]


def test_a_reset_whose_second_request_is_refused_has_done_what_the_first_one_set(broker: Broker) -> None:
    async def go() -> ResetOutcome:
        async with Cluster(broker.bootstrap_servers) as cluster:
            await commit_offsets(cluster, "in part", dict.fromkeys(PLACES, 5))
            moves = _moves("in part", 1, 2, 3)
            really = cluster.ask_coordinator

            async def ask(group_id: str, api: str, message: object, **options: object) -> object:
                if api == "OffsetCommit" and message.topics[0].partitions[0].partition_index == 1:  # type: ignore[attr-defined]
                    broker.faults.error("OffsetCommit", "TOPIC_AUTHORIZATION_FAILED", group=group_id)
                return await really(group_id, api, message, **options)  # type: ignore[arg-type]

            cluster.ask_coordinator = ask  # type: ignore[method-assign]
            return await carry_out(cluster, "in part", moves)

    outcome = asyncio.run(go())
    assert outcome.done == (Move("in part", PLACES[0], 5, 1),)
    assert outcome.failure is not None
    assert outcome.failure.code == TOPIC_AUTHORIZATION_FAILED
    assert outcome.unread is None


def test_offsets_that_were_there_before_are_not_taken_for_set(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_after(monkeypatch, 4, TOPIC_AUTHORIZATION_FAILED)
    outcome, _ = _carried_out(broker, "as before", _moves("as before", 5, 2, 5))
    assert [each.new for each in outcome.done] == [2], "the answer was lost, but it was set"


def test_where_nothing_can_be_read_all_that_may_have_changed_is_told(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unread(*_: object) -> None:
        raise ClientError(NETWORK_EXCEPTION, "fetch offsets")

    monkeypatch.setattr(reset_outcome, "committed_offsets", unread)
    _fail_after(monkeypatch, 3, TOPIC_AUTHORIZATION_FAILED)
    outcome, _ = _carried_out(broker, "unread", _moves("unread", 1, 2, 5))
    assert [each.new for each in outcome.done] == [1, 2]
    assert outcome.unread is not None
