"""The assignors that the coordinator itself runs for consumer groups (KIP-848): `uniform` and `range`.

They give what those of Kafka 4.3.1 give for the same members and topics, down to the order in which Java's hash maps list them
(`muster.core.hashing`). Racks play no part, in Kafka neither. Knows nothing of groups, epochs and records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from muster.core.assignors.member_spec import MemberSpec, Targets
from muster.core.assignors.server_range import assign_ranges
from muster.core.assignors.server_uniform import assign_uniformly

Assignor: TypeAlias = Callable[[Sequence[MemberSpec], Mapping[bytes, int]], Targets]
"""Given the members, in the order in which they joined, and topic id -> number of partitions. Every topic id that a member names
is there. Gives a target for every member."""

SERVER_ASSIGNORS: Final[dict[str, Assignor]] = {"uniform": assign_uniformly, "range": assign_ranges}
