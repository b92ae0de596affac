"""Changes, each in two steps: a page that says what would happen, and one that did it. Only there with --allow-changes.

The connection to the cluster is the user's own, so the cluster decides what he may do and its audit log names him. The console's
own log (`muster.console.audit`) has a line for each change too. Resets and deletions come with an undo file, CSV that
`muster groups reset-offsets --from-file` and the form here take.
"""

from __future__ import annotations

import io
from typing import Any, Final
from urllib.parse import quote_plus

from starlette.responses import Response

from muster.client import admin
from muster.client.failure import ClientError
from muster.client.groups import GroupDescription, GroupMember
from muster.client.partitions import TopicPartition
from muster.client.reset_file import UnusablePlan, parse_plan, write_plan
from muster.client.reset_outcome import ResetOutcome, carry_out, changes_of
from muster.client.reset_plan import CannotShift, Move, Rule, Target, planned
from muster.console.audit import write_audit_line
from muster.console.guard import MOST_BODY_BYTES
from muster.console.times import moment_of
from muster.console.web import BadRequest, Handler, Visit
from muster.wire.errors import ILLEGAL_GENERATION, REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER_ID

RULES: Final = {
    "earliest": Rule.EARLIEST,
    "latest": Rule.LATEST,
    "offset": Rule.OFFSET,
    "shift": Rule.SHIFT,
    "moment": Rule.MOMENT,
    "file": Rule.FILE,
}
MOST_PLANNED: Final = 10_000
_MOST_CSV_BYTES: Final = MOST_BODY_BYTES - 4_096
"""A plan or undo file as a form carries it; the rest is for the token and the names of the fields."""
_JOINED_MEANWHILE: Final = (UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION, REBALANCE_IN_PROGRESS)


def _csv(moves: list[Move]) -> str:
    out = io.StringIO()
    write_plan(moves, out, with_group=False)
    return out.getvalue()


def _undo(moves: list[Move]) -> str:
    return _csv([Move(each.group, each.place, None, each.committed) for each in moves if each.committed is not None])


def _too_many(offsets: int) -> str:
    return f"{offsets:,} offsets are too many for a page: `muster groups reset-offsets` does it."


def _fits_a_form(group: str, csv: str) -> bool:
    """Pages hold their plans and undo files in forms, so what does not fit could not be sent back."""
    sent = "\r\n".join(csv.splitlines())  # browsers end lines like that
    return len(quote_plus(f"{group}{sent}")) <= _MOST_CSV_BYTES


def _plan_page(
    visit: Visit, group: str, moves: list[Move], *, done: bool, refusal: str = "", failure: str = ""
) -> Response:
    """`failure`: why only these moves were done, and not all."""
    context = {
        "group": group,
        "moves": moves,
        "plan": _csv(moves),
        "undo": _undo(moves),
        "done": done,
        "refusal": refusal,
        "failure": failure,
    }
    return visit.page("reset_plan.html", context, status=502 if failure else 200)


# -- resetting offsets


async def ask_reset(visit: Visit) -> Response:
    described = await admin.describe_group(visit.observer.cluster, visit.required("id"))
    committed = await admin.committed_offsets(visit.observer.cluster, described.group_id)
    topics = sorted({place.topic for place in committed})
    return visit.page(
        "reset.html", {"group": described.group_id, "described": described, "topics": topics, "failure": ""}
    )


async def plan_reset(visit: Visit) -> Response:
    """The dry run."""
    cluster, group = visit.observer.cluster, visit.required("id")
    described = await admin.describe_group(cluster, group)
    try:
        target, from_file = _target(visit, group)
        places = list(from_file) or await _scope(visit, group)
        if len(places) > MOST_PLANNED:
            raise BadRequest(_too_many(len(places)))
        moves = await planned(cluster, group, places, target, from_file)
    except (CannotShift, UnusablePlan) as error:
        raise BadRequest(f"{error}.") from None
    if not moves:
        raise BadRequest("There is nothing to reset: the group has committed nothing there.")
    if not _fits_a_form(group, _csv(moves)) or not _fits_a_form(group, _undo(moves)):
        raise BadRequest(_too_many(len(moves)))
    return _plan_page(visit, group, moves, done=False, refusal=_refusal(described))


async def reset(visit: Visit) -> Response:
    """Commits exactly what the dry run showed."""
    cluster, group = visit.observer.cluster, visit.required("id")
    described = await admin.describe_group(cluster, group)
    if refusal := _refusal(described):
        raise BadRequest(refusal)
    try:
        wanted = parse_plan(visit.required("plan").splitlines(), "the plan", [group])[group]
    except UnusablePlan as error:
        raise BadRequest(f"{error}.") from None
    before = await admin.committed_offsets(cluster, group, list(wanted))
    moves = [
        Move(group, place, before[place].offset if place in before else None, offset)
        for place, offset in sorted(wanted.items())
    ]
    if not _fits_a_form(group, _undo(moves)):
        raise BadRequest(_too_many(len(moves)))
    return _reset_page(visit, group, moves, await carry_out(cluster, group, moves))


def _reset_page(visit: Visit, group: str, moves: list[Move], outcome: ResetOutcome) -> Response:
    what, done, failure = f"offsets of group {group!r}", list(outcome.done), outcome.failure
    if failure is None:
        _write_audit_line(visit, f"reset {len(moves)} {what}")
        return _plan_page(visit, group, moves, done=True)
    if outcome.unread is not None:
        _write_audit_line(visit, f"may have reset up to {len(moves)} {what}: {failure.name}")
        why = f"{failure} Nobody knows which of these {len(moves)} offsets were set: {outcome.unread}"
        return _plan_page(visit, group, done, done=True, failure=why)
    if done:
        _write_audit_line(visit, f"reset {len(done)} of {len(changes_of(moves))} {what}, then failed: {failure.name}")
        why = f"Only {len(done)} of {len(changes_of(moves))} offsets were set, those below. {failure}"
        return _plan_page(visit, group, done, done=True, failure=why)
    _write_audit_line(visit, f"reset {what}", failure)
    if failure.code in _JOINED_MEANWHILE:
        raise BadRequest(f"Somebody joined {group} meanwhile ({failure.name}): nothing was changed.")
    return visit.failure(outcome.told, 502)


