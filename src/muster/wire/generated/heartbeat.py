"""Generated from tools/codecs/schemas/heartbeat.api by `make generate`; changes belong there."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from muster.wire.message import Message


@mypyc_attr(acyclic=True)
class HeartbeatRequest(Message):
    __match_args__ = ("group_id", "generation_id", "member_id", "group_instance_id")
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id


@mypyc_attr(acyclic=True)
class HeartbeatResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
