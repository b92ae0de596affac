"""Commits that differ only in their offsets, over TCP: whatever happens between two of them, they get what a new client gets.

A connection reads such a request once, and knows the next ones again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from muster.core.hashing import partition_for
from muster.runtime.coordinator_shards import LedPartition, ShardState
from muster.security.resources import Operation, ResourceType
from muster.security.rule import Rule
from muster.topics.creation import NewPartitions, NewTopic
from muster.wire.generated.delete_topics import DeleteTopicsRequest
from muster.wire.generated.offset_commit import OffsetCommitRequest
from tests.server.groups.group_client import GroupClient, Waiting, codes, commit_request
from tests.server.groups.group_server import OPERATOR, GroupServer
from tests.server.groups.log_faults import SlowLog, commits_in_a_thread, refusing_log
from tests.server.raw_client import request_frame
from tests.server.repeats import serves_repeats_if_it_may

ROWS = (("orders", 0), ("orders", 2), ("returns", 1))
COMMIT_VERSIONS = range(2, 11)


class Repeater:
    """Commits the same partitions over and over, through one connection; the offsets are `base`, `base` + 1, ..."""

    def __init__(self, server: GroupServer, *, version: int = 9, group: str = "g", **fields: Any) -> None:
        self.server = server
        self.version = version
        self.group = group
        self.client = server.client()
        self._fields: dict[str, Any] = {
            "topic_ids": {name: server.topic_id(name) for name, _ in ROWS if server.node.broker.topic(name)},
            **fields,
        }
        for base in range(3):
            self.commit(base)
        assert self.is_known()

    def request(self, base: int) -> OffsetCommitRequest:
        offsets = [(topic, partition, base + number) for number, (topic, partition) in enumerate(ROWS)]
        return commit_request(self.group, *offsets, **self._fields)

    def begin(self, base: int) -> Waiting:
        return self.client.begin("OffsetCommit", self.version, self.request(base))

    def commit(self, base: int) -> Any:
        return self.begin(base).answer()

    def is_known(self) -> bool:
        """Its commits are served by what the connection remembers."""
        return self.server.run(self._is_known)

    def _is_known(self) -> bool:
        running = self.server._running.server
        assert running is not None
        for connection in running.listener.connections:
            if connection.address == self.client.address:
                return serves_repeats_if_it_may(connection, "OffsetCommit")
        raise AssertionError("it is not connected")

    def commit_as_a_new_client_would(self, base: int) -> list[int]:
        """Its codes, which are those that a new client gets for the same request. What is committed then is from `base` on."""
        fresh = self.server.client().call("OffsetCommit", self.version, self.request(base))
        known = self.commit(base)
        assert known == fresh
        return codes(known)

    def fetched(self) -> list[int]:
        reader = self.server.client(source=OPERATOR)
        return [reader.committed(self.group, topic, partition) for topic, partition in ROWS]


def ids_of_one(server: GroupServer, members: int) -> dict[str, Any]:
    """Of one of so many members of the group; none: whoever commits is no member."""
    return server.form("g", members)[0].ids if members else {}


# ---- nothing special


@pytest.mark.parametrize("version", COMMIT_VERSIONS)
def test_many_commits_of_one_shape_are_all_stored(server: GroupServer, version: int) -> None:
    repeater = Repeater(server, version=version)
    for base in (10, 2**40, 7, -1, -(2**63), 2**63 - 3, 0):
        assert codes(repeater.commit(base)) == [0, 0, 0]
        assert repeater.fetched() == [base, base + 1, base + 2]
    assert repeater.is_known()


def test_the_answer_mirrors_the_request(server: GroupServer) -> None:
    """Spec 4.1: repeated topics included."""
    reply = Repeater(server).commit(5)
    answered = [(topic.name, [row.partition_index for row in topic.partitions]) for topic in reply.topics]
    assert answered == [("orders", [0]), ("orders", [2]), ("returns", [1])]


def test_metadata_and_leader_epochs_are_stored_with_every_commit(server: GroupServer) -> None:
    repeater = Repeater(server, metadata="notes", leader_epoch=7)
    repeater.commit(50)
    (group,) = repeater.client.fetch_offsets("g", [("orders", [2])]).groups
    (stored,) = group.topics[0].partitions
    assert (stored.committed_offset, stored.committed_leader_epoch, stored.metadata) == (51, 7, "notes")


def test_metadata_that_are_too_large_are_refused_each_time() -> None:
    """T159, T163b."""
    with GroupServer({"offset.metadata.max.bytes": "4"}) as server:
        repeater = Repeater(server, metadata="notes")
        assert repeater.commit_as_a_new_client_would(50) == [12, 12, 12]
        assert repeater.is_known()
        assert repeater.fetched() == [-1, -1, -1]


def test_a_retention_of_its_own_counts_from_each_commit(server: GroupServer) -> None:
    """T165: seven minutes after the last commit, not after the first."""
    repeater = Repeater(server, version=3, retention_ms=420_000)
    server.pass_time(400_000, 100_000)
    repeater.commit(50)
    server.pass_time(400_000, 100_000)
    assert repeater.fetched() == [50, 51, 52]
    server.pass_time(700_000, 100_000)
    assert repeater.fetched() == [-1, -1, -1]


def test_a_partition_that_comes_twice_keeps_its_last_offset(server: GroupServer) -> None:
    client = server.client()
    for base in (10, 20, 30, 40):
        assert client.commit("g", ("orders", 0, base), ("orders", 0, base + 1)) == [0, 0]
        assert client.committed("g") == base + 1


# ---- topics


def delete(server: GroupServer, name: str) -> None:
    """As a client does it: what was committed for it goes too."""
    reply = server.client().call("DeleteTopics", 4, DeleteTopicsRequest(topic_names=[name]))
    assert [each.error_code for each in reply.responses] == [0]
    server.settle()


def create(server: GroupServer, name: str, partitions: int) -> None:
    server.run(server.node.broker.create_topics, [NewTopic(name, partitions)])
    server.settle()


@pytest.mark.parametrize(("version", "error"), [(8, 3), (9, 3), (10, 100)])
def test_a_topic_that_was_deleted_is_unknown_to_the_next_commit(server: GroupServer, version: int, error: int) -> None:
    repeater = Repeater(server, version=version)
    delete(server, "returns")
    assert repeater.commit_as_a_new_client_would(50) == [error, 0, 0]  # what was refused comes first
    assert repeater.fetched() == [50, 51, -1]


@pytest.mark.parametrize(("version", "answers"), [(9, [0, 0, 0]), (10, [100, 0, 0])])
def test_a_topic_that_was_made_anew_is_another_one_by_its_id_and_the_same_by_its_name(
    server: GroupServer, version: int, answers: list[int]
) -> None:
    repeater = Repeater(server, version=version)
    delete(server, "returns")
    create(server, "returns", 2)
    for base in (50, 60, 70):
        assert repeater.commit_as_a_new_client_would(base) == answers
    assert repeater.fetched() == [70, 71, 72 if version == 9 else -1]
    (group,) = repeater.client.fetch_offsets("g", None, version=9).groups
    assert {topic.name for topic in group.topics} == ({"orders", "returns"} if version == 9 else {"orders"})


def test_a_topic_that_was_made_anew_with_fewer_partitions_lacks_one(server: GroupServer) -> None:
    repeater = Repeater(server)
    delete(server, "returns")
    create(server, "returns", 1)
    assert repeater.commit_as_a_new_client_would(50) == [3, 0, 0]


def test_a_topic_that_grew_takes_commits_as_before(server: GroupServer) -> None:
    repeater = Repeater(server)
    server.run(server.node.broker.create_partitions, [NewPartitions("returns", 5)])
    assert repeater.commit_as_a_new_client_would(50) == [0, 0, 0]
    assert repeater.is_known()
    assert repeater.client.commit("g", ("returns", 4, 9)) == [0]


def test_a_topic_that_comes_or_goes_elsewhere_changes_nothing(server: GroupServer) -> None:
    repeater = Repeater(server)
    create(server, "elsewhere", 1)
    assert repeater.commit_as_a_new_client_would(50) == [0, 0, 0]
    delete(server, "elsewhere")
    assert repeater.commit_as_a_new_client_would(60) == [0, 0, 0]
    repeater.commit(70)
    assert repeater.is_known()
    assert repeater.fetched() == [70, 71, 72]


# ---- members


def test_the_commits_of_a_member_keep_it_alive(server: GroupServer) -> None:
    """Spec 4.1 row 6: each restarts its session."""
    (seat,) = server.form("g", session_ms=10_000)
    repeater = Repeater(server, **seat.ids)
    for base in range(5):
        server.pass_time(8_000)
        assert codes(repeater.commit(base)) == [0, 0, 0]
    server.pass_time(11_000)
    assert repeater.commit_as_a_new_client_would(50) == [25, 25, 25]
    assert repeater.fetched() == [4, 5, 6]


def test_when_the_generation_moves_on_the_old_one_is_illegal(server: GroupServer) -> None:
    """T157, T158: while everybody joins it still counts, while the plan is made nobody's does."""
    (seat,) = server.form("g")
    repeater = Repeater(server, **seat.ids)
    joining = server.taken(server.client().enter("g"))
    assert repeater.commit_as_a_new_client_would(50) == [0, 0, 0]
    assert seat.rejoin().answer().generation_id == 2
    joining.answer()
    assert repeater.commit_as_a_new_client_would(60) == [22, 22, 22]
    assert repeater.fetched() == [50, 51, 52]


