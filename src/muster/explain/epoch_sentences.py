"""What is said of a consumer group's way to its target: who gave partitions up late, or not at all, or has yet to. Pure."""

from __future__ import annotations

from typing import Final

from muster.explain.cause_words import phrase
from muster.explain.facts import Quiet, Rebalance, Revocation
from muster.explain.names import Names
from muster.explain.words import duration, listed, moment, partitions, plain, plural

_SHOWN: Final = 4


def tell_waits(rebalance: Rebalance, names: Names, now_ms: int | None) -> str:
    """`now_ms`: the time of the last event, up to which a wait that is not over is counted."""
    missed = [each for each in rebalance.revocations if each.is_missed]
    pending = rebalance.pending
    done = [each for each in rebalance.revocations if each.ended_ms is not None and not each.is_missed]
    slow = sorted((each for each in done if each.waited_ms(0) > 0), key=lambda each: -each.waited_ms(0))
    parts = [_raised_again(rebalance)]
    parts += [_missed(each, names) for each in missed[:_SHOWN]]
    parts += [tell_pending(each, names, now_ms) for each in pending[:_SHOWN]]
    if len(pending) > _SHOWN:
        parts.append(f"{plural(len(pending) - _SHOWN, 'more member')} have yet to give partitions up.")
    if slow:
        told = [f"{names.short(each.who)} {duration(each.waited_ms(0))}" for each in slow[:_SHOWN]]
        more = f" and {len(slow) - _SHOWN} more in less" if len(slow) > _SHOWN else ""
        parts.append(
            f"{names.short(slow[0].who)} took {duration(slow[0].waited_ms(0))} to give up {partitions(slow[0].partitions)}."
            if len(slow) == 1
            else f"Slowest to give partitions up: {', '.join(told)}{more}."
        )
    if rebalance.result == "stable" and rebalance.took_ms:
        if rebalance.last_to_arrive is not None:
            last = names.short(rebalance.last_to_arrive)
            parts.append(f"The last to have its target was {last}, after {duration(rebalance.took_ms)}.")
    elif rebalance.result == "stable" and not any(parts):
        parts.append("Nobody had to be waited for.")
    return " ".join(part for part in parts if part)


def tell_pending(each: Revocation, names: Names, now_ms: int | None) -> str:
    so_far = f"for {duration(each.waited_ms(now_ms))} so far" if now_ms is not None and now_ms > each.began_ms else ""
    since = f"since {moment(each.began_ms)} UTC"
    limit = ""
    if each.rebalance_timeout_ms is not None:
        limit = f"; it is expelled at {moment(each.began_ms + each.rebalance_timeout_ms)} UTC, when its rebalance timeout of"
        limit += f" {duration(each.rebalance_timeout_ms)} is over"
    when = ", ".join(part for part in (so_far, since) if part)
    return f"{names.full(each.who)} has not given up {partitions(each.partitions)}, {when}{limit}."


def _missed(each: Revocation, names: Names) -> str:
    return (
        f"The others waited {duration(each.waited_ms(0))} for {names.full(each.who)}: it did not give up"
        f" {partitions(each.partitions)} within its rebalance timeout and was expelled."
    )


def _raised_again(rebalance: Rebalance) -> str:
    if len(rebalance.rounds) < 2:
        return ""
    causes = listed(list(dict.fromkeys(phrase(each.cause) for each in rebalance.rounds[1:])))
    return f"The epoch was raised {plural(len(rebalance.rounds) - 1, 'more time')} on the way ({causes})."


def tell_regex(quiet: Quiet) -> str:
    regex, count = plain(str(quiet.figures.get("regex"))), quiet.figures.get("matches")
    if count == 0:
        return f"The expression {regex} matches no topic: whoever subscribes by it gets nothing."
    return f"The expression {regex} matches {plural(count if isinstance(count, int) else 0, 'topic')}."
