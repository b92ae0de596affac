"""Rounds: the table that says which version of every table belongs together. A round becomes visible by its row here, only by it.

Readers open the last row, then each table at the version it names. The table holds the last `KEPT` rounds in one small file that is
replaced by every round, written without Spark: it is the lake's own bookkeeping, no data. The first row makes the lake.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from muster import __version__
from muster.pipeline.lake.commit import Change, Signature, commit_opened
from muster.pipeline.lake.delta import open_table, table_files
from muster.pipeline.lake.errors import LakeError, OtherVersionError, store_errors
from muster.pipeline.lake.files import REACHABLE, entries
from muster.pipeline.lake.location import CHECKPOINT, OLD_MANIFEST, Location, table_in
from muster.pipeline.lake.opening import open_parquet, write_parquet
from muster.pipeline.lake.tables import ROUNDS

if TYPE_CHECKING:
    from deltalake import DeltaTable

LAKE_VERSION: Final = 5
"""Of the lake's layout. 1 was the layout with `manifest.json`; in 2 every kind of state had a struct column of its own; in 3 every
stretch of `minute` a row; in 4 a round wrote every position of the state anew."""
KEPT: Final = 20
"""How many rounds are remembered; files of those of the last hour survive VACUUM."""

_text, _int, _long = pa.string(), pa.int32(), pa.int64()
SCHEMA: Final = pa.schema(
    [
        ("schema_version", _int),
        ("lake_id", _text),
        ("muster_version", _text),
        ("round", _long),
        ("batch_id", _long),
        ("batches", pa.map_(_text, _long)),
        ("at_ms", _long),
        ("records", _long),
        ("gold_round", _long),
        ("gold_at_ms", _long),
        ("sampled_ms", _long),
        ("newest_ms", _long),
        ("provisional", pa.bool_()),
        ("versions", pa.map_(_text, _long)),
        ("queries", pa.map_(_text, _text)),
        ("readers", pa.map_(_text, _text)),
        ("ends", pa.map_(_text, _text)),
        ("journals", pa.map_(_text, pa.list_(_int))),
    ]
)


_MAPS: Final = frozenset(column.name for column in SCHEMA if pa.types.is_map(column.type))


@dataclass(frozen=True, slots=True)
class Round:
    """One row: what the lake holds after a round."""

    lake_id: str
    round: int = 0  # counts up by one; 0 is the empty lake
    batch_id: int = -1  # the micro-batch that was folded last; a round without new records repeats it
    batches: Mapping[str, int] = field(default_factory=dict)  # cluster -> the last micro-batch of its log
    at_ms: int = 0  # when it was published
    records: int = 0  # log records that were read in all rounds
    gold_round: int | None = None  # the round that made the tables of now; None: they were never made
    gold_at_ms: int | None = None  # the moment that they speak of
    sampled_ms: int | None = None  # when the ends of the topics were asked last
    newest_ms: int | None = None  # the largest time of a log record that was read
    provisional: bool = False  # the log had not yet been read to an end that it had had a while before
    versions: Mapping[str, int] = field(default_factory=dict)  # table -> version of its Delta table
    queries: Mapping[str, str] = field(default_factory=dict)  # cluster -> the id of the query that reads its log
    readers: Mapping[str, str] = field(default_factory=dict)  # cluster -> its `--reader`
    ends: Mapping[str, str] = field(default_factory=dict)  # cluster -> counts of its topics' ends
    journals: Mapping[str, list[int]] = field(default_factory=dict)  # cluster -> the partitions of its journal
    schema_version: int = LAKE_VERSION
    muster_version: str = __version__

    def following(self, versions: Mapping[str, int], **changed: Any) -> Round:
        """The next round: these tables have new versions, the others keep theirs. `gold_at_ms` given: gold was made in it."""
        if "gold_at_ms" in changed:
            changed.setdefault("gold_round", self.round + 1)
        changed.setdefault("at_ms", time.time_ns() // 1_000_000)
        return replace(
            self,
            round=self.round + 1,
            versions={**self.versions, **versions},
            muster_version=__version__,
            **changed,
        )


def open_or_create(location: Location) -> Round:
    """The last round of a lake. Where there is none, an empty directory becomes a lake; what is something else is refused."""
    known = last_round(location)
    if known is not None:
        return known
    _refuse_foreign(location)
    first = Round(lake_id=str(uuid.uuid4()), at_ms=time.time_ns() // 1_000_000)
    if location.local is not None:
        location.local.mkdir(parents=True, exist_ok=True)
    publish_round(location, first)
    return first


def last_round(location: Location) -> Round | None:
    """The newest round; None if there is no lake. A lake of another version or of the old layout is refused."""
    rounds = known_rounds(location)
    return rounds[-1] if rounds else None


def known_rounds(location: Location) -> list[Round]:
    """The last rounds, oldest first."""
    return _opened_rounds(location)[1]


def _opened_rounds(location: Location) -> tuple[DeltaTable | None, list[Round]]:
    with store_errors(f"{location} cannot be read", REACHABLE):
        delta = open_table(location, ROUNDS)
        if delta is None:
            if location.local is not None and (location.local / OLD_MANIFEST).exists():
                raise old_layout(location)
            return None, []
        rows: list[dict[str, Any]] = []
        for file in table_files(delta):
            with open_parquet(location, ROUNDS, file) as source:
                rows += pq.ParquetFile(source).read().to_pylist()
    _check_version(location, rows)
    return delta, sorted((_from_row(row) for row in rows), key=lambda each: each.round)


def publish_round(location: Location, this: Round) -> None:
    """Make a round visible. LakeError: it does not follow the last one, because somebody else published meanwhile."""
    delta, before = _opened_rounds(location)
    if before and before[-1].round >= this.round:
        raise LakeError(
            f"{location}: another writer published round {before[-1].round} meanwhile; nothing is lost, start this one again"
        )
    rows = pa.Table.from_pylist([_to_row(row) for row in [*before, this][-KEPT:]], schema=SCHEMA)
    said = Signature(None, {"round": str(this.round), "batch": str(this.batch_id)})
    with store_errors(f"{location}: round {this.round} cannot be published", "the next run repeats the round"):
        file = write_parquet(location, ROUNDS, f"round-{this.round:08d}-{uuid.uuid4().hex[:8]}.parquet", rows)
        commit_opened(location, ROUNDS, delta, said, Change((file,), remove_all=True))


def old_layout(location: Location) -> LakeError:
    return LakeError(
        f"{location} is a lake of the layout before Delta ({OLD_MANIFEST}): see"
        f" `muster pipeline migrate --lake {location} --to NEW`"
    )


def _check_version(location: Location, rows: list[dict[str, Any]]) -> None:
    other = [row for row in rows if row.get("schema_version") != LAKE_VERSION]
    if other:
        last = max(other, key=lambda row: row.get("round") or 0)
        version = last.get("schema_version") or 0
        raise OtherVersionError(
            f"{location}: this lake has schema version {version}, this muster reads and writes {LAKE_VERSION}; use a"
            f" muster that knows the lake's version, or see `muster pipeline migrate --lake {location} --to NEW`",
            version=version,
            muster_version=last.get("muster_version") or "",
            clusters=tuple(sorted(dict(last.get("batches") or ()))),
            records=last.get("records") or 0,
        )


def _refuse_foreign(location: Location) -> None:
    """A new lake goes into an empty directory; what a dead first round left does not count."""
    if location.local is not None:
        if location.local.exists() and not location.local.is_dir():
            raise LakeError(f"{location} is a file; a lake is a directory")
        if not location.local.exists():
            return
    names = sorted(name for name, _ in entries(location))
    if OLD_MANIFEST in names:
        raise old_layout(location)
    strangers = [name for name in names if name not in (".lock", CHECKPOINT) and table_in(name) is None]
    if strangers:
        raise LakeError(f"{location} is not empty and holds no lake ({strangers[0]} is there): choose a new place")


def _to_row(this: Round) -> dict[str, Any]:
    return {name: sorted(value.items()) if name in _MAPS else value for name, value in asdict(this).items()}


def _from_row(row: Mapping[str, Any]) -> Round:
    """Columns that came later are missing, or null, in rows that were written before."""
    values: dict[str, Any] = {name: dict(value or ()) if name in _MAPS else value for name, value in row.items()}
    return Round(**values)
