"""A reset of which a part is refused: what was set is shown with its undo file, logged, and told by the command too."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.partitions import TopicPartition
from muster.security.acls import Acl
from muster.security.resources import Operation, Pattern, Permission, ResourceType
from muster.topics.creation import NewTopic
from tests.cli.command import muster
from tests.console.console_process import ConsoleProcess
from tests.security.acl_users import ALICE_MAY, PASSWORDS, SETTINGS, security_of
from tests.security.secure_server import SecureServer

ORDERS, PAYMENTS = TopicPartition("orders", 0), TopicPartition("payments", 0)
UNCHANGED = TopicPartition("orders", 1)
"""Has the offset already that the plan has."""
PLAN = "orders,0,0\norders,1,0\npayments,0,0\n"
_UNDO = re.compile(r'name="csv" value="([^"]*)"')
_SEES_PAYMENTS = Acl(
    ResourceType.TOPIC, "payments", Pattern.LITERAL, "User:alice", "*", Operation.DESCRIBE, Permission.ALLOW
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SecureServer]:
    """`alice` may commit to `orders`, and only look at `payments`."""
    with SecureServer(tmp_path, SETTINGS, PASSWORDS) as running:
        node = running.running.node
        for topic in ("orders", "payments"):
            running.running.run(node.broker.create_topics, [NewTopic(topic, 2)])
        running.running.run(lambda: node.acls.create([*ALICE_MAY, _SEES_PAYMENTS]))
        asyncio.run(_commit(running))
        yield running


async def _commit(server: SecureServer) -> None:
    async with Cluster(server.address("SASL_PLAINTEXT"), security=security_of("admin")) as cluster:
        await admin.commit_offsets(cluster, "billing", {ORDERS: 7, UNCHANGED: 0, PAYMENTS: 8})


def _committed(server: SecureServer) -> dict[TopicPartition, int]:
    async def ask() -> dict[TopicPartition, int]:
        async with Cluster(server.address("SASL_PLAINTEXT"), security=security_of("admin")) as cluster:
            return {place: each.offset for place, each in (await admin.committed_offsets(cluster, "billing")).items()}

    return asyncio.run(ask())


def test_a_page_shows_what_was_set_with_its_undo_file_and_the_log_has_it(server: SecureServer) -> None:
    with ConsoleProcess(server.address("SASL_PLAINTEXT"), "--login", "--allow-changes") as console:
        console.ask("/login", {"user": "alice", "password": PASSWORDS["alice"], "mechanism": "SCRAM-SHA-512"})
        token = console.token("/reset?id=billing")
        page = console.ask("/reset", {"id": "billing", "plan": PLAN, "token": token})
        assert _committed(server) == {ORDERS: 0, UNCHANGED: 0, PAYMENTS: 8}
        assert page.status == 502
        assert "Only 1 of 2 offsets were set" in page.text
        assert "TOPIC_AUTHORIZATION_FAILED" in page.text
        undo = _UNDO.search(page.text)
        assert undo is not None
        assert unescape(undo[1]) == "orders,0,7\n"
        again = console.ask("/reset", {"id": "billing", "plan": "payments,0,0\n", "token": token})
        assert "Nothing was changed" in again.text
        console.stop()
    assert "reset 1 of 2 offsets of group 'billing', then failed: TOPIC_AUTHORIZATION_FAILED" in console.log
    assert "reset offsets of group 'billing': refused: TOPIC_AUTHORIZATION_FAILED" in console.log


def test_the_command_lists_what_was_set_and_fails(server: SecureServer, tmp_path: Path) -> None:
    plan, properties = tmp_path / "plan.csv", tmp_path / "alice.properties"
    plan.write_text(PLAN)
    properties.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-512\n"
        "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required"
        f' username="alice" password="{PASSWORDS["alice"]}";\n'
    )
    flags = ("--from-file", str(plan), "--execute", "--json", "--command-config", str(properties))
    bootstrap = server.address("SASL_PLAINTEXT")
    told = muster("groups", "reset-offsets", "billing", *flags, bootstrap=bootstrap)
    assert told.code == 1
    assert [(row["topic"], row["committed"], row["new"], row["executed"]) for row in told.rows] == [
        ("orders", 7, 0, True)
    ]
    assert "only 1 of 2 offsets were set, those that are listed" in told.err
    assert "TOPIC_AUTHORIZATION_FAILED" in told.err
    assert _committed(server) == {ORDERS: 0, UNCHANGED: 0, PAYMENTS: 8}
    plan.write_text("payments,0,0\n")
    told = muster("groups", "reset-offsets", "billing", *flags, bootstrap=bootstrap)
    assert (told.code, told.rows) == (1, [])
    assert "Nothing was changed" in told.err
