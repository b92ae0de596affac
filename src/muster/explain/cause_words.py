"""Why a group rebalanced, as sentences about people's processes and as short phrases for counting. Knows every cause by name.

A cause that is not in the tables (a newer server's) is said as it is written. Figures may be missing or of another form: anybody
who may write to the journal can put a cause there that otherwise only a diagnosis finds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from muster.explain.event import texts_of
from muster.explain.facts import Rebalance, Who, Why
from muster.explain.names import Names
from muster.explain.words import duration, listed, plain, plural, said

PHRASES: Final = {
    "first_member": "first member of an empty group",
    "new_member": "a member joined",
    "member_returned": "a member came back",
    "member_left": "a member left",
    "poll_timeout": "a member did not poll in time",
    "session_expired": "a session expired",
    "new_member_expired": "a new member went silent",
    "rejoin_missed": "a member did not join again",
    "sync_missed": "a member did not ask for its assignment",
    "revocation_missed": "a member did not give partitions up in time",
    "topics_changed": "a topic came or went",
    "regex_resolved": "an expression matches other topics",
    "partitions_grew": "a topic grew",
    "cooperative_round": "second cooperative round",
    "subscription_changed": "a subscription changed",
    "new_assignor": "another assignor",
    "leader_rejoined": "the leader asked",
    "metadata_changed": "a member's metadata changed",
    "static_member_returned": "a static member restarted",
    "pending_id_left": "a client left before it joined",
    "append_failed": "the log refused an assignment",
    "group_too_large": "group.max.size was lowered",
    "forced": "somebody forced it",
    "left_or_expired": "a member left or its session expired",
    "restart": "members restarted",
    "members_changed": "members came and went",
    "unknown": "unknown",
}


_SEVERAL_SUBSCRIPTIONS: Final = "several members changed their subscriptions: they"


def phrase(cause: str) -> str:
    return PHRASES.get(cause, plain(cause.replace("_", " ")))


def why_sentence(rebalance: Rebalance, names: Names) -> str:
    """Who or what caused it, with the client's own reason."""
    why = rebalance.why
    who = names.full(why.who) if why.who is not None else _several(rebalance, names)
    tell = _SENTENCES.get(why.cause)
    sentence = tell(rebalance, why, who) if tell is not None else f"{phrase(why.cause)} ({who})"
    if why.reason:
        sentence += f"; the client says {said(why.reason)}"
    missing = why.figures.get("generations_missing")
    if isinstance(missing, int):
        sentence += f"; {plural(missing, 'generation')} in between {'is' if missing == 1 else 'are'} not in the log"
    return f"{sentence_case(sentence, names, why.who)}."


def _several(rebalance: Rebalance, names: Names) -> str:
    """Where only comings and goings show, more than one may be behind it."""
    gone = [each.who for each in rebalance.departures if each.cause == "gone"]
    return listed([names.short(who) for who in gone or rebalance.newcomers]) or "a member"


def sentence_case(sentence: str, names: Names, who: Who | None) -> str:
    """A capital at the beginning, unless it is a name's."""
    if who is None and names.begins_with_one(sentence):
        return sentence
    if who is not None and sentence.startswith(names.short(who)):
        return sentence
    return sentence[0].upper() + sentence[1:]


def _first(rebalance: Rebalance, why: Why, who: str) -> str:
    was = "were" if why.who is None and len(rebalance.newcomers) > 1 else "was"
    after = "" if rebalance.empty_ms is None else f" after the group had been empty for {duration(rebalance.empty_ms)}"
    return f"{who} {was} the first to join{after}"


def _returned(rebalance: Rebalance, why: Why, who: str) -> str:
    away_ms = why.figures.get("away_ms")
    if not isinstance(away_ms, int):
        return f"{who} came back"
    if away_ms < 0:
        return f"{who} was restarted and joined {duration(-away_ms)} before the session of its old self ended"
    went = "it left" if why.figures.get("went_because") == "member_left" else "it was expelled"
    return f"{who} came back {duration(away_ms)} after {went}"


def _silent(rebalance: Rebalance, why: Why, who: str) -> str:
    timeout_ms = why.figures.get("session_timeout_ms")
    span = f"for {duration(timeout_ms)}, its session timeout" if isinstance(timeout_ms, int) else "for too long"
    return f"{who} sent no heartbeat {span}: it was killed, hung or cut off"


def _unsynced(rebalance: Rebalance, why: Why, who: str) -> str:
    timeout_ms = why.figures.get("rebalance_timeout_ms")
    span = f" of {duration(timeout_ms)}" if isinstance(timeout_ms, int) else ""
    return f"{who} joined but did not ask for its assignment within the rebalance timeout{span}"


def _kept(rebalance: Rebalance, why: Why, who: str) -> str:
    timeout_ms = why.figures.get("rebalance_timeout_ms")
    span = f" of {duration(timeout_ms)}" if isinstance(timeout_ms, int) else ""
    return f"{who} did not give up its partitions within its rebalance timeout{span} and was expelled"


