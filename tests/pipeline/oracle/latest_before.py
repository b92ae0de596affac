"""An as-of join: the newest value known at the time of each row, as one sort and one walk."""

from __future__ import annotations

from muster.pipeline.tables.columns import Frame


def latest_before(rows: Frame, known: Frame, keys: tuple[str, ...], at: str, known_at: str) -> Frame:
    """Adds the other columns of `known`; null where there is nothing. What became known at the very moment counts as known.

    Of several rows of one moment the last in the order of `known` is taken: who cares sorts it by more than `known_at`.
    """
    return rows.sort(at, maintain_order=True).join_asof(
        known, left_on=at, right_on=known_at, by=list(keys), strategy="backward", check_sortedness=False
    )
