"""Every kind of reset, the undo file of a deletion, and a member of either protocol that is removed; by plain requests."""

from __future__ import annotations

import asyncio
import logging
import re
from html import unescape

import pytest

from muster.client import admin, reset_outcome
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.partitions import TopicPartition
from muster.console.actions import MOST_PLANNED
from muster.console.app import build_app
from muster.console.settings import ConsoleSettings
from muster.testing import Broker
from muster.wire.errors import NETWORK_EXCEPTION, REQUEST_TIMED_OUT
from tests.console.console_process import Answer, ConsoleProcess
from tests.console.fleet import Fleet, run, set_offsets
from tests.console.in_process import ask

START_MS = 1_790_000_000_000
"""2026-09-21T14:13:20 UTC."""
_PLAN = re.compile(r'name="plan" value="([^"]*)"')
_TOKEN = re.compile(r'name="token" value="([^"]*)"')
_UNDO = re.compile(r'name="csv" value="([^"]*)"')


@pytest.fixture(scope="module")
def topics(broker: Broker) -> tuple[str, str]:
    """Ten records a minute apart in partition 0 of the first, and five in the second."""
    broker.create_topic("minutes", 1, {"retention.ms": -1})
    broker.create_topic("moment", 1, {"retention.ms": -1})

    async def fill() -> None:
        async with Cluster(broker.bootstrap_servers) as cluster:
            for topic, count in (("minutes", 10), ("moment", 5)):
                for number in range(count):
                    record = admin.NewRecord(b"tea", timestamp_ms=START_MS + 60_000 * number)
                    await admin.Producer(cluster).send(topic, [record])

    run(fill())
    return "minutes", "moment"


def _committed(broker: Broker, group: str) -> dict[str, int]:
    async def ask() -> dict[str, int]:
        async with Cluster(broker.bootstrap_servers) as cluster:
            found = await admin.committed_offsets(cluster, group)
            return {place.topic: each.offset for place, each in sorted(found.items())}

    return asyncio.run(ask())


def _value(pattern: re.Pattern[str], answer: Answer) -> str:
    found = pattern.search(answer.text)
    assert found is not None, answer.text
    return unescape(found[1])


@pytest.mark.parametrize(
    ("form", "timed", "untimed"),
    [
        ({"rule": "earliest"}, 0, 0),
        ({"rule": "latest"}, 10, 5),
        ({"rule": "offset", "value": "3"}, 3, 3),
        ({"rule": "offset", "value": "7"}, 7, 5),
        ({"rule": "shift", "value": "-2"}, 4, 1),
        ({"rule": "shift", "value": "2"}, 8, 5),
        ({"rule": "shift", "value": "-99"}, 0, 0),
        ({"rule": "moment", "value": "2026-09-21T14:15:20"}, 2, 2),
        ({"rule": "moment", "value": str(START_MS + 180_000)}, 3, 3),
        ({"rule": "moment", "value": "2030-01-01T00:00"}, 10, 5),
        ({"rule": "earliest", "topic": "minutes"}, 0, 3),
        ({"rule": "shift", "value": "-1", "topic": "moment"}, 6, 2),
        ({"rule": "file", "csv": "minutes,0,9"}, 9, 3),
    ],
    ids=lambda value: " ".join(value.values()) if isinstance(value, dict) else str(value),
)
def test_a_reset_does_what_its_plan_showed_and_its_undo_file_takes_it_back(
    broker: Broker, console: ConsoleProcess, topics: tuple[str, str], form: dict[str, str], timed: int, untimed: int
) -> None:
    before = {"minutes": 6, "moment": 3}
    run(
        set_offsets(broker.bootstrap_servers, "resetting", {TopicPartition(name, 0): at for name, at in before.items()})
    )
    token = console.token("/reset?id=resetting")
    planned = console.ask("/reset/plan", {"id": "resetting", "token": token, **form})
    assert planned.status == 200, planned.text
    assert _committed(broker, "resetting") == before, "a dry run"
    plan = {"id": "resetting", "token": token, "plan": _value(_PLAN, planned)}
    done = console.ask("/reset", plan)
    assert _committed(broker, "resetting") == {"minutes": timed, "moment": untimed}
    undo = _value(_UNDO, done)
    assert undo == _value(_UNDO, planned)
    console.ask("/reset", {"id": "resetting", "token": token, "plan": undo})
    assert _committed(broker, "resetting") == before


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"rule": "offset"}, "Say which offset, or by how many records"),
        ({"rule": "offset", "value": "-1"}, "value must be a whole number, 0 or more"),
        ({"rule": "shift", "value": "two"}, "value must be a whole number"),
        ({"rule": "moment", "value": "noon"}, "the time must be a UTC time like"),
        ({"rule": "shift", "value": "1", "topic": "orders"}, "nothing is committed for orders-0"),
        ({"rule": "sideways"}, "rule must be one of earliest, latest"),
        ({"rule": "latest", "topic": "nowhere"}, "There is nothing to reset"),
    ],
    ids=lambda value: " ".join(value.values()) if isinstance(value, dict) else "",
)
def test_a_reset_that_makes_no_sense_is_told_why(
    broker: Broker, console: ConsoleProcess, topics: tuple[str, str], form: dict[str, str], said: str
) -> None:
    run(set_offsets(broker.bootstrap_servers, "senseless", {TopicPartition("minutes", 0): 6}))
    token = console.token("/reset?id=senseless")
    answer = console.ask("/reset/plan", {"id": "senseless", "token": token, **form})
    assert (answer.status, said in answer.text) == (400, True)


