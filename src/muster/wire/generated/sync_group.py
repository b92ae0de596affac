"""Generated from tools/codecs/schemas/sync_group.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from muster.wire.message import Message


@mypyc_attr(acyclic=True)
class SyncGroupRequestAssignment(Message):
    __match_args__ = ("member_id", "assignment")
    __slots__ = __match_args__

    def __init__(
        self,
        member_id: str = "",
        assignment: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.assignment = assignment


@mypyc_attr(acyclic=True)
class SyncGroupRequest(Message):
    __match_args__ = ("group_id", "generation_id", "member_id", "group_instance_id", "protocol_type", "protocol_name", "assignments")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignments: Sequence[SyncGroupRequestAssignment] = (),
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignments = assignments


@mypyc_attr(acyclic=True)
class SyncGroupResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "protocol_type", "protocol_name", "assignment")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignment: bytes = b"",
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignment = assignment
