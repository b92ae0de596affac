"""The state machine of a consumer group's member: what it says and does next, by tables, with time as an argument."""

from __future__ import annotations

import pytest

from muster.client.consumer_state import (
    JOIN_EPOCH,
    Assign,
    ConsumerState,
    Heartbeat,
    Held,
    IdPartition,
    Lose,
    Resolve,
    Revoke,
    Stage,
)

ORDERS, PAYMENTS = b"o" * 16, b"p" * 16
NAMES = {ORDERS: "orders", PAYMENTS: "payments"}
INTERVAL_MS = 5_000
TIMEOUT_MS = 60_000
NOTHING: Held = frozenset()


def held(*numbers: int, topic_id: bytes = ORDERS) -> Held:
    return frozenset(IdPartition(topic_id, number) for number in numbers)


def joined(*numbers: int, epoch: int = 3, now_ms: float = 0.0) -> ConsumerState:
    """A member that has taken these partitions and reported them."""
    state = ConsumerState(TIMEOUT_MS)
    state.resolved(NAMES, NAMES)
    answer(state, epoch, held(*numbers), now_ms=now_ms)
    do_all(state)
    answer(state, epoch, None, now_ms=now_ms)
    assert state.is_settled
    return state


def answer(state: ConsumerState, epoch: int, assignment: Held | None, now_ms: float = 0.0) -> Heartbeat:
    said = state.heartbeat()
    state.accepted(now_ms, epoch, INTERVAL_MS, assignment)
    return said


def do_all(state: ConsumerState) -> list[object]:
    """Every step there is, each at once."""
    steps: list[object] = []
    while (step := state.next_step()) is not None:
        steps.append(step)
        assert not isinstance(step, Resolve)
        state.begin(step, 0.0)
        state.done(step)
        if isinstance(step, Lose):
            break
    return steps


def test_a_newcomer_joins_at_once_with_everything_and_nothing_owned() -> None:
    state = ConsumerState(TIMEOUT_MS)
    assert state.is_due(0.0)
    assert state.heartbeat() == Heartbeat(JOIN_EPOCH, True, NOTHING)
    assert state.next_step() is None
    assert state.join_sent


def test_what_is_given_is_taken_once_its_name_is_known_and_reported_at_once() -> None:
    state = ConsumerState(TIMEOUT_MS)
    answer(state, 2, held(0, 1))
    assert state.next_step() == Resolve((ORDERS,), is_repeated=False)
    state.resolved([ORDERS], NAMES)
    assert do_all(state) == [Assign(held(0, 1))]
    assert state.is_due(0.0)
    assert answer(state, 2, None) == Heartbeat(2, False, held(0, 1))
    assert not state.is_due(INTERVAL_MS - 1)
    assert state.is_due(INTERVAL_MS)


def test_steady_heartbeats_say_nothing_but_the_epoch() -> None:
    """The same bytes each time: what lets the server answer them quickly (decision 0016)."""
    state = joined(0, 1)
    assert [answer(state, 3, None) for _ in range(3)] == [Heartbeat(3, False, None)] * 3


def test_an_empty_share_is_told_once() -> None:
    state = ConsumerState(TIMEOUT_MS)
    answer(state, 2, NOTHING)
    assert do_all(state) == [Assign(NOTHING)]
    answer(state, 2, None)
    answer(state, 2, NOTHING)
    assert state.next_step() is None


@pytest.mark.parametrize(
    ("before", "target", "steps"),
    [
        ((0, 1), (0, 1), []),
        ((0, 1), (0,), [Revoke(held(1)), Assign(NOTHING)]),
        ((0, 1), (0, 1, 2), [Assign(held(2))]),
        ((0, 1), (1, 2), [Revoke(held(0)), Assign(held(2))]),
        ((0, 1), (), [Revoke(held(0, 1)), Assign(NOTHING)]),
        ((), (0,), [Assign(held(0))]),
    ],
)
def test_what_is_not_in_the_target_goes_first_then_the_new_comes(
    before: tuple[int, ...], target: tuple[int, ...], steps: list[object]
) -> None:
    state = joined(*before)
    answer(state, 3, held(*target))
    assert do_all(state) == steps
    assert state.owned == held(*target)
    assert state.is_settled


def test_nothing_is_reported_as_given_up_before_the_program_has_given_it_up() -> None:
    """Spec 7.5: the report is what lets others have it."""
    state = joined(0, 1)
    answer(state, 3, held(0))
    step = state.next_step()
    assert isinstance(step, Revoke)
    state.begin(step, 0.0)
    assert not state.is_settled
    assert state.heartbeat().owned is None, "as last time: both"
    state.failed(0.0, 0.0)
    assert answer(state, 3, held(0)) == Heartbeat(3, True, held(0, 1))
    state.done(step)
    assert state.is_due(0.0)
    assert state.heartbeat() == Heartbeat(3, False, held(0))


