"""`g_rebalance_episode` from all rebalances at once."""

from __future__ import annotations

from muster.pipeline.tables.columns import Frame
from muster.pipeline.tables.episodes import episode_digests, finished_episodes
from muster.pipeline.tables.settings import GoldSettings


def rebalance_episodes(rebalances: Frame, settings: GoldSettings) -> Frame:
    return finished_episodes(episode_digests(rebalances), settings)