def test_somebody_who_joins_between_the_look_and_the_commit_stops_the_reset(
    broker: Broker, console: ConsoleProcess, topics: tuple[str, str]
) -> None:
    run(set_offsets(broker.bootstrap_servers, "joined", {TopicPartition("minutes", 0): 6}))
    form = {"id": "joined", "token": console.token("/reset?id=joined"), "plan": "minutes,0,1\n"}
    with broker.faults.error("OffsetCommit", "UNKNOWN_MEMBER_ID", group="joined"):
        answer = console.ask("/reset", form)
    said = "Somebody joined joined meanwhile (UNKNOWN_MEMBER_ID): nothing was changed"
    assert (answer.status, said in answer.text) == (400, True)
    assert _committed(broker, "joined") == {"minutes": 6}


def test_where_nobody_can_say_what_was_set_the_undo_file_has_all_that_may_be(
    broker: Broker, topics: tuple[str, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def unread(*_: object) -> None:
        raise ClientError(NETWORK_EXCEPTION, "fetch the offsets of group cut-off")

    run(set_offsets(broker.bootstrap_servers, "cut-off", {TopicPartition(name, 0): 2 for name in topics}))
    monkeypatch.setattr(reset_outcome, "committed_offsets", unread)
    caplog.set_level(logging.INFO, "muster.console.audit")

    async def story() -> Answer:
        app = build_app(ConsoleSettings(bootstrap=broker.bootstrap_servers, allow_changes=True))
        async with app.router.lifespan_context(app):
            token = _value(_TOKEN, await ask(app, "/reset?id=cut-off"))
            plan = "minutes,0,1\nmoment,0,2\n"
            with broker.faults.error("OffsetCommit", "GROUP_AUTHORIZATION_FAILED", group="cut-off"):
                return await ask(app, "/reset", {"id": "cut-off", "token": token, "plan": plan})

    answer = run(story())
    assert answer.status == 502
    assert "Nobody knows which of these 2 offsets were set" in answer.text
    assert _value(_UNDO, answer) == "minutes,0,2\n", "the other one is set to what it was"
    assert "may have reset up to 2 offsets of group 'cut-off': GROUP_AUTHORIZATION_FAILED" in caplog.text


async def _reset_of(broker: Broker, group: str, plan: str) -> Answer:
    app = build_app(ConsoleSettings(bootstrap=broker.bootstrap_servers, allow_changes=True))
    async with app.router.lifespan_context(app):
        token = _value(_TOKEN, await ask(app, f"/reset?id={group}"))
        return await ask(app, "/reset", {"id": group, "token": token, "plan": plan})


def test_a_reset_that_is_not_answered_is_not_said_to_have_changed_nothing(
    broker: Broker, topics: tuple[str, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def unanswered(*_: object) -> None:
        raise ClientError(REQUEST_TIMED_OUT, "commit offsets of group unanswered")

    run(set_offsets(broker.bootstrap_servers, "unanswered", {TopicPartition("minutes", 0): 2}))
    monkeypatch.setattr(reset_outcome, "commit_offsets", unanswered)
    caplog.set_level(logging.INFO, "muster.console.audit")
    answer = run(_reset_of(broker, "unanswered", "minutes,0,1\n"))
    assert (answer.status, "may still be carried out" in answer.text) == (502, True)
    assert "Nothing was changed" not in answer.text
    assert "reset offsets of group 'unanswered': not known: REQUEST_TIMED_OUT" in caplog.text


def test_a_change_in_which_the_console_itself_fails_has_a_line_in_the_audit_log(
    broker: Broker, topics: tuple[str, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("nobody thought of that")

    run(set_offsets(broker.bootstrap_servers, "half-done", {TopicPartition("minutes", 0): 2}))
    monkeypatch.setattr(reset_outcome, "commit_offsets", broken)
    caplog.set_level(logging.INFO, "muster.console.audit")
    assert run(_reset_of(broker, "half-done", "minutes,0,1\n")).status == 500
    assert "'anonymous' at 127.0.0.1: /reset 'half-done': not known: RuntimeError" in caplog.text


def test_a_file_of_more_offsets_than_a_page_plans_is_refused(
    broker: Broker, console: ConsoleProcess, topics: tuple[str, str]
) -> None:
    run(set_offsets(broker.bootstrap_servers, "large-file", {TopicPartition("minutes", 0): 2}))
    csv = "".join(f"minutes,{number},0\n" for number in range(MOST_PLANNED + 1))
    form = {"id": "large-file", "rule": "file", "csv": csv, "token": console.token("/reset?id=large-file")}
    answer = console.ask("/reset/plan", form)
    assert (answer.status, "10,001 offsets are too many for a page" in answer.text) == (400, True)


def test_a_deleted_group_comes_back_with_its_undo_file(
    broker: Broker, console: ConsoleProcess, topics: tuple[str, str]
) -> None:
    before = {"minutes": 6, "moment": 3}
    run(set_offsets(broker.bootstrap_servers, "deleted", {TopicPartition(name, 0): at for name, at in before.items()}))
    token = console.token("/delete?id=deleted")
    asked = console.ask("/delete?id=deleted")
    assert _value(_UNDO, asked) == "minutes,0,6\nmoment,0,3\n", "also before it is done"
    done = console.ask("/delete", {"id": "deleted", "token": token})
    undo = _value(_UNDO, done)
    assert _committed(broker, "deleted") == {}
    file = console.ask("/reset/undo", {"id": "deleted", "token": token, "csv": undo})
    assert file.headers["content-disposition"] == 'attachment; filename="undo-deleted.csv"'

    async def bring_back() -> None:
        """As `muster groups reset-offsets --from-file --create` does."""
        lines = [line.split(",") for line in file.text.splitlines()]
        await set_offsets(
            broker.bootstrap_servers,
            "deleted",
            {TopicPartition(topic, int(number)): int(offset) for topic, number, offset in lines},
        )

    run(bring_back())
    assert _committed(broker, "deleted") == before


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_removed_member_of_either_protocol_is_out_of_its_group(
    broker: Broker, console: ConsoleProcess, protocol: str
) -> None:
    group = f"removed-from-{protocol}"
    options = {} if protocol == "classic" else {"session_timeout_ms": None, "heartbeat_interval_ms": None}

    async def members() -> dict[str, str]:
        """Member id -> client id."""
        async with Cluster(broker.bootstrap_servers) as cluster:
            described = await admin.describe_group(cluster, group)
            assert described.type == protocol
            return {each.member_id: each.client_id for each in described.members}

    with Fleet(broker.bootstrap_servers, group, ["orders"]) as fleet:
        fleet.join("ada", protocol=protocol, **options)
        (member_id,) = run(members())
        form = {"id": group, "member": member_id, "token": console.token(f"/reset?id={group}")}
        assert "Remove ada?" in console.ask(f"/remove?id={group}&member={member_id}").text
        fleet.kill("ada")  # else it would join again by itself
        answer = console.ask("/remove", form)
        assert "ada was removed" in answer.text
        assert member_id not in run(members())
        again = console.ask("/remove", form)
        assert (again.status, "That member is not in the group any more" in again.text) == (400, True)
