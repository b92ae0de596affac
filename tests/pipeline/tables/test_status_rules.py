"""Our own status of a partition: a situation, its word, and evidence that names the numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muster.pipeline.tables.burrow import Window
from muster.pipeline.tables.status_rules import Standing, verdict

NOW = 1_000_000
MINUTE = 60_000


def commits(*offsets: int, lag: int | None = 10, every_ms: int = 5_000, until_ms: int = NOW) -> Window:
    times = [until_ms - (len(offsets) - 1 - index) * every_ms for index in range(len(offsets))]
    return Window(offsets, times, [lag] * len(offsets))


HEALTHY = Standing(
    committed=100,
    end=100,
    log_start=0,
    stable_lag=None,
    lag=0,
    method="caught_up",
    window=commits(80, 90, 100, lag=0),
    at_ms=NOW,
    group_state="Stable",
    n_members=2,
    subscribed=True,
    owner="m",
    assignment_known=True,
    last_end_ms=None,
    empty_since_ms=None,
    consume_rate=2.0,
    produce_rate=2.0,
    eta_ms=0,
)
LAGGING = replace(HEALTHY, end=150, lag=50, method="bracket", window=commits(80, 90, 100, lag=50))

CASES = [
    ("caught up and alive", HEALTHY, "OK", "lag 0"),
    (
        "caught up and silent",
        replace(HEALTHY, window=commits(90, 100, until_ms=NOW - 10 * MINUTE)),
        "IDLE",
        "10 min ago",
    ),
    ("nothing committed", replace(HEALTHY, committed=None), "NO_POSITION", "no offset is committed"),
    ("no end known", replace(HEALTHY, end=None, lag=None), "NO_DATA", "no end offset was ever sampled"),
    (
        "the end is not found any more",
        replace(HEALTHY, end=None, lag=None, last_end_ms=NOW - 3 * MINUTE),
        "NO_DATA",
        "the last end that is known is 3 min old: the partition is deleted, has no leader, or may not be seen any more",
    ),
    ("deleted unread", replace(LAGGING, log_start=120), "DATA_LOSS", "20 records were deleted unread"),
    ("behind the end", replace(HEALTHY, end=40, method="ahead"), "AHEAD", "the end is 40"),
    ("nobody subscribes", replace(LAGGING, subscribed=False), "ORPHANED", "lag 50"),
    ("members, but no owner", replace(LAGGING, owner=None), "UNOWNED", "none of 2 members"),
    ("owner cannot be known", replace(LAGGING, owner=None, assignment_known=False), "SLOW", "was 50"),
    (
        "rates are known, lags are not",
        replace(LAGGING, window=commits(80, 90, 100, lag=None)),
        "UNKNOWN",
        "too few commits to say whether it falls; reads 2.0/s",
    ),
    (
        "was caught up a moment ago",
        replace(LAGGING, window=commits(80, 90, 100, lag=0)),
        "OK",
        "was caught up within the last 3 commits",
    ),
    ("went back", replace(LAGGING, window=commits(80, 100, 60, 70)), "REWOUND", "from 100 to 60"),
    ("went back twice, first made good", replace(LAGGING, window=commits(10, 5, 20, 15)), "REWOUND", "from 20 to 15"),
    (
        "no members",
        replace(LAGGING, group_state="Empty", n_members=0, owner=None, empty_since_ms=NOW - 3 * MINUTE),
        "STOPPED",
        "no members for 3 min",
    ),
    (
        "no members, and its offsets were set back",
        replace(LAGGING, group_state="Empty", n_members=0, owner=None, window=commits(80, 100, 60)),
        "STOPPED",
        "the group has no members; went back from 100 to 60",
    ),
    ("silent with lag", replace(LAGGING, window=commits(90, 100, until_ms=NOW - 6 * MINUTE)), "STOPPED", "6 min ago"),
    (
        "silent, but it never commits more often",
        replace(LAGGING, window=commits(80, 90, 100, every_ms=4 * MINUTE, until_ms=NOW - 6 * MINUTE), consume_rate=3.0),
        "CATCHING_UP",
        "reads 3.0/s",
    ),
    (
        "commits, offset stands",
        replace(LAGGING, window=commits(100, 100, 100)),
        "STALLED",
        "3 commits of the same offset",
    ),
    ("reads faster than is written", replace(LAGGING, consume_rate=4.5, eta_ms=20_000), "CATCHING_UP", "in 20 s"),
    ("lag does not fall", LAGGING, "SLOW", "was 50 3 commits ago"),
    (
        "simple consumer, one commit",
        replace(
            LAGGING,
            group_state=None,
            n_members=None,
            owner=None,
            window=commits(100),
            consume_rate=None,
            produce_rate=None,
        ),
        "UNKNOWN",
        "lag 50, too few commits to say whether it falls",
    ),
    (
        "no members, one commit a moment ago",
        replace(LAGGING, group_state="Empty", n_members=0, owner=None, window=commits(100)),
        "STOPPED",
        "the group has no members",
    ),
    (
        "the group is gone, its offsets are not",
        replace(LAGGING, group_state="Dead", n_members=0, owner=None, window=commits(100)),
        "STOPPED",
        "the group has no members",
    ),
]


@pytest.mark.parametrize(
    ("standing", "status", "evidence"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_situation(standing: Standing, status: str, evidence: str) -> None:
    found, said = verdict(standing, allowed_lag=0, stop_after_ms=5 * MINUTE)
    assert found == status
    assert evidence in said


AT_THE_OLD_END = replace(LAGGING, committed=1_010, log_start=1_000, end=1_200, lag=190)


@pytest.mark.parametrize(
    ("standing", "status"),
    [
        (AT_THE_OLD_END, "AT_RISK"),
        (replace(AT_THE_OLD_END, window=commits(1_010, 1_010)), "AT_RISK"),
        (replace(AT_THE_OLD_END, group_state="Empty", n_members=0, owner=None), "AT_RISK"),
        (replace(AT_THE_OLD_END, consume_rate=9.0), "CATCHING_UP"),
        (replace(AT_THE_OLD_END, committed=1_100, lag=100), "SLOW"),
        (replace(AT_THE_OLD_END, committed=10, log_start=0, lag=1_190), "SLOW"),
    ],
    ids=["slow", "stalled", "stopped", "reads faster", "in the middle", "nothing was ever deleted"],
)
def test_group_that_falls_behind_at_the_old_end_of_a_log_that_is_deleted_is_at_risk(
    standing: Standing, status: str
) -> None:
    """Trap 25: the next deletion takes what it has not read. The evidence keeps what is wrong with it."""
    found, said = verdict(standing, allowed_lag=0, stop_after_ms=5 * MINUTE)
    assert found == status
    assert (found == "AT_RISK") == said.startswith("95% of what is left of the log is unread")
    assert found != "AT_RISK" or any(word in said for word in ("SLOW", "STALLED", "STOPPED"))


def test_lag_of_a_transaction_marker_is_allowed_where_it_is_said_so() -> None:
    """Trap 9: a transactional topic shows 1 for ever."""
    one_behind = replace(LAGGING, end=101, lag=1)
    assert verdict(one_behind, allowed_lag=1, stop_after_ms=5 * MINUTE)[0] == "OK"
    assert verdict(one_behind, allowed_lag=0, stop_after_ms=5 * MINUTE)[0] == "SLOW"
