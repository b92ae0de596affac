"""Random histories of groups over hours and days: classic ones by the real coordinator, KIP-848 ones written by hand."""

from __future__ import annotations

from random import Random

from tests.core.world import SESSION_MS
from tests.pipeline.fold.group_logs import GroupLog, Row, commit_record, epoch_record, event, merged, of_script
from tests.pipeline.tables.scripted import Script

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
SECOND = 1_000


def random_log(random: Random, *, journal: bool) -> GroupLog:
    """Some groups side by side, sometimes with holes in the log and in the journal."""
    logs = []
    for number in range(random.randint(1, 3)):
        script = random_script(random)
        logs.append(of_script(script, f"g{number}", random.choice((0, 1, 40)) * 50 * MINUTE, journal=journal))
    if random.random() < 0.7:
        logs.append(random_epochs(random, random.choice(("k", "k", "g0")), journal=journal))
    # Somebody else goes on committing, so that time passes for everybody.
    logs.append(GroupLog([commit_record("other", 0, n, random.randint(1, 8 * DAY)) for n in range(6)]))
    log = merged(*logs)
    if random.random() < 0.5:
        return log
    return log.without(
        [row["log_offset"] for row in log.records if random.random() < 0.03],
        [row["log_offset"] for row in log.events if random.random() < 0.05],
    )


def random_script(random: Random) -> Script:
    script = Script(f"random {random.random()}")
    here = script.found(*random.choice(((None,), (None, None), ("one", "two"), (None, "one"))))
    for _ in range(random.randint(1, 7)):
        here = _step(random, script, here)
    return script


def _step(random: Random, script: Script, here: list[str]) -> list[str]:
    """Something happens to the group; who is in it afterwards."""
    if not here:
        return script.found(*random.choice(((None,), ("one", None))))
    what = random.choice(("join", "leave", "die", "rejoin", "work", "return", "empty", "delete", "quiet"))
    match what:
        case "join":
            newcomer = script.enter(client=random.choice(("client", "late")), reason="more")
            return script.complete(*(script.enter(member_id) for member_id in here), newcomer)
        case "leave" | "die" if len(here) > 1:
            gone, *rest = here
            if what == "leave":
                script.leave(gone)
            else:
                script.work(*rest, rounds=SESSION_MS // SECOND + 1)
            return script.complete(*(script.enter(member_id) for member_id in rest))
        case "rejoin":
            topics = random.choice((("t",), ("t", "u")))
            leader = script.group.leader or here[0]
            others = [member_id for member_id in here if member_id != leader]
            again = [script.enter(leader, topics=topics), *(script.enter(each, topics=topics) for each in others)]
            return script.complete(*again)
        case "return" if "one" in (member.instance_id for member in script.group.members.values()):
            (old,) = (each for each, member in script.group.members.items() if member.instance_id == "one")
            back = script.enter(instance="one")
            script.advance(100)
            if back.waiting or script.group.generation == 0:
                return script.complete(back, *(script.enter(each) for each in here if each != old))
            script.owned[back.reply.member_id] = script.owned.pop(old)
            return [back.reply.member_id, *(each for each in here if each != old)]
        case "empty" | "delete" | "quiet":
            script.leave(*here)
            script.advance(SESSION_MS)
            if what == "delete":
                script.delete()
            if what == "quiet":
                script.advance(random.choice((5 * MINUTE, 20 * MINUTE, 90 * MINUTE, 30 * HOUR)))
            return []
    script.work(*here, rounds=random.randint(1, 12), every_ms=random.choice((SECOND, 5 * SECOND)))
    return here


def random_epochs(random: Random, group_id: str, *, journal: bool) -> GroupLog:
    """A KIP-848 group: members come and go, some epochs are never reached, some members arrive late.

    The journal tells why epochs were raised, of most of them.
    """
    records: list[Row] = []
    events: list[Row] = []
    at, epoch, number = random.randint(0, 4 * HOUR), 0, 0
    here: dict[str, str | None] = {}
    for _ in range(random.randint(2, 12)):
        at += random.choice((SECOND, 20 * SECOND, 10 * MINUTE, 70 * MINUTE))
        what = random.choice(("join", "join", "leave", "change", "return", "nothing", "remove"))
        if what == "remove" and not here:
            records += [epoch_record(group_id, 3, at, is_tombstone=True)]
            epoch = 0
            continue
        if what == "join" or not here:
            number += 1
            name, instance = f"{group_id}-m{number}", random.choice((None, None, f"i{number}"))
            here[name] = instance
            records.append(_metadata(group_id, name, at, instance))
        elif what in ("leave", "return"):
            name = random.choice(sorted(here))
            instance = here.pop(name)
            records += [epoch_record(group_id, kind, at, is_tombstone=True, member_id=name) for kind in (8, 7, 5)]
            if what == "return" and instance is not None:
                number += 1
                here[f"{group_id}-m{number}"] = instance
                records.append(_metadata(group_id, f"{group_id}-m{number}", at, instance))
        elif what == "change":
            name = random.choice(sorted(here))
            records.append(_metadata(group_id, name, at, here[name]))
        epoch += 1
        records.append(epoch_record(group_id, 3, at, epoch=epoch))
        if journal and random.random() < 0.8:
            why = random.choice(("new_member", "member_left", "topics_changed"))
            early_ms = random.choice((0, 0, 5))
            events.append(
                event(group_id, "epoch_raised", at - early_ms, generation=epoch, cause=why, member_id=f"{why}-{epoch}")
            )
        records.append(epoch_record(group_id, 6, at, epoch=epoch))
        records += _arrivals(random, group_id, here, epoch, at)
        records += [commit_record(group_id, n, epoch * 10, at + random.randint(0, 90) * SECOND) for n in range(2)]
    # Records of one moment keep their order.
    return GroupLog(_without_ghosts(sorted(records, key=lambda row: row["record_ms"])), events)


def _without_ghosts(records: list[Row]) -> list[Row]:
    """No coordinator writes an assignment of a member that it has removed."""
    removed: set[str] = set()
    kept = []
    for row in records:
        member = str((row.get("epoch") or {}).get("member_id"))
        if row["record_type"] == 5 and row["is_tombstone"]:
            removed.add(member)
        if not (row["record_type"] == 8 and not row["is_tombstone"] and member in removed):
            kept.append(row)
    return kept


def _arrivals(random: Random, group_id: str, here: dict[str, str | None], epoch: int, at: int) -> list[Row]:
    if random.random() < 0.2:
        return []
    waits = (0, SECOND, 30 * SECOND, 20 * MINUTE, 80 * MINUTE)
    if random.random() < 0.4:
        at += random.choice(waits)
    said: Row = {"member_epoch": epoch, "state": "STABLE", "n_assigned": 2, "n_pending_revocation": 0}
    return [
        epoch_record(group_id, 8, at + random.choice(waits), member_id=name, **said)
        for name in here
        if random.random() < 0.9
    ]


def _metadata(group_id: str, name: str, at: int, instance: str | None) -> Row:
    said: Row = {"instance_id": instance, "client_id": "app", "client_host": "/h", "topics": ["t"]}
    return epoch_record(group_id, 5, at, member_id=name, **said)
