"""OffsetFetch for classic and unknown groups: what is committed, in the request's own order (spec 4.4).

Any group, any state, no membership needed; a group that does not exist has simply committed nothing. The handler takes out
topics that the client may not see. A `require_stable` fetch reads the same facts: the runtime runs it behind the writes that
are under way, so there is nothing unstable left to report (spec 4.4, [S]).
"""

from __future__ import annotations

from muster.core.classic.states import DEAD
from muster.core.contract import Outcome, Ticket
from muster.core.offsets.partition_offsets import PartitionOffsets
from muster.core.offsets.store import Topics
from muster.core.offsets.view import ShardView
from muster.core.replies import FetchedTopic, FetchReply
from muster.core.requests import OffsetFetch
from muster.wire import errors

_NOTHING: Topics = {}
_NO_OFFSETS = PartitionOffsets()


def fetch_offsets(shard: ShardView, request: OffsetFetch, ticket: Ticket, now_ms: int) -> Outcome:
    group = shard.groups.get(request.group_id)
    # Offsets may outlive their group in the log; without the group they are not shown (spec 5.7).
    committed = shard.offsets.of_group(request.group_id) if group is not None and group.state is not DEAD else _NOTHING
    topics = _all(committed) if request.topics is None else _asked(committed, request.topics)
    return Outcome(replies=[(ticket, FetchReply(errors.NONE, topics))])


def _all(committed: Topics) -> list[FetchedTopic]:
    return [FetchedTopic(topic, held, None) for topic, held in committed.items()]


def _asked(committed: Topics, asked: list[tuple[str, list[int]]]) -> list[FetchedTopic]:
    """Mirrors the request: order, repeats and topics without partitions (T177a)."""
    return [FetchedTopic(topic, committed.get(topic, _NO_OFFSETS), partitions) for topic, partitions in asked]
