"""Records of the group journal become rows; what is no event goes to quarantine."""

from __future__ import annotations

import json

from muster.core.journal import JournalEvent
from muster.pipeline.sources.journal import journal_rows
from tests.pipeline.decode.bronze import NOW_MS, bronze_of


def test_event_keeps_all_it_says() -> None:
    event = JournalEvent(
        "rebalance_ended", NOW_MS, "g", 7, "assignment_stored", "m1", "i1", "c1", "/h", "bye", {"result": "Stable"}
    )
    value = json.dumps(event.to_json()).encode()
    events, refused = journal_rows(bronze_of([(b"g", value)], log_topic="__group_journal"))
    (row,) = events.to_pylist()
    assert (row["kind"], row["at_ms"], row["group_id"], row["generation"]) == ("rebalance_ended", NOW_MS, "g", 7)
    assert (row["cause"], row["member_id"], row["instance_id"]) == ("assignment_stored", "m1", "i1")
    assert (row["client_id"], row["client_host"], row["reason"]) == ("c1", "/h", "bye")
    assert (json.loads(row["payload"])["result"], row["dt"]) == ("Stable", "2023-11-14")
    assert refused.num_rows == 0


def test_what_is_no_event_goes_to_quarantine_with_the_reason() -> None:
    records = [
        (b"g", None),
        (b"g", b"\xff"),
        (b"g", b"[1]"),
        (b"g", b'{"group": "g", "at_ms": 1}'),
        (b"g", b'{"group": "g", "kind": "k", "at_ms": "soon"}'),
        (b"g", b'{"group": "g", "kind": "new_kind", "at_ms": 5, "later": true}'),
    ]
    events, refused = journal_rows(bronze_of(records, log_topic="__group_journal"))
    assert [row["kind"] for row in events.to_pylist()] == ["new_kind"]
    reasons = [row["reason"] for row in refused.to_pylist()]
    assert [reason.split(":")[0] for reason in reasons] == [
        "a journal record without a value",
        "not JSON",
        "a journal event is a JSON object, this is not",
        "a journal event needs a kind and a group",
        "a journal event needs its time in at_ms, this one has 'soon'",
    ]
    assert [row["log_offset"] for row in refused.to_pylist()] == [0, 1, 2, 3, 4]
