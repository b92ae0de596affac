"""Advice about transactions that held back offsets of the group while somebody wanted to read them."""

from __future__ import annotations

from typing import Final

from muster.explain.advice import Advice, Case
from muster.explain.facts import HeldOffsets
from muster.explain.words import duration, plain, plural

LONG_WAIT_MS: Final = 5_000
"""In sum: a consumer that starts waits a moment for a transaction that is about to end, and nobody minds."""


def shorter_transactions(case: Case) -> Advice | None:
    """Whoever gets partitions asks where to go on, and waits until the offsets there are decided (KIP-447)."""
    waits = [each.held for each in case.history.quiet if each.held is not None and each.held.refusals]
    waited_ms = sum(held.waited_ms for held in waits)
    if waited_ms < LONG_WAIT_MS:
        return None
    longest = max(waits, key=lambda held: held.waited_ms)
    return Advice(
        "shorter_transactions",
        ("transaction.timeout.ms",),
        "Commit more often, so that offsets wait less for the end of their transaction; a shorter transaction.timeout.ms ends one"
        " whose producer has died.",
        f"Readers of the group's offsets waited {duration(waited_ms)} for {plural(len(waits), 'transaction')}; the longest wait,"
        f" for {_named(longest)}, was {duration(longest.waited_ms)} of the {duration(longest.unstable_ms)} in which it held"
        f" {plural(longest.offsets, 'offset')} back.",
        tuple(sorted({each.generation for each in case.history.quiet if each.held in waits})),
    )


def _named(held: HeldOffsets) -> str:
    if held.transactional_id is None:
        return f"that of producer {held.producer_id}"
    return f"that of {plain(held.transactional_id)}"