def test_while_the_plan_is_made_a_member_is_told_to_rejoin(server: GroupServer) -> None:
    """T157."""
    (seat,) = server.gather("g")
    repeater = Repeater(server, **seat.ids)
    assert repeater.commit_as_a_new_client_would(50) == [27, 27, 27]
    server.assign([seat])
    assert repeater.commit_as_a_new_client_would(60) == [0, 0, 0]
    repeater.client.leave("g", seat.member_id)
    assert repeater.commit_as_a_new_client_would(70) == [25, 25, 25]
    assert repeater.fetched() == [60, 61, 62]


def test_a_static_member_whose_place_was_taken_is_fenced(server: GroupServer) -> None:
    """T170."""
    (seat,) = server.form("g", instances=["one"])
    repeater = Repeater(server, **seat.ids)
    server.client().join("g", instance="one").answer()
    assert repeater.commit_as_a_new_client_would(50) == [82, 82, 82]


def test_a_simple_group_that_gets_members_refuses_strangers(server: GroupServer) -> None:
    """T152, T154, T155."""
    repeater = Repeater(server)
    (seat,) = server.form("g")
    assert repeater.commit_as_a_new_client_would(50) == [25, 25, 25]
    seat.client.leave("g", seat.member_id)
    assert repeater.commit_as_a_new_client_would(60) == [0, 0, 0]


