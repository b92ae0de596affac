"""What every log does the same way about compaction: say whether it is worth it, begin a round, remember how far it got.

`memory` and `files` build their logs on it; the round itself is `compaction_round`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mypy_extensions import mypyc_attr

from muster.log.compaction_round import CompactionRound, Source, Target
from muster.log.compaction_rules import Cleanable, cleanable, due_ratio
from muster.log.compaction_scan import MAX_KEYS
from muster.log.contract import LogConfig
from muster.log.staging import StagedLog


@mypyc_attr(allow_interpreted_subclasses=True)
class CompactableLog(StagedLog):
    """The part of a `PartitionLog` that knows how far it is compacted."""

    def __init__(self, topic: str, partition: int, config: LogConfig, announce: Callable[[StagedLog], None]) -> None:
        super().__init__(topic, partition, config, announce)
        self.clean_offset = 0
        """Everything before it was compacted."""
        self._compacting = False
        self.max_keys_a_round = MAX_KEYS
        self._seen_offset = -1
        """How far the last round looked. If an open transaction held it back there, another would learn nothing new."""

    def dirty_ratio(self, now_ms: int) -> float | None:
        if not self.config.cleanup_compact or self._compacting:
            return None
        part = self._cleanable(now_ms)
        return due_ratio(self.config, part) if part.end > self._seen_offset else None

    def begin_compaction(self, now_ms: int) -> CompactionRound:
        assert not self._compacting, f"{self!r} is being compacted"
        self._compacting = True
        part = self._cleanable(now_ms)
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

    def _cleanable(self, now_ms: int) -> Cleanable:
        closed, active_base = self._closed_and_active_base()
        return cleanable(self.config, closed, active_base, self.clean_offset, now_ms)
