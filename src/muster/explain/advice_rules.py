"""All rules of advice, in the order in which their advice is shown. No figures, no advice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from muster.explain.advice import Advice, Case
from muster.explain.advice_assignors import half_done_upgrade, keep_partitions, needless_moves, other_subscriptions
from muster.explain.advice_epochs import empty_expression, give_up_sooner, instance_id_used_twice
from muster.explain.advice_polling import rejoin_in_time, shorter_rebalance_timeout, slow_to_join
from muster.explain.advice_rhythm import flapping_members, full_group, longer_initial_delay, many_in_an_hour
from muster.explain.advice_sessions import longer_session, shorter_session, static_membership
from muster.explain.advice_transactions import shorter_transactions

Rule: TypeAlias = Callable[[Case], Advice | None]

RULES: Final[tuple[Rule, ...]] = (
    many_in_an_hour,
    flapping_members,
    longer_session,
    shorter_session,
    static_membership,
    rejoin_in_time,
    shorter_rebalance_timeout,
    slow_to_join,
    give_up_sooner,
    empty_expression,
    instance_id_used_twice,
    keep_partitions,
    needless_moves,
    half_done_upgrade,
    other_subscriptions,
    longer_initial_delay,
    full_group,
    shorter_transactions,
)


def advise(case: Case) -> list[Advice]:
    return [advice for rule in RULES if (advice := rule(case)) is not None]
