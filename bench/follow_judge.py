"""What a followed run has to have done, and in which words it is said that it did not.

Pure: what was seen goes in, failures come out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

from bench.follow_load import COMMITS_A_SECOND

EVERY_S, GOLD_EVERY_S = 10, 60
KILL, RESTART = "the executor is killed", "the server is restarted"
ACCIDENTS = {KILL: 0.15, RESTART: 0.25}
"""By share of the time: both in the first third, so that the others can be compared."""
MOST_GROWTH = 0.15
"""Memory in the last third of the time may be above that in the middle third by this share."""
MEMORY_FROM_MINUTES = 10
"""Before, Java is still warming up: its heap and its code grow whatever the pipeline does."""
_LEAST_RATE = 0.95


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen at one moment, in seconds since the first round."""

    at_s: float
    round: int
    driver_mb: float
    executor_mb: float
    executor: int | None
    """The process of the executor, if there is one."""


@dataclass(slots=True)
class Story:
    minutes: float
    looks: list[Look] = field(default_factory=list)
    accidents: dict[str, Look] = field(default_factory=dict)
    """What was seen just before each of those that happened."""
    late_s: float = 0.0
    """How long after the end of the time the last record of that time could be read in the lake."""
    behind: int = 0
    """Records that could not be read yet at the end of the time."""
    commits_a_second: float = 0.0
    exit_code: int | None = None


def failures(story: Story) -> Iterator[str]:
    if story.exit_code != 0:
        yield f"the run ended with exit code {story.exit_code}"
    for accident in ACCIDENTS:
        yield from _after(accident, story)
    if story.commits_a_second < COMMITS_A_SECOND * _LEAST_RATE:
        yield f"only {story.commits_a_second:,.0f} commits a second were made, {COMMITS_A_SECOND:,} were wanted"
    if not story.late_s < 2 * EVERY_S:
        yield f"{story.late_s:.1f} s behind at the end, {story.behind:,} records; two triggers are {2 * EVERY_S} s"
    if story.minutes >= MEMORY_FROM_MINUTES:
        yield from _growth("driver", [(look.at_s, look.driver_mb) for look in story.looks], story)
        yield from _growth("executor", [(look.at_s, look.executor_mb) for look in story.looks], story)


def _after(accident: str, story: Story) -> Iterator[str]:
    before = story.accidents.get(accident)
    if before is None:
        yield f"it never came to this: {accident}"
        return
    later = [look for look in story.looks if look.at_s > before.at_s]
    if not any(look.round > before.round for look in later):
        yield f"no round was published any more after this: {accident}"
    if accident == KILL and not any(look.executor not in (None, before.executor) for look in later):
        yield "no other executor came after the one that was killed"


def thirds(seen: list[tuple[float, float]], minutes: float) -> tuple[float, float]:
    """The usual value in the middle and in the last third of the time; 0 where nothing was seen."""
    third = minutes * 60 / 3
    middle = [value for at_s, value in seen if third <= at_s < 2 * third]
    last = [value for at_s, value in seen if at_s >= 2 * third]
    return median(middle or [0.0]), median(last or [0.0])


def _growth(name: str, seen: list[tuple[float, float]], story: Story) -> Iterator[str]:
    middle, last = thirds(seen, story.minutes)
    if not middle or not last:
        yield f"the memory of the {name} was not seen"
    elif last > middle * (1 + MOST_GROWTH):
        share = last / middle - 1
        yield f"memory of the {name}: {middle:,.0f} MB in the middle third, {last:,.0f} MB in the last, {share:.0%} more"
