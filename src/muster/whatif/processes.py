"""Which lives under different member ids are the same process, started again: by its client id, if that is its own. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from muster.whatif.recorded import Life


def end_of(life: Life) -> float:
    """When it left, fell silent, or was not in time any more; without end if none of these."""
    ends = (life.left_ms, life.silent_ms, life.missed_ms)
    return min((each for each in ends if each is not None), default=float("inf"))


def shared_clients(lives: Iterable[Life]) -> set[str]:
    """Client ids that two processes had at a time: they tell nothing about who comes back."""
    until: dict[str, float] = {}
    shared: set[str] = set()
    for life in sorted(lives, key=lambda each: each.came_ms):
        if until.get(life.client, -1) > life.came_ms:
            shared.add(life.client)
        until[life.client] = max(until.get(life.client, -1), end_of(life))
    return shared


def returns(lives: Sequence[Life]) -> dict[str, Life]:
    """By the member id of a life that ended: the next life of the same client, on the same host."""
    shared = shared_clients(lives)
    found: dict[str, Life] = {}
    last: dict[tuple[str, str], Life] = {}
    for life in sorted(lives, key=lambda each: (each.came_ms, each.order)):
        if life.client and life.client not in shared:
            before = last.get((life.client, life.host))
            if before is not None:
                found[before.member_id] = life
            last[life.client, life.host] = life
    return found
