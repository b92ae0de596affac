"""Whether requests that repeat are learned changes how long they take, and no byte of an answer (decision 0016).

Two servers, one with the switch off, hear the same conversation: members that send heartbeats and commits all the time, a
consumer without a group's membership that commits too, and between them everything that may change an answer.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

from muster.runtime.node import Node
from muster.security.authorizer import ANY, ANY_USER, Rule, RuleAuthorizer
from muster.security.resources import Operation, ResourceType
from muster.topics.creation import NewPartitions, NewTopic
from muster.wire.generated.delete_topics import DeleteTopicsRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from tests.security.quota_server import set_quotas
from tests.server.groups.group_client import GroupClient, commit_request
from tests.server.groups.group_server import OPERATOR, GroupServer, Seat, seated
from tests.server.groups.log_faults import refusing_log
from tests.server.raw_client import request_frame
from tests.server.repeats import serves_repeats

SESSION_MS = 10_000


class Conversation:
    """Everything that the clients are told, in `answers`."""

    def __init__(self, server: GroupServer, authorizer: RuleAuthorizer, lease: list[bool]) -> None:
        self.server = server
        self.authorizer = authorizer
        self.lease = lease
        self.answers: list[bytes] = []
        self.repeated: set[str] = set()
        """APIs of which a request was served by what was learned."""
        self.seats = server.form("g", 2, instances=("one",), session_ms=SESSION_MS)
        self.simple = server.client("simple")
        self._offset = 0

    def ask(self, client: GroupClient, api: str, version: int, message: object) -> None:
        client._correlation_id += 1
        client.send(request_frame(api, version, message, client._correlation_id, client.client_id))
        self.answers.append(client.read_frame())

    def rounds(self, number: int = 4) -> None:
        """Everybody says what it always says, so often that it is learned, and once more."""
        for _ in range(number):
            for seat in self.seats:
                self.ask(seat.client, "Heartbeat", 4, heartbeat_of(seat))
                self.commit(seat.client, "g", **seat.ids)
            self.commit(self.simple, "simple", version=6)

    def commit(self, client: GroupClient, group: str, version: int = 9, **fields: Any) -> None:
        self._offset += 1
        rows = [("orders", 0, self._offset), ("orders", 1, -self._offset), ("returns", 1, self._offset << 40)]
        self.ask(client, "OffsetCommit", version, commit_request(group, *rows, **fields))

    def look(self) -> None:
        """What is stored, and what was learned."""
        for group in ("g", "simple"):
            reply = self.server.client(source=OPERATOR).fetch_offsets(group, None)
            self.answers.append(repr(reply).encode())
        listener = self.server._running.server.listener  # type: ignore[union-attr]
        for connection in self.server.run(lambda: list(listener.connections)):
            for api in ("Heartbeat", "OffsetCommit"):
                if serves_repeats(connection, api):
                    self.repeated.add(api)

    def assign(self, joins: list[Any]) -> None:
        """Everybody has joined again: the leader's plan makes the group Stable."""
        for seat, waiting in zip(self.seats, joins, strict=True):
            seat.joined = waiting.answer()
            seat.generation = seat.joined.generation_id
        self.rounds(3)
        self.server.assign(self.seats)


def heartbeat_of(seat: Seat) -> HeartbeatRequest:
    return HeartbeatRequest(seat.group, seat.generation, seat.member_id, seat.instance)


# ---- what happens between two rounds


def time_passes(talk: Conversation) -> None:
    """More than a session in all: heartbeats that repeat have to keep their members alive, and so have commits."""
    for _ in range(3):
        talk.server.pass_time(SESSION_MS - 1, SESSION_MS - 1)
        talk.rounds(1)
    for _ in range(3):
        talk.server.pass_time(SESSION_MS - 1, SESSION_MS - 1)
        for seat in talk.seats:
            talk.commit(seat.client, "g", **seat.ids)


def everybody_is_silent_for_too_long(talk: Conversation) -> None:
    talk.server.pass_time(2 * SESSION_MS)
    talk.rounds()
    talk.seats = talk.server.form("g", 2, instances=("one",), session_ms=SESSION_MS)


def somebody_joins(talk: Conversation) -> None:
    newcomer = talk.server.taken(talk.server.client("newcomer").enter("g", session_ms=SESSION_MS))
    talk.rounds()
    joins = [seat.rejoin(session_ms=SESSION_MS) for seat in talk.seats]
    talk.seats.append(seated("g", newcomer))
    talk.assign([*joins, Answered(talk.seats[-1].joined)])


class Answered:
    def __init__(self, joined: Any) -> None:
        self.answer = lambda: joined


def somebody_leaves(talk: Conversation) -> None:
    gone = talk.seats.pop()
    gone.client.leave("g", gone.member_id)
    talk.ask(gone.client, "Heartbeat", 4, heartbeat_of(gone))
    talk.rounds()
    talk.assign([seat.rejoin(session_ms=SESSION_MS) for seat in talk.seats])
    somebody_joins(talk)


