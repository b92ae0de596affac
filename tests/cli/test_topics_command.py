"""`muster topics list | create | describe | alter | delete`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from muster.testing import Broker
from tests.cli.command import Told, muster

Muster = Callable[..., Told]


@pytest.fixture
def tell(broker: Broker) -> Muster:
    return lambda *arguments: muster(*arguments, bootstrap=broker.bootstrap_servers)


def test_a_topic_is_made_shown_changed_and_deleted(tell: Muster) -> None:
    made = tell("topics", "create", "life", "--partitions", "2", "--config", "retention.ms=1000").done()
    assert made.table[1:] == [["life", "created"]]
    facts = tell("topics", "describe", "life", "--json").done().rows[0]
    assert (facts["partition_count"], facts["replicas"], facts["records"]) == (2, 1, 0)
    assert facts["settings"] == [{"name": "retention.ms", "value": "1000", "source": "topic"}]
    assert [(row["partition"], row["leader"], row["in_sync"]) for row in facts["partitions"]] == [
        (0, 1, [1]),
        (1, 1, [1]),
    ]
    changes = ("--partitions", "3", "--config", "cleanup.policy=compact", "--delete-config", "retention.ms")
    table = tell("topics", "alter", "life", *changes).done().table
    assert table[1:] == [
        ["life", "cleanup.policy", "delete", "compact"],
        ["life", "retention.ms", "1000", "604800000"],
        ["life", "partitions", "2", "3"],
    ]
    assert tell("topics", "describe", "life").done().table[1][0] == "life"
    assert tell("topics", "delete", "life").done().table[1:] == [["life", "deleted"]]
    assert "there is no such topic" in tell("topics", "describe", "life").refused(1)


def test_describe_shows_where_each_log_begins_and_ends(broker: Broker, tell: Muster) -> None:
    broker.create_topic("extents", 2)
    broker.produce("extents", "a", "b", "c", partition=1)
    table = tell("topics", "describe", "extents").done().table
    assert table[1][2:] == ["2", "1", "3"]
    assert table[3:] == [["extents", "0", "1", "1", "1", "0", "0"], ["extents", "1", "1", "1", "1", "0", "3"]]
    everything = tell("topics", "describe", "extents", "--configs", "--json").done().rows[0]["settings"]
    assert {"name": "cleanup.policy", "value": "delete", "source": "default"} in everything
    assert tell("topics", "describe", "--all", "--unavailable", "--json").done().rows[0]["partitions"] == []


def test_list_leaves_the_brokers_own_topics_out_unless_asked(broker: Broker, tell: Muster) -> None:
    broker.create_topic("seen-1", 1)
    broker.create_topic("seen-2", 4)
    table = tell("topics", "list", "seen-*").done().table
    assert table == [["topic", "partitions", "replicas"], ["seen-1", "1", "1"], ["seen-2", "4", "1"]]
    names = [row["topic"] for row in tell("topics", "list", "--json").done().rows]
    assert "__consumer_offsets" not in names
    everything = [row["topic"] for row in tell("topics", "list", "--internal", "--json").done().rows]
    assert "__consumer_offsets" in everything
    none = tell("topics", "list", "nothing*").done()
    assert (none.out, none.err) == ("", "no topics\n")


def test_one_that_is_there_already_is_an_error_unless_that_is_fine(broker: Broker, tell: Muster) -> None:
    broker.create_topic("there", 1)
    assert "TOPIC_ALREADY_EXISTS" in tell("topics", "create", "there").refused(1)
    fine = tell("topics", "create", "there", "there-too", "--if-not-exists", "--json").done()
    assert [row["outcome"] for row in fine.rows] == ["exists already", "created"]


def test_one_that_is_not_there_is_an_error_unless_that_is_fine(broker: Broker, tell: Muster) -> None:
    broker.create_topic("orders", 1)
    assert "Did you mean orders?" in tell("topics", "delete", "order").refused(1)
    assert tell("topics", "delete", "order", "--if-exists").done().table[1:] == [["order", "does", "not", "exist"]]
    assert "Did you mean orders?" in tell("topics", "alter", "order", "--partitions", "2").refused(1)


def test_a_dry_run_changes_nothing(broker: Broker, tell: Muster) -> None:
    broker.create_topic("dry", 1)
    assert tell("topics", "create", "wet", "--dry-run").done().table[1:] == [["wet", "could", "be", "created"]]
    changes = ("--partitions", "2", "--config", "retention.ms=5", "--dry-run")
    told = tell("topics", "alter", "dry", *changes, "--json").done()
    assert [(row["was"], row["is"]) for row in told.rows] == [("604800000", "5"), ("1", "2")]
    assert "nothing has changed" in told.err
    names = [row["topic"] for row in tell("topics", "list", "--json").done().rows]
    assert "wet" not in names
    facts = tell("topics", "describe", "dry", "--json").done().rows[0]
    assert (facts["partition_count"], facts["settings"]) == (1, [])


REFUSED = {
    "fewer partitions": (("alter", "wrong", "--partitions", "1"), 1, "INVALID_PARTITIONS"),
    "no partitions": (("create", "none", "--partitions", "0"), 2, "--partitions 0: give 1 or more"),
    "a value that cannot be": (("alter", "wrong", "--config", "retention.ms=soon"), 1, "INVALID_CONFIG"),
    "a setting that is not": (("alter", "wrong", "--config", "retentoin.ms=5"), 2, "did you mean retention.ms?"),
    "a setting without a value": (("create", "none", "--config", "retention.ms"), 2, "write NAME=VALUE"),
    "a name that cannot be": (("create", "a/b"), 1, "INVALID_TOPIC_EXCEPTION"),
    "no change": (("alter", "wrong"), 2, "what should change?"),
    "no topic": (("describe",), 2, "which topic?"),
}


@pytest.mark.parametrize(("flags", "code", "why"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_with_a_reason(broker: Broker, tell: Muster, flags: tuple[str, ...], code: int, why: str) -> None:
    tell("topics", "create", "wrong", "--partitions", "2", "--if-not-exists").done()
    assert why in tell("topics", *flags).refused(code)
