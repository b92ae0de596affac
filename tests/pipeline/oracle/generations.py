"""`s_group_generation` from all group records at once."""

from __future__ import annotations

from muster.pipeline.tables.columns import Frame, conform
from muster.pipeline.tables.generations import compared_generations
from tests.pipeline.oracle.log_extent import with_runs


def finished_generations(decoded: Frame, extent: Frame) -> Frame:
    """A tombstone of the decoder has the kind `deleted` and no generation."""
    return conform(compared_generations(with_runs(decoded, extent)), "s_group_generation")
