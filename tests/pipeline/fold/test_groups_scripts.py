"""Scripted histories, folded piece by piece: every table is the oracle's, with the journal and without."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.fold.group_checks import check_against_oracle, check_same
from tests.pipeline.fold.group_folds import Folding
from tests.pipeline.fold.group_logs import of_script
from tests.pipeline.tables import histories
from tests.pipeline.tables.scripted import Script

SETTINGS = GoldSettings(now_ms=10_000_000)


@pytest.mark.parametrize("journal", [True, False], ids=["journal", "log"])
@pytest.mark.parametrize("play", histories.ALL, ids=lambda play: play.__name__)
def test_scripted_history_folds_to_what_the_oracle_says(play: Callable[[], Script], journal: bool) -> None:
    log = of_script(play(), journal=journal)
    whole = Folding(log, SETTINGS, has_journal=journal)
    whole.read(len(log.records), len(log.events))
    check_against_oracle(whole)
    random, pieces = Random(play.__name__), Folding(log, SETTINGS, has_journal=journal)
    for share in sorted(random.random() for _ in range(4)):
        ahead = min(1.0, share + random.choice((0, 0, 0.2)))
        pieces.read(int(share * len(log.records)), max(pieces.events_read, int(ahead * len(log.events))))
        check_against_oracle(pieces)
    pieces.read(len(log.records), len(log.events))
    check_same(pieces, whole)
