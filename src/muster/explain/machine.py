"""The same facts as JSON values, for programs. Times in milliseconds since 1970, durations in milliseconds."""

from __future__ import annotations

from typing import Any

from muster.explain.cause_words import why_sentence
from muster.explain.explanation import Explanation
from muster.explain.facts import Gap, HeldOffsets, Partition, Quiet, Rebalance, Revocation, Who
from muster.explain.sentences import tell_quiet
from muster.explain.summary import Offender, Summary


def to_json(explanation: Explanation) -> dict[str, Any]:
    history = explanation.history
    return {
        "group": history.group,
        "type": "consumer" if history.is_consumer else "classic",
        "inferred": history.is_inferred,
        "state": history.state,
        "generation": history.generation,
        "members": [_who(who) for who in history.members],
        "tracked_query": None if history.tracked is None else history.tracked.to_json(),
        "summary": _summary(explanation.summary),
        "rebalances": [_rebalance(each, explanation) for each in explanation.shown],
        "without_rebalance": [_quiet(each, explanation) for each in explanation.quiet],
        "unowned_now": [
            {**_partition(each), "since_ms": since_ms} for each, since_ms in sorted(history.unowned_since.items())
        ],
        "advice": [
            {
                "rule": each.rule,
                "settings": list(each.settings),
                "what": each.what,
                "evidence": each.evidence,
                "generations": list(each.generations),
            }
            for each in explanation.advice
        ],
    }


def _rebalance(each: Rebalance, explanation: Explanation) -> dict[str, Any]:
    return {
        "generation": each.generation,
        "began_ms": None if each.is_inferred else each.began_ms,
        "ended_ms": each.ended_ms,
        "took_ms": None if each.is_inferred else each.took_ms,
        "result": each.result,
        "cause": each.why.cause,
        "why": why_sentence(each, explanation.names),
        "by": _who(each.why.who),
        "client_reason": each.why.reason,
        "figures": each.why.figures,
        "rounds": [
            {"began_ms": one.began_ms, "cause": one.cause, "cut_short_by": one.cut_short_by} for one in each.rounds
        ],
        "join_ms": each.join_ms,
        "join_ended_by": each.rounds[-1].join_ended_by if each.rounds else None,
        "sync_ms": each.sync_ms,
        "waited": [{**_known(arrival.who), "waited_ms": arrival.waited_ms} for arrival in each.arrivals],
        "slowest": None if each.slowest is None else _who(each.slowest.who),
        "departures": [
            {**_known(gone.who), "cause": gone.cause, "reason": gone.reason, "silent_ms": gone.silent_ms}
            for gone in each.departures
        ],
        "members": each.members,
        "leader": _who(each.leader),
        "protocol": each.protocol,
        "moved": None
        if each.moves is None
        else [{**_partition(move.partition), "from": _id(move.source), "to": _id(move.target)} for move in each.moves],
        "stayed": [_partition(partition) for partition in each.stayed],
        "type": "consumer" if each.is_consumer else "classic",
        "revocations": [_revocation(one) for one in each.revocations],
        "unowned": [_gap(gap) for gap in each.gaps],
    }


def _summary(summary: Summary) -> dict[str, Any]:
    return {
        "rebalances": summary.rebalances,
        "from_ms": summary.from_ms,
        "to_ms": summary.to_ms,
        "by_cause": summary.by_cause,
        "rebalancing_ms": summary.rebalancing_ms,
        "unowned_ms": summary.unowned_ms,
        "unowned_partition_ms": summary.unowned_partition_ms,
        "longest_gap": None if summary.longest_gap is None else _gap(summary.longest_gap),
        "offender": _offender(summary.offender),
    }


def _offender(worst: Offender | None) -> dict[str, Any] | None:
    if worst is None:
        return None
    return {
        **_known(worst.who),
        "rebalances": worst.rebalances,
        "unowned_ms": worst.unowned_ms,
        "kept_waiting_ms": worst.kept_waiting_ms,
    }


def _quiet(quiet: Quiet, explanation: Explanation) -> dict[str, Any]:
    return {
        "kind": quiet.kind,
        "at_ms": quiet.at_ms,
        "generation": quiet.generation,
        "by": _who(quiet.who),
        "client_reason": quiet.reason,
        "principal": quiet.principal,
        "api": quiet.api,
        "held": None if quiet.held is None else _held(quiet.held),
        "figures": quiet.figures,
        "text": tell_quiet(quiet, explanation.names),
    }


def _held(held: HeldOffsets) -> dict[str, Any]:
    return {
        "producer_id": held.producer_id,
        "transactional_id": held.transactional_id,
        "offsets": held.offsets,
        "partitions": [_partition(partition) for partition in held.partitions],
        "unstable_ms": held.unstable_ms,
        "refusals": held.refusals,
        "waited_ms": held.waited_ms,
    }


def _revocation(one: Revocation) -> dict[str, Any]:
    return {
        **_known(one.who),
        "partitions": [_partition(partition) for partition in one.partitions],
        "began_ms": one.began_ms,
        "ended_ms": one.ended_ms,
        "rebalance_timeout_ms": one.rebalance_timeout_ms,
        "missed": one.is_missed,
    }


def _gap(gap: Gap) -> dict[str, Any]:
    return {**_partition(gap.partition), "from_ms": gap.from_ms, "to_ms": gap.to_ms, "ms": gap.length_ms}


def _partition(partition: Partition) -> dict[str, Any]:
    return {"topic": partition[0], "partition": partition[1]}


def _who(who: Who | None) -> dict[str, Any] | None:
    return None if who is None else _known(who)


def _known(who: Who) -> dict[str, Any]:
    return {"member": who.member_id, "instance": who.instance_id, "client": who.client_id, "host": who.host}


def _id(who: Who | None) -> str | None:
    return None if who is None else who.member_id
