"""The group journal's records (`__group_journal`, JSON) as rows of `b_journal_event`.

Knows the journal's schema (docs/journal.md): unknown fields and kinds are kept in the payload. A record that is not a JSON object
with a kind, a time and a group goes to quarantine.
"""

from __future__ import annotations

import json
from typing import Any, Final

import numpy as np
import pyarrow as pa

from muster.pipeline.schemas import TABLES
from muster.pipeline.sources.bronze_rows import LogPlace, Quarantined, dates_of, quarantine_rows

_EVENTS: Final = TABLES["b_journal_event"]
_TEXT_FIELDS: Final = {
    "kind": "kind",
    "group_id": "group",
    "cause": "cause",
    "member_id": "member",
    "instance_id": "instance",
    "client_id": "client",
    "client_host": "host",
    "reason": "reason",
}


def journal_rows(bronze: pa.RecordBatch) -> tuple[pa.RecordBatch, pa.RecordBatch]:
    """Events, and what is no event."""
    events: list[dict[str, Any]] = []
    refused: list[Quarantined] = []
    for record in bronze.to_pylist():
        if record["is_control"]:
            continue
        try:
            events.append(_event(record))
        except NoEvent as problem:
            refused.append(_refusal(record, str(problem)))
    rows = pa.RecordBatch.from_pylist(events, schema=_EVENTS)
    dates = dates_of(np.array([event["at_ms"] for event in events], dtype=np.int64))
    return rows.set_column(_EVENTS.get_field_index("dt"), "dt", dates), quarantine_rows(refused)


class NoEvent(Exception):
    """Says what the record lacks."""


def _event(record: dict[str, Any]) -> dict[str, Any]:
    return {**event_of(record["value"]), **{name: record[name] for name in ("cluster", "log_partition", "log_offset")}}


def event_of(value: bytes | None) -> dict[str, Any]:
    """What the value of a journal record says, by column. Raises NoEvent."""
    said = _object(value)
    event: dict[str, Any] = {column: _text(said.get(name)) for column, name in _TEXT_FIELDS.items()}
    if event["kind"] is None or event["group_id"] is None:
        raise NoEvent("a journal event needs a kind and a group")
    at_ms, generation = said.get("at_ms"), said.get("generation")
    if not isinstance(at_ms, int) or isinstance(at_ms, bool):
        raise NoEvent(f"a journal event needs its time in at_ms, this one has {at_ms!r}")
    event["at_ms"] = at_ms
    event["generation"] = generation if isinstance(generation, int) and -(2**31) <= generation < 2**31 else None
    assert value is not None
    event["payload"] = value.decode("utf-8", "replace")
    return event


def _object(value: bytes | None) -> dict[str, Any]:
    if value is None:
        raise NoEvent("a journal record without a value")
    try:
        said = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise NoEvent(f"not JSON: {error}") from None
    if not isinstance(said, dict):
        raise NoEvent("a journal event is a JSON object, this is not")
    return said


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _refusal(record: dict[str, Any], reason: str) -> Quarantined:
    place = LogPlace(record["cluster"], record["log_topic"], record["log_partition"], record["source"])
    where = f"{place.source} {place.topic}-{place.partition} offset {record['log_offset']}"
    return Quarantined(place, record["log_offset"], where, reason, record["key"], record["value"], record["record_ms"])
