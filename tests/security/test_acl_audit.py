"""Who was denied what is told once; strangers can fill neither the log nor the journal; names cannot forge lines."""

from __future__ import annotations

import logging

import pytest

from muster.core.journal import JournalEvent
from muster.security.audit import (
    CHANGES_A_CLIENT,
    CHANGES_AN_INTERVAL,
    CLIENTS_OF_CHANGES,
    EVENTS_AN_INTERVAL,
    GROUP_CHANGES_A_CLIENT,
    LINES_A_CLIENT,
    LINES_AN_INTERVAL,
    Asked,
    Audit,
)
from muster.security.resources import CLUSTER_NAME, Operation, ResourceType

HOUR_MS = 3_600_000
GROUP, TOPIC = ResourceType.GROUP, ResourceType.TOPIC
BOB = Asked("User:bob", "/10.0.0.7", "JoinGroup", "app-1")


class Desk:
    """An audit with a clock that the test moves."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self.ticks_ms = 5
        self.events: list[JournalEvent] = []
        self.audit = Audit(lambda: self.ticks_ms, lambda: 1_700_000_000_000, self.events.append, HOUR_MS)
        self._caplog = caplog
        caplog.set_level(logging.INFO, "muster.audit")

    def denied(self, name: str = "billing", asked: Asked = BOB, kind: ResourceType = GROUP) -> None:
        self.audit.denied(asked, Operation.READ, kind, name)

    @property
    def lines(self) -> list[str]:
        return [record.getMessage() for record in self._caplog.records if record.name == "muster.audit"]


@pytest.fixture
def desk(caplog: pytest.LogCaptureFixture) -> Desk:
    return Desk(caplog)


def test_a_denial_is_told_once_in_an_interval_and_the_others_are_counted(desk: Desk) -> None:
    for _ in range(1_000):
        desk.denied()
    line = "denied: 'User:bob' at 10.0.0.7 (client id 'app-1') by JoinGroup: READ on group 'billing'"
    assert desk.lines == [line]
    assert len(desk.events) == 1
    desk.ticks_ms += HOUR_MS
    desk.denied()
    assert desk.lines[1:] == [
        "denied: 999 more times in the interval before this line, not told one by one",
        line,
    ]
    assert desk.audit.denials == 1_001


def test_another_principal_address_operation_or_resource_is_another_denial(desk: Desk) -> None:
    desk.denied()
    desk.denied("orders")
    desk.denied(kind=TOPIC)
    desk.denied(asked=BOB._replace(principal="User:eve"))
    desk.denied(asked=BOB._replace(host="/10.0.0.8"))
    desk.audit.denied(BOB, Operation.DELETE, GROUP, "billing")
    assert len(desk.lines) == 6
    desk.denied(asked=BOB._replace(api="Heartbeat", client_id="app-2"))
    assert len(desk.lines) == 6, "the same denial, asked in another way"


def test_an_event_of_the_journal_tells_a_denial_on_a_group_and_no_other(desk: Desk) -> None:
    desk.denied(kind=TOPIC)
    desk.audit.denied(BOB, Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME)
    assert desk.lines[1].endswith("JoinGroup: ALTER on cluster")
    assert desk.events == []
    desk.denied()
    assert [event.to_json() for event in desk.events] == [
        {
            "kind": "denied",
            "at_ms": 1_700_000_000_000,
            "group": "billing",
            "generation": -1,
            "cause": "not_authorized",
            "client": "app-1",
            "host": "/10.0.0.7",
            "principal": "User:bob",
            "operation": "READ",
            "api": "JoinGroup",
        }
    ]


def test_one_client_cannot_fill_the_log(desk: Desk) -> None:
    for number in range(5_000):
        desk.denied(f"group-{number}")
    assert len(desk.lines) == LINES_A_CLIENT + 1
    assert "further denials of this client are only counted" in desk.lines[-1]
    assert len(desk.events) == EVENTS_AN_INTERVAL
    desk.denied(asked=BOB._replace(principal="User:carol"))
    assert "'User:carol'" in desk.lines[-1], "others are still told"


def test_many_clients_cannot_fill_the_log_or_the_journal(desk: Desk) -> None:
    for number in range(5_000):
        desk.denied(f"group-{number}", BOB._replace(host=f"/fe80:0:0:0:0:0:0:{number:x}"))
    assert len(desk.lines) == LINES_AN_INTERVAL
    assert len(desk.events) == EVENTS_AN_INTERVAL
    desk.ticks_ms += HOUR_MS
    desk.denied("after")
    assert desk.lines[-2].startswith("denied: 4000 more times")
    assert desk.events[-1].group_id == "after"


def test_names_that_clients_choose_stay_inside_their_quotes_and_short(desk: Desk) -> None:
    forged = "x'\n2030-01-01 INFO muster.audit: changed: 'User:admin'"
    desk.denied(forged, Asked("User:" + forged, "/10.0.0.7", "JoinGroup", forged))
    desk.denied("y" * 30_000)
    desk.audit.changed(BOB, "created topic 'orders'")
    assert all("\n" not in line and len(line) < 700 for line in desk.lines)
    assert [event.group_id for event in desk.events] == [forged], "the long one would be a long key"
    assert desk.lines[-1] == "changed: 'User:bob' at 10.0.0.7 (client id 'app-1') by JoinGroup: created topic 'orders'"


def test_a_client_that_changes_groups_all_the_time_does_not_fill_the_log(desk: Desk) -> None:
    for _ in range(GROUP_CHANGES_A_CLIENT + 5):
        desk.audit.group_changed(BOB, "set 1 offset of group 'g' from outside")
    assert len(desk.lines) == GROUP_CHANGES_A_CLIENT + 1
    assert desk.lines[-1].endswith("further changes of groups by this client are not told for a while")
    desk.ticks_ms += HOUR_MS
    desk.audit.group_changed(BOB, "set 1 offset of group 'g' from outside")
    assert desk.lines[-1].endswith("set 1 offset of group 'g' from outside")


def test_a_client_that_makes_topics_all_the_time_neither_fills_the_log_nor_hides_an_acl(desk: Desk) -> None:
    for number in range(CHANGES_A_CLIENT + 5):
        desk.audit.changed(BOB._replace(api="CreateTopics"), f"created topic 't{number}'")
    assert len(desk.lines) == CHANGES_A_CLIENT + 1
    assert desk.lines[-1].endswith("further changes by this client with this request are not told for a while")
    desk.audit.changed(BOB._replace(api="CreateAcls"), "created ACL 'ALLOW User:bob ALL topic *'")
    assert desk.lines[-1].endswith("'ALLOW User:bob ALL topic *'")


def test_many_clients_that_make_changes_neither_fill_the_log_nor_memory_nor_hide_an_acl(desk: Desk) -> None:
    """With IPv6 one client has as many addresses as it likes."""
    made = BOB._replace(api="CreateTopics")
    for number in range(CHANGES_AN_INTERVAL + 5_000):
        desk.audit.changed(made._replace(host=f"/fe80:0:0:0:0:0:0:{number:x}"), "created topic 't'")
    # Further clients than those that are counted one by one share one count: its lines, and one that says it is used up.
    assert len(desk.lines) == CHANGES_AN_INTERVAL + 1
    assert desk.lines[-1].endswith(
        "further changes of this kind (CreateTopics) by any client are only counted for a while"
    )
    assert len(desk.audit._changes_of) == CLIENTS_OF_CHANGES + 1
    desk.audit.changed(BOB._replace(api="CreateAcls"), "created ACL 'ALLOW User:bob ALL topic *'")
    assert desk.lines[-1].endswith("'ALLOW User:bob ALL topic *'")
    desk.ticks_ms += HOUR_MS
    desk.audit.changed(made, "created topic 'after'")
    assert desk.lines[-2:] == [
        "changed: 5000 more times in the interval before this line, not told one by one",
        "changed: 'User:bob' at 10.0.0.7 (client id 'app-1') by CreateTopics: created topic 'after'",
    ]


def test_what_clients_share_who_are_not_counted_one_by_one_names_none_of_them(desk: Desk) -> None:
    for number in range(CLIENTS_OF_CHANGES + GROUP_CHANGES_A_CLIENT + 1):
        desk.audit.group_changed(BOB._replace(host=f"/fe80:0:0:0:0:0:0:{number:x}"), "set 1 offset of group 'g'")
    assert desk.lines[-1] == (
        f"changed: further changes of groups by clients beyond the first {CLIENTS_OF_CHANGES} are not told for a while"
    )
