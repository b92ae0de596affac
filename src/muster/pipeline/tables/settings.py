"""What the tables need to be told: the moment they speak of, the broker's retention, windows and thresholds. Plain values."""

from __future__ import annotations

from dataclasses import dataclass

from muster.core.time_units import DAY_MS, MINUTE_MS


@dataclass(frozen=True, slots=True)
class GoldSettings:
    now_ms: int
    """The moment that gold speaks of. Equal inputs and an equal moment give equal tables."""
    sampled_ms: int | None = None
    """Up to when ends that are read from files are known: nothing else was appended by then. None: up to each one's newest."""
    offsets_retention_ms: int = 7 * DAY_MS
    """`offsets.retention.minutes` of the broker."""
    offsets_retention_check_interval_ms: int = 10 * MINUTE_MS
    provisional: bool = False
    """The reader has not reached the end offsets that were there when it started (trap 28)."""
    rate_window_ms: int = 10 * MINUTE_MS
    """Over how much of the past rates and coverage are taken."""
    allowed_lag: int = 0
    """Lag that counts as none: transactional topics show 1 for ever where what lies last is not known (trap 9)."""
    clock_skew_ms: int = 0
    """How far the coordinator's clock and the sampler's may be apart; widens what compares the two (trap 19)."""
    history_ms: int = 7 * DAY_MS
    """How far back the lag per minute goes."""
    burrow_intervals: int = 10
    burrow_minimum_complete: float = 0.0
    burrow_expire_group_ms: int = 7 * DAY_MS
    stop_after_ms: int = 5 * MINUTE_MS
    """Silence with lag for so long, and for longer than three usual commit intervals, is a stop."""
    episode_gap_ms: int = MINUTE_MS
    """Rebalances of a group closer than this belong together."""
    storm_rebalances: int = 5
    """So many in one episode are a storm, unless they are a rolling restart."""
    abandoned_after_ms: int = DAY_MS
    """A group without members or commits for so long begins to look abandoned."""
    journal_match_ms: int = 5 * MINUTE_MS
    """A journal event and a log record of one generation are at most this far apart; more is another life of the group."""

    def __post_init__(self) -> None:
        for name in ("offsets_retention_ms", "rate_window_ms", "burrow_intervals", "episode_gap_ms", "history_ms"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)}")
