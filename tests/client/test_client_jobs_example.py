"""examples/jobs with real processes: jobs are shared, a worker is killed, everything gets done."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from examples.jobs.sharing import fair_shares
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.testing import Broker

JOBS = 6
STEPS = 60
SESSION_SECONDS = 10
ROOT = Path(__file__).parents[2]


class WorkerProcess:
    def __init__(self, broker: Broker, name: str, seconds: float) -> None:
        command = [sys.executable, "-m", "examples.jobs.worker", "--bootstrap", broker.bootstrap_servers]
        command += ["--name", name, "--jobs", str(JOBS), "--steps", str(STEPS), "--seconds", str(seconds)]
        command += ["--heartbeat-ms", "50", "--session-timeout-ms", str(SESSION_SECONDS * 1000)]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        self.said: list[str] = []
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self.said.append(line.rstrip())
                self._news.notify_all()

    def wait_for(self, pattern: str) -> None:
        with self._news:
            found = self._news.wait_for(lambda: any(re.search(pattern, line) for line in self.said), timeout=60)
        assert found, f"never said {pattern!r}, but: {self.said}"

    def steps(self) -> list[tuple[int, int]]:
        """(job, step), in the order done."""
        found = (re.search(r" job (\d+) step (\d+)$", line) for line in self.said)
        return [(int(match[1]), int(match[2])) for match in found if match]

    def end(self) -> int:
        code = self.process.wait(timeout=120)
        self._reader.join()
        return code


@contextmanager
def workers(broker: Broker, **speeds: float) -> Iterator[list[WorkerProcess]]:
    """Named, with the seconds that each takes for a step."""
    started = [WorkerProcess(broker, name, seconds) for name, seconds in speeds.items()]
    try:
        yield started
    finally:
        for each in started:
            each.process.kill()
            each.process.wait()
            assert each.process.stdout is not None
            each._reader.join()
            each.process.stdout.close()


def test_a_killed_workers_jobs_are_finished_by_the_others_from_where_they_were() -> None:
    """The one that is killed is the slow one: without it the others cannot finish, and so do not before. Alone it would need 24
    seconds for everything: more than the others take to start on the busiest machine."""
    with Broker() as broker, workers(broker, ada=0.4) as (ada,):
        group = broker.group("job-workers")
        ada.wait_for(r"job \d+ step 1$")
        with workers(broker, bob=0.005, cyd=0.005) as (bob, cyd):
            group.wait("Stable", members=3)
            ada.process.kill()
            ada.process.wait()
            broker.clock.advance(seconds=SESSION_SECONDS + 1, keep_connected=True)
            assert bob.end() == 0
            assert cyd.end() == 0
            every_step = Counter([*ada.steps(), *bob.steps(), *cyd.steps()])
        assert set(every_step) == {(job, step) for job in range(JOBS) for step in range(STEPS)}
        again = {step: times for step, times in every_step.items() if times > 1}
        assert len(again) <= JOBS, "only what was done and not yet committed when ada died is done again"
        assert "all jobs are done" in group.explain()


@settings(deadline=None)
@given(jobs=st.integers(0, 40), had=st.dictionaries(st.sampled_from("abcdef"), st.sets(st.integers(0, 50)), min_size=1))
def test_shares_are_fair_and_keep_what_they_can(jobs: int, had: Mapping[str, set[int]]) -> None:
    shares = fair_shares(jobs, {worker: sorted(each) for worker, each in had.items()})
    assert sorted(job for each in shares.values() for job in each) == list(range(jobs))
    sizes = [len(each) for each in shares.values()]
    assert max(sizes) - min(sizes) <= 1
    again = fair_shares(jobs, shares)
    assert {worker: set(each) for worker, each in again.items()} == {w: set(each) for w, each in shares.items()}


def test_topic_with_too_few_partitions_is_told_at_once() -> None:
    """Somebody else's topic of that name: no job would ever be done."""
    with Broker(topics={"jobs": 2}) as broker:
        command = [sys.executable, "-m", "examples.jobs.worker", "--bootstrap", broker.bootstrap_servers, "--jobs", "6"]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr == "topic jobs has 2 partitions, too few for 6 jobs: add some, or delete it\n"
