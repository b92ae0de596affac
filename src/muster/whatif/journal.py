"""The journal of a group to what its clients did, in whichever protocol the longest stretch of it is. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from muster.explain.event import Event
from muster.whatif.classic_journal import read_classic
from muster.whatif.consumer_journal import read_consumer
from muster.whatif.recorded import Recorded
from muster.whatif.stretch import longest_stretch


def read_recorded(events: Sequence[Event]) -> Recorded:
    """`events`: of one group, in log order. CannotReplay if there is nothing to begin with."""
    stretch = longest_stretch(events)
    return (read_consumer if stretch.is_consumer else read_classic)(events[0].group, stretch)
