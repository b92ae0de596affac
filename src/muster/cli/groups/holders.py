"""Who holds a consumer group back, for `muster groups describe`: found in the description, with times where there is a journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muster.cli.support.time_spans import now_ms

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.groups import GroupDescription
    from muster.explain.facts import History
    from muster.explain.holding_back import Holding

_SHOWN: Final = 4


async def holder_rows(cluster: Cluster, group: GroupDescription) -> list[Holding]:
    from muster.explain.holding_back import holding_back

    if not holding_back(group):
        return []
    return holding_back(group, await _history(cluster, group.group_id))


async def _history(cluster: Cluster, group_id: str) -> History | None:
    """From the journal of a Muster; a Kafka has none, and a client may lack the right to read it."""
    from muster.client.failure import ClientError
    from muster.explain.fold import fold
    from muster.explain.from_cluster import journal_of

    try:
        events = await journal_of(cluster, group_id)
    except ClientError:
        return None
    return fold(events, group_id) if events else None


def holder_lines(holders: list[Holding]) -> list[str]:
    from muster.explain.holding_back import tell_holding

    lines = [f"held back: {tell_holding(each, now_ms())}" for each in holders[:_SHOWN]]
    if len(holders) > _SHOWN:
        lines.append(f"held back: {len(holders) - _SHOWN} more")
    return ["", *lines] if lines else []