@pytest.mark.parametrize(("version", "error"), [(8, 22), (9, 69)])
def test_a_group_that_is_not_there_is_not_found_each_time(server: GroupServer, version: int, error: int) -> None:
    """T153."""
    repeater = Repeater(server, version=version, generation=3, member_id="nobody")
    assert repeater.commit_as_a_new_client_would(50) == [error] * 3
    assert list(repeater.client.groups().groups) == []


def test_commits_that_are_under_way_together_keep_their_own_offsets() -> None:
    """Each was made from the one before it on its connection."""
    with GroupServer(prepare=commits_in_a_thread) as server:
        first, second = server.form("g", 2)
        repeaters = [Repeater(server, **first.ids), Repeater(server, **second.ids), Repeater(server, **first.ids)]
        with SlowLog(server) as log:
            waiting = [repeaters[0].begin(100)]
            log.wait_for_a_write()
            waiting += [server.taken(repeaters[1].begin(200)), server.taken(repeaters[2].begin(300))]
            log.release()
            assert [codes(each.answer()) for each in waiting] == [[0, 0, 0]] * 3
        assert repeaters[0].fetched() == [300, 301, 302]


@pytest.mark.parametrize("count", [127, 128, 300])
def test_a_member_that_commits_many_partitions_is_answered_for_each(server: GroupServer, count: int) -> None:
    create(server, "wide", 300)
    (seat,) = server.form("g")
    for base in (0, 1_000, 2_000, 3_000):
        offsets = [("wide", partition, base + partition) for partition in range(count)]
        assert seat.client.commit("g", *offsets, **seat.ids) == [0] * count
    assert [seat.client.committed("g", "wide", partition) for partition in (0, count - 1)] == [3_000, 2_999 + count]


