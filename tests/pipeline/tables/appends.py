"""Partitions whose every append is known to the millisecond, and what a sampler and consumers see of them.

The truth that brackets of time lag are measured against: `time_lag(first_unread, moment)` from the appends themselves.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from random import Random

MINUTE_MS = 60_000


@dataclass
class Appends:
    """Offset i was appended at times[i]; times rise."""

    times: list[int] = field(default_factory=list)

    def end_at(self, moment_ms: int) -> int:
        return bisect_right(self.times, moment_ms)

    def time_lag(self, first_unread: int, moment_ms: int) -> int:
        return moment_ms - self.times[first_unread] if first_unread < self.end_at(moment_ms) else 0


@dataclass
class Sampled:
    leo: int
    moment_ms: int
    begin_ms: int
    end_ms: int


def bursty_appends(random: Random, start_ms: int, length_ms: int) -> Appends:
    """Bursts, trickles and silences."""
    appends, now = Appends(), start_ms
    while now < start_ms + length_ms:
        pace_ms = random.choice((0, 5, 200, 4_000))
        for _ in range(random.randint(1, 40)):
            now += random.randint(0, pace_ms)
            appends.times.append(now)
        now += random.choice((0, 0, 1_000, 90_000))
    return appends


def sampled(random: Random, appends: Appends, start_ms: int, length_ms: int) -> list[Sampled]:
    """About every 30 s; the answer was true at some moment between asking and getting it."""
    samples, now = [], start_ms + random.randint(0, 60_000)
    while now < start_ms + length_ms:
        begin, moment = now, now + random.randint(0, 300)
        end = moment + random.randint(0, 300)
        samples.append(Sampled(appends.end_at(moment), moment, begin, end))
        now = end + random.randint(20_000, 40_000)
    return samples


def commits(random: Random, appends: Appends, start_ms: int, length_ms: int) -> list[tuple[int, int]]:
    """(offset, time) of a consumer that falls behind and catches up; sometimes it goes back. Never beyond the end."""
    made, position, now = [], random.choice((0, 0, 5)), start_ms + random.randint(0, 30_000)
    while now < start_ms + length_ms:
        now += random.randint(500, 40_000)
        position = min(appends.end_at(now), position + random.choice((0, 5, 60, 10_000)))
        if random.random() < 0.05:
            position = position // 2
        made.append((position, now))
    return made
