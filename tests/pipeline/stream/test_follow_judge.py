"""`make pipeline-follow` takes half an hour: that it fails when it has to is shown by stories that went wrong in one thing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bench.follow_judge import ACCIDENTS, KILL, RESTART, Look, Story, failures

FIRST, SECOND = 11, 12
"""The executors, before and after one was killed."""


def good_story() -> Story:
    looks = [Look(at, 1 + int(at / 10), 900.0, 800.0, FIRST if at < 300 else SECOND) for at in range(0, 1800, 2)]
    accidents = {accident: looks[int(share * len(looks))] for accident, share in ACCIDENTS.items()}
    return Story(30, looks, accidents, late_s=9.5, behind=900, commits_a_second=1_998.0, exit_code=0)


def in_looks(**changes: Callable[[Look], Any]) -> Callable[[Story], None]:
    def spoil(story: Story) -> None:
        story.looks = [replace(look, **{name: of(look) for name, of in changes.items()}) for look in story.looks]

    return spoil


def setting(**values: object) -> Callable[[Story], None]:
    def spoil(story: Story) -> None:
        for name, value in values.items():
            setattr(story, name, value)

    return spoil


def test_a_story_in_which_all_went_well_has_no_failures() -> None:
    assert list(failures(good_story())) == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (setting(exit_code=1), "exit code 1"),
        (setting(exit_code=None), "exit code None"),
        (setting(commits_a_second=1_800.0), "only 1,800 commits a second"),
        (setting(late_s=20.0, behind=40_000), "20.0 s behind at the end, 40,000 records"),
        (setting(late_s=math.inf), "inf s behind"),
        (lambda story: story.accidents.pop(RESTART), f"it never came to this: {RESTART}"),
        (lambda story: story.accidents.pop(KILL), f"it never came to this: {KILL}"),
        (in_looks(round=lambda look: min(look.round, 40)), f"no round was published any more after this: {RESTART}"),
        (in_looks(executor=lambda look: FIRST if look.at_s < 300 else None), "no other executor came"),
        (in_looks(executor_mb=lambda look: 800 + look.at_s / 3), "memory of the executor: 1,100 MB in the middle"),
        (in_looks(driver_mb=lambda look: 800 if look.at_s < 1200 else 930), "800 MB in the middle third, 930 MB"),
        (in_looks(driver_mb=lambda look: 0.0), "the memory of the driver was not seen"),
    ],
)
def test_each_thing_that_went_wrong_is_one_failure(spoil: Callable[[Story], None], said: str) -> None:
    story = good_story()
    spoil(story)
    (failure,) = failures(story)
    assert said in failure


def test_memory_of_a_short_run_is_not_judged() -> None:
    story = good_story()
    story.minutes = 2
    in_looks(executor_mb=lambda look: look.at_s)(story)
    assert list(failures(story)) == []