async def undo_file(visit: Visit) -> Response:
    """The CSV that a page holds, as a file to keep."""
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in visit.required("id"))[:100]
    headers = {"content-disposition": f'attachment; filename="undo-{safe}.csv"'}
    return Response(visit.form.get("csv", ""), media_type="text/csv", headers=headers)


def _target(visit: Visit, group: str) -> tuple[Target, dict[TopicPartition, int]]:
    rule, value = RULES.get(visit.required("rule")), visit.form.get("value", "").strip()
    match rule:
        case None:
            raise BadRequest(f"rule must be one of {', '.join(RULES)}.")
        case Rule.FILE:
            return Target(rule), parse_plan(visit.required("csv").splitlines(), "the file", [group])[group]
        case Rule.OFFSET | Rule.SHIFT:
            least = 0 if rule is Rule.OFFSET else -(1 << 62)
            number = visit.number("value", least=least)
            if number is None:
                raise BadRequest("Say which offset, or by how many records.")
            return Target(rule, number), {}
        case Rule.MOMENT:
            return Target(rule, max(0, moment_of(value, "the time"))), {}
        case _:
            return Target(rule), {}


async def _scope(visit: Visit, group: str) -> list[TopicPartition]:
    """Every partition of the chosen topic, or of all topics that the group has commits for."""
    cluster, chosen = visit.observer.cluster, visit.form.get("topic", "")
    topics = [chosen] if chosen else sorted({place.topic for place in await admin.committed_offsets(cluster, group)})
    counts = await admin.partition_counts(cluster, topics)
    return [TopicPartition(topic, number) for topic in topics for number in range(counts.get(topic, 0))]


def _refusal(group: GroupDescription) -> str:
    """Why its offsets cannot be reset now; empty if they can."""
    if group.state in ("Empty", "Dead"):
        return ""
    members = f"{len(group.members)} member{'' if len(group.members) == 1 else 's'}"
    return f"The group is {group.state} with {members}: offsets can only be reset while nobody is in it. Stop its members first."


# -- removing a member


async def ask_remove(visit: Visit) -> Response:
    described, member = await _member(visit)
    return visit.page("remove.html", {"group": described.group_id, "member": member, "described": described})


async def remove(visit: Visit) -> Response:
    described, member = await _member(visit)
    what = f"removed member {member.member_id!r} of group {described.group_id!r}"
    try:
        reason = f"removed in the console by {visit.session.user}"
        await admin.remove_member(visit.observer.cluster, described.group_id, member, reason[:255])
    except ClientError as failure:
        _write_audit_line(visit, what, failure)
        raise
    _write_audit_line(visit, what)
    text = f"{member.client_id} was removed. If its process still runs it may join again by itself."
    return visit.page("done.html", {"group": described.group_id, "text": text})


async def _member(visit: Visit) -> tuple[GroupDescription, GroupMember]:
    described = await admin.describe_group(visit.observer.cluster, visit.required("id"))
    wanted = visit.required("member")
    for member in described.members:
        if member.member_id == wanted:
            return described, member
    raise BadRequest("That member is not in the group any more.")


# -- deleting a group


async def ask_delete(visit: Visit) -> Response:
    return visit.page("delete.html", await _deletion(visit))


async def delete(visit: Visit) -> Response:
    context = await _deletion(visit)
    group = context["group"]
    if context["refusal"]:
        raise BadRequest(context["refusal"])
    failure = (await admin.delete_groups(visit.observer.cluster, [group]))[group]
    _write_audit_line(visit, f"deleted group {group!r}", failure)
    if failure is not None:
        raise failure
    return visit.page(
        "done.html", {"group": group, "text": "The group and its offsets are gone.", "undo": context["undo"]}
    )


async def _deletion(visit: Visit) -> dict[str, Any]:
    cluster = visit.observer.cluster
    described = await admin.describe_group(cluster, visit.required("id"))
    group = described.group_id
    committed = await admin.committed_offsets(cluster, group)
    moves = [Move(group, place, None, each.offset) for place, each in sorted(committed.items())]
    refusal = _refusal(described).replace("offsets can only be reset", "it can only be deleted")
    undo = _csv(moves)
    if not _fits_a_form(group, undo):
        undo, refusal = "", refusal or _too_many_to_delete(len(moves))
    return {"group": group, "described": described, "offsets": len(moves), "undo": undo, "refusal": refusal}


def _too_many_to_delete(offsets: int) -> str:
    return (
        f"The undo file of {offsets:,} offsets is too large for a page. `muster groups reset-offsets GROUP --to-current"
        " --all-topics --export` writes it, `muster groups delete GROUP` deletes the group."
    )


def _write_audit_line(visit: Visit, what: str, failure: ClientError | None = None) -> None:
    visit.observer.forget(visit.required("id"))
    write_audit_line(visit.request, visit.session, what, failure)


QUESTIONS: Final[dict[str, Handler]] = {"/reset": ask_reset, "/remove": ask_remove, "/delete": ask_delete}
CHANGES: Final[dict[str, Handler]] = {
    "/reset/plan": plan_reset,
    "/reset": reset,
    "/reset/undo": undo_file,
    "/remove": remove,
    "/delete": delete,
}
