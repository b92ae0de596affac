"""Groups of all sizes and shapes, drawn from a seed, for the comparison of server-side assignors with Kafka's.

A group is a short history: members join, leave and change what they want, each time with the target of the assignment before.
`python -m tests.core.assignors_recorded.generated` asks Kafka's own assignors (Java, Maven) and writes `kafka.txt`, which the
tests read.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from muster.core.assignors.member_spec import MemberSpec, Target, Targets
from muster.core.assignors.server_side import SERVER_ASSIGNORS

RECORDING = Path(__file__).with_name("kafka.txt")
_HISTORIES = 60
_STEPS = 5


@dataclass(frozen=True)
class Question:
    assignor: str
    members: list[MemberSpec]
    partition_counts: dict[bytes, int]

    def line(self) -> str:
        """As `Assign.java` reads it."""
        topics = " ".join(f"{topic_id.hex()}={count}" for topic_id, count in self.partition_counts.items())
        return f"{self.assignor};{topics};{' '.join(map(_written_member, self.members))}"


def questions() -> Iterator[Question]:
    for seed in range(_HISTORIES):
        yield from _history(random.Random(seed))


def _history(rng: random.Random) -> Iterator[Question]:
    assignor = rng.choice(["uniform", "uniform", "uniform", "range"])
    mixed = rng.random() < 0.6
    counts = {rng.randbytes(16): rng.choice([0, 1, 3, 6, 12, 16, 40, 70]) for _ in range(rng.randint(1, 6))}
    members = [_member(rng, counts, mixed) for _ in range(rng.choice([1, 2, 3, 5, 12, 13, 30]))]
    for _ in range(_STEPS):
        question = Question(assignor, members, dict(counts))
        yield question
        targets = SERVER_ASSIGNORS[assignor](members, counts)
        members = [_changed(rng, member, targets[member.member_id], counts, mixed) for member in members]
        for _ in range(rng.randint(0, 2)):
            members.append(_member(rng, counts, mixed))
        while len(members) > 1 and rng.random() < 0.3:
            members.pop(rng.randrange(len(members)))
        if not mixed:
            members = [_with(member, topic_ids=members[0].topic_ids) for member in members]
        if rng.random() < 0.3:
            grown = rng.choice(sorted(counts))
            counts[grown] += rng.randint(1, 9)


def _member(rng: random.Random, counts: dict[bytes, int], mixed: bool) -> MemberSpec:
    instance = f"instance-{rng.randrange(1_000)}" if rng.random() < 0.2 else None
    member_id = rng.randbytes(11).hex()
    return MemberSpec(member_id, instance, None, _topics(rng, counts) if mixed else frozenset(counts), {})


def _topics(rng: random.Random, counts: dict[bytes, int]) -> frozenset[bytes]:
    return frozenset(rng.sample(sorted(counts), rng.randint(0 if rng.random() < 0.1 else 1, len(counts))))


def _changed(
    rng: random.Random, member: MemberSpec, target: Target, counts: dict[bytes, int], mixed: bool
) -> MemberSpec:
    changes = mixed and rng.random() < 0.2
    return _with(member, topic_ids=_topics(rng, counts) if changes else member.topic_ids, target=target)


def _with(member: MemberSpec, **changes: object) -> MemberSpec:
    return MemberSpec(**(member.as_dict() | changes))


def _written_member(member: MemberSpec) -> str:
    topics = ",".join(sorted(topic_id.hex() for topic_id in member.topic_ids))
    return f"{member.member_id}|{member.instance_id or ''}|{topics}|{_written(member.target)}"


def _written(target: Target) -> str:
    entries = sorted((topic_id.hex(), ".".join(map(str, partitions))) for topic_id, partitions in target.items())
    return "/".join(f"{topic_id}:{numbers}" for topic_id, numbers in entries)


def written(targets: Targets) -> str:
    """As `Assign.java` writes it."""
    return " ".join(f"{member_id}|{_written(targets[member_id])}" for member_id in sorted(targets))


def record() -> None:
    from tests.conformance import kafka

    source = Path(__file__).with_name("Assign.java")
    lines = "".join(f"{question.line()}\n" for question in questions())
    command = ["java", "-cp", f"{kafka.obtain()}/*", str(source)]
    ran = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(f"{' '.join(command[:2])} ... failed:\n{ran.stderr}")
    RECORDING.write_text(ran.stdout)


if __name__ == "__main__":
    record()