def _topics(rebalance: Rebalance, why: Why, who: str) -> str:
    changes = _came_and_went(why)
    return f"{' and '.join(changes) if changes else 'a topic that the group reads came or went'}; {who} noticed"


def _regex(rebalance: Rebalance, why: Why, who: str) -> str:
    regex = why.figures.get("regex")
    what = (
        f"the expression {plain(str(regex))} matches other topics now"
        if regex
        else "an expression matches other topics"
    )
    changes = _came_and_went(why)
    return f"{what}: {' and '.join(changes)}" if changes else what


def _came_and_went(why: Why) -> list[str]:
    found = []
    for key, verb in (("added", "came"), ("dropped", "went")):
        names = texts_of(why.figures.get(key))
        if names:
            found.append(f"topic{'s' if len(names) > 1 else ''} {listed([*map(plain, names)])} {verb}")
    return found


def _grew(rebalance: Rebalance, why: Why, who: str) -> str:
    topics = cast("dict[str, list[int]]", why.figures.get("topics") or {})
    if not topics:
        return "a topic that the group reads came, went or grew: no member changed"
    grown = listed(
        [f"topic {plain(topic)} grew from {old} to {plural(new, 'partition')}" for topic, (old, new) in topics.items()]
    )
    return f"{grown}; {who} noticed" if why.who is not None else grown


def _round(rebalance: Rebalance, why: Why, who: str) -> str:
    count = why.figures.get("partitions")
    what = f"the {plural(count, 'partition')}" if isinstance(count, int) else "what was"
    return f"second round of the cooperative rebalance before: {who} asked for it, to hand out {what} taken away there"


def _subscription(rebalance: Rebalance, why: Why, who: str) -> str:
    added, dropped = (texts_of(why.figures.get(key)) for key in ("added", "dropped"))
    read, whose = ("reads", f"{who} changed its subscription: it") if why.who else ("read", _SEVERAL_SUBSCRIPTIONS)
    changes = [f"now {read} {listed([*map(plain, added)])}"] if added else []
    changes += [f"no longer {read} {listed([*map(plain, dropped)])}"] if dropped else []
    regex = why.figures.get("regex")
    if regex is not None:
        changes += [f"now {read} what {plain(str(regex))} matches" if regex else f"no longer {read} by an expression"]
    return f"{whose} {' and '.join(changes) or f'{read} the same under other names'}"


def _assignor(rebalance: Rebalance, why: Why, who: str) -> str:
    if "before" not in why.figures or "after" not in why.figures:
        return f"{who} joined again with other assignors"
    before, after = (plain(str(why.figures[key])) for key in ("before", "after"))
    return f"{who} joined again with other assignors: the group goes from {before} to {after}"


def _leader_asked(rebalance: Rebalance, why: Why, who: str) -> str:
    silence = "" if why.reason else "; nothing that moved shows why"
    asker = f"the leader, {who}," if why.who is not None else "the leader or another member"
    return f"{asker} asked for a new round{silence}"


def _left_or_expired(rebalance: Rebalance, why: Why, who: str) -> str:
    if why.who is None and len(rebalance.departures) > 1:
        return f"{who} are gone: they left or their sessions expired, the log does not tell which"
    return f"{who} is gone: it left or its session expired, the log does not tell which"


def _simply(words: str) -> Callable[[Rebalance, Why, str], str]:
    return lambda rebalance, why, who: words.format(who=who)


_SENTENCES: Final[dict[str, Callable[[Rebalance, Why, str], str]]] = {
    "first_member": _first,
    "new_member": _simply("{who} joined"),
    "member_returned": _returned,
    "member_left": _simply("{who} left"),
    "poll_timeout": _simply("{who} left because its application did not poll in time"),
    "session_expired": _silent,
    "new_member_expired": _simply("{who} went silent before its first generation"),
    "sync_missed": _unsynced,
    "revocation_missed": _kept,
    "topics_changed": _topics,
    "regex_resolved": _regex,
    "partitions_grew": _grew,
    "cooperative_round": _round,
    "subscription_changed": _subscription,
    "new_assignor": _assignor,
    "leader_rejoined": _leader_asked,
    "metadata_changed": _simply("{who} joined again with other metadata"),
    "static_member_returned": _simply("{who} restarted, and the group could not go on as it was"),
    "pending_id_left": _simply("a client that had been given a member id left before it joined"),
    "append_failed": _simply("the log refused the assignment, so the group tried again"),
    "group_too_large": _simply("group.max.size was lowered below the size of the group"),
    "forced": _simply("no member asked for it: a test or an operator did"),
    "left_or_expired": _left_or_expired,
    "restart": _simply("{who} went and came back under a new member id"),
    "members_changed": _simply("members came and went"),
    "unknown": _simply("not known: nothing is left of what was before"),
}
