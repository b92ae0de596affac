"""How one part of the page points at another. Targets are numbered, never built from a name: names hold anything."""

from __future__ import annotations

from muster.pipeline.report import limits
from muster.pipeline.report.facts import Facts, GroupKey
from muster.pipeline.report.markup import Html, tag


def panel_id(index: int) -> str:
    return f"group-{index}"


def panel_groups(facts: Facts) -> tuple[GroupKey, ...]:
    """The groups that have a panel of their own."""
    return facts.groups[: limits.PANEL_GROUPS]


def group_link(facts: Facts, key: GroupKey) -> Html:
    """The group's name; a link where the page has a panel for it."""
    panels = panel_groups(facts)
    if key not in panels:
        return facts.label(key)
    return tag("a", facts.label(key), href="#" + panel_id(panels.index(key)))
