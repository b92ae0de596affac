"""Generated from tools/codecs/schemas/describe_groups.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from muster.wire.message import Message


@mypyc_attr(acyclic=True)
class DescribeGroupsRequest(Message):
    __match_args__ = ("groups", "include_authorized_operations")
    __slots__ = __match_args__

    def __init__(
        self,
        groups: Sequence[str] = (),
        include_authorized_operations: bool = False,
    ) -> None:
        self.groups = groups
        self.include_authorized_operations = include_authorized_operations


@mypyc_attr(acyclic=True)
class DescribeGroupsResponseMember(Message):
    __match_args__ = ("member_id", "group_instance_id", "client_id", "client_host", "member_metadata", "member_assignment")
    __slots__ = __match_args__

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        member_metadata: bytes = b"",
        member_assignment: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.member_metadata = member_metadata
        self.member_assignment = member_assignment


@mypyc_attr(acyclic=True)
class DescribeGroupsResponseGroup(Message):
    __match_args__ = ("error_code", "error_message", "group_id", "group_state", "protocol_type", "protocol_data", "members", "authorized_operations")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        protocol_type: str = "",
        protocol_data: str = "",
        members: Sequence[DescribeGroupsResponseMember] = (),
        authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.protocol_type = protocol_type
        self.protocol_data = protocol_data
        self.members = members
        self.authorized_operations = authorized_operations


@mypyc_attr(acyclic=True)
class DescribeGroupsResponse(Message):
    __match_args__ = ("throttle_time_ms", "groups")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: Sequence[DescribeGroupsResponseGroup] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups
