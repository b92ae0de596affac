"""Generated from tools/codecs/schemas/leave_group.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from muster.wire.message import Message


@mypyc_attr(acyclic=True)
class LeaveGroupRequestMember(Message):
    __match_args__ = ("member_id", "group_instance_id", "reason")
    __slots__ = __match_args__

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        reason: str | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.reason = reason


@mypyc_attr(acyclic=True)
class LeaveGroupRequest(Message):
    __match_args__ = ("group_id", "member_id", "members")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        members: Sequence[LeaveGroupRequestMember] = (),
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.members = members


@mypyc_attr(acyclic=True)
class LeaveGroupResponseMember(Message):
    __match_args__ = ("member_id", "group_instance_id", "error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = "",
        error_code: int = 0,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.error_code = error_code


@mypyc_attr(acyclic=True)
class LeaveGroupResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "members")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        members: Sequence[LeaveGroupResponseMember] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.members = members
