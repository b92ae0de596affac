"""One group that is denied or one broker that is down is told where it is shown; lists and other pages go on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.groups import GroupDescription, GroupListing
from muster.client.partitions import TopicPartition
from muster.console.group_status import Position
from muster.console.known_groups import KnownGroups
from muster.console.observer import Observer, Wants
from muster.console.overview_view import Choice, OverviewView
from muster.console.reader_view import ReaderView
from muster.security.acls import Acl
from muster.security.resources import Operation, Pattern, Permission, ResourceType
from muster.testing import Broker
from muster.topics.creation import NewTopic
from muster.wire.errors import COORDINATOR_LOAD_IN_PROGRESS, GROUP_AUTHORIZATION_FAILED, NETWORK_EXCEPTION
from tests.browser import Browser
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import run, set_offsets
from tests.console.looking import shows
from tests.console.told_groups import RENDER, ToldGroup, position
from tests.interop.waiting import eventually
from tests.security.acl_users import ALICE_MAY, PASSWORDS, SETTINGS, security_of
from tests.security.secure_server import SecureServer

ORDERS = TopicPartition("orders", 0)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SecureServer]:
    with SecureServer(tmp_path, SETTINGS, PASSWORDS) as running:
        node = running.running.node
        running.running.run(node.broker.create_topics, [NewTopic("orders")])
        running.running.run(lambda: node.acls.create(ALICE_MAY))
        run(_commit(running))
        yield running


async def _commit(server: SecureServer) -> None:
    async with Cluster(server.address("SASL_PLAINTEXT"), security=security_of("admin")) as cluster:
        for group in ("billing", "secret"):
            await admin.commit_offsets(cluster, group, {ORDERS: 0})


def test_a_page_of_a_group_that_is_denied_does_not_stop_the_list(server: SecureServer) -> None:
    async def story() -> None:
        cluster = Cluster(server.address("SASL_PLAINTEXT"), security=security_of("alice"))
        observer = Observer(cluster)
        await observer.try_to(observer._look_around(Wants(True, frozenset(["billing"]), frozenset(["secret"]))))
        assert not observer.trouble
        assert "GROUP_AUTHORIZATION_FAILED" in observer.trouble_of("secret")
        assert not observer.trouble_of("billing")
        assert observer.groups.statuses["billing"].positions
        assert observer.knows(Wants(True, frozenset(["billing"]), frozenset(["secret"]))), "it is not asked for ever"
        server.running.run(lambda: server.running.node.acls.create([_MAY_SEE]))
        observer.forget("secret")
        await observer.look(Wants(detail=frozenset(["secret"])))
        assert not observer.trouble_of("secret")
        await observer.close()

    run(story())


_MAY_SEE = Acl(ResourceType.GROUP, "secret", Pattern.LITERAL, "User:alice", "*", Operation.DESCRIBE, Permission.ALLOW)


def test_the_page_of_a_group_that_is_denied_says_why(server: SecureServer) -> None:
    with ConsoleProcess(server.address("SASL_PLAINTEXT"), "--login") as console:
        console.ask("/login", {"user": "alice", "password": PASSWORDS["alice"], "mechanism": "SCRAM-SHA-512"})
        page = eventually(
            "why", lambda: console.ask("/group?id=secret").text, lambda text: "GROUP_AUTHORIZATION_FAILED" in text
        )
        assert "describe group secret: GROUP_AUTHORIZATION_FAILED" in page or "find the coordinator" in page
        assert "none that you may see" in page


def test_a_group_whose_coordinator_is_loading_is_told_in_the_list_and_the_others_are_known(browser: Browser) -> None:
    """The console is started while it is."""
    with Broker(topics={"orders": 1}) as broker:
        for group in ("first", "second"):
            run(set_offsets(broker.bootstrap_servers, group, {ORDERS: 0}))
        with (
            broker.faults.error("DescribeGroups", "COORDINATOR_LOAD_IN_PROGRESS", group="second", times=None) as fault,
            ConsoleProcess(broker.bootstrap_servers) as console,
        ):
            browser.visit(console.address)
            shows(browser, "#groups", "first", "second", "describe group second: COORDINATOR_LOAD_IN_PROGRESS")
            shows(browser, "#groups tr[data-key=first]", "Empty", "0 s")
            fault.remove()
            shows(browser, "#groups tr[data-key=second]", "0 s")
            assert "COORDINATOR_LOAD_IN_PROGRESS" not in browser.value("document.querySelector('#groups').innerText")


def test_a_timeline_that_cannot_be_read_once_is_told_of_its_group_until_it_can_be(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    for group in ("unread", "read"):
        run(set_offsets(broker.bootstrap_servers, group, {ORDERS: 0}))

    async def story() -> None:
        observer = Observer(Cluster(broker.bootstrap_servers))
        failing = ["unread"]

        async def read_whole(group: str) -> None:
            if group in failing:
                raise ClientError(NETWORK_EXCEPTION, "list offsets of __group_journal-0")

        monkeypatch.setattr(observer.reader, "read_whole", read_whole)
        await observer.look(Wants(detail=frozenset(["unread", "read"])))
        assert "list offsets of __group_journal-0" in observer.trouble_of("unread")
        assert not observer.state_trouble_of("unread"), "lists show its state and offsets, which are of now"
        observer.forget("unread")
        await observer.look(Wants(groups=frozenset(["unread"])))
        assert observer.groups.statuses["unread"].positions, "they are asked for all the same"
        assert "list offsets of __group_journal-0" in observer.unread("unread"), "it was described, not read"
        assert not observer.trouble_of("read")
        assert not observer.reader.trouble, "it follows the journal of all others"
        failing.clear()
        observer.forget("unread")
        await observer.look(Wants(detail=frozenset(["unread", "read"])))
        assert not observer.trouble_of("unread")
        await observer.close()

    run(story())


def _listing(group: str) -> GroupListing:
    return GroupListing(group, "consumer", "Stable", "classic")


def test_a_list_that_lacks_a_broker_keeps_the_groups_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Any] = [
        ([_listing("a"), _listing("b")], {}),
        ([_listing("a")], {2: ClientError(NETWORK_EXCEPTION, "connect to broker 2")}),
        ([_listing("a")], {}),
    ]

    async def listed(_: Cluster) -> Any:
        return answers.pop(0)

    monkeypatch.setattr(admin, "list_groups_by_node", listed)

    async def story() -> None:
        observer = Observer(Cluster("127.0.0.1:1"))
        view, readers = OverviewView(observer, Choice()), ReaderView(observer, "orders")
        await observer._list()
        shown = view.fingerprint()
        observer._listed_at = float("-inf")
        await observer._list()
        assert observer.groups.names() == ["a", "b"], "the broker that did not answer may have it"
        assert view.fingerprint() != shown
        assert "connect to broker 2" in view.context()["trouble"]
        assert "connect to broker 2" in readers.context()["trouble"]
        observer._listed_at = float("-inf")
        await observer._list()
        assert observer.groups.names() == ["a"]
        assert view.context()["trouble"] == ""

    run(story())


def _read_once() -> KnownGroups:
    known = KnownGroups()
    known.list_anew([_listing("a")])
    known.describe(GroupDescription("a", "Stable", "classic", "consumer", "range", 1))
    known.set_positions("a", [Position(ORDERS, 5, "", 7, 2, None)], 0)
    return known


def test_a_group_that_is_denied_has_no_lag_and_reads_its_topics_still() -> None:
    known = _read_once()
    version = known.statuses["a"].version
    known.set_failure("a", 1, ClientError(GROUP_AUTHORIZATION_FAILED, "describe group a"))
    assert (known.statuses["a"].lag, known.statuses["a"].looked_ms) == (None, 1)
    assert known.statuses["a"].version > version
    assert known.readers_of("orders") == [("a", None)]
    known.set_failure("nobody", 1, ClientError(GROUP_AUTHORIZATION_FAILED, "describe group nobody"))
    assert "nobody" not in known


def test_a_failure_that_passes_leaves_the_offsets_of_the_last_look_and_is_told() -> None:
    known = _read_once()
    status = known.statuses["a"]
    version = status.version
    known.set_failure("a", 1, ClientError(COORDINATOR_LOAD_IN_PROGRESS, "describe group a"))
    assert (status.lag, status.looked_ms) == (2, 1)
    assert "COORDINATOR_LOAD_IN_PROGRESS" in status.failure
    assert status.version > version
    assert len(status.lags) == 1, "it is no lag of now"
    known.set_positions("a", [Position(ORDERS, 6, "", 7, 1, None)], 2)
    assert not status.failure


def test_old_offsets_stand_beside_why_there_are_none_of_now() -> None:
    group = ToldGroup()
    group.described(GroupDescription("g", "Stable", "classic", "consumer", "range", 1), [position("orders", 3, 41)])
    group.observer.groups.set_failure("g", 1, ClientError(COORDINATOR_LOAD_IN_PROGRESS, "describe group g"))
    shown = group.regions()["lag"]
    assert "The last request for them failed: describe group g: COORDINATOR_LOAD_IN_PROGRESS" in shown
    assert 'data-key="orders 3"' in shown


def test_a_topic_says_that_a_reader_could_not_be_asked() -> None:
    observer = Observer(Cluster("127.0.0.1:1"))
    observer.groups = _read_once()
    readers = ReaderView(observer, "orders")
    shown = readers.fingerprint()
    observer._failed["a"] = "describe group a: GROUP_AUTHORIZATION_FAILED."
    observer.groups.set_failure("a", 1, ClientError(GROUP_AUTHORIZATION_FAILED, "describe group a"))
    assert readers.fingerprint() != shown
    markup = RENDER("topic_readers.html", readers.context())
    assert "what is shown may be old: describe group a: GROUP_AUTHORIZATION_FAILED" in markup
    assert "how far behind is not known" in markup
