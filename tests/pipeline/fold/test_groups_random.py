"""Random histories, cut anywhere: finished and open rows are the oracle's, and no cut leaves a trace."""

from __future__ import annotations

from random import Random

import pytest

from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.fold.group_checks import check_against_oracle, check_same
from tests.pipeline.fold.group_folds import Folding
from tests.pipeline.fold.group_logs import GroupLog
from tests.pipeline.fold.random_groups import random_log

SETTINGS = GoldSettings(now_ms=10_000_000)
SEEDS = range(15)


def cuts(random: Random, log: GroupLog, count: int) -> list[tuple[int, int]]:
    """How far both logs are read after each batch: about as far in time, one of them ahead now and then."""
    times = sorted(row["record_ms"] for row in (*log.records, *log.events))
    found, records, events = [], 0, 0
    for at in sorted(random.choice(times) for _ in range(count)):
        ahead = at + random.choice((0, 0, 0, 10 * 60_000, 5 * 3_600_000))
        of_records, of_events = (at, ahead) if random.random() < 0.5 else (ahead, at)
        records = max(records, sum(row["record_ms"] < of_records for row in log.records))
        events = max(events, sum(row["record_ms"] < of_events for row in log.events))
        found.append((records, events))
    return found


@pytest.mark.parametrize("journal", [True, False], ids=["journal", "log"])
@pytest.mark.parametrize("seed", SEEDS)
def test_any_cut_gives_what_the_oracle_says(seed: int, journal: bool) -> None:
    random = Random(f"{seed} {journal}")
    log = random_log(random, journal=journal)
    whole = Folding(log, SETTINGS, has_journal=journal)
    whole.read(len(log.records), len(log.events))
    check_against_oracle(whole)
    pieces = Folding(log, SETTINGS, has_journal=journal)
    for records, events in cuts(random, log, random.randint(1, 5)):
        pieces.read(records, events)
        if random.random() < 0.5:
            check_against_oracle(pieces)
    pieces.read(len(log.records), len(log.events))
    check_same(pieces, whole)
