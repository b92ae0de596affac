"""What readers were shown of a group last, and whether it is still true.

Tools and dashboards ask for the same groups again and again, and between two rebalances nothing of a description changes. It is
kept by the group from the first time that somebody asks until something of it changes; groups that nobody asks for keep none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from muster.core.classic.group import Group
    from muster.core.classic.member import Member, Protocols
    from muster.core.replies import DescribeReply


class Seen:
    """A member, and those of its facts that may become others."""

    __slots__ = ("assignment", "member", "protocols")

    def __init__(self, member: Member) -> None:
        self.member = member
        self.protocols: Protocols = member.protocols
        self.assignment = member.assignment


class Description:
    __slots__ = ("protocol_name", "protocol_type", "reply", "seen", "state")

    def __init__(self, group: Group, reply: DescribeReply) -> None:
        self.state = group.state
        self.protocol_type = group.protocol_type
        self.protocol_name = group.protocol_name
        self.seen = [Seen(member) for member in group.members.values()]
        self.reply = reply

    def is_true_of(self, group: Group) -> bool:
        """Compares by identity: facts are replaced, never changed in place, and equal ones are not worth the comparing."""
        seen = self.seen
        if (
            self.state is not group.state
            or self.protocol_type is not group.protocol_type
            or self.protocol_name is not group.protocol_name
            or len(seen) != len(group.members)
        ):
            return False
        for at, member in enumerate(group.members.values()):
            before = seen[at]
            if (
                before.member is not member
                or before.protocols is not member.protocols
                or before.assignment is not member.assignment
            ):
                return False
        return True
