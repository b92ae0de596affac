"""One worker of a fleet that shares a list of jobs. Start as many as you like, kill any of them, and every job gets done.

    muster serve --memory --listen 127.0.0.1:9092 &
    python -m examples.jobs.worker --name ada &
    python -m examples.jobs.worker --name bob

Jobs are numbered, and done in steps. Job number N is partition N of a topic that holds no records: its committed offset is the
number of steps that are done. So a job that moves to another worker goes on where it was, and a step is done again only if its
worker died between doing it and saying so.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence

from examples.jobs.sharing import JobSharing

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.group_calls import Terms
from muster.client.membership import Membership

GROUP = "job-workers"
TOPIC = "jobs"


class Worker:
    def __init__(self, cluster: Cluster, options: argparse.Namespace) -> None:
        self._cluster = cluster
        self._options = options
        self._running: dict[int, asyncio.Task[None]] = {}
        self._stopping = False
        sharing = JobSharing(options.name, options.jobs, self._begin, self._stop)
        terms = Terms(GROUP, sharing.protocol_type, None, options.session_timeout_ms, 60_000)
        self.membership = Membership(cluster, terms, sharing, heartbeat_interval_ms=options.heartbeat_ms)

    async def work(self) -> None:
        """Until every job of the fleet is done."""
        await self._make_topic()
        self.membership.start()
        try:
            while not await self._all_done():
                await self.membership.stable()
                await asyncio.sleep(self._options.seconds)
        finally:
            await self.membership.leave("all jobs are done")

    async def _make_topic(self) -> None:
        try:
            await admin.create_topic(self._cluster, TOPIC, self._options.jobs)
        except ClientError as failure:
            if failure.name != "TOPIC_ALREADY_EXISTS":
                raise
        counts = await admin.partition_counts(self._cluster, [TOPIC])
        if counts.get(TOPIC, self._options.jobs) < self._options.jobs:
            sys.exit(
                f"topic {TOPIC} has {counts[TOPIC]} partitions, too few for {self._options.jobs} jobs: add some, or delete it"
            )

    async def _all_done(self) -> bool:
        done = await admin.committed_offsets(self._cluster, GROUP)
        return len(done) == self._options.jobs and all(each.offset == self._options.steps for each in done.values())

    async def _begin(self, jobs: frozenset[int]) -> None:
        self._say(f"has jobs {', '.join(map(str, sorted(jobs))) or 'none'}")
        done = await admin.committed_offsets(self._cluster, GROUP)
        for job in sorted(jobs):
            so_far = done.get(admin.TopicPartition(TOPIC, job))
            self._running[job] = asyncio.create_task(self._do(job, so_far.offset if so_far else 0))

    async def _stop(self) -> None:
        """Let each job finish the step in hand and commit it: nothing is then done twice."""
        self._stopping = True
        await asyncio.gather(*self._running.values())
        self._running.clear()
        self._stopping = False

    async def _do(self, job: int, done: int) -> None:
        for step in range(done, self._options.steps):
            if self._stopping:
                return
            await asyncio.sleep(self._options.seconds)  # the work itself
            self._say(f"job {job} step {step}")
            try:
                await self.membership.commit({admin.TopicPartition(TOPIC, job): step + 1})
            except ClientError as failure:
                self._say(f"job {job} is not ours any more: {failure.name}")
                return

    def _say(self, what: str) -> None:
        print(f"{self._options.name} {what}", flush=True)


def options_of(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m examples.jobs.worker", description="one worker of a fleet")
    parser.add_argument("--bootstrap", default="127.0.0.1:9092", metavar="HOST:PORT")
    parser.add_argument("--name", default="worker")
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.2, help="how long a step takes")
    parser.add_argument("--session-timeout-ms", type=int, default=10_000)
    parser.add_argument("--heartbeat-ms", type=int, default=1_000)
    return parser.parse_args(arguments)


async def run(options: argparse.Namespace) -> None:
    async with Cluster(options.bootstrap, client_id=options.name) as cluster:
        await Worker(cluster, options).work()


def main() -> int:
    try:
        asyncio.run(run(options_of(sys.argv[1:])))
    except ClientError as failure:
        print(failure, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
