"""A piece of advice, and the case that rules judge. Advice names the setting and the figures that speak for it.

A rule is a function of a `Case`; it lives with its kind: sessions, polling, assignors, rhythm,
transactions. `advice_rules` has them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from muster.explain.facts import Departure, History, Rebalance, Return
from muster.explain.names import Names


@dataclass(frozen=True, slots=True)
class Advice:
    rule: str
    settings: tuple[str, ...]
    """By Kafka's names."""
    what: str
    """What to do, as a sentence."""
    evidence: str
    """What was seen that speaks for it, with figures."""
    generations: tuple[int, ...] = ()
    """The rebalances that it was seen in."""


@dataclass(frozen=True, slots=True)
class Case:
    """The rebalances of the period, and what is known around them."""

    history: History
    shown: Sequence[Rebalance]
    names: Names = field(compare=False)

    @property
    def returns(self) -> list[Return]:
        if not self.shown:
            return []
        from_ms = self.shown[0].began_ms
        return [each for each in self.history.returns if each.at_ms >= from_ms]

    @property
    def session_setting(self) -> str:
        """What says how long a silent member stays: the client's own setting, or the group's in consumer groups."""
        return "group.consumer.session.timeout.ms" if self.history.is_consumer else "session.timeout.ms"

    @property
    def departures(self) -> list[Departure]:
        return [gone for each in self.shown for gone in each.departures]

    @property
    def latest(self) -> Rebalance | None:
        return next((each for each in reversed(self.shown) if each.result == "stable"), None)

    def came_back(self, gone: Departure) -> Return | None:
        return next((each for each in self.history.returns if each.departure == gone), None)
