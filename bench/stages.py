"""What is done to one server in one round, stage by stage, and the samples that come of it.

Each stage has a fresh data directory and a fresh process. Costs of requests are measured with the server on one core and the
generator on the other; start, memory and loading with the whole machine, as a server would have it.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bench import figures
from bench.contenders import Contender, Kafka, Muster, Running, running
from bench.figures import Figure
from bench.generator import GeneratorFailed, Load, drive, driving

OFFSETS = 1_000_000
PARTITIONS_A_GROUP = 100
MEMBERS, GROUP_SIZE, MEMBER_CONNECTIONS = 10_000, 10, 1_000
REBALANCED = 1_000
CONSUMED_PARTITIONS = 10_000
AT_ONCE = "group.consumer.assignment.interval.ms=0"
"""Of both servers, where a new target is measured: else it comes up to a second later."""
PATIENT = "group.consumer.session.timeout.ms=60000"
"""Of both, where members join for longer than they beat."""
TRANSACTIONAL_IDS = 100_000
IDLE_SECONDS = 2.0
"""Until a server that has started does nothing any more."""
_LOADED_WITHIN_SECONDS = 120.0

_LOADED_BY_KAFKA = re.compile(
    r"^(\S+ \S+) .*Finished loading of metadata from \S+ .* in (\d+)ms .*Loaded (\d+) records", re.M
)
_IDS_LOADED_BY_KAFKA = re.compile(
    r"^(\S+ \S+) .*Finished loading (?P<records>\d+) transaction metadata from \S+ in (?P<ms>\d+) milliseconds", re.M
)
_LOADED_BY_MUSTER = re.compile(r"^(\S+ \S+) .* (?P<records>\d+) records loaded in (?P<ms>\d+) ms", re.M)


@dataclass(frozen=True)
class Sample:
    figure: Figure
    value: float
    load: Load | None = None


Stage = Callable[[Contender, Path], Iterator[Sample]]


def start_and_idle(contender: Contender, data: Path) -> Iterator[Sample]:
    for number in range(contender.starts):
        prepared = contender.prepare(data / f"{number}")
        with running(contender, data / f"{number}", one_core=False) as server:
            yield Sample(figures.START, prepared + server.start_seconds)
    contender.prepare(data)
    with running(contender, data, one_core=False) as server:
        time.sleep(IDLE_SECONDS)
        yield Sample(figures.IDLE, server.resident_mb())


def requests(contender: Contender, data: Path) -> Iterator[Sample]:
    contender.prepare(data)
    with running(contender, data, one_core=True) as server:

        def cost(figure: Figure, workload: str, **options: float) -> Sample:
            (load,) = drive(workload, server.port, server.pid, **({"warm": contender.warm_seconds} | options))
            return Sample(figure, load.cpu_us, load)

        drive("heartbeat", server.port, server.pid, warm=contender.warm_seconds, seconds=0.1)
        yield cost(figures.HEARTBEAT, "heartbeat")
        yield cost(figures.HEARTBEAT_MANY, "heartbeat", connections=2_000, rate=10_000)
        for partitions, figure in figures.COMMITS.items():
            yield cost(figure, "commit", partitions=partitions)
        yield cost(figures.COMMIT_SPREAD, "commit", partitions=10, group_size=1)
        yield cost(figures.FETCH, "fetch", partitions=100)
        yield cost(figures.DESCRIBE, "describe", group_size=100)
        yield from _rebalances(contender, server)
        yield cost(figures.CONSUMER_HEARTBEAT, "consumer-heartbeat", partitions=GROUP_SIZE)
        many = {"connections": 2_000, "rate": 10_000, "partitions": GROUP_SIZE}
        yield cost(figures.CONSUMER_HEARTBEAT_MANY, "consumer-heartbeat", **many)
        yield cost(figures.TRANSACTION, "transaction", partitions=10)


def _rebalances(contender: Contender, server: Running) -> Iterator[Sample]:
    for load in drive(
        "rebalance", server.port, server.pid, group_size=REBALANCED, warm_rounds=contender.warm_rebalances
    ):
        yield Sample(figures.REBALANCE_WALL, load.seconds * 1e3)
        yield Sample(figures.REBALANCE_CPU, load.cpu_us)


def newcomers(contender: Contender, data: Path) -> Iterator[Sample]:
    contender.prepare(data)
    with running(_with_settings(contender, AT_ONCE, PATIENT), data, one_core=True) as server:
        shape = {"group_size": REBALANCED, "partitions": CONSUMED_PARTITIONS, "warm_rounds": contender.warm_rebalances}
        for load in drive("newcomer", server.port, server.pid, **shape):
            yield Sample(figures.NEWCOMER_WALL, load.seconds * 1e3)
            yield Sample(figures.NEWCOMER_CPU, load.cpu_us)


def consumers_in_memory(contender: Contender, data: Path) -> Iterator[Sample]:
    contender.prepare(data)
    with running(_with_settings(contender, AT_ONCE, PATIENT), data, one_core=False) as server:
        shape = {"members": MEMBERS, "group_size": GROUP_SIZE, "connections": MEMBER_CONNECTIONS}
        with driving("consumer-join", server.port, server.pid, **shape, partitions=GROUP_SIZE, hold=1):
            time.sleep(IDLE_SECONDS)
            yield Sample(figures.WITH_CONSUMERS, server.resident_mb())


def members_in_memory(contender: Contender, data: Path) -> Iterator[Sample]:
    contender.prepare(data)
    with running(contender, data, one_core=False) as server:
        options = {"members": MEMBERS, "group_size": GROUP_SIZE, "connections": MEMBER_CONNECTIONS, "hold": 1}
        with driving("join", server.port, server.pid, **options):
            time.sleep(IDLE_SECONDS)
            yield Sample(figures.WITH_MEMBERS, server.resident_mb())


def offsets_in_memory(contender: Contender, data: Path, offsets: int = OFFSETS) -> Iterator[Sample]:
    """Commits a million offsets, stops the server, starts it again on the same directory."""
    contender.prepare(data)
    with running(contender, data, one_core=False) as server:
        groups = offsets // PARTITIONS_A_GROUP
        drive("fill", server.port, server.pid, groups=groups, partitions=PARTITIONS_A_GROUP)
    with running(_telling_of_loads(contender), data, one_core=False) as server:
        drive("fill", server.port, server.pid, groups=1, partitions=PARTITIONS_A_GROUP)  # wakes whoever loads lazily
        yield Sample(figures.LOAD, seconds_of_loading(server.log, offsets))
        time.sleep(IDLE_SECONDS)
        yield Sample(figures.WITH_OFFSETS, server.resident_mb())


def ids_in_memory(contender: Contender, data: Path, ids: int = TRANSACTIONAL_IDS) -> Iterator[Sample]:
    """The same with transactional ids that were initialised once."""
    contender.prepare(data)
    with running(contender, data, one_core=False) as server:
        drive("fill-ids", server.port, server.pid, groups=ids)
    with running(_telling_of_loads(contender), data, one_core=False) as server:
        drive("fill-ids", server.port, server.pid, groups=1)
        yield Sample(figures.LOAD_IDS, seconds_of_loading(server.log, ids))
        time.sleep(IDLE_SECONDS)
        yield Sample(figures.WITH_IDS, server.resident_mb())


def _with_settings(contender: Contender, *settings: str) -> Contender:
    assert isinstance(contender, Muster | Kafka)
    return replace(contender, settings=(*contender.settings, *settings))


def _telling_of_loads(contender: Contender) -> Contender:
    return replace(contender, log_level="info") if isinstance(contender, Muster) else contender


def seconds_of_loading(log: Path, records: int) -> float:
    """From when the first partition began to load until the last one had, by the server's own log."""
    deadline = time.monotonic() + _LOADED_WITHIN_SECONDS
    while time.monotonic() < deadline:
        text = log.read_text(errors="replace")
        lines = [(at, int(ms), int(count)) for at, ms, count in _LOADED_BY_KAFKA.findall(text)]
        for pattern in (_LOADED_BY_MUSTER, _IDS_LOADED_BY_KAFKA):
            lines += [(each[1], int(each["ms"]), int(each["records"])) for each in pattern.finditer(text)]
        if sum(count for _, _, count in lines) >= records:
            ends = [_seconds(at) for at, _, _ in lines]
            begins = [end - ms / 1000 for end, (_, ms, _) in zip(ends, lines, strict=True)]
            return max(ends) - min(begins)
        time.sleep(0.05)
    raise GeneratorFailed(f"{records:,} records were not loaded again; the server said:\n{log.read_text()[-2000:]}")


def _seconds(written: str) -> float:
    return datetime.strptime(written, "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC).timestamp()


STAGES: Final[dict[str, Stage]] = {
    "start": start_and_idle,
    "requests": requests,
    "newcomers": newcomers,
    "members": members_in_memory,
    "consumers": consumers_in_memory,
    "offsets": offsets_in_memory,
    "transactional-ids": ids_in_memory,
}


@contextmanager
def fresh_directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="muster-bench-", ignore_cleanup_errors=True) as made:
        yield Path(made)


def run_stage(stage: Stage, contender: Contender) -> list[Sample]:
    with fresh_directory() as data:
        return list(stage(contender, data))
