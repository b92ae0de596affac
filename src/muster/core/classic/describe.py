"""DescribeGroups and ListGroups: what readers see of classic groups (spec 3.13, 3.14). Changes nothing."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from muster.core.classic.description import Description
from muster.core.classic.group import Group
from muster.core.classic.states import DEAD, STABLE
from muster.core.consumer.describe import listed_consumer_groups
from muster.core.consumer.group import ConsumerGroup
from muster.core.replies import DescribedMember, DescribeReply, ListedGroup, ListReply
from muster.core.requests import DescribeGroup, ListGroups
from muster.wire import errors

GROUP_TYPE: Final = "classic"


def describe_group(
    groups: dict[str, Group], request: DescribeGroup, consumer_groups: Container[str] = ()
) -> DescribeReply:
    """Readers see committed groups: one whose first record is on its way does not exist yet. The runtime asks after that."""
    group = groups.get(request.group_id)
    if group is None or not group.is_committed:
        reply = DescribeReply(errors.GROUP_ID_NOT_FOUND, request.group_id, DEAD.value)
        reply.is_of_other_type = request.group_id in consumer_groups
        return reply
    kept = group.described
    if kept is None or not kept.is_true_of(group):
        kept = group.described = Description(group, _description(group))
    return kept.reply


def _description(group: Group) -> DescribeReply:
    is_stable = group.state is STABLE
    return DescribeReply(
        errors.NONE,
        group.group_id,
        group.state.value,
        group.protocol_type or "",
        (group.protocol_name or "") if is_stable else "",
        tuple(
            DescribedMember(
                member.member_id,
                member.instance_id,
                member.client_id,
                member.client_host,
                member.metadata_for(group.protocol_name) if is_stable else b"",
                # Outside Stable too: what it still holds from the generation before (spec 13.7).
                member.assignment,
            )
            for member in group.members.values()
        ),
    )


def list_groups(groups: dict[str, Group], consumer_groups: dict[str, ConsumerGroup], request: ListGroups) -> ListReply:
    """States are compared trimmed and in any case, types in any case; unknown names match nothing (T138, T139)."""
    states = {state.strip().lower() for state in request.states}
    types = {group_type.lower() for group_type in request.types}
    listed = listed_consumer_groups(consumer_groups, states, types)
    if types and GROUP_TYPE not in types:
        return ListReply(errors.NONE, tuple(listed))
    state, word = DEAD, DEAD.value
    for group in groups.values():
        if not group.is_committed:
            continue
        if group.state is not state:  # an enum's word is looked up by interpreted code, and neighbours are often alike
            state, word = group.state, group.state.value
        if not states or word.lower() in states:
            listed.append(ListedGroup(group.group_id, group.protocol_type or "", word, GROUP_TYPE))
    return ListReply(errors.NONE, tuple(listed))
