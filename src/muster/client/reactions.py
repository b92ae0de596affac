"""What a member does about each refusal, whichever of its calls it came to: one table for each group protocol.

As Kafka's Java client does it (spec 3.4 to 3.11 and 7.11 say when the coordinator answers so). Everything that is not in the table
ends the membership: wrong settings, missing rights, a full group, somebody else with our instance id.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from muster.wire import errors


class Reaction(Enum):
    WAIT = "the coordinator is there but not ready: ask it again"
    FIND = "the coordinator is elsewhere, or away: look for it and ask again"
    REJOIN = "the group rebalances: join it, with the place that we have"
    NEW_GENERATION = "the group went on without us: what we held is lost; join with the same id"
    NEW_MEMBER = "the group does not know us: what we held is lost; join as a newcomer"
    END = "it will not be otherwise next time"


_COORDINATOR_TROUBLES: Final = {
    errors.COORDINATOR_LOAD_IN_PROGRESS: Reaction.WAIT,
    errors.COORDINATOR_NOT_AVAILABLE: Reaction.FIND,
    errors.NOT_COORDINATOR: Reaction.FIND,
    errors.NETWORK_EXCEPTION: Reaction.FIND,
    errors.REQUEST_TIMED_OUT: Reaction.FIND,
}
REACTIONS: Final = {
    **_COORDINATOR_TROUBLES,
    errors.REBALANCE_IN_PROGRESS: Reaction.REJOIN,
    errors.ILLEGAL_GENERATION: Reaction.NEW_GENERATION,
    errors.UNKNOWN_MEMBER_ID: Reaction.NEW_MEMBER,
}
CONSUMER_REACTIONS: Final = {
    **_COORDINATOR_TROUBLES,
    errors.FENCED_MEMBER_EPOCH: Reaction.NEW_MEMBER,
    errors.UNKNOWN_MEMBER_ID: Reaction.NEW_MEMBER,
}
"""Of the consumer protocol (KIP-848), where a rebalance is no refusal."""


def reaction_to(code: int) -> Reaction:
    return REACTIONS.get(code, Reaction.END)


def consumer_reaction_to(code: int) -> Reaction:
    return CONSUMER_REACTIONS.get(code, Reaction.END)
