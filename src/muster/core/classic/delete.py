"""DeleteGroups: an Empty group goes with everything it has committed (spec 3.15). It is gone when its tombstones are durable."""

from __future__ import annotations

from muster.core.classic.group import Group
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.states import DEAD, EMPTY
from muster.core.contract import Ticket
from muster.core.journal import JournalEvent
from muster.core.offsets.delete import erase_group
from muster.core.offsets.view import ShardView
from muster.core.replies import DeleteReply
from muster.core.requests import DeleteGroup
from muster.core.steps import TellJournal
from muster.wire import errors


def delete_group(shard: ShardView, request: DeleteGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    group = shard.groups.get(request.group_id)
    error = _refusal(group)
    generation = 0 if group is None else group.generation
    consumer_group = shard.consumer_groups.get(request.group_id)
    if consumer_group is not None:
        error = errors.NON_EMPTY_GROUP if consumer_group.members else errors.NONE
        generation = consumer_group.epoch
    if error == errors.NONE:
        builder.records.extend(erase_group(shard, request.group_id))
        removed = JournalEvent("group_removed", builder.now_ms, request.group_id, generation, "deleted")
        builder.step = TellJournal([removed])
    builder.reply(ticket, DeleteReply(error))


def _refusal(group: Group | None) -> int:
    if group is None or group.state is DEAD:
        return errors.GROUP_ID_NOT_FOUND
    # Ids that were handed out and have not come back do not keep a group (T146).
    return errors.NONE if group.state is EMPTY else errors.NON_EMPTY_GROUP
