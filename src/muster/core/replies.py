"""What a shard answers, before a handler lays it out for the client's API version. `error` is a code of errors.py."""

from __future__ import annotations

from typing import TypeAlias

from mypy_extensions import mypyc_attr

from muster.core.consumer.replies import ConsumerDescribeReply, ConsumerHeartbeatReply
from muster.core.offsets.partition_offsets import PartitionOffsets
from muster.wire.errors import NONE, UNSTABLE_OFFSET_COMMIT
from muster.wire.i32_array import I32Array, i32_array
from muster.wire.special_values import NO_GENERATION
from muster.wire.value import Value


@mypyc_attr(acyclic=True)
class JoinedMember(Value):
    __match_args__ = ("member_id", "group_instance_id", "metadata")
    __slots__ = __match_args__

    def __init__(
        self,
        member_id: str,
        group_instance_id: str | None,
        metadata: bytes,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.metadata = metadata


class JoinReply(Value):
    __match_args__ = (
        "error",
        "member_id",
        "generation",
        "protocol_type",
        "protocol_name",
        "leader",
        "skip_assignment",
        "members",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        error: int,
        member_id: str,
        generation: int = NO_GENERATION,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        leader: str = "",
        skip_assignment: bool = False,
        members: tuple[JoinedMember, ...] = (),
    ) -> None:
        self.error = error
        self.member_id = member_id
        self.generation = generation
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.leader = leader
        self.skip_assignment = skip_assignment
        self.members = members


class SyncReply(Value):
    __match_args__ = ("error", "protocol_type", "protocol_name", "assignment")
    __slots__ = __match_args__

    def __init__(
        self,
        error: int,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignment: bytes = b"",
    ) -> None:
        self.error = error
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignment = assignment


@mypyc_attr(acyclic=True)
class HeartbeatReply(Value):
    __match_args__ = ("error",)
    __slots__ = __match_args__

    def __init__(
        self,
        error: int,
    ) -> None:
        self.error = error


class LeaveReply(Value):
    __match_args__ = ("error", "members")
    __slots__ = __match_args__

    def __init__(self, error: int, members: tuple[tuple[str, str | None, int], ...] = ()) -> None:
        self.error = error
        self.members = members
        """(member id as asked, instance id as asked, error) for each entry, in request order."""


class DescribedMember(Value):
    __match_args__ = ("member_id", "group_instance_id", "client_id", "client_host", "metadata", "assignment")
    __slots__ = __match_args__

    def __init__(
        self,
        member_id: str,
        group_instance_id: str | None,
        client_id: str,
        client_host: str,
        metadata: bytes,
        assignment: bytes,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.metadata = metadata
        self.assignment = assignment


class DescribeReply(Value):
    """Never changed once it is made: the same one is the answer to everybody until something of the group changes."""

    __match_args__ = ("error", "group_id", "state", "protocol_type", "protocol_name", "members")
    __slots__ = (*__match_args__, "is_of_other_type", "laid_out")

    def __init__(
        self,
        error: int,
        group_id: str,
        state: str = "",
        protocol_type: str = "",
        protocol_name: str = "",
        members: tuple[DescribedMember, ...] = (),
    ) -> None:
        self.error = error
        self.group_id = group_id
        self.state = state
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.members = members
        """An unknown group is error GROUP_ID_NOT_FOUND and state `Dead`; the handler turns that into NONE below v6."""
        self.is_of_other_type = False
        """The group that was not found is no classic one: readers are told so (spec 3.13)."""
        self.laid_out: object = None
        """The encoded form, kept here by the code that encodes it. The core does not look at it."""


@mypyc_attr(acyclic=True)
@mypyc_attr(acyclic=True)
class ListedGroup(Value):
    __match_args__ = ("group_id", "protocol_type", "state", "group_type")
    __slots__ = __match_args__

    def __init__(self, group_id: str, protocol_type: str, state: str, group_type: str) -> None:
        self.group_id = group_id
        self.protocol_type = protocol_type
        self.state = state
        self.group_type = group_type


class ListReply(Value):
    __match_args__ = ("error", "groups")
    __slots__ = __match_args__

    def __init__(self, error: int, groups: tuple[ListedGroup, ...] = ()) -> None:
        self.error = error
        self.groups = groups


class DeleteReply(Value):
    __match_args__ = ("error",)
    __slots__ = __match_args__

    def __init__(self, error: int) -> None:
        self.error = error


@mypyc_attr(acyclic=True)
class CommitReply(Value):
    __match_args__ = ("errors",)
    __slots__ = __match_args__

    def __init__(
        self,
        errors: list[int],
    ) -> None:
        self.errors = errors
        """One code per entry of the request, in its order."""


FetchedOffset: TypeAlias = tuple[int, int, int, str, int]
"""(partition, offset or -1, leader epoch or -1, metadata, error)."""


@mypyc_attr(acyclic=True)
class FetchedTopic(Value):
    """What was asked about a topic, and where the answers lie. The handler lays them out at once, from the packed form."""

    __match_args__ = ("topic", "held", "asked", "unstable")
    __slots__ = __match_args__

    def __init__(
        self, topic: str, held: PartitionOffsets, asked: I32Array | None, unstable: frozenset[int] | None = None
    ) -> None:
        self.topic = topic
        self.held = held
        """What can be seen of it; nothing if it is not there."""
        self.asked = asked
        """None: whatever is there."""
        self.unstable = unstable
        """Partitions that are answered UNSTABLE_OFFSET_COMMIT whatever is there, if there are any; else None."""

    def partitions(self) -> I32Array:
        return i32_array(self.held.partitions()) if self.asked is None else self.asked

    def listed(self) -> list[FetchedOffset]:
        found: list[FetchedOffset] = []
        for partition in self.partitions().listed():
            stored = self.held.get(partition)
            if self.unstable is not None and partition in self.unstable:
                found.append((partition, -1, -1, "", UNSTABLE_OFFSET_COMMIT))
            elif stored is None:
                found.append((partition, -1, -1, "", NONE))
            else:
                found.append((partition, stored.offset, stored.leader_epoch, stored.metadata, NONE))
        return found


@mypyc_attr(acyclic=True)
class FetchReply(Value):
    __match_args__ = ("error", "topics")
    __slots__ = __match_args__

    def __init__(self, error: int, topics: list[FetchedTopic]) -> None:
        self.error = error
        """Not NONE: stands for all that was asked."""
        self.topics = topics

    def listed(self) -> list[tuple[str, list[FetchedOffset]]]:
        """In full, for those who read it rather than send it."""
        return [(found.topic, found.listed()) for found in self.topics]


class MarkerReply(Value):
    """The answer to the transaction coordinator, which had an end marker written."""

    __match_args__ = ("error",)
    __slots__ = __match_args__

    def __init__(self, error: int) -> None:
        self.error = error


class OffsetDeleteReply(Value):
    __match_args__ = ("error", "errors")
    __slots__ = __match_args__

    def __init__(self, error: int, errors: tuple[int, ...] = ()) -> None:
        self.error = error
        """Not NONE: replaces every per-partition result (spec 3.16)."""
        self.errors = errors
        """One code per entry of the request, in its order."""


Reply: TypeAlias = (
    JoinReply
    | SyncReply
    | HeartbeatReply
    | LeaveReply
    | DescribeReply
    | ListReply
    | DeleteReply
    | CommitReply
    | FetchReply
    | OffsetDeleteReply
    | MarkerReply
    | ConsumerHeartbeatReply
    | ConsumerDescribeReply
)
