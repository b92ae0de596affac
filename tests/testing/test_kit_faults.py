"""Faults as data, and what they do to any request: raw requests show the bytes' worth of each."""

from __future__ import annotations

import warnings

import pytest

from muster.testing import Broker, UnusedFault, WaitTimeout
from muster.wire import errors
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.metadata import MetadataRequest
from tests.interop.waiting import eventually
from tests.server.groups.group_client import GroupClient

FIND = FindCoordinatorRequest("g", 0, ["g"])


def test_an_error_is_answered_so_many_times_and_then_no_more() -> None:
    with Broker() as broker:
        fault = broker.faults.error("Heartbeat", "ILLEGAL_GENERATION", times=2)
        with GroupClient(broker.port, "raw") as client:
            assert [client.beat("g", 1, "m", None) for _ in range(3)] == [
                errors.ILLEGAL_GENERATION,
                errors.ILLEGAL_GENERATION,
                errors.UNKNOWN_MEMBER_ID,
            ]
            assert (fault.uses, fault.left, fault.is_over) == (2, 0, True)


def test_an_error_for_one_group_leaves_the_others_alone() -> None:
    with Broker() as broker:
        broker.faults.error("Heartbeat", errors.NOT_COORDINATOR, times=None, group="theirs")
        with GroupClient(broker.port, "raw") as client:
            assert client.beat("ours", 1, "m", None) == errors.UNKNOWN_MEMBER_ID
            assert client.beat("theirs", 1, "m", None) == errors.NOT_COORDINATOR


def test_a_code_that_kafka_softens_while_loading_is_given_as_it_was_asked_for() -> None:
    with Broker() as broker:
        broker.faults.error("Heartbeat", "COORDINATOR_LOAD_IN_PROGRESS")
        with GroupClient(broker.port, "raw") as client:
            assert client.beat("g", 1, "m", None) == errors.COORDINATOR_LOAD_IN_PROGRESS


def test_errors_of_read_only_requests_are_written_over_their_answers() -> None:
    with Broker(topics={"orders": 1}) as broker:
        broker.faults.error("FindCoordinator", "COORDINATOR_NOT_AVAILABLE")
        broker.faults.error("Metadata", "LEADER_NOT_AVAILABLE")
        with GroupClient(broker.port, "raw") as client:
            (found,) = client.call("FindCoordinator", 4, FIND).coordinators
            assert found.error_code == errors.COORDINATOR_NOT_AVAILABLE
            topics = client.call("Metadata", 9, MetadataRequest(None)).topics
            assert {topic.error_code for topic in topics} == {errors.LEADER_NOT_AVAILABLE}


def test_a_dropped_request_closes_the_connection_undone() -> None:
    with Broker() as broker:
        fault = broker.faults.drop_request("Heartbeat")
        with GroupClient(broker.port, "raw") as client:
            with pytest.raises((ConnectionError, EOFError, AssertionError)):
                client.beat("g", 1, "m", None)
            assert fault.uses == 1


def test_a_delay_ends_when_the_clock_is_moved() -> None:
    with Broker(frozen=True) as broker:
        broker.faults.delay("FindCoordinator", seconds=90)
        with GroupClient(broker.port, "raw") as client:
            waiting = client.begin("FindCoordinator", 4, FIND)
            eventually("it to be delayed", lambda: not broker.faults.unused())
            broker.clock.advance(seconds=89)
            broker.clock.advance(seconds=1)
            (found,) = waiting.answer().coordinators
            assert found.error_code == errors.NONE


def test_faults_are_listed_in_words_and_can_be_removed() -> None:
    with Broker() as broker:
        first = broker.faults.error("JoinGroup", 25, times=3, group="g")
        second = broker.faults.drop_reply("OffsetCommit", times=None)
        assert [str(fault) for fault in broker.faults.active()] == [
            "JoinGroup of group g is answered UNKNOWN_MEMBER_ID, 3 more times",
            "OffsetCommit is done and not answered",
        ]
        first.remove()
        assert [fault.number for fault in broker.faults.active()] == [second.number]
        broker.faults.clear()
        assert len(broker.faults) == 0
        assert [fault.number for fault in broker.faults.unused()] == [first.number, second.number]
        broker.kit.faults.forget()


def test_a_fault_that_nobody_met_is_reported_at_the_end() -> None:
    with pytest.warns(UnusedFault, match="a fault was never met: SyncGroup is answered NOT_COORDINATOR"), Broker() as b:
        b.faults.error("SyncGroup", "NOT_COORDINATOR")


def test_a_test_that_fails_is_not_told_of_its_faults_too() -> None:
    with warnings.catch_warnings(), pytest.raises(ZeroDivisionError), Broker() as broker:  # noqa: PT012
        warnings.simplefilter("error")
        broker.faults.error("SyncGroup", "NOT_COORDINATOR")
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("api", "error", "says"),
    [
        ("Heartbeat", "UNKNOWN_MEMBER", "did you mean UNKNOWN_MEMBER_ID"),
        ("HeartBeat", "UNKNOWN_MEMBER_ID", "did you mean Heartbeat"),
        ("CreateTopics", "NOT_CONTROLLER", "cannot be answered with an error"),
    ],
)
def test_misspelt_faults_are_refused_with_what_was_meant(api: str, error: str, says: str) -> None:
    with Broker() as broker, pytest.raises(ValueError, match=says):
        broker.faults.error(api, error)


def test_requests_that_name_no_group_cannot_have_faults_of_one() -> None:
    with Broker() as broker, pytest.raises(ValueError, match="Produce names no group"):
        broker.faults.drop_reply("Produce", group="g")


def test_a_coordinator_cannot_be_taken_away_twice() -> None:
    with Broker() as broker:
        broker.faults.coordinator_moved("g")
        with pytest.raises(ValueError, match="another fault has taken it away"):
            broker.faults.coordinator_loading("g")


def test_a_wait_that_fails_tells_what_is_and_what_happened() -> None:
    with Broker() as broker:
        with pytest.raises(WaitTimeout, match=r"did not reach state Stable, 2 members within 0.01 s") as caught:
            broker.group("g").wait("Stable", members=2, timeout=0.01)
        assert "g is Dead, generation 0, 0 members" in str(caught.value)
        assert "nothing happened to it" in str(caught.value)


def test_states_that_do_not_exist_are_not_waited_for() -> None:
    with Broker() as broker, pytest.raises(ValueError, match="the states are Empty, PreparingRebalance"):
        broker.group("g").wait("stable")


def test_groups_without_members_cannot_be_acted_on() -> None:
    with Broker() as broker:
        with pytest.raises(ValueError, match="has no members"):
            broker.group("g").force_rebalance()
        with pytest.raises(ValueError, match="has no members"):
            broker.group("g").expire("one")


def test_faults_of_negative_length_are_refused_and_leave_nothing_behind() -> None:
    with Broker() as broker:
        with pytest.raises(ValueError, match="a delay cannot be negative: -1000 ms"):
            broker.faults.delay("Heartbeat", seconds=-1)
        with pytest.raises(ValueError, match="cannot be loading for -3000 ms"):
            broker.faults.coordinator_loading("g", seconds=-3)
        assert list(broker.faults.active()) == []


def test_broker_that_has_ended_says_so() -> None:
    with Broker() as broker:
        group = broker.group("g")
        assert str(group.view()) == "g is Dead, generation 0, 0 members"
    with pytest.raises(RuntimeError, match="does not run: it was not started yet, or it has been stopped"):
        group.state()
    with pytest.raises(RuntimeError, match="does not run"):
        group.wait("Stable", members=1)