def a_static_member_is_replaced(talk: Conversation) -> None:
    old = talk.seats[0]
    assert old.instance is not None
    joining = talk.server.client("replacement").join("g", instance=old.instance, session_ms=SESSION_MS)
    waiting = talk.server.taken(joining)
    talk.rounds()
    talk.seats[0] = seated("g", waiting, old.instance)


def a_topic_is_deleted_and_made_again(talk: Conversation) -> None:
    talk.server.client(source=OPERATOR).call("DeleteTopics", 4, DeleteTopicsRequest(topic_names=["returns"]))
    talk.server.settle()
    talk.rounds()
    for step in (
        lambda: talk.server.node.broker.create_topics([NewTopic("returns", 1)]),
        lambda: talk.server.node.broker.create_partitions([NewPartitions("returns", 2)]),
    ):
        talk.server.run(step)
        talk.server.settle()
        talk.rounds()


def rights_are_taken_away_and_given_back(talk: Conversation) -> None:
    for kind, name in ((ResourceType.GROUP, "g"), (ResourceType.TOPIC, "returns")):
        denial = Rule(True, ANY_USER, "127.0.0.1", frozenset({Operation.READ}), kind, name)
        for change in ({"added": [denial]}, {"removed": [denial]}):
            talk.server.run(lambda change=change: talk.authorizer.change(**change))
            talk.rounds()


def quotas_come_and_go(talk: Conversation) -> None:
    """So high that nobody has to wait, which would depend on the time that passes."""
    for rate in (100_000.0, None):
        set_quotas(talk.server.port, {"client-id": "simple"}, muster_request_rate=rate)
        talk.rounds()


def the_shard_goes_and_comes_back(talk: Conversation) -> None:
    talk.server.lose("g")
    talk.rounds()
    talk.server.take_over("g")


def the_lease_runs_out_and_is_renewed(talk: Conversation) -> None:
    talk.lease[0] = False
    talk.rounds()
    talk.lease[0] = True


def the_log_fails(talk: Conversation) -> None:
    with refusing_log(talk.server):
        talk.rounds()


def clients_call_themselves_something_else(talk: Conversation) -> None:
    for seat in talk.seats:
        seat.client.client_id = f"{seat.client.client_id}+"
        talk.ask(seat.client, "Heartbeat", 3, heartbeat_of(seat))


def another_version_is_spoken(talk: Conversation) -> None:
    for version in (4, 3, 4):
        for seat in talk.seats:
            talk.ask(seat.client, "Heartbeat", version, heartbeat_of(seat))
            talk.commit(seat.client, "g", version=version + 4, **seat.ids)


EVENTS: list[Callable[[Conversation], None]] = [
    time_passes,
    somebody_joins,
    somebody_leaves,
    a_static_member_is_replaced,
    a_topic_is_deleted_and_made_again,
    rights_are_taken_away_and_given_back,
    quotas_come_and_go,
    the_shard_goes_and_comes_back,
    the_lease_runs_out_and_is_renewed,
    the_log_fails,
    clients_call_themselves_something_else,
    another_version_is_spoken,
    everybody_is_silent_for_too_long,
]


@contextmanager
def conversation(*, learns_repeats: bool) -> Iterator[Conversation]:
    operations = frozenset({Operation.ALL})
    authorizer = RuleAuthorizer([Rule(False, ANY_USER, ANY, operations, kind, ANY) for kind in ResourceType])
    lease, numbers = [True], count(1)

    def prepare(node: Node) -> None:
        node.authorizer = authorizer
        node.coordinator.may_speak = lambda: lease[0]
        node.coordinator._new_id = lambda: f"id-{next(numbers)}"

    with GroupServer(prepare=prepare) as server:
        # No heartbeat and no commit has come yet: their routes are prepared with the switch as it is now.
        server._running.server.listener.routes.learns_repeats = learns_repeats  # type: ignore[union-attr]
        yield Conversation(server, authorizer, lease)


def held(events: list[Callable[[Conversation], None]], *, learns_repeats: bool) -> Conversation:
    with conversation(learns_repeats=learns_repeats) as talk:
        talk.rounds()
        talk.look()
        for event in events:
            event(talk)
            talk.rounds()
            talk.look()
    return talk


@pytest.mark.parametrize("seed", range(3))
def test_answers_are_the_same_whether_repeats_are_learned_or_not(seed: int) -> None:
    events = EVENTS.copy()
    if seed:
        random.Random(seed).shuffle(events)
    learned, read = held(events, learns_repeats=True), held(events, learns_repeats=False)
    assert (learned.repeated, read.repeated) == ({"Heartbeat", "OffsetCommit"}, set())
    assert learned.answers == read.answers


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
def test_after_each_event_alone_answers_are_the_same(event: Callable[[Conversation], None]) -> None:
    learned, read = held([event], learns_repeats=True), held([event], learns_repeats=False)
    assert learned.answers == read.answers
