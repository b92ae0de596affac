"""Plays a random history against a shard and watches what must never happen. Used by the property test and by the digest.

A history is a list of small numbers: each step is (what, who, how), so that it shrinks well and depends on nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from muster.core.classic.group import Group
from muster.core.classic.heartbeat import StableMember, heartbeat, stable_member
from muster.core.classic.member import Member
from muster.core.config import GroupConfig
from muster.core.replies import HeartbeatReply
from muster.core.requests import DeleteGroup, Heartbeat, JoinGroup, SyncGroup
from muster.wire import errors
from tests.core.invariants import check_stable_groups_are_facts
from tests.core.world import Call, World

Step = tuple[int, int, int]

STEPS = 17
GROUPS = ("g", "h")
INSTANCES = (None, None, None, "one", "two")
PROTOCOLS = (
    (("range", b"\0\0\0\0\0\1\0\1t\xff\xff\xff\xff"),),
    (("range", b"r"), ("sticky", b"s")),
    (("sticky", b"s"), ("range", b"r2")),
)
LOG_ERRORS = (errors.NOT_ENOUGH_REPLICAS, errors.MESSAGE_TOO_LARGE, errors.KAFKA_STORAGE_ERROR)
PAUSES_MS = (0, 1, 1_000, 3_000, 6_000, 30_000, 300_000)
REBALANCES_MS = (0, 5_000, 30_000)
CONFIG = GroupConfig(max_size=4, offsets_retention_check_interval_ms=60_000, offsets_retention_ms=120_000)


class History:
    def __init__(self) -> None:
        self.world = World(CONFIG, orderly=True)
        self.known_ids = ["nobody"]
        self.superseded: set[int] = set()
        self._generations: dict[int, tuple[Group, int]] = {}
        self._was_parked: dict[Call[object], tuple[str, str]] = {}
        self._stable: dict[tuple[str, int, str, str | None], tuple[StableMember, Member]] = {}
        """Of heartbeats that were accepted in a Stable group, by what they said."""
        self.stable_kept = self.stable_ended = 0
        self.world.watch = self._watch

    def play(self, steps: Iterable[Step]) -> None:
        for what, who, how in steps:
            self._step(what, GROUPS[who % len(GROUPS)], self.known_ids[who % len(self.known_ids)], how)
            if not self.world.in_flight:
                check_stable_groups_are_facts(self.world.shard)
        self.world.release()

    def _step(self, what: int, group: str, member_id: str, how: int) -> None:
        world = self.world
        match what % STEPS:
            case 0 | 1 | 2:
                instance = INSTANCES[how % len(INSTANCES)]
                world.join(
                    group=group,
                    instance=instance,
                    protocols=PROTOCOLS[how % len(PROTOCOLS)],
                    known=how % 2 == 0,
                    skip=how % 3 == 0,
                    rebalance=REBALANCES_MS[how % 3],
                )
            case 3 | 4:
                home = self._home(member_id, group)
                world.join(member_id, group=home, protocols=PROTOCOLS[how % 3], rebalance=REBALANCES_MS[how % 3])
            case 5 | 6:
                self._sync(self._home(member_id, group), member_id, how)
            case 7:
                home = self._home(member_id, group)
                world.heartbeat(member_id, self._generation(home, how), group=home)
            case 8:
                instance = INSTANCES[how % len(INSTANCES)]
                entry = ("", instance) if how % 4 == 0 else (member_id, None)
                world.leave(entry, group=self._home(member_id, group))
            case 9:
                home = self._home(member_id, group)
                if how % 3 == 0:
                    world.commit(how, group=home)
                else:
                    world.commit(how, group=home, member_id=member_id, generation=self._generation(home, how))
            case 10 | 11:
                world.advance(PAUSES_MS[how % len(PAUSES_MS)])
            case 12:
                if how % 4 == 0 and not world.in_flight:
                    world.ask(DeleteGroup(group))
                else:
                    world.describe(group)
                    world.list_groups()
            case 13:
                self._turn_the_log(how)
            case 14:
                if how % 3 == 0:
                    world.end(commit=how % 2 == 0, producer=how % 2)
                else:
                    world.txn_commit(how, group=self._home(member_id, group), producer=how % 2)
            case _:
                self._agree(group)
        self._learn_ids()

    def _agree(self, group_id: str) -> None:
        """Everybody does what a good client does: without this, random steps rarely get a group to Stable."""
        group = self.world.shard.groups.get(group_id)
        if group is None or not group.members:
            return
        for member_id in list(group.members):
            self.world.join(member_id, group=group_id, protocols=PROTOCOLS[1], rebalance=5_000)
        self.world.advance(3_000)
        for member_id in list(group.members):
            self._sync(group_id, member_id, 1)

    def _turn_the_log(self, how: int) -> None:
        world = self.world
        if not world.holding:
            world.hold()
        elif how % 3 == 0:
            world.fail(LOG_ERRORS[how % len(LOG_ERRORS)])
        elif how % 3 == 1 and world.in_flight:
            world.settle()
        else:
            world.release()

    def _sync(self, group_id: str, member_id: str, how: int) -> None:
        group = self.world.shard.groups.get(group_id)
        members = list(group.members) if group is not None else []
        plan = {name: bytes([how % 256, index]) for index, name in enumerate(members)}
        self.world.sync(member_id, self._generation(group_id, how), plan, group=group_id)

    def _generation(self, group_id: str, how: int) -> int:
        group = self.world.shard.groups.get(group_id)
        current = group.generation if group is not None else 0
        return current - 1 if how % 7 == 6 else current

    def _home(self, member_id: str, otherwise: str) -> str:
        for group_id, group in self.world.shard.groups.items():
            if member_id in group.members or member_id in group.pending_joins:
                return group_id
        return otherwise

    def _learn_ids(self) -> None:
        for group in self.world.shard.groups.values():
            for member_id in (*group.members, *group.pending_joins):
                if member_id not in self.known_ids:
                    self.known_ids.append(member_id)

    # -- what must never happen

    def _parked(self) -> dict[Call[object], tuple[str, str]]:
        parked: dict[Call[object], tuple[str, str]] = {}
        for group in self.world.shard.groups.values():
            for member in group.members.values():
                for ticket in (member.parked_join, member.parked_sync):
                    if ticket is not None:
                        assert isinstance(ticket, Call)
                        parked[ticket] = (group.group_id, member.member_id)
        return parked

    def _watch(self) -> None:
        before, after = self._was_parked, self._parked()
        self._was_parked = after
        for ticket, (group_id, member_id) in before.items():
            if ticket not in after and ticket.waiting:
                assert self._asked_again(ticket, group_id, member_id), f"{ticket.request!r} was dropped"
                self.superseded.add(id(ticket))
        for group in self.world.shard.groups.values():
            _, generation = self._generations.get(id(group), (group, 0))
            assert group.generation >= generation, f"{group!r} went back from {generation}"
            self._generations[id(group)] = (group, group.generation)
        self._watch_stable()

    def _watch_stable(self) -> None:
        """While a member is still stable, the heartbeat it was found by would be answered NONE and move that member's timer."""
        shard, now_ms = self.world.shard, self.world.now_ms
        for said, (stable, member) in list(self._stable.items()):
            request = Heartbeat(*said)
            if not stable.holds():
                del self._stable[said]
                self.stable_ended += 1
                continue
            self.stable_kept += 1
            outcome = heartbeat(shard.groups, request, "ticket", now_ms)
            assert [reply for _, reply in outcome.replies] == [HeartbeatReply(errors.NONE)], f"{request!r} is refused"
            assert outcome.timers == [(member.session_key, now_ms + stable.session_timeout_ms)]
            assert [*outcome.records, *outcome.early_replies, *outcome.journal] == []
        for group in shard.groups.values():
            for member in group.members.values():
                said = (group.group_id, group.generation, member.member_id, member.instance_id)
                found = stable_member(shard.groups, Heartbeat(*said))
                if found is not None:
                    self._stable.setdefault(said, (found, member))

    def _asked_again(self, ticket: Call[object], group_id: str, member_id: str) -> bool:
        """Whether the member sent the same kind of request later: only that may supersede a parked one."""
        later = self.world.calls[self.world.calls.index(ticket) + 1 :]
        return any(
            isinstance(call.request, JoinGroup | SyncGroup)
            and type(call.request) is type(ticket.request)
            and (call.request.group_id, call.request.member_id) == (group_id, member_id)
            for call in later
        )

    def check_replay_equals_live(self) -> None:
        """Law 2: what a failover would know is what this node knows, as far as it is durable."""
        heir = self.world.restart()
        assert heir.shard.facts == self.world.shard.facts
        assert heir.shard.offsets == self.world.shard.offsets
        assert heir.shard.groups.keys() == self.world.shard.groups.keys()

    def check_everybody_was_answered(self) -> None:
        """Law 3: when the shard is unloaded only superseded tickets are left without a reply."""
        assert not self.world.in_flight
        self.world.apply(self.world.shard.on_unload(self.world.now_ms))
        forgotten = [call.request for call in self.world.calls if call.waiting and id(call) not in self.superseded]
        assert not forgotten

    def digest(self) -> str:
        """Everything that anybody outside could see, in its order."""
        seen = hashlib.sha256()
        for call in self.world.calls:
            seen.update(repr((call.request, None if call.waiting else call.reply, call.answered_ms)).encode())
        for event in self.world.journal:
            seen.update(repr(event.to_json()).encode())
        seen.update(repr(self.world.appended).encode())
        return seen.hexdigest()