# ---- the coordinator and its log


def test_a_shard_that_went_elsewhere_or_loads_says_so_until_it_is_back(server: GroupServer) -> None:
    repeater = Repeater(server)
    server.lose("g")
    assert repeater.commit_as_a_new_client_would(50) == [16, 16, 16]
    partition = partition_for("g", server.node.coordinator.partition_count)
    places = server.node.coordinator.places
    server.run(places.__setitem__, partition, LedPartition(partition, 5, ShardState.LOADING))
    assert repeater.commit_as_a_new_client_would(60) == [14, 14, 14]
    server.run(places.__delitem__, partition)
    server.take_over("g")
    assert repeater.fetched() == [2, 3, 4]
    assert repeater.commit_as_a_new_client_would(70) == [0, 0, 0]
    assert repeater.fetched() == [70, 71, 72]


@pytest.mark.parametrize("members", [0, 1])
def test_a_shard_that_goes_while_a_commit_is_under_way_answers_it(members: int) -> None:
    with GroupServer(prepare=commits_in_a_thread) as server:
        repeater = Repeater(server, **ids_of_one(server, members))
        with SlowLog(server) as log:
            waiting = repeater.begin(50)
            log.wait_for_a_write()
            server.run(server.node.coordinator.resign, server.partition_of("g"))
            assert codes(waiting.answer()) == [16, 16, 16]


@pytest.mark.parametrize("members", [0, 1])
def test_a_log_that_fails_is_told_and_nothing_is_committed(server: GroupServer, members: int) -> None:
    """T168."""
    repeater = Repeater(server, **ids_of_one(server, members))
    with refusing_log(server):
        assert repeater.commit_as_a_new_client_would(50) == [16, 16, 16]
    assert repeater.fetched() == [2, 3, 4]
    assert repeater.commit_as_a_new_client_would(60) == [0, 0, 0]


def test_a_slow_log_times_a_known_commit_out() -> None:
    """T027."""
    with GroupServer(prepare=commits_in_a_thread) as server:
        repeater = Repeater(server)
        with SlowLog(server) as log:
            waiting = repeater.begin(50)
            log.wait_for_a_write()
            server.run(server.clock.advance, 5_000)
            assert codes(waiting.answer()) == [15, 15, 15]
        assert repeater.fetched() == [50, 51, 52]
        assert codes(repeater.commit(60)) == [0, 0, 0]


# ---- the connection


def test_commits_that_come_together_are_answered_one_after_the_other(server: GroupServer) -> None:
    repeater = Repeater(server)
    frames = [request_frame("OffsetCommit", 9, repeater.request(base), base) for base in range(100, 120)]
    together = b"".join(frames)
    for cut in (len(together), 5, len(frames[0]), len(frames[0]) + 2, len(together) - 1):
        repeater.client.send(together[:cut])
        repeater.server.barrier()
        repeater.client.send(together[cut:])
        for base in range(100, 120):
            assert codes(repeater.client.read("OffsetCommit", 9, base)) == [0, 0, 0]
        assert repeater.fetched() == [119, 120, 121]
    assert repeater.is_known()


def test_a_client_that_goes_while_its_commit_is_under_way_has_committed() -> None:
    with GroupServer(prepare=commits_in_a_thread) as server:
        repeater = Repeater(server)
        with SlowLog(server) as log:
            repeater.begin(50)
            log.wait_for_a_write()
            repeater.client.close()
            server.barrier()
        assert repeater.fetched() == [50, 51, 52]


def rule(is_denial: bool, resource: ResourceType, name: str) -> Rule:
    return Rule(is_denial, "User:ANONYMOUS", "127.0.0.1", frozenset({Operation.READ}), resource, name)


