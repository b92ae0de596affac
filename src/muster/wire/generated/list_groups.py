"""Generated from tools/codecs/schemas/list_groups.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from muster.wire.message import Message


@mypyc_attr(acyclic=True)
class ListGroupsRequest(Message):
    __match_args__ = ("states_filter", "types_filter")
    __slots__ = __match_args__

    def __init__(
        self,
        states_filter: Sequence[str] = (),
        types_filter: Sequence[str] = (),
    ) -> None:
        self.states_filter = states_filter
        self.types_filter = types_filter


@mypyc_attr(acyclic=True)
class ListGroupsResponseGroup(Message):
    __match_args__ = ("group_id", "protocol_type", "group_state", "group_type")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str = "",
        protocol_type: str = "",
        group_state: str = "",
        group_type: str = "",
    ) -> None:
        self.group_id = group_id
        self.protocol_type = protocol_type
        self.group_state = group_state
        self.group_type = group_type


@mypyc_attr(acyclic=True)
class ListGroupsResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "groups")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        groups: Sequence[ListGroupsResponseGroup] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.groups = groups
