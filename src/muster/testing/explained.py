"""Why a group rebalanced, for a test: the page of `muster groups explain`, and below it every event.

Imported when somebody asks, so that a broker starts without it.
"""

from __future__ import annotations

from collections.abc import Sequence

from muster.core.journal import JournalEvent
from muster.explain.event import events_of
from muster.explain.explanation import explain
from muster.explain.fold import fold
from muster.explain.page import page, plain_text
from muster.testing.group_views import GroupView
from muster.testing.journal_words import line


def explained(view: GroupView, events: Sequence[JournalEvent]) -> list[str]:
    """The lines; none if nothing happened to the group. After a move of its coordinator the journal does not say how it stands."""
    if not events:
        return []
    history = fold(events_of(events), view.group_id)
    if history.state is None and view.state != "Dead":
        history.state = view.state
    return [*plain_text(page(explain(history))), "", "Events", *(line(event) for event in events)]
