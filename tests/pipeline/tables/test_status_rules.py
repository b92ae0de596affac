"""Our own status of a partition: a situation, its word, and evidence that names the numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.oracle import verdict as oracle
from tests.pipeline.oracle.burrow_rule import Window
from tests.pipeline.oracle.verdict import Standing
from tests.pipeline.tables.standings import verdicts

NOW = 1_000_000
MINUTE = 60_000


def commits(*offsets: int, lag: int | None = 10, every_ms: int = 5_000, until_ms: int = NOW) -> Window:
    times = [until_ms - (len(offsets) - 1 - index) * every_ms for index in range(len(offsets))]
    return Window(offsets, times, [lag] * len(offsets))


def with_lags(*lags: int | None) -> Window:
    """A commit for each, ten records apart, the last one of 100."""
    return commits(*range(100 - 10 * (len(lags) - 1), 101, 10))._replace(lags=lags)


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


def verdict(standing: Standing, allowed_lag: int = 0) -> tuple[str, str]:
    settings = GoldSettings(now_ms=NOW, allowed_lag=allowed_lag, stop_after_ms=5 * MINUTE)
    return verdicts([standing], settings)[0]


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
    (
        "was caught up at the only commit of which the lag is known",
        replace(LAGGING, window=with_lags(None, None, 0)),
        "UNKNOWN",
        "lag 50, too few commits to say whether it falls; reads 2.0/s",
    ),
    (
        "rises since it was caught up",
        replace(LAGGING, window=with_lags(0, 0, 10, 30, 30, 50)),
        "SLOW",
        "was caught up 4 commits ago and has risen since; reads 2.0/s, written 2.0/s",
    ),
    (
        "rises, with a commit whose lag is not known",
        replace(LAGGING, window=with_lags(20, 0, 10, None, 30, 50)),
        "SLOW",
        "was caught up 3 commits ago",
    ),
    (
        "rises, of a group that commits too rarely for rates",
        replace(LAGGING, window=with_lags(0, 10, 20, 50), consume_rate=None, produce_rate=None),
        "SLOW",
        "lag 50, was caught up 3 commits ago and has risen since",
    ),
    (
        "was caught up at each of its rare commits",
        replace(LAGGING, window=with_lags(*[0] * 10), consume_rate=None),
        "OK",
        "lag 50, was caught up within the last 10 commits",
    ),
    (
        "the same lag since it was caught up",
        replace(LAGGING, lag=1, window=with_lags(0, 1, 1, 1)),
        "OK",
        "was caught up within the last 4 commits",
    ),
    (
        "was caught up just before",
        replace(LAGGING, window=with_lags(20, 10, 0, 30, 50)),
        "OK",
        "was caught up within the last 5 commits",
    ),
    (
        "goes up and down",
        replace(LAGGING, window=with_lags(0, 10, 40, 30, 50)),
        "OK",
        "was caught up within the last 5 commits",
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
    found, said = verdict(standing)
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
    found, said = verdict(standing)
    assert found == status
    assert (found == "AT_RISK") == said.startswith("95% of what is left of the log is unread")
    assert found != "AT_RISK" or any(word in said for word in ("SLOW", "STALLED", "STOPPED"))


@pytest.mark.parametrize(
    ("lags", "status"),
    [
        ((6, 8, 5, 9), "OK"),
        ((6, 8, 9, 9), "SLOW"),
        ((5, 8, 8, 9), "SLOW"),
        ((9, 8, 5, 6), "OK"),
        ((9, 8, 7, 6), "CATCHING_UP"),
    ],
    ids=["caught up", "never, no less", "rises since", "caught up, and fell", "falls"],
)
def test_lag_that_is_allowed_counts_as_none_at_the_last_commits_too(lags: tuple[int, ...], status: str) -> None:
    standing = replace(LAGGING, window=with_lags(*lags), consume_rate=None)
    assert verdict(standing, allowed_lag=5)[0] == status


def test_lag_of_a_transaction_marker_is_allowed_where_it_is_said_so() -> None:
    """Trap 9: a transactional topic shows 1 for ever."""
    one_behind = replace(LAGGING, end=101, lag=1)
    assert verdict(one_behind, allowed_lag=1)[0] == "OK"
    assert verdict(one_behind)[0] == "SLOW"


_TIMES = st.integers(NOW - 20 * MINUTE, NOW + MINUTE)
_SMALL = st.integers(0, 8)


@st.composite
def standings(draw: st.DrawFn) -> Standing:
    def maybe(kind: st.SearchStrategy[Any]) -> Any:
        return draw(st.none() | kind)

    offsets = draw(st.lists(_SMALL, max_size=7))
    committed, end, log_start = maybe(_SMALL), maybe(_SMALL), maybe(_SMALL)
    unread = None if committed is None or end is None else max(0, end - max(committed, log_start or 0))
    return Standing(
        committed=committed,
        end=end,
        log_start=log_start,
        lag=unread,
        stable_lag=None if unread is None else maybe(st.integers(0, unread)),
        method=draw(st.sampled_from(["ahead", "bracket", "caught_up"])),
        owner=maybe(st.just("m")),
        consume_rate=maybe(st.sampled_from([0.0, 1.5, 3.25, 123.456])),
        produce_rate=maybe(st.sampled_from([0.0, 1.5, 2.0])),
        eta_ms=maybe(st.integers(0, 10**9)),
        group_state=maybe(st.sampled_from(["Stable", "Empty", "Dead", "PreparingRebalance"])),
        n_members=maybe(st.integers(0, 2)),
        empty_since_ms=maybe(_TIMES),
        subscribed=maybe(st.booleans()),
        assignment_known=maybe(st.booleans()),
        last_end_ms=maybe(_TIMES),
        window=Window(
            offsets,
            sorted(draw(st.lists(_TIMES, min_size=len(offsets), max_size=len(offsets)))),
            draw(st.lists(st.none() | _SMALL, min_size=len(offsets), max_size=len(offsets))),
        ),
        at_ms=NOW,
    )


@given(st.lists(standings(), max_size=20), st.integers(0, 2))
def test_columns_say_what_the_rules_say_one_by_one(rows: list[Standing], allowed: int) -> None:
    settings = GoldSettings(now_ms=NOW, allowed_lag=allowed, stop_after_ms=5 * MINUTE)
    one_by_one = [oracle.verdict(row, allowed, 5 * MINUTE) for row in rows]
    assert verdicts(rows, settings) == one_by_one


@given(st.lists(st.lists(st.none() | st.integers(0, 3), min_size=1, max_size=10), max_size=20))
def test_how_fast_a_group_is_by_its_last_lags(windows: list[list[int | None]]) -> None:
    rows = [replace(LAGGING, window=with_lags(*lags)) for lags in windows]
    settings = GoldSettings(now_ms=NOW, allowed_lag=0, stop_after_ms=5 * MINUTE)
    assert verdicts(rows, settings) == [oracle.verdict(row, 0, 5 * MINUTE) for row in rows]
