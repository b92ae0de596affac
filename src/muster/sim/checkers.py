"""What must never happen. Each checker looks at a history and says what is wrong with it; each is proved by a
mutation in the tests."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from muster.sim.history import History

Checker = Callable[[History], Iterator[str]]


def no_acknowledged_commit_is_lost(history: History) -> Iterator[str]:
    """A fetch never shows less than what had been acknowledged before it was asked. Within one millisecond nobody knows which came
    first."""
    times: dict[tuple[str, int], list[int]] = {}
    highest: dict[tuple[str, int], list[int]] = {}
    for acked in history.acked:
        key = (acked.group, acked.partition)
        values = highest.setdefault(key, [])
        times.setdefault(key, []).append(acked.at_ms)
        values.append(max(acked.value, values[-1] if values else acked.value))
    for fetched in history.fetched:
        key = (fetched.group, fetched.partition)
        count = bisect_left(times.get(key, []), fetched.asked_ms)
        if count and fetched.value < highest[key][count - 1]:
            known = highest[key][count - 1]
            yield f"{fetched.group}-{fetched.partition}: {known} was acknowledged, {fetched.value} was fetched"


def no_commit_moves_back(history: History) -> Iterator[str]:
    """Members commit growing values, and only the owner of a generation may: so the log's values only grow."""
    highest: dict[tuple[str, int], int] = {}
    for group, partition, value in history.stored_offsets:
        if value < highest.get((group, partition), -1):
            yield f"{group}-{partition}: {value} was stored after {highest[group, partition]}"
        highest[group, partition] = max(value, highest.get((group, partition), -1))


def generations_only_grow(history: History) -> Iterator[str]:
    """In the log over all lives; in what members were told, within one life of the server."""
    stored: dict[str, int] = {}
    for group, generation in history.stored_generations:
        if generation < stored.get(group, -1) and generation != -1:
            yield f"{group}: generation {generation} was stored after {stored[group]}"
        stored[group] = generation
    told: dict[tuple[int, str, str], int] = {}
    for joined in history.joined:
        key = (joined.life, joined.group, joined.member)
        if joined.generation < told.get(key, -1):
            yield f"{joined.group}: {joined.member} was told generation {joined.generation} after {told[key]}"
        told[key] = joined.generation


def one_leader_and_protocol_a_generation(history: History) -> Iterator[str]:
    first: dict[tuple[int, str, int], tuple[str, str]] = {}
    for joined in history.joined:
        seen = first.setdefault((joined.life, joined.group, joined.generation), (joined.leader, joined.protocol))
        if seen != (joined.leader, joined.protocol):
            yield f"{joined.group} generation {joined.generation}: {seen} and {(joined.leader, joined.protocol)}"


def one_reply_a_request(history: History) -> Iterator[str]:
    for number, count in history.answers.items():
        if count > 1:
            yield f"request {number} got {count} replies"


def nobody_is_expelled_early(history: History) -> Iterator[str]:
    for expelled in history.expelled:
        if expelled.silence_ms < expelled.session_timeout_ms:
            yield (
                f"{expelled.group}: {expelled.member} was dropped after {expelled.silence_ms} ms of silence, "
                f"its session is {expelled.session_timeout_ms} ms"
            )


def everybody_gets_the_leaders_plan(history: History) -> Iterator[str]:
    for synced in history.synced:
        if synced.by_leader is not None and synced.assignment != synced.by_leader:
            yield f"{synced.group} generation {synced.generation}: {synced.member} got another assignment than planned"


def replay_equals_live(history: History) -> Iterator[str]:
    yield from history.replay_differences


def groups_become_stable_when_faults_end(history: History) -> Iterator[str]:
    for group in history.unstable_groups:
        yield f"{group} is not Stable although its members are alive and nothing disturbs it"


CHECKERS: tuple[Checker, ...] = (
    no_acknowledged_commit_is_lost,
    no_commit_moves_back,
    generations_only_grow,
    one_leader_and_protocol_a_generation,
    one_reply_a_request,
    nobody_is_expelled_early,
    everybody_gets_the_leaders_plan,
    replay_equals_live,
    groups_become_stable_when_faults_end,
)


def violations(history: History, checkers: Sequence[Checker] = CHECKERS) -> list[str]:
    return [f"{checker.__name__}: {what}" for checker in checkers for what in checker(history)]
