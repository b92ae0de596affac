"""Members that are killed or stall, and servers that stop under a group: it heals and loses nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.interop.broker_process import BrokerProcess
from tests.interop.reading_rules import read_more_than_once
from tests.interop.stage import PARTITIONS, Stage

SHORT_SESSION_MS = 1_000
SHORT_POLL_MS = 1_500


def test_a_killed_member_is_expelled_after_its_session_and_the_group_heals(stage: Stage, style: dict[str, str]) -> None:
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("anna", **style)
        fleet.add("victim", **style, session_ms=SHORT_SESSION_MS, client="victim")
        stage.await_stable(fleet)
        fleet.kill("victim")
        stage.produce()
        stage.await_stable(fleet)
        assert fleet.members["anna"].owned == list(range(PARTITIONS))
        stage.await_all_read(fleet)
        stage.judge(fleet)
    journal = stage.journal(stage.topic)
    expelled = [(event["member"], event["cause"]) for event in journal if event["kind"] == "member_expelled"]
    # On a busy machine the victim may have been silent for too long before, and have come back as another member.
    lives = [event["member"] for event in journal if event["kind"] == "member_joined" and event["client"] == "victim"]
    assert expelled == [(member, "session_expired") for member in lives]


def test_a_member_that_stalls_past_its_poll_interval_loses_its_partitions_and_comes_back(
    stage: Stage, style: dict[str, str]
) -> None:
    """Its heartbeats go on, so the client itself must leave: max.poll.interval.ms."""
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("anna", **style)
        fleet.add("staller", **style, session_ms=SHORT_SESSION_MS, max_poll_ms=SHORT_POLL_MS)
        stage.await_stable(fleet)
        stage.await_all_read(fleet)
        fleet.members["staller"].wish("stall")
        fleet.watch_until("the other to own everything", lambda: len(fleet.members["anna"].owned) == PARTITIONS)
        stage.produce()
        stage.await_all_read(fleet)
        fleet.members["staller"].wish("resume")
        fleet.watch_until("the staller to share again", lambda: len(fleet.members["anna"].owned) < PARTITIONS)
        stage.await_stable(fleet)
        stage.produce()
        stage.await_all_read(fleet)
        stage.judge(fleet)


@pytest.mark.parametrize("end", [BrokerProcess.stop, BrokerProcess.kill], ids=["stopped", "killed"])
def test_a_group_goes_on_where_it_was_when_its_server_comes_back(
    own_stage: Stage, style: dict[str, str], end: Callable[[BrokerProcess], None]
) -> None:
    """The members stay up all the time. All was committed before, so nothing is read again."""
    own_stage.produce()
    with own_stage.fleet() as fleet:
        fleet.add("anna", **style)
        fleet.add("boris", **style)
        own_stage.await_stable(fleet)
        own_stage.await_all_read(fleet)
        server = own_stage.server
        assert isinstance(server, BrokerProcess)
        end(server)
        server.start()
        own_stage.produce()
        own_stage.await_all_read(fleet)
        own_stage.judge(fleet)
        assert read_more_than_once(fleet.history) == []
