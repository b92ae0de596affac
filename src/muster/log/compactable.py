"""What every log does the same way about compaction: say whether it is worth it, begin a round, remember how far it got.

Also keeps the aborted transactions of a log that has no files for them.
`memory` and `files` build their logs on it; the round itself is `compaction_round`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mypy_extensions import mypyc_attr

from muster.log.compaction_round import CompactionRound, Source, Target
from muster.log.compaction_rules import Cleanable, cleanable, due_ratio
from muster.log.compaction_scan import MAX_KEYS
from muster.log.contract import LogConfig
from muster.log.staging import StagedLog
from muster.log.transaction_index import AbortedTransaction, collect, without_lost_markers


@mypyc_attr(allow_interpreted_subclasses=True)
class CompactableLog(StagedLog):
    """The part of a `PartitionLog` that knows how far it is compacted."""

    def __init__(self, topic: str, partition: int, config: LogConfig, announce: Callable[[StagedLog], None]) -> None:
        super().__init__(topic, partition, config, announce)
        self.clean_offset = 0
        """Everything before it was compacted."""
        self._compacting = False
        self._aborted: list[AbortedTransaction] = []
        """By their markers, ascending. `files` has them in its segments instead."""
        self.max_keys_a_round = MAX_KEYS
        self._seen_offset = -1
        """How far the last round looked. If an open transaction held it back there, another would learn nothing new."""

    def aborted_transactions(self, from_offset: int, to_offset: int) -> list[AbortedTransaction]:
        found: list[AbortedTransaction] = []
        collect(self._aborted, from_offset, to_offset, found)
        return found

    def settle_aborted(self) -> None:
        """Take over those whose markers are durable now, and forget those before the start of the log."""
        while self._aborted and self._aborted[0].last_offset < self.start_offset:
            del self._aborted[0]
        while self._new_aborted and self._new_aborted[0].last_offset < self.durable_offset:
            self._aborted.append(self._new_aborted.pop(0))

    def drop_aborted(self, from_offset: int, to_offset: int, kept_markers: Iterable[int]) -> None:
        """A compaction has left these markers of a range."""
        before = [each for each in self._aborted if each.last_offset < from_offset]
        inside = [each for each in self._aborted if from_offset <= each.last_offset < to_offset]
        behind = [each for each in self._aborted if each.last_offset >= to_offset]
        self._aborted = before + without_lost_markers(inside, kept_markers) + behind

    def dirty_ratio(self, now_ms: int, stable_offset: int | None = None) -> float | None:
        if not self.config.cleanup_compact or self._compacting:
            return None
        part = self._cleanable(now_ms, stable_offset)
        return due_ratio(self.config, part) if part.end > self._seen_offset else None

    def begin_compaction(self, now_ms: int, stable_offset: int | None = None) -> CompactionRound:
        assert not self._compacting, f"{self!r} is being compacted"
        self._compacting = True
        part = self._cleanable(now_ms, stable_offset)
        closed, _ = self._closed_and_active_base()
        return CompactionRound(self, closed, part, self.config, now_ms, self.max_keys_a_round)

    def compaction_over(self, clean_offset: int | None, seen_offset: int = -1) -> None:
        self._compacting = False
        self._seen_offset = seen_offset
        if clean_offset is not None:
            self.clean_offset = clean_offset

    def compaction_target(self, group: Sequence[Source]) -> Target:
        raise NotImplementedError

    def keep_clean_offset(self, clean_offset: int) -> None:
        """Called when everything before `clean_offset` has been swapped in, durably."""

    def _closed_and_active_base(self) -> tuple[Sequence[Source], int]:
        raise NotImplementedError

    def _cleanable(self, now_ms: int, stable_offset: int | None = None) -> Cleanable:
        closed, active_base = self._closed_and_active_base()
        return cleanable(self.config, closed, active_base, self.clean_offset, now_ms, stable_offset)
