"""Advice about consumer groups (KIP-848): partitions that are given up late, expressions without a topic, names used twice."""

from __future__ import annotations

from typing import Final

from muster.explain.advice import Advice, Case
from muster.explain.facts import Quiet, Rebalance, Revocation
from muster.explain.words import duration, listed, plain, plural, times

SLOW_MS: Final = 10_000
"""A member hears of a target with its next heartbeat, 5 s apart by default, and then has to be polled: more is its own time."""


def give_up_sooner(case: Case) -> Advice | None:
    """Members that kept others waiting for their partitions: they can give them up only when they are polled."""
    late: dict[str, list[tuple[Revocation, Rebalance]]] = {}
    for each in case.shown:
        for one in each.revocations:
            if one.is_missed or (one.ended_ms is not None and one.waited_ms(0) > SLOW_MS):
                late.setdefault(one.who.identity, []).append((one, each))
    if not late:
        return None
    told = []
    for found in late.values():
        name, longest_ms = case.names.process(found[0][0].who), max(one.waited_ms(0) for one, _ in found)
        missed = sum(one.is_missed for one, _ in found)
        expelled = f" and was expelled for it {times(missed)}" if missed else ""
        told.append(f"{name} kept others waiting {times(len(found))}, for up to {duration(longest_ms)}{expelled}")
    return Advice(
        "give_up_sooner",
        ("max.poll.records", "max.poll.interval.ms"),
        "See what it does between two polls: members give partitions up only there. Fewer records a poll (max.poll.records) or"
        " handing them to a worker thread lets it answer sooner; max.poll.interval.ms is how long the others wait at most.",
        f"{listed(told)}.",
        tuple(sorted({each.generation for found in late.values() for _, each in found})),
    )


def empty_expression(case: Case) -> Advice | None:
    last: dict[str, Quiet] = {}
    for each in case.history.quiet:
        if each.kind == "regex_resolved":
            last[str(each.figures.get("regex"))] = each
    for rebalance in case.history.rebalances:
        regex = str(rebalance.why.figures.get("regex"))
        if regex in last and rebalance.began_ms >= last[regex].at_ms and rebalance.why.figures.get("matches"):
            del last[regex]
    empty = [regex for regex, each in last.items() if each.figures.get("matches") == 0]
    if not empty:
        return None
    return Advice(
        "empty_expression",
        (),
        "Check the expression: it has to match the whole name of a topic (RE2 syntax), and only topics that the client may see"
        " count. New topics are looked for every 10 s or so.",
        f"{listed([plain(regex) for regex in empty])} {'matches' if len(empty) == 1 else 'match'} no topic.",
    )


def instance_id_used_twice(case: Case) -> Advice | None:
    taken = [each for each in case.history.quiet if each.kind == "fenced" and each.cause == "instance_taken"]
    if not taken:
        return None
    names = dict.fromkeys(case.names.process(each.who) for each in taken if each.who is not None)
    return Advice(
        "instance_id_used_twice",
        ("group.instance.id",),
        "Give every process a group.instance.id of its own; the old process has to end, or its session to expire, before"
        " another one can have its name.",
        f"{plural(len(taken), 'request')} came from a process whose instance id another one has: {listed(list(names))}.",
    )
