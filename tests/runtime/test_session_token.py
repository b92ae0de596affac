"""A session token is renewed exactly as long as a heartbeat of its member would be answered NONE at once."""

from __future__ import annotations

from muster.core.replies import CommitReply, HeartbeatReply, JoinReply
from muster.runtime.session_token import SessionToken
from muster.wire.errors import NONE, NOT_COORDINATOR, REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER_ID
from tests.runtime.test_coordinator import stable_group
from tests.runtime.world import HeldTicket, World, beat, commit, join, sync

SESSION_MS = 10_000


def token_of(world: World, member_id: str, generation: int = 1) -> SessionToken:
    request = beat(member_id, generation)
    assert world.ask(request).as_(HeartbeatReply).error == NONE
    token = world.coordinator.session_token(request)
    assert token is not None
    return token


def error_of_beat(world: World, member_id: str, generation: int = 1) -> int:
    return world.ask(beat(member_id, generation)).as_(HeartbeatReply).error


def test_a_token_keeps_a_session_alive_and_its_end_ends_it() -> None:
    world = World().start()
    (a,) = stable_group(world)
    token = token_of(world, a)
    for _ in range(20):
        world.advance(SESSION_MS - 1)
        assert token.renew()
    world.advance(SESSION_MS - 1)
    assert error_of_beat(world, a) == NONE
    world.advance(SESSION_MS)
    assert not token.renew()
    assert error_of_beat(world, a) == UNKNOWN_MEMBER_ID


def test_a_token_ends_with_a_rebalance_and_another_one_is_given_after_it() -> None:
    world = World().start()
    (a,) = stable_group(world)
    token = token_of(world, a)
    newcomer = world.ask(join())
    assert not token.renew()
    assert world.coordinator.session_token(beat(a, 1)) is None
    assert error_of_beat(world, a) == REBALANCE_IN_PROGRESS
    world.ask(join(a))
    assert newcomer.as_(JoinReply).generation == 2
    world.ask(sync(a, 2))
    assert not token.renew()
    assert token_of(world, a, 2).renew()


def test_a_token_is_not_renewed_while_records_of_groups_are_in_flight() -> None:
    """A heartbeat behind a change of its group is judged after that change, so it has to be submitted."""
    world = World().start()
    (a,) = stable_group(world)
    token = token_of(world, a)
    joined = world.ask(join(group="other"))
    world.advance(1)
    other = joined.as_(JoinReply)
    stored = world.send(sync(other.member_id, 1, (other.member_id, b""), group="other"))
    beats = [(stored.answered, token.renew())]
    world.settle()
    beats.append((stored.answered, token.renew()))
    assert beats == [(False, False), (True, True)]


def test_a_token_ends_with_the_shard() -> None:
    world = World().start()
    (a,) = stable_group(world)
    token = token_of(world, a)
    world.coordinator.resign(0)
    assert not token.renew()
    assert world.coordinator.session_token(beat(a, 1)) is None
    assert error_of_beat(world, a) == NOT_COORDINATOR
    world.coordinator.elect(0, 1)
    world.settle()
    assert not token.renew()
    assert token_of(world, a).renew()


def test_a_token_is_not_renewed_while_the_lease_of_the_node_has_run_out() -> None:
    world = World().start()
    (a,) = stable_group(world)
    lease = [True]
    world.coordinator.may_speak = lambda: lease[0]
    token = token_of(world, a)
    assert token.renew()
    lease[0] = False
    assert not token.renew()
    lease[0] = True
    assert token.renew()


def test_who_is_refused_gets_no_token() -> None:
    world = World().start()
    (a,) = stable_group(world)
    assert error_of_beat(world, "nobody") == UNKNOWN_MEMBER_ID
    assert world.coordinator.session_token(beat("nobody", 1)) is None
    assert world.coordinator.session_token(beat(a, 2)) is None
    assert world.coordinator.session_token(beat(a, 1, group="never heard of")) is None


def test_a_commit_by_token_is_stored_and_restarts_the_session() -> None:
    world = World().start()
    (a,) = stable_group(world)
    token = token_of(world, a)
    for offset in range(3):
        world.advance(SESSION_MS - 1)
        ticket = HeldTicket()
        assert token.commit(commit(offset, member_id=a, generation=1), ticket)
        assert not ticket.answered  # not before it is durable
        world.settle()
        assert ticket.as_(CommitReply).errors == [NONE]
    world.advance(SESSION_MS - 1)
    assert error_of_beat(world, a) == NONE


def test_a_commit_by_a_token_that_has_ended_is_not_submitted() -> None:
    world = World().start()
    (a,) = stable_group(world)
    token = token_of(world, a)
    for end in (lambda: world.ask(join()), lambda: world.coordinator.resign(0)):
        end()
        ticket = HeldTicket()
        assert not token.commit(commit(member_id=a, generation=1), ticket)
        world.settle()
        assert not ticket.answered