def test_what_was_given_counts_as_held_before_it_is_taken() -> None:
    """Else a report that was sent before the name was known would let others have what is taken a moment later."""
    state = joined(0)
    answer(state, 3, held(0) | held(7, topic_id=b"x" * 16))
    state.failed(0.0, 0.0)
    assert state.heartbeat().owned == held(0) | held(7, topic_id=b"x" * 16)
    assert state.owned == held(0)


def test_a_newer_target_overrides_one_that_is_half_way() -> None:
    state = joined(0, 1, 2)
    answer(state, 3, held(0))
    step = state.next_step()
    assert step == Revoke(held(1, 2))
    assert isinstance(step, Revoke)
    state.begin(step, 0.0)
    answer(state, 3, held(0, 1))
    state.done(step)
    assert do_all(state) == [Assign(held(1))]


def test_topics_that_nobody_knows_yet_are_asked_for_until_somebody_does() -> None:
    state = joined(0)
    unknown = b"x" * 16
    answer(state, 4, held(0, 1) | held(5, topic_id=unknown))
    assert state.next_step() == Resolve((unknown,), is_repeated=False)
    state.resolved([unknown], {})
    step = state.next_step()
    assert step == Assign(held(1)), "the others need not wait"
    assert isinstance(step, Assign)
    state.begin(step, 0.0)
    state.done(step)
    assert state.next_step() == Resolve((unknown,), is_repeated=True)
    assert not state.is_settled
    state.resolved([unknown], {unknown: "later"})
    assert do_all(state) == [Assign(held(5, topic_id=unknown))]
    assert {str(each) for each in state.named(state.owned)} == {"orders-0", "orders-1", "later-5"}


@pytest.mark.parametrize("stage", ["before the answer", "as a member"])
def test_a_failure_is_followed_by_a_pause_and_everything_is_said_anew(stage: str) -> None:
    state = ConsumerState(TIMEOUT_MS) if stage == "before the answer" else joined(0)
    state.heartbeat()
    state.failed(1_000.0, 200.0)
    assert not state.is_due(1_199.0)
    assert state.is_due(1_200.0)
    said = state.heartbeat()
    assert said.is_full
    assert said.owned == (NOTHING if stage == "before the answer" else held(0))


def test_a_lost_place_is_told_before_the_member_joins_again() -> None:
    state = joined(0, 1)
    state.lost()
    assert state.next_moment_ms() is None
    assert not state.is_due(10**9)
    assert do_all(state) == [Lose(held(0, 1))]
    assert (state.stage, state.epoch, state.owned) == (Stage.JOINING, JOIN_EPOCH, NOTHING)
    assert state.is_due(0.0)
    assert answer(state, 9, held(1)) == Heartbeat(JOIN_EPOCH, True, NOTHING)
    assert do_all(state) == [Assign(held(1))]


def test_what_is_being_given_up_when_the_place_is_lost_is_not_lost_too() -> None:
    state = joined(0, 1)
    answer(state, 3, held(0))
    step = state.next_step()
    assert isinstance(step, Revoke)
    state.begin(step, 0.0)
    state.lost()
    state.done(step)
    assert state.next_step() == Lose(held(0))


@pytest.mark.parametrize(("now_ms", "stalled"), [(100.0 + TIMEOUT_MS - 1, False), (100.0 + TIMEOUT_MS, True)])
def test_a_callback_may_take_as_long_as_the_rebalance_timeout(now_ms: float, stalled: bool) -> None:
    state = joined(0, now_ms=90.0)
    answer(state, 4, held(0, 1), now_ms=90.0)
    step = state.next_step()
    assert isinstance(step, Assign)
    state.begin(step, 100.0)
    assert state.has_stalled(now_ms) is stalled
    answer(state, 4, None, now_ms=100.0 + TIMEOUT_MS - INTERVAL_MS + 1)
    assert state.next_moment_ms() == 100.0 + TIMEOUT_MS, "sooner than the next heartbeat"
    state.done(step)
    assert not state.has_stalled(now_ms)


def test_epoch_zero_in_an_answer_is_no_place_yet() -> None:
    state = ConsumerState(TIMEOUT_MS)
    answer(state, 0, NOTHING)
    assert answer(state, 1, NOTHING, now_ms=INTERVAL_MS) == Heartbeat(JOIN_EPOCH, True, NOTHING)
    assert state.stage is Stage.MEMBER


def test_it_says_where_it_is() -> None:
    assert repr(joined(0, 1)) == "<is a member; epoch 3, 2 partitions of 2 in the target>"
