"""`muster groups list | describe | members | offsets | delete | delete-offsets` at a broker with real members."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest
from confluent_kafka import Consumer, TopicPartition

from muster.testing import Broker
from tests.cli.command import Told, muster
from tests.testing.confluent_members import PATIENCE_SECONDS, configured, consumer

Muster = Callable[..., Told]


@pytest.fixture
def tell(broker: Broker) -> Muster:
    return lambda *arguments: muster(*arguments, bootstrap=broker.bootstrap_servers)


def commit(broker: Broker, group: str, topic: str, *offsets: int, metadata: str = "") -> None:
    """As a consumer without a subscription does."""
    outsider = Consumer(configured(broker, "outsider", group))
    places = [TopicPartition(topic, number, offset, metadata) for number, offset in enumerate(offsets)]
    outsider.commit(offsets=places, asynchronous=False)
    outsider.close()


# ---- list


def test_list_shows_each_group_with_state_and_type(broker: Broker, tell: Muster) -> None:
    broker.create_topic("listed", 1)
    commit(broker, "listed-empty", "listed", 0)
    with consumer(broker, group="listed-stable", topic="listed"):
        broker.group("listed-stable").wait("Stable", members=1)
        table = tell("groups", "list").done().table
        assert table[0] == ["group", "state", "type", "protocol"]
        assert ["listed-empty", "Empty", "classic", "-"] in table
        assert ["listed-stable", "Stable", "classic", "consumer"] in table
        stable = tell("groups", "list", "--state", "stable", "--type", "classic", "--verbose", "--json").done().rows
        assert [(row["group"], row["member_count"], row["assignor"]) for row in stable] == [
            ("listed-stable", 1, "range")
        ]


def test_a_state_that_there_is_not_gets_a_suggestion(tell: Muster) -> None:
    why = tell("groups", "list", "--state", "stabel").refused(2)
    assert "--state stabel: no such word; did you mean stable? There are Empty, PreparingRebalance" in why


# ---- offsets, members, describe


def test_offsets_of_a_member_and_of_what_nobody_reads_are_those_of_kafkas_tool(broker: Broker, tell: Muster) -> None:
    """ConsumerGroupCommand: partitions of members first by topic, and any other with a commit; lag is end - commit."""
    broker.create_topic("numbers", 3)
    broker.create_topic("left-behind", 1)
    for number, count in enumerate((5, 4, 3)):
        broker.produce("numbers", *map(str, range(count)), partition=number)
    broker.produce("left-behind", "a", "b")
    commit(broker, "reader", "left-behind", 1, metadata="by hand")
    with consumer(broker, name="worker", group="reader", topic="numbers") as member:
        broker.group("reader").wait("Stable", members=1)
        member.commit(0, 5, "numbers").result(PATIENCE_SECONDS)
        member.commit(1, 1, "numbers").result(PATIENCE_SECONDS)
        rows = tell("groups", "offsets", "reader", "--json").done().rows
        found = [(row["topic"], row["partition"], row["committed"], row["end"], row["lag"]) for row in rows]
        assert found == [
            ("left-behind", 0, 1, 2, 1),
            ("numbers", 0, 5, 5, 0),
            ("numbers", 1, 1, 4, 3),
            ("numbers", 2, None, 3, None),
        ]
        assert (rows[0]["client_id"], rows[0]["metadata"].rstrip("\0")) == (
            None,
            "by hand",
        )  # confluent-kafka sends a zero
        assert (rows[1]["client_id"], rows[1]["host"]) == ("worker", "/127.0.0.1")
        assert rows[1]["member_id"].startswith("worker-")
        line = tell("groups", "offsets", "reader").done().table[4]
        assert line[:6] == ["reader", "numbers", "2", "-", "3", "-"]
        described = tell("groups", "describe", "reader", "--state").done()
        assert "not in the lag: 1 partition without a committed offset or a known end" in described.out
        watched = tell("groups", "watch", "reader", "--times", "1").done()
        assert "lag 4 (1 partition without a commit)" in watched.out
        state = tell("groups", "describe", "reader", "--json").done().rows[0]
        assert state["unknown_lag"] == 1
        assert (state["state"], state["assignor"], state["member_count"], state["lag"]) == ("Stable", "range", 1, 4)
        assert state["offsets"] == [{name: row[name] for name in row if name != "group"} for row in rows]
        assert state["members"][0]["assignment"] == {"numbers": [0, 1, 2]}


def test_members_are_shown_with_their_partitions(broker: Broker, tell: Muster) -> None:
    broker.create_topic("shared", 4)
    with consumer(broker, "one", "sharers", "shared"), consumer(broker, "two", "sharers", "shared"):
        broker.group("sharers").wait("Stable", members=2)
        table = tell("groups", "members", "sharers", "--verbose").done().table
        assert sorted((line[4], line[5], " ".join(line[6:])) for line in table[1:]) == [
            ("one", "2", "shared 0, 1"),
            ("two", "2", "shared 2, 3"),
        ]


def test_describe_shows_state_members_and_offsets_and_a_part_of_it_on_request(broker: Broker, tell: Muster) -> None:
    broker.create_topic("described", 1)
    commit(broker, "described", "described", 0)
    shown = tell("groups", "describe", "described").done()
    assert "group described has no members" in shown.out
    assert ["described", "Empty", "classic", "-", "0", "0", f"{broker.bootstrap_servers}", "(1)"] in shown.table
    assert ["described", "described", "0", "0", "0", "0", "-", "-", "-"] in shown.table
    state = tell("groups", "describe", "--group", "described", "--state").done().table
    assert [line[:2] for line in state] == [["group", "state"], ["described", "Empty"]]
    assert tell("groups", "describe", "described", "--offsets", "--json").done().rows[0].keys() == {
        "group",
        "offsets",
        "held_by",
        "tracked_query",
    }


def test_a_topic_that_is_gone_has_commits_without_an_end(broker: Broker, tell: Muster) -> None:
    broker.create_topic("brief", 1)
    commit(broker, "late", "brief", 0)
    broker.create_topic("kept", 1)
    commit(broker, "late", "kept", 0)
    # A topic's own offsets go with it; one that the coordinator has not heard of yet looks like this.
    tell("topics", "delete", "brief").done()
    rows = tell("groups", "offsets", "late", "--json").done().rows
    assert ("kept", 0, 0) in [(row["topic"], row["end"], row["lag"]) for row in rows]
    assert all(row["end"] is None for row in rows if row["topic"] == "brief")


def test_an_unknown_group_is_named_with_one_that_is_spelt_nearly_so(broker: Broker, tell: Muster) -> None:
    broker.create_topic("spelling", 1)
    commit(broker, "invoices", "spelling", 0)
    for action in ("describe", "offsets", "members", "delete"):
        told = tell("groups", action, "invoice")
        assert told.code == 1
        assert "GROUP_ID_NOT_FOUND: there is no such group. Did you mean invoices?" in told.err
    both = tell("groups", "offsets", "nobody", "invoices", "--json")
    assert (both.code, [row["group"] for row in both.rows]) == (1, ["invoices"])


def test_it_must_be_said_which_group(tell: Muster) -> None:
    assert "which group?" in tell("groups", "describe").refused(2)
    assert "not both" in tell("groups", "offsets", "g", "--all-groups").refused(2)


def test_all_groups_are_all_of_consumers(broker: Broker, tell: Muster) -> None:
    broker.create_topic("many", 1)
    for number in range(3):
        commit(broker, f"many-{number}", "many", 0)
    rows = tell("groups", "offsets", "--all-groups", "--json").done().rows
    assert {"many-0", "many-1", "many-2"} <= {row["group"] for row in rows}


# ---- delete


def test_delete_takes_empty_groups_and_refuses_those_with_members(broker: Broker, tell: Muster) -> None:
    broker.create_topic("goners", 1)
    commit(broker, "goner", "goners", 0)
    with consumer(broker, group="stayer", topic="goners"):
        broker.group("stayer").wait("Stable", members=1)
        told = tell("groups", "delete", "goner", "stayer", "--json")
        assert told.code == 1
        assert told.rows == [
            {"group": "goner", "deleted": True, "error": None},
            {"group": "stayer", "deleted": False, "error": "NON_EMPTY_GROUP"},
        ]
        assert "NON_EMPTY_GROUP. Stop its members first." in told.err
    assert "goner" not in [row["group"] for row in tell("groups", "list", "--json").done().rows]


def test_delete_offsets_forgets_what_is_not_read_any_more(broker: Broker, tell: Muster) -> None:
    broker.create_topic("forgotten", 2)
    broker.create_topic("read", 1)
    commit(broker, "forgetter", "forgotten", 1, 2)
    commit(broker, "forgetter", "read", 0)
    with consumer(broker, group="forgetter", topic="read"):
        broker.group("forgetter").wait("Stable", members=1)
        table = tell("groups", "delete-offsets", "forgetter", "--topic", "forgotten:1").done().table
        assert table[1:] == [["forgetter", "forgotten", "1", "yes"]]
        told = tell("groups", "delete-offsets", "forgetter", "--topic", "read")
        assert (told.code, told.table[1][-1]) == (1, "no")
        assert "GROUP_SUBSCRIBED_TO_TOPIC. The group's members still consume the topic: stop them first" in told.err
        left = tell("groups", "offsets", "forgetter", "--json").done().rows
        assert [(row["topic"], row["partition"]) for row in left] == [("forgotten", 0), ("read", 0)]
    assert "has no commit there. It has for forgotten, read" in tell(
        "groups", "delete-offsets", "forgetter", "--topic", "elsewhere"
    ).refused(1)
    assert "there is no such group" in tell("groups", "delete-offsets", "nobody", "--all-topics").refused(1)


# ---- refusals


def test_a_user_without_rights_is_told_which(broker: Broker, tell: Muster) -> None:
    broker.create_topic("closed", 1)
    commit(broker, "closed", "closed", 0)
    with broker.faults.error("FindCoordinator", "GROUP_AUTHORIZATION_FAILED", times=2):
        why = tell("groups", "describe", "closed").refused(1)
    assert "GROUP_AUTHORIZATION_FAILED. The user lacks a right on the group: ask for an ACL." in why
    with broker.faults.error("ListOffsets", "TOPIC_AUTHORIZATION_FAILED", times=2):
        told = tell("groups", "offsets", "closed", "--json").done()
    assert "TOPIC_AUTHORIZATION_FAILED. The user lacks a right on the topic" in told.err
    assert [(row["committed"], row["end"], row["lag"]) for row in told.rows] == [(0, None, None)]


def test_a_server_that_does_not_answer_is_given_up_on_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        why = muster("groups", "list", "--timeout", "0.5", bootstrap=address).refused(1)
    assert "no reply in 0.5 s" in why or f"connect to {address}: NETWORK_EXCEPTION: no answer in 0.5 s" in why


def test_a_name_that_would_act_on_the_terminal_is_shown(broker: Broker, tell: Muster) -> None:
    broker.create_topic("names", 1)
    commit(broker, "evil\x1b[2J", "names", 0)
    assert ["evil\\x1b[2J", "Empty", "classic", "-"] in tell("groups", "list").done().table
    assert "Did you mean evil\\x1b[2J?" in tell("groups", "describe", "evil[2J").refused(1)
    tell("groups", "delete", "evil\x1b[2J").done()
