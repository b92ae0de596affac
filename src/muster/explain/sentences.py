"""Facts to sentences: a rebalance as a title and labelled lines, a quiet event as one line, a summary as a few. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from muster.explain.cause_words import phrase, sentence_case, why_sentence
from muster.explain.epoch_sentences import tell_regex, tell_waits
from muster.explain.facts import Departure, Gap, Move, Quiet, Rebalance, Who
from muster.explain.held_offsets import tell_held
from muster.explain.names import Names
from muster.explain.summary import Summary
from muster.explain.tracked_query import tell_new_run
from muster.explain.words import duration, listed, moment, partitions, plain, plural, said

_SHOWN: Final = 4
"""Of members, moves and gaps: the first so many by name, the rest as a number. JSON has them all."""

_QUIET: Final = {
    "static_restart": "{who} restarted and kept its partitions: no rebalance. Its old member id is fenced",
    "static_restored": "{who} restarted, but that could not be stored: its old member id counts again",
    "id_never_used": "{who} was given a member id and never used it",
    "refused": "{who} found no room: group.max.size is reached",
    "denied": "{who} was refused: {principal} lacks the right to {api} on this group",
    "group_removed": "The group was removed",
    "coordinator_moved": "The server stopped, or handed the coordinator over; members look for it again",
    "static_left": "{who} left for a while and keeps its partitions until its session ends",
    "fenced": "{who} was fenced: {why}",
    "upgraded": "The group became a consumer group (KIP-848): the coordinator assigns from now on",
    "downgraded": "The group became a classic group again: only classic members were left",
    "coordinator_taken_over": "Another node took the coordinator over, with members and offsets as the log has them: no rebalance",
}
_FENCED: Final = {
    "wrong_epoch": "its heartbeat had another epoch than the group knows of, so it has to join again",
    "instance_taken": "another process is the static member of its instance id",
    "forced": "a test did that",
}
_REMOVED: Final = {"deleted": "it was deleted", "expired": "it was empty and its offsets had expired"}


@dataclass(frozen=True, slots=True)
class Telling:
    title: str
    lines: tuple[tuple[str, str], ...]
    """(label, sentence)."""


def tell_rebalance(rebalance: Rebalance, names: Names, now_ms: int | None = None) -> Telling:
    """`now_ms`: up to when waits are counted that are not over, the time of the last event."""
    waited = tell_waits(rebalance, names, now_ms) if rebalance.is_consumer else _waited(rebalance, names)
    lines = (
        ("why", why_sentence(rebalance, names)),
        ("waited", waited),
        ("gone", _gone(rebalance, names)),
        ("moved", _moved(rebalance, names)),
        ("no owner", _unowned(rebalance)),
        ("result", _result(rebalance, names)),
    )
    return Telling(_title(rebalance), tuple((label, text) for label, text in lines if text))


def tell_quiet(quiet: Quiet, names: Names) -> str:
    if quiet.held is not None:
        return tell_held(quiet, quiet.held, names)
    if quiet.kind == "query_tracked":
        return tell_new_run(quiet)
    if quiet.kind == "regex_resolved":
        return tell_regex(quiet)
    who = names.full(quiet.who) if quiet.who is not None else "a member"
    sentence = _QUIET[quiet.kind].format(
        who=who,
        principal=plain(quiet.principal or "its user"),
        api=plain(quiet.api or "that"),
        why=_FENCED.get(quiet.cause, plain(quiet.cause)),
    )
    if quiet.kind == "group_removed":
        sentence += f": {_REMOVED.get(quiet.cause, plain(quiet.cause))}"
    if quiet.reason:
        sentence += f"; the client says {said(quiet.reason)}"
    return f"{sentence_case(sentence, names, quiet.who)}."


def tell_summary(group: str, summary: Summary, names: Names, *, inferred: bool) -> Telling:
    title = f"Group {plain(group)}: {plural(summary.rebalances, 'rebalance') if summary.rebalances else 'no rebalance'}"
    if summary.from_ms is not None and summary.to_ms is not None:
        span = duration(summary.to_ms - summary.from_ms)
        title += f" between {moment(summary.from_ms)[:-4]} and {moment(summary.to_ms)[:-4]} UTC ({span})"
    elif summary.from_ms is not None:
        title += f" since {moment(summary.from_ms)[:-4]} UTC"
    lines = []
    if inferred:
        lines.append(
            (
                "inferred",
                "No group journal tells of this group: all of this is inferred from its records in the offsets log.",
            )
        )
    causes = [f"{phrase(cause)} ({count})" for cause, count in summary.by_cause.items()]
    lines.append(("causes", ", ".join(causes)))
    if summary.longest_gap is not None:
        gap = summary.longest_gap
        lines.append(
            (
                "no owner",
                f"{duration(summary.unowned_ms)} in all, {duration(gap.length_ms)} at most ({partitions([gap.partition])});"
                f" over all partitions {duration(summary.unowned_partition_ms)}",
            )
        )
    if summary.offender is not None:
        lines.append(("most by", _offender(summary, names)))
    return Telling(title, tuple((label, text) for label, text in lines if text))


def _offender(summary: Summary, names: Names) -> str:
    worst = summary.offender
    assert worst is not None
    parts = []
    if worst.rebalances:
        parts.append(
            f"caused {worst.rebalances} of {plural(summary.rebalances, 'rebalance')},"
            f" {duration(worst.unowned_ms)} without an owner"
        )
    if worst.kept_waiting_ms:
        parts.append(f"kept the others waiting for {duration(worst.kept_waiting_ms)}")
    return f"{names.process_in_full(worst.who)} {' and '.join(parts)}"


def _title(rebalance: Rebalance) -> str:
    has_length = rebalance.took_ms is not None and not rebalance.is_inferred
    took = f", took {duration(rebalance.took_ms or 0)}" if has_length else ""
    when = "ended" if rebalance.is_inferred else "began"
    number = "Epoch" if rebalance.is_consumer else "Generation"
    return f"{number} {rebalance.generation}: {when} {moment(rebalance.began_ms)} UTC{took}"


def _waited(rebalance: Rebalance, names: Names) -> str:
    parts = [_cut_short(rebalance), _joining(rebalance, names), _syncing(rebalance, names)]
    return " ".join(part for part in parts if part)


def _cut_short(rebalance: Rebalance) -> str:
    earlier = [each for each in rebalance.rounds[:-1] if each.cut_short_by is not None]
    if not earlier:
        return ""
    causes = listed(list(dict.fromkeys(phrase(each.cut_short_by or "") for each in earlier)))
    return f"It took {len(rebalance.rounds)} rounds: {plural(len(earlier), 'round')} cut short ({causes})."


def _joining(rebalance: Rebalance, names: Names) -> str:
    join_ms = rebalance.join_ms
    if join_ms is None:
        return ""
    last = rebalance.rounds[-1]
    if rebalance.never_came:
        missing = _some([gone.who for gone in rebalance.never_came], names)
        pronoun = "it" if len(rebalance.never_came) == 1 else "they"
        others = f" {_last_to_join(rebalance, names)}" if rebalance.slowest is not None else ""
        return (
            f"Everybody waited {duration(join_ms)} for {missing}: {pronoun} did not join again within the rebalance timeout"
            f" and {'was' if pronoun == 'it' else 'were'} dropped.{others}"
        )
    if rebalance.waited_out:
        others = f" {_last_to_join(rebalance, names)}" if rebalance.slowest is not None else ""
        held = _some([gone.who for gone in rebalance.waited_out], names)
        return f"Everybody waited {duration(join_ms)} for {held} to join again or to be gone.{others}"
    if rebalance.ids_never_used:
        return (
            f"Everybody waited {duration(join_ms)} for {_some(rebalance.ids_never_used, names)}, which was given a member id"
            " and never used it."
        )
    if last.join_ended_by == "initial_delay_over":
        return (
            f"The coordinator waited {duration(join_ms)} for company (group.initial.rebalance.delay.ms)."
            if join_ms
            else ""
        )
    if rebalance.slowest is None:
        return "Nobody had to be waited for."
    return f"All had joined after {duration(join_ms)}. {_last_to_join(rebalance, names)}"


def _last_to_join(rebalance: Rebalance, names: Names) -> str:
    late = sorted((each for each in rebalance.arrivals if each.waited_ms > 0), key=lambda each: -each.waited_ms)
    told = [f"{names.short(each.who)} {duration(each.waited_ms)}" for each in late[:_SHOWN]]
    more = f" and {len(late) - _SHOWN} more in less" if len(late) > _SHOWN else ""
    return f"The last to join was {names.short(late[0].who)}" + (
        f" ({', '.join(told)}{more})." if len(late) > 1 else f", after {duration(late[0].waited_ms)}."
    )


def _syncing(rebalance: Rebalance, names: Names) -> str:
    if rebalance.sync_ms is None or rebalance.result != "stable":
        return ""
    leader = f", {names.short(rebalance.leader)}," if rebalance.leader is not None else ""
    return f"The leader{leader} took {duration(rebalance.sync_ms)} to assign."


def _gone(rebalance: Rebalance, names: Names) -> str:
    """Those who went meanwhile; the trigger and the absent are told of elsewhere."""
    trigger = rebalance.why.who.member_id if rebalance.why.who is not None else None
    others = [
        gone
        for gone in rebalance.departures
        if gone.who.member_id != trigger and gone.cause not in ("rejoin_missed", "gone")
    ]
    return "; ".join(_departure(gone, names) for gone in others)


def _departure(gone: Departure, names: Names) -> str:
    reason = f" (the client says {said(gone.reason)})" if gone.reason else ""
    if gone.cause == "session_expired":
        return f"{names.full(gone.who)} sent no heartbeat for {duration(gone.silent_ms)}{reason}"
    verb = "left" if gone.cause == "member_left" else f"was expelled ({phrase(gone.cause)})"
    return f"{names.full(gone.who)} {verb}{reason}"


def _moved(rebalance: Rebalance, names: Names) -> str:
    if rebalance.result != "stable":
        return ""
    if rebalance.moves is None and rebalance.is_consumer:
        return ""  # records of consumer groups name topics by id
    if rebalance.moves is None:
        return "Unknown: the assignment before is not known, or this one is not in the consumer protocol."
    if not rebalance.moves:
        return (
            f"Nothing: all {plural(len(rebalance.stayed), 'partition')} stayed where they were."
            if rebalance.stayed
            else ""
        )
    routes: dict[tuple[str, str], list[Move]] = {}
    for move in rebalance.moves:
        routes.setdefault((_name(move.source, names), _name(move.target, names)), []).append(move)
    told = [_route(source, target, moves) for (source, target), moves in list(routes.items())[:_SHOWN]]
    rest = sum(len(moves) for moves in list(routes.values())[_SHOWN:])
    more = f"; {plural(rest, 'more partition')} between others" if rest else ""
    stayed = f". {plural(len(rebalance.stayed), 'partition')} stayed" if rebalance.stayed else ""
    return f"{'; '.join(told)}{more}{stayed}."


def _route(source: str, target: str, moves: list[Move]) -> str:
    what = partitions(move.partition for move in moves)
    if source and source == target:
        return f"{what} back to {target}"  # under another member id
    origin = f" from {source}" if source else ""
    return f"{what}{origin} to {target}" if target else f"{what}{origin} to nobody"


def _name(who: Who | None, names: Names) -> str:
    return names.short(who) if who is not None else ""


def _unowned(rebalance: Rebalance) -> str:
    by_length: dict[str, list[Gap]] = {}
    for gap in sorted((each for each in rebalance.gaps if each.length_ms), key=lambda gap: -gap.length_ms):
        by_length.setdefault(duration(gap.length_ms), []).append(gap)
    told = [
        f"{partitions(gap.partition for gap in gaps)} for {length}" for length, gaps in list(by_length.items())[:_SHOWN]
    ]
    rest = sum(len(gaps) for gaps in list(by_length.values())[_SHOWN:])
    more = f"; {plural(rest, 'partition')} for less" if rest else ""
    return f"{'; '.join(told)}{more}." if told else ""


def _result(rebalance: Rebalance, names: Names) -> str:
    match rebalance.result:
        case "empty":
            return "Nobody was left: the group is empty."
        case "lost":
            return "Its end was not told: the coordinator stopped or moved in the middle of it."
        case "running":
            return "It is not over yet."
        case "stable":
            members = plural(rebalance.members or 0, "member")
            leads = (
                f", {names.short(rebalance.leader)} leads now"
                if rebalance.leader is not None and rebalance.new_leader_because not in (None, "first_leader")
                else ""
            )
            before = rebalance.protocol_before
            other = f", {plain(before)} before" if before is not None and before != rebalance.protocol else ""
            under = (
                ""
                if rebalance.is_consumer and rebalance.protocol is None
                else f" under {plain(rebalance.protocol or 'no assignor')}"
            )
            return f"{members}{under}{other}{leads}."


def _some(members: list[Who], names: Names) -> str:
    told = [names.full(who) for who in members[:_SHOWN]]
    return listed([*told, f"{len(members) - _SHOWN} more"] if len(members) > _SHOWN else told)
