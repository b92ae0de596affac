"""What must never happen to transactions. Each is proved by a mutation in the tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from muster.sim.checkers import Checker
from muster.sim.history import History
from muster.sim.transactions.history import Attempt, CopyRead, TransactionHistory


def a_transaction_is_read_whole_or_not_at_all(history: History) -> Iterator[str]:
    """In every partition that it touched, by every reader of committed records, each record once."""
    seen = history.transactions
    for reader, copies in seen.read.items():
        for number, records in _by_attempt(copies).items():
            expected = Counter(seen.attempts[number].records())
            if records != expected:
                yield f"transaction {number}: {reader} read {sorted(records.elements())} of {sorted(expected)}"


def records_and_offsets_agree(history: History) -> Iterator[str]:
    """Both are committed or neither is; and so every input up to a group's offset was copied exactly once."""
    seen = history.transactions
    visible = {copy.attempt for copy in seen.committed}
    by_offset = {(each.transactional_id, each.next_input): each.number for each in _of(seen, visible)}
    with_offset = {by_offset.get(place) for place in seen.committed_offsets}
    for place in dict.fromkeys((*seen.committed_offsets, *seen.offsets_read)):
        if place not in by_offset:
            yield f"{place[0]}: offset {place[1]} is committed, the records of its transaction are not"
    for number in sorted(visible - with_offset):
        yield f"transaction {number}: its records are committed, its offset is not"
    for transactional_id in dict.fromkeys(each.transactional_id for each in _of(seen, visible)):
        yield from _not_copied_once(seen, visible, transactional_id)


def _not_copied_once(seen: TransactionHistory, visible: set[int], transactional_id: str) -> Iterator[str]:
    ends = [offset for name, offset in seen.committed_offsets if name == transactional_id]
    copied = Counter(
        number
        for each in _of(seen, visible)
        if each.transactional_id == transactional_id
        for number in range(each.first_input, each.next_input)
    )
    for number in range(max(ends, default=0)):
        if copied[number] != 1:
            yield f"{transactional_id}: input {number} was copied {copied[number]} times"


def what_was_read_is_committed(history: History) -> Iterator[str]:
    """What a reader of committed records was given is in the log at that offset, and its transaction has been committed; a
    reader that was given time has got everything."""
    committed = set(history.transactions.committed)
    for reader, copies in history.transactions.read.items():
        for copy in copies:
            if copy not in committed:
                yield f"{reader} read {copy}, which is not committed"
        for copy in sorted(committed.difference(copies), key=repr):
            yield f"{reader} never read {copy}, which is committed"


def ends_that_were_acknowledged_stay(history: History) -> Iterator[str]:
    """A commit that was acknowledged is there whatever crashed since; what was aborted, or never asked to be committed, is not."""
    seen = history.transactions
    visible = {copy.attempt for copy in seen.committed}
    for attempt in seen.attempts.values():
        is_there = attempt.number in visible
        if attempt.told is True and not is_there:
            yield f"transaction {attempt.number}: its commit was acknowledged, its records are not there"
        elif attempt.told is False and is_there:
            yield f"transaction {attempt.number}: its abort was acknowledged, its records are there"
        elif not attempt.commit_asked and is_there:
            yield f"transaction {attempt.number}: nobody asked to commit it, its records are there"


def nothing_is_written_after_being_fenced(history: History) -> Iterator[str]:
    """Once a producer has got its epoch no batch of an older epoch of the same producer id is appended."""
    by_producer: dict[int, list[tuple[int, dict[str, int]]]] = {}
    for fenced in history.transactions.fenced:
        by_producer.setdefault(fenced.producer_id, []).append((fenced.epoch, fenced.ends))
    for batch in history.transactions.written:
        for epoch, ends in by_producer.get(batch.producer_id, ()):
            if batch.epoch < epoch and batch.offset >= ends.get(batch.log, batch.offset + 1):
                yield f"{batch} was appended after epoch {epoch} had been given out"


def nothing_stays_undecided(history: History) -> Iterator[str]:
    """After the faults and the timeouts: the last stable offset is the end, no offset is pending, every transaction is over."""
    yield from history.transactions.unstable


def producers_get_on_when_faults_end(history: History) -> Iterator[str]:
    for transactional_id in history.transactions.silent:
        yield f"{transactional_id} has committed nothing although nothing disturbs it"


def every_answer_is_one_that_clients_expect(history: History) -> Iterator[str]:
    yield from history.transactions.surprises


TRANSACTION_CHECKERS: tuple[Checker, ...] = (
    a_transaction_is_read_whole_or_not_at_all,
    records_and_offsets_agree,
    what_was_read_is_committed,
    ends_that_were_acknowledged_stay,
    nothing_is_written_after_being_fenced,
    nothing_stays_undecided,
    producers_get_on_when_faults_end,
    every_answer_is_one_that_clients_expect,
)


def _by_attempt(copies: list[CopyRead]) -> dict[int, Counter[tuple[int, int]]]:
    found: dict[int, Counter[tuple[int, int]]] = {}
    for copy in copies:
        found.setdefault(copy.attempt, Counter())[copy.partition, copy.input] += 1
    return found


def _of(seen: TransactionHistory, numbers: set[int]) -> list[Attempt]:
    return [attempt for number, attempt in seen.attempts.items() if number in numbers]