@pytest.mark.parametrize(
    ("resource", "name", "answers"),
    [(ResourceType.GROUP, "g", [30, 30, 30]), (ResourceType.TOPIC, "returns", [29, 0, 0])],
)
def test_a_right_that_is_taken_away_and_given_back_counts_at_once(
    tmp_path: Any, resource: ResourceType, name: str, answers: list[int]
) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(
        "".join(
            f'[[allow]]\nprincipal = "User:*"\noperation = "ALL"\nresource = "{kind}"\nname = "*"\n'
            for kind in ("group", "topic")
        )
    )
    with GroupServer({"muster.rules": str(path)}) as server:
        repeater = Repeater(server)
        denial = rule(True, resource, name)
        change: Callable[..., None] = server.node.authorizer.change  # type: ignore[attr-defined]
        server.run(lambda: change(added=[denial]))
        assert repeater.commit_as_a_new_client_would(50) == answers
        server.run(lambda: change(removed=[denial]))
        assert repeater.commit_as_a_new_client_would(60) == [0, 0, 0]
        assert repeater.fetched() == [60, 61, 62]


def allow_requests(server: GroupServer, rate: float | None) -> None:
    """So many requests a second for clients called `raw`; None: as many as they like."""
    from tests.security.quota_server import set_quotas

    set_quotas(server.port, {"client-id": "raw"}, muster_request_rate=rate)


def test_quotas_that_come_and_go_count_for_commits_that_are_known(server: GroupServer) -> None:
    repeater = Repeater(server)
    allow_requests(server, 0.01)
    throttled = repeater.commit(50)
    assert throttled.throttle_time_ms > 0
    assert codes(throttled) == [0, 0, 0]
    allow_requests(server, None)
    server.pass_time(60_000, 10_000)  # it was left waiting
    assert repeater.commit(60).throttle_time_ms == 0
    assert repeater.fetched() == [60, 61, 62]


def test_a_quota_that_comes_while_a_commit_is_under_way_counts_for_its_answer() -> None:
    with GroupServer(prepare=commits_in_a_thread) as server:
        repeater = Repeater(server)
        with SlowLog(server) as log:
            waiting = repeater.begin(50)
            log.wait_for_a_write()
            allow_requests(server, 0.01)
            log.release()
            reply = waiting.answer()
        assert reply.throttle_time_ms > 0
        assert codes(reply) == [0, 0, 0]
        assert [topic.name for topic in reply.topics] == ["orders", "orders", "returns"]


def test_a_quota_goes_by_the_client_id_of_the_commit_itself(server: GroupServer) -> None:
    repeater = Repeater(server)
    repeater.client.client_id = "other"
    assert repeater.client.beat("g", 1, "nobody") == 25
    allow_requests(server, 0.01)
    repeater.client.client_id = "raw"
    assert repeater.commit(50).throttle_time_ms > 0


def test_limits_for_principals_are_kept_by_commits_that_come_again() -> None:
    with GroupServer({"muster.max.offsets.per.principal": "3"}) as server:
        client, other = server.client(), server.client()
        for offset in range(4):
            assert client.commit("g", ("orders", 0, offset), ("orders", 1, offset)) == [0, 0]
        assert other.commit("g", ("orders", 2, 1), ("returns", 0, 1)) != [0, 0]
        assert other.commit("g", ("orders", 2, 1)) == [0]
        assert client.commit("g", ("orders", 0, 5), ("orders", 1, 5)) == [0, 0]


def test_faults_of_the_test_kit_meet_every_commit() -> None:
    from muster.testing import Broker

    with Broker(topics={"orders": 3}) as broker, GroupClient(broker.port) as client:
        for offset in range(4):
            assert client.commit("g", ("orders", 0, offset)) == [0]
        broker.faults.error("OffsetCommit", "NOT_COORDINATOR")
        assert client.commit("g", ("orders", 0, 5)) == [16]
        assert client.committed("g") == 3
        assert client.commit("g", ("orders", 0, 6)) == [0]
