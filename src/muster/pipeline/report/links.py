"""How one part of the page points at another. Targets are numbered, never built from a name: names hold anything."""

from __future__ import annotations

from muster.pipeline.report import limits
from muster.pipeline.report.facts import Facts, GroupKey
from muster.pipeline.report.markup import Html, tag, two_parts


def panel_id(index: int) -> str:
    return f"group-{index}"


def panel_groups(facts: Facts) -> tuple[GroupKey, ...]:
    """The groups that have a panel of their own."""
    return facts.groups[: limits.PANEL_GROUPS]


def group_link(facts: Facts, key: GroupKey) -> Html:
    """The group's name; a link where the page has a panel for it."""
    return _linked(facts, key, facts.label(key))


def row_label(facts: Facts, key: GroupKey) -> Html:
    """The same beside a row of a plot, where room is short."""
    whole = facts.plain(key) if len(facts.clusters) > 1 else key.group_id
    return _linked(facts, key, two_parts(whole, shared_end=facts.shared_end))


def _linked(facts: Facts, key: GroupKey, label: Html) -> Html:
    panels = panel_groups(facts)
    return tag("a", label, href="#" + panel_id(panels.index(key))) if key in panels else label
