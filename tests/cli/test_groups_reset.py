"""`muster groups reset-offsets`: every target, by the rules of kafka-consumer-groups; and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from muster.client import reset_outcome
from muster.client.failure import ClientError
from muster.testing import Broker
from muster.wire.errors import NETWORK_EXCEPTION
from tests.cli.command import Told, muster
from tests.testing.confluent_members import configured, consumer

Muster = Callable[..., Told]
TOPIC = "payments"
MINUTE = 60_000
START_MS = 1_790_000_000_000


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    """Ten records in partition 0, a minute apart from START_MS on; four in partition 1 of which the first two are gone."""
    with Broker(topics={"other": 1}) as running:
        running.create_topic(TOPIC, 2, {"retention.ms": -1})
        producer = Producer({"bootstrap.servers": running.bootstrap_servers, "linger.ms": 0})
        for number in range(10):
            producer.produce(TOPIC, f"{number}", partition=0, timestamp=START_MS + number * MINUTE)
            producer.flush()
        for number in range(4):
            producer.produce(TOPIC, f"{number}", partition=1, timestamp=START_MS + number * MINUTE)
        producer.produce("other", "x")
        producer.flush()
        delete_before(running, 1, 2)
        yield running


def delete_before(broker: Broker, partition: int, offset: int) -> None:
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    for done in admin.delete_records([TopicPartition(TOPIC, partition, offset)]).values():
        done.result()


@pytest.fixture
def group(broker: Broker, request: pytest.FixtureRequest) -> str:
    """One that has committed 6 and 3."""
    name = request.node.name
    outsider = Consumer(configured(broker, "outsider", name))
    outsider.commit(offsets=[TopicPartition(TOPIC, 0, 6), TopicPartition(TOPIC, 1, 3)], asynchronous=False)
    outsider.close()
    return str(name)


@pytest.fixture
def tell(broker: Broker) -> Muster:
    return lambda *arguments: muster(*arguments, bootstrap=broker.bootstrap_servers)


def committed(tell: Muster, group: str) -> dict[str, int]:
    rows = tell("groups", "offsets", group, "--json").done().rows
    return {f"{row['topic']}-{row['partition']}": row["committed"] for row in rows}


TARGETS = {
    "to the beginning": (("--to-earliest",), 0, 2),
    "to the end": (("--to-latest",), 10, 4),
    "to where it is": (("--to-current",), 6, 3),
    "to an offset": (("--to-offset", "3"), 3, 3),
    "to an offset after the end": (("--to-offset", "7"), 7, 4),
    "to an offset before the beginning": (("--to-offset", "1"), 1, 2),
    "back": (("--shift-by", "-1"), 5, 2),
    "back too far": (("--shift-by", "-9"), 0, 2),
    "forward too far": (("--shift-by", "99"), 10, 4),
    "to a time": (("--to-datetime", "2026-09-21T14:15:20.000"), 2, 2),
    "to a time with a zone": (("--to-datetime", "2026-09-21T16:15:20+02:00"), 2, 2),
    "to a time in ms": (("--to-datetime", str(START_MS + 3 * MINUTE)), 3, 3),
    "to a time after the last record": (("--to-datetime", "2030-01-01"), 10, 4),
    "by a span in ISO": (("--by-duration", "P36500D"), 0, 2),
    "by a short span": (("--by-duration", "1ms"), 10, 4),
}


@pytest.mark.parametrize(("flags", "first", "second"), TARGETS.values(), ids=TARGETS)
def test_a_reset_goes(tell: Muster, group: str, flags: tuple[str, ...], first: int, second: int) -> None:
    """OffsetsUtils: offsets outside of the log become its nearer end, a time without records the end."""
    dry = tell("groups", "reset-offsets", group, "--topic", TOPIC, *flags, "--json").done()
    assert [(row["committed"], row["new"], row["executed"]) for row in dry.rows] == [
        (6, first, False),
        (3, second, False),
    ]
    assert dry.err == "muster groups reset-offsets: this was a dry run; add --execute to do it\n"
    assert committed(tell, group) == {f"{TOPIC}-0": 6, f"{TOPIC}-1": 3}
    done = tell("groups", "reset-offsets", group, "--all-topics", *flags, "--execute").done()
    assert done.err == ""
    assert committed(tell, group) == {f"{TOPIC}-0": first, f"{TOPIC}-1": second}


def test_the_time_of_the_test_above_is_that_of_the_third_record() -> None:
    from datetime import UTC, datetime

    at = datetime(2026, 9, 21, 14, 15, 20, tzinfo=UTC)
    assert START_MS + MINUTE < at.timestamp() * 1000 <= START_MS + 2 * MINUTE


def test_what_was_not_possible_is_said_beside_it(tell: Muster, group: str) -> None:
    table = tell("groups", "reset-offsets", group, "--topic", TOPIC, "--to-offset", "7").done().table
    assert table[0] == ["group", "topic", "partition", "committed", "new", "note"]
    assert table[2][4:] == ["4", "7", "is", "after", "the", "end"]


def test_a_partition_of_its_own_is_reset_alone(tell: Muster, group: str) -> None:
    tell("groups", "reset-offsets", group, "--topic", f"{TOPIC}:1", "--to-earliest", "--execute").done()
    assert committed(tell, group) == {f"{TOPIC}-0": 6, f"{TOPIC}-1": 2}


def test_an_exported_plan_can_be_carried_out_later(tell: Muster, group: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.csv"
    plan.write_text(tell("groups", "reset-offsets", group, "--all-topics", "--to-current", "--export").done().out)
    assert plan.read_text() == f"{TOPIC},0,6\n{TOPIC},1,3\n"
    tell("groups", "reset-offsets", group, "--all-topics", "--to-latest", "--execute").done()
    tell("groups", "reset-offsets", group, "--from-file", str(plan), "--execute").done()
    assert committed(tell, group) == {f"{TOPIC}-0": 6, f"{TOPIC}-1": 3}


def test_plans_of_several_groups_name_them(tell: Muster, group: str, tmp_path: Path) -> None:
    new = f"{group}-new"
    both = ("groups", "reset-offsets", group, new)
    plan = tmp_path / "plan.csv"
    plan.write_text(tell(*both, "--topic", TOPIC, "--to-earliest", "--export").done().out)
    assert plan.read_text().splitlines()[2:] == [f"{new},{TOPIC},0,0", f"{new},{TOPIC},1,2"]
    tell(*both, "--from-file", str(plan), "--execute", "--create").done()
    assert committed(tell, group) == committed(tell, new) == {f"{TOPIC}-0": 0, f"{TOPIC}-1": 2}


def test_a_group_that_does_not_exist_comes_to_be_if_that_is_asked_for(tell: Muster) -> None:
    reset = ("groups", "reset-offsets", "newcomer", "--topic", "other", "--to-latest", "--execute")
    told = tell(*reset)
    assert (told.code, told.rows) == (1, [])
    assert "there is no such group" in told.err
    assert "say --create: then these commits make it" in told.err
    assert tell("groups", "offsets", "newcomer").code == 1
    tell(*reset, "--create").done()
    assert committed(tell, "newcomer") == {"other-0": 1}


def test_a_misspelt_group_is_named_in_a_dry_run_too(group: str, tell: Muster) -> None:
    told = tell("groups", "reset-offsets", group + "s", "--topic", "other", "--to-latest").done()
    assert f"Did you mean {group}?" in told.err


def test_a_group_with_members_is_refused(broker: Broker, tell: Muster) -> None:
    with consumer(broker, group="busy", topic="other"):
        broker.group("busy").wait("Stable", members=1)
        told = tell("groups", "reset-offsets", "busy", "--topic", "other", "--to-earliest", "--execute")
        assert told.code == 1
        assert "group busy is Stable with 1 member: offsets can only be reset while nobody is in the group" in told.err
        assert committed(tell, "busy") == {"other-0": None}


def test_somebody_who_joins_before_the_commit_stops_the_reset(broker: Broker, tell: Muster, group: str) -> None:
    with broker.faults.error("OffsetCommit", "UNKNOWN_MEMBER_ID", group=group):
        told = tell("groups", "reset-offsets", group, "--topic", TOPIC, "--to-earliest", "--execute", "--json")
    assert (told.code, told.rows) == (1, [])
    assert "somebody joined it meanwhile (UNKNOWN_MEMBER_ID): nothing was changed" in told.err
    assert committed(tell, group) == {f"{TOPIC}-0": 6, f"{TOPIC}-1": 3}


def test_where_nobody_can_say_what_was_set_all_that_may_be_is_listed(
    broker: Broker, tell: Muster, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unread(*_: object) -> None:
        raise ClientError(NETWORK_EXCEPTION, "fetch offsets")

    monkeypatch.setattr(reset_outcome, "committed_offsets", unread)
    with broker.faults.error("OffsetCommit", "GROUP_AUTHORIZATION_FAILED", group=group):
        told = tell("groups", "reset-offsets", group, "--topic", TOPIC, "--to-offset", "3", "--execute", "--json")
    assert told.code == 1
    assert [(row["partition"], row["committed"], row["new"], row["executed"]) for row in told.rows] == [(0, 6, 3, None)]
    assert "Nobody knows which of the 2 offsets were set" in told.err
    with broker.faults.error("OffsetCommit", "GROUP_AUTHORIZATION_FAILED", group=group):
        told = tell("groups", "reset-offsets", group, "--topic", TOPIC, "--to-offset", "3", "--execute", "--export")
    assert (told.code, told.out) == (1, ""), "a file would say that it was done"


def test_what_was_never_committed_cannot_be_shifted(tell: Muster) -> None:
    told = tell("groups", "reset-offsets", "unshifted", "--topic", "other", "--shift-by", "-1")
    assert (told.code, "nothing is committed for other-0" in told.err) == (1, True)


WRONG = {
    "no target": (("g", "--topic", "other"), "one of the arguments --to-earliest"),
    "two targets": (("g", "--topic", "other", "--to-latest", "--to-earliest"), "not allowed with argument"),
    "no scope": (("g", "--to-latest"), "of which topics?"),
    "two scopes": (("g", "--to-latest", "--topic", "other", "--all-topics"), "choose one of them"),
    "no group": (("--to-latest", "--all-topics"), "which group?"),
    "a negative offset": (("g", "--topic", "other", "--to-offset", "-1"), "offsets are 0 or more"),
    "no such partition": (("g", "--topic", "other:7", "--to-latest"), "there is no partition 7; it has 0 to 0"),
    "no number": (("g", "--topic", "other:x", "--to-latest"), "'x' is not a partition"),
    "no time": (("g", "--topic", "other", "--to-datetime", "yesterday"), "or a UTC time like"),
    "no span": (("g", "--topic", "other", "--by-duration", "P1W"), "give a span like P1DT2H30M"),
    "no file": (("g", "--from-file", "/nowhere.csv"), "--from-file /nowhere.csv: No such file"),
    "a file and a scope": (("g", "--from-file", "x", "--topic", "other"), "says itself which partitions"),
}


@pytest.mark.parametrize(("flags", "why"), WRONG.values(), ids=WRONG)
def test_a_command_that_makes_no_sense_is_told_why(tell: Muster, flags: tuple[str, ...], why: str) -> None:
    told = tell("groups", "reset-offsets", *flags)
    assert (told.code, told.out) == (2, "")
    assert why in told.err


def test_a_bad_line_of_a_plan_is_named(tell: Muster, tmp_path: Path) -> None:
    plan = tmp_path / "plan.csv"
    for text, why in (
        (f"{TOPIC},0\n", "line 1: write topic,partition,offset"),
        (f"{TOPIC},0,1\n{TOPIC},one,1\n", "line 2: partition and offset must be numbers"),
        ("else,t,0,1\n", "line 1: it is about group else, which was not named"),
        ("\n", "there is nothing in it"),
        (f"{TOPIC},0,1\n{TOPIC},0,{'1' * 140_000}\n", "line 2: field larger than field limit"),
        (f"{TOPIC},{1 << 31},0\n", "line 1: a partition is at most 2147483647"),
    ):
        plan.write_text(text)
        assert why in tell("groups", "reset-offsets", "g", "--from-file", str(plan)).refused(2)


def test_an_unknown_topic_is_named_with_one_that_is_spelt_nearly_so(tell: Muster) -> None:
    told = tell("groups", "reset-offsets", "g", "--topic", "payment", "--to-latest")
    assert told.code == 1
    assert "there is no such topic. Did you mean payments?" in told.err
