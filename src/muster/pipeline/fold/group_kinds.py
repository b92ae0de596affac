"""Kinds of state rows about groups: what the fold remembers of generations, epochs, the journal, open rebalances, members and days.

Columns that begin with `j_` are the journal's words about a rebalance (`tables.journal_rebalances`).
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from muster.pipeline.log_schema import MEMBER
from muster.pipeline.tables.group_changes import LOG_CHANGES

_text, _flag = pa.string(), pa.bool_()
_int, _long = pa.int32(), pa.int64()
_texts = pa.list_(_text)

SEAT: Final = pa.struct([*MEMBER, pa.field("identity", _text)])
"""A member in a generation, and who it is across restarts."""

OWNED: Final = pa.list_(pa.struct([("topic", _text), ("partition", _int), ("owner", _text)]))

LAST_GENERATION: Final = pa.struct(  # the last group record (type 2) of each group
    [
        ("group_id", _text),
        ("log_offset", _long),
        ("record_ms", _long),
        ("run", _int),
        ("group_life", _int),
        ("kind", _text),  # deleted: a tombstone, which has no generation and no members
        ("generation", _int),
        ("protocol_type", _text),
        ("state_ms", _long),
        ("n_members", _int),
        ("members", pa.list_(SEAT)),
    ]
)

LAST_EPOCH: Final = pa.struct(  # the last record of type 3 of each KIP-848 group, and what is counted over all of them
    [
        ("group_id", _text),
        ("log_offset", _long),
        ("record_ms", _long),
        ("epoch", _int),
        ("is_tombstone", _flag),
        ("epoch_life", _int),  # how often the group was removed
        ("left", _long),  # members after the last bump; null: none was read
        ("overtaken", _int),  # bumps in front of the first one in `bump` that nobody reached
    ]
)

JOURNAL: Final = pa.struct(  # where the journal of each group stands
    [
        ("group_id", _text),
        # its last move from state to state
        ("at_ms", _long),
        ("log_offset", _long),
        ("kind", _text),
        ("payload", _text),
        # the rebalance that has begun and not ended; has_start is null where there is none
        ("has_start", _flag),
        ("start_ms", _long),
        ("cause", _text),
        ("trigger", _text),
        ("reason", _text),
        ("cut_short", _long),
    ]
)

REBALANCE: Final = (
    pa.struct(  # a rebalance that is open, as the log tells it: pauses and the journal's words may still come
        [*(field for field in LOG_CHANGES if field.name != "cluster"), pa.field("owned", OWNED)]
    )
)

TELLING: Final = pa.struct(  # a rebalance that is open, as the journal tells it
    [
        ("group_id", _text),
        ("j_generation", _int),
        ("j_started_ms", _long),
        ("j_ended_ms", _long),
        ("j_cause", _text),
        ("j_trigger", _text),
        ("j_reason", _text),
        ("j_result", _text),
        ("j_join_ms", _long),
        ("j_sync_ms", _long),
        ("j_waited_for", _text),
        ("j_waited_ms", _long),
        ("j_members", _int),
        ("j_protocol", _text),
        ("j_cut_short", _long),
        ("j_log_offset", _long),
    ]
)

BUMP: Final = pa.struct(  # an epoch of a KIP-848 group whose rebalance is open
    [
        ("group_id", _text),
        ("log_offset", _long),
        ("group_life", _int),
        ("generation", _int),
        ("started_ms", _long),
        ("joined", _texts),
        ("gone", _texts),
        ("trigger_member", _text),
        ("emptied", _flag),  # nobody is left: nobody has to arrive
        ("from_empty", _flag),  # nobody was there before
        ("arrived", _texts),
        ("arrived_ms", _long),
        ("arrived_offset", _long),
        ("aborted_generations", _int),  # null until nobody can arrive any more
    ]
)

EPOCH_EVENT: Final = pa.struct(  # members of KIP-848 groups that came, changed or went since the last bump
    [
        ("group_id", _text),
        ("log_offset", _long),
        ("member_id", _text),
        ("identity", _text),
        ("what", _text),  # joined, changed, gone
        ("known", _flag),
    ]
)

PAUSE: Final = pa.struct(  # a pair of commits around an open rebalance
    [
        ("group_id", _text),
        ("end_offset", _long),  # the record of the rebalance
        ("topic", _text),
        ("partition", _int),
        ("commit_ms", _long),
        ("next_commit_ms", _long),
        ("pause_ms", _long),
    ]
)

LAST_EPISODE: Final = pa.struct(  # the closed rebalances of the last episode of each group (`tables.episodes`)
    [
        ("group_id", _text),
        ("episode", _int),
        ("causes", _texts),
        ("started_ms", _long),
        ("ended_ms", _long),
        ("n_rebalances", _int),
        ("pause_max_ms", _long),
        ("protocol", _text),
        ("changes", _long),
        ("first_changes", _long),
        ("at_first", _int),
        ("came", _texts),
        ("went", _texts),
    ]
)

SEEN_MEMBER: Final = pa.struct(  # a row of `g_member` that may still change
    [
        ("group_id", _text),
        ("protocol", _text),  # classic, consumer
        ("identity", _text),  # null: no metadata of a KIP-848 member was read yet
        ("member_id", _text),
        ("client_id", _text),
        ("client_host", _text),
        ("is_static", _flag),
        ("first_ms", _long),
        ("last_ms", _long),
        ("last_offset", _long),  # classic: of the last group record that has it. KIP-848: of its last metadata
        ("group_life", _int),
        ("generation", _int),  # the last one that it was in; of KIP-848 its epoch
        ("n_generations", _int),
        ("n_restarts", _int),
        ("n_partitions", _int),  # that it had last
        ("is_alive", _flag),  # KIP-848: its metadata was not removed
        ("topics", _texts),  # KIP-848: what it subscribes to
        ("missing_ms", _long),  # since when it is not in the group any more
    ]
)

DEPARTURE: Final = pa.struct(  # the last closed rebalance that missed a member
    [("group_id", _text), ("identity", _text), ("gone_ms", _long), ("cause", _text)]
)

FAREWELL: Final = pa.struct(  # what the journal said last about a member that left or was expelled
    [("group_id", _text), ("member_id", _text), ("left_ms", _long), ("cause", _text)]
)

DAY: Final = pa.struct(  # counts of a day whose row of `g_member_churn` may still change, without open rebalances
    [
        ("group_id", _text),
        ("dt", _text),
        ("joins", _int),
        ("gone", _int),
        ("rebalances", _int),
        ("restarts", _int),
        ("told_left", _int),
        ("told_expelled", _int),
        ("told_joined", _int),
    ]
)

# No name may be that of a column of a table: rows of the state and of all tables are written as one.
GROUP_KINDS: Final[dict[str, pa.StructType]] = {
    "last_generation": LAST_GENERATION,
    "last_epoch": LAST_EPOCH,
    "journal": JOURNAL,
    "rebalance": REBALANCE,
    "telling": TELLING,
    "bump": BUMP,
    "epoch_event": EPOCH_EVENT,
    "pause": PAUSE,
    "last_episode": LAST_EPISODE,
    "member": SEEN_MEMBER,
    "departure": DEPARTURE,
    "farewell": FAREWELL,
    "day": DAY,
}
