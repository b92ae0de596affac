"""Random samples of the ends of some partitions, in the order in which they are taken: ends rise, stand, fall with and without an
election; topics are made anew; the start of the log moves; some partitions are sampled by reading their files.
"""

from __future__ import annotations

from random import Random

from tests.pipeline.tables.rows import Row

START_MS = 1_700_000_000_000


def random_samples(random: Random, partitions: int, rounds: int) -> list[list[Row]]:
    """Samples of each round: no sample of a round is older than one of the round before."""
    seen = [_Partition(random, number) for number in range(partitions)]
    now = START_MS
    found = []
    for _ in range(rounds):
        now += 10_000
        found.append([row for each in seen for row in each.samples(now)])
    return found


class _Partition:
    def __init__(self, random: Random, number: int) -> None:
        self.random = random
        self.number = number
        self.exact = random.random() < 0.4
        self.has_id = random.random() < 0.5
        self.life = 0
        self.leo, self.log_start, self.leader_epoch = random.choice((0, 5, 100)), 0, 0

    def samples(self, now: int) -> list[Row]:
        random = self.random
        if random.random() < 0.1:
            return []  # no leader answered
        if self.exact:
            return self._batches(now)
        self._change()
        begin = now + random.randint(0, 300)
        return [self._row(self.leo, begin, begin + random.randint(0, 200), "list_offsets")]

    def _change(self) -> None:
        random, chance = self.random, self.random.random()
        if chance < 0.5:
            self.leo += random.choice((1, 5, 60))
        elif chance < 0.6 and self.leo > self.log_start:
            self.leo -= random.randint(1, min(30, self.leo - self.log_start))
            self.leader_epoch += random.choice((0, 1))
        elif chance < 0.64:
            self.life += 1
            self.leo, self.log_start, self.leader_epoch = random.choice((0, 3, 500)), 0, 0
        if random.random() < 0.1:
            self.log_start = random.randint(self.log_start, self.leo)

    def _batches(self, now: int) -> list[Row]:
        """Batches of the last ten seconds by clocks that go back, and the end as it is now."""
        rows = []
        for _ in range(self.random.randint(0, 4)):
            self.leo += self.random.randint(1, 9)
            at = now - self.random.randint(0, 9_000)
            rows.append(self._row(self.leo, at, at, "segment"))
        rows.append(self._row(self.leo, now + 500, now + 500, "segment"))
        return rows

    def _row(self, leo: int, begin_ms: int, end_ms: int, sampler: str) -> Row:
        return {
            "cluster": "c",
            "topic": "t",
            "partition": self.number,
            "topic_id": f"id-{self.number}-{self.life}" if self.has_id else None,
            "leo": leo,
            "log_start": self.log_start,
            "leader_epoch": self.leader_epoch,
            "begin_ms": begin_ms,
            "end_ms": end_ms,
            "sampler": sampler,
            "dt": "2023-11-14",
        }
