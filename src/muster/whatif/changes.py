"""What follows from a variant: the processes of the recording under it, the coordinator's settings, and the partitions. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from muster.core.config import GroupConfig
from muster.whatif.leader import partition_counts
from muster.whatif.poll_pauses import with_max_poll
from muster.whatif.processes import shared_clients
from muster.whatif.recorded import ConsumerTimes, MemberSettings, Recorded, RecordedMember
from muster.whatif.stretch import CannotReplay
from muster.whatif.variants import INITIAL_DELAY, Variant

_LAST: Final = 1_000_000_000
"""Order of a process that was not recorded: after all others."""


@dataclass(frozen=True, slots=True)
class Setting:
    members: Sequence[RecordedMember]
    config: GroupConfig
    counts: Mapping[str, int]
    """Partitions of each topic."""
    assigns_as_recorded: bool
    """Whether the assignments of the recording are those that this setting would give to the same members."""
    remote_assignor: str | None = None
    """Of the new protocol."""


def setting_of(recorded: Recorded, variant: Variant) -> Setting:
    """CannotReplay if it makes no sense for this group."""
    remote = variant.remote_assignor
    if recorded.coordinated is not None and remote is None and variant.assignor is None:
        if variant.initial_delay_ms is not None:
            raise CannotReplay(f"{INITIAL_DELAY} is of the classic protocol, and the group uses the new one")
        remote = recorded.coordinated.assignor
    members = [replace(member, settings=_settings_under(member.settings, variant)) for member in recorded.members]
    if variant.max_poll_ms is not None:
        members = with_max_poll(recorded.members, members, variant.max_poll_ms)
    if variant.members:
        members = (
            _with_more(members, variant.members) if variant.members > 0 else _with_fewer(members, -variant.members)
        )
    if variant.is_static:
        members = _with_instances(members)
    config = _config(recorded, variant)
    _check_sessions(members, config)
    is_same = variant.assignor is None or all(
        member.settings.protocols == (variant.assignor,) for member in recorded.members
    )
    return Setting(
        members,
        config,
        partition_counts(recorded, variant.partition_times),
        is_same and variant.partition_times == 1,
        remote,
    )


def _check_sessions(members: Sequence[RecordedMember], config: GroupConfig) -> None:
    """CannotReplay for a session timeout below 1 ms: such a session expires before its member can send a heartbeat."""
    asked = [(f"of member {member.member_id}", member.settings.session_timeout_ms) for member in members]
    for whose, session_ms in [*asked, ("of the coordinator", config.consumer_session_timeout_ms)]:
        if session_ms < 1:
            raise CannotReplay(f"its journal has a session timeout {whose} of {session_ms} ms: the least is 1")


def _config(recorded: Recorded, variant: Variant) -> GroupConfig:
    times = ConsumerTimes() if recorded.coordinated is None else recorded.coordinated.times
    session_ms = times.session_timeout_ms if variant.session_timeout_ms is None else variant.session_timeout_ms
    return GroupConfig(
        initial_rebalance_delay_ms=recorded.phases.initial_delay_ms
        if variant.initial_delay_ms is None
        else variant.initial_delay_ms,
        consumer_session_timeout_ms=session_ms,
        consumer_heartbeat_interval_ms=times.heartbeat_interval_ms,
        consumer_assignment_interval_ms=times.assignment_interval_ms,
    )


def _settings_under(settings: MemberSettings, variant: Variant) -> MemberSettings:
    return MemberSettings(
        settings.session_timeout_ms if variant.session_timeout_ms is None else variant.session_timeout_ms,
        settings.rebalance_timeout_ms if variant.max_poll_ms is None else variant.max_poll_ms,
        settings.protocols if variant.assignor is None else (variant.assignor,),
        settings.topics,
    )


def _with_more(members: Sequence[RecordedMember], count: int) -> list[RecordedMember]:
    """Each comes with the first member, reacts as that one does, and stays."""
    joined = [member for member in members if member.joined_ms is not None]
    if not joined:
        return list(members)
    model = min(joined, key=lambda member: (member.came_ms, member.order))
    added = [
        replace(
            model,
            member_id=f"added-{number}",
            client="",
            instance=None,
            order=_LAST + number,
            left_ms=None,
            silent_ms=None,
            missed_ms=None,
            is_late=False,
            session_from_ms=None,
            is_away=False,
            pauses=[],
            own_joins=[],
            is_as_recorded=False,
        )
        for number in range(1, count + 1)
    ]
    return [*members, *added]


def _with_fewer(members: Sequence[RecordedMember], count: int) -> list[RecordedMember]:
    """Without the processes that came last, and without their returns where their client id is theirs alone."""
    shared = shared_clients(members)
    names = dict.fromkeys(
        _process(member, shared) for member in sorted(members, key=lambda each: (each.came_ms, each.order))
    )
    gone = set(list(names)[max(0, len(names) - count) :])
    return [member for member in members if _process(member, shared) not in gone]


def _process(member: RecordedMember, shared: set[str]) -> str:
    return member.member_id if not member.client or member.client in shared else member.client


def _with_instances(members: Sequence[RecordedMember]) -> list[RecordedMember]:
    """Clients whose id no two processes had at a time get it as instance id. As static members they do not say that they leave."""
    shared = shared_clients(members)
    found = []
    for member in members:
        if member.instance is None and member.client and member.client not in shared:
            ended = [each for each in (member.left_ms, member.silent_ms) if each is not None]
            member = replace(
                member, instance=member.client, left_ms=None, silent_ms=min(ended, default=None), is_away=bool(ended)
            )
        found.append(member)
    return found
