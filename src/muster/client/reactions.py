"""What a member does about each refusal, whichever of its calls it came to: one table.

As Kafka's Java client does it (spec 3.4 to 3.11 say when the coordinator answers so). Everything that is not in the table
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


REACTIONS: Final = {
    errors.COORDINATOR_LOAD_IN_PROGRESS: Reaction.WAIT,
    errors.COORDINATOR_NOT_AVAILABLE: Reaction.FIND,
    errors.NOT_COORDINATOR: Reaction.FIND,
    errors.NETWORK_EXCEPTION: Reaction.FIND,
    errors.REQUEST_TIMED_OUT: Reaction.FIND,
    errors.REBALANCE_IN_PROGRESS: Reaction.REJOIN,
    errors.ILLEGAL_GENERATION: Reaction.NEW_GENERATION,
    errors.UNKNOWN_MEMBER_ID: Reaction.NEW_MEMBER,
}


def reaction_to(code: int) -> Reaction:
    return REACTIONS.get(code, Reaction.END)
