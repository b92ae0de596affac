"""How far a cluster's log has been read into a lake, and by which query: what a round must know before it says anything of now.

The lake names the query and the reader that fill it: another checkpoint, or the same one with another reader, would lose records or
count them twice. Tables of now that are made while the query is far behind the log are provisional (trap 28); whether it is, the
offsets in Spark's checkpoint say, against where the logs ended when they were last looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from muster.pipeline.lake.checkpoint import offsets_after, query_id
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.rounds import Round, last_round
from muster.pipeline.sources.positions import Positions, backlog, begun, behind, positions_in
from muster.pipeline.sources.run_source import CONNECTOR, RunSource

_ANEW: Final = "or read into a new lake"


@dataclass(frozen=True, slots=True)
class SeenEnds:
    """Where the logs ended at a moment."""

    at_ms: int
    ends: Positions


def waiting(location: Location, source: RunSource) -> Positions:
    """About how many records of each log the lake has not read: offsets, also of records that are no longer there."""
    last = last_round(location)
    batch_id = -1 if last is None else last.batches.get(source.cluster, -1)
    return backlog(begun(_reached(location, source, batch_id), source.begins()), source.ends())


def _reached(location: Location, source: RunSource, batch_id: int) -> Positions:
    return positions_in(offsets_after(location, source.cluster, batch_id) or {})


class LogReading:
    """The reading of one source's log into one lake. Picklable, with what it has seen."""

    def __init__(self, location: Location, source: RunSource, clock: Callable[[], int]) -> None:
        self._location = location
        self._source = source
        self._clock = clock
        self._seen: SeenEnds | None = None

    def check(self, last: Round) -> None:
        """Refuse to read on with another reader than the lake's, or without its checkpoint: before Spark writes a new one."""
        cluster = self._source.cluster
        reader = last.readers.get(cluster)
        if reader is not None and reader != self._source.reader:
            named = f"{'--bootstrap and ' if reader == CONNECTOR else ''}--reader {reader}"
            raise LakeError(
                f"{self._location}: this lake is read with --reader {reader}, and its checkpoint fits no other:"
                f" give {named}, {_ANEW}"
            )
        self._checked(last, query_id(self._location, cluster))

    def begin(self, last: Round) -> None:
        """Before a query starts: what `check` does, and where the logs end now. Until they are read so far, all is provisional."""
        self.check(last)
        self._seen = self._look()

    def query(self, last: Round) -> str:
        """The id of the query that runs now."""
        found = self._checked(last, query_id(self._location, self._source.cluster))
        if found is None:
            raise LakeError(f"{self._checkpoint} is gone, while a query uses it: start the run again")
        return found

    def until_ms(self, batch_id: int) -> int | None:
        """What was written to the logs by that moment has been read when this micro-batch has. None: it is further behind.

        Measured at the ends that the logs have now, and at those of the last time that this was asked or a query began: on a busy
        cluster there always are records that came since the micro-batch was planned.
        """
        before, self._seen = self._seen, self._look()
        reached = _reached(self._location, self._source, batch_id)
        seen = (self._seen, before)
        return next((each.at_ms for each in seen if each is not None and not behind(reached, each.ends)), None)

    def _look(self) -> SeenEnds:
        return SeenEnds(self._clock(), self._source.ends())

    def _checked(self, last: Round, found: str | None) -> str | None:
        """The id of the query whose checkpoint is there, which has to be the lake's. A lake of an older muster names none."""
        cluster = self._source.cluster
        if found is None and last.batches.get(cluster, -1) >= 0:
            raise LakeError(f"{self._checkpoint} is gone, which says what of the log was read: bring it back, {_ANEW}")
        known = last.queries.get(cluster)
        if found is not None and known is not None and found != known:
            raise LakeError(
                f"{self._checkpoint} is not the one that this lake was filled with: bring that one back, {_ANEW}"
            )
        return found

    @property
    def _checkpoint(self) -> str:
        return f"{self._location}: the checkpoint {self._location.checkpoint(self._source.cluster)}"
