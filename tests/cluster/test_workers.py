"""`muster serve --workers`: several processes, one data directory, one address (issue 11, design section 4)."""

from __future__ import annotations

import os
import signal
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.cli.exit_codes import DONE, FAILED, USAGE
from muster.cli.main import main
from muster.cluster.worker_shares import share_of
from muster.log.directory import CLEAN_MARK
from muster.wire.errors import LEADER_NOT_AVAILABLE, NONE, TOPIC_ALREADY_EXISTS
from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestTopic
from muster.wire.generated.delete_topics import DeleteTopicsRequest
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from tests.cluster.load import Load
from tests.cluster.lone_member import LoneMember
from tests.cluster.workers_process import SETTINGS, WorkersProcess, is_alive
from tests.interop.waiting import eventually
from tests.log.postgres_server import empty_database
from tests.server.raw_client import RawClient, request_frame


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkersProcess]:
    """For tests that leave every worker running."""
    with WorkersProcess(tmp_path_factory.mktemp("three")) as workers:
        yield workers


def ask_metadata(port: int, *topics: str) -> Any:
    wanted = [MetadataRequestTopic(name=name) for name in topics]
    with RawClient(port) as client:
        return client.ask("Metadata", 4, MetadataRequest(topics=wanted, allow_auto_topic_creation=False))


def create(port: int, name: str, partitions: int) -> int:
    topic = CreateTopicsRequestTopic(name=name, num_partitions=partitions, replication_factor=1)
    with RawClient(port) as client:
        answer = client.ask("CreateTopics", 4, CreateTopicsRequest(topics=[topic], timeout_ms=10_000))
    return int(answer.topics[0].error_code)


def delete(port: int, name: str) -> int:
    with RawClient(port) as client:
        answer = client.ask("DeleteTopics", 3, DeleteTopicsRequest(topic_names=[name], timeout_ms=10_000))
    return int(answer.responses[0].error_code)


def knows(port: int, name: str) -> bool:
    return bool(ask_metadata(port, name).topics[0].error_code == NONE)


def coordinator_port(workers: WorkersProcess, member: LoneMember) -> int:
    found = eventually(f"a coordinator of {member.group}", lambda: member.coordinator_port([workers.port]))
    assert found is not None
    return found


def settle_in(workers: WorkersProcess, member: LoneMember, offset: int) -> int:
    """Join and commit; returns the port of the coordinator. Who was it a moment ago may have to give the group away."""
    joined = eventually(
        "a coordinator", lambda: coordinator_port(workers, member), lambda port: member.try_to_join(port) == NONE
    )
    if member.commit(joined, offset) == NONE:
        return joined
    eventually("a commit", lambda: member.commits_somewhere(workers.ports, offset))
    return coordinator_port(workers, member)


def known_everywhere(workers: WorkersProcess, name: str) -> list[bool]:
    return [knows(port, name) for port in workers.ports]


# -- one address, many nodes


def test_whoever_answers_at_the_common_address_names_all_workers_at_their_own(three: WorkersProcess) -> None:
    for port in (three.port, *three.ports):
        brokers = {broker.node_id: broker.port for broker in ask_metadata(port).brokers}
        assert brokers == dict(zip((1, 2, 3), three.ports, strict=True))


def test_a_topic_is_led_by_all_workers_evenly(three: WorkersProcess) -> None:
    assert create(three.ports[0], "even", 9) == NONE
    leaders = Counter(partition.leader_id for partition in ask_metadata(three.ports[0], "even").topics[0].partitions)
    assert leaders == {1: 3, 2: 3, 3: 3}


def test_a_topic_made_at_one_worker_is_known_to_the_others(three: WorkersProcess) -> None:
    assert create(three.ports[1], "heard-of", 3) == NONE
    eventually("all workers to know it", lambda: known_everywhere(three, "heard-of"), all)
    assert [create(port, "heard-of", 3) for port in three.ports] == [TOPIC_ALREADY_EXISTS] * 3
    assert all((three.data / f"heard-of-{index}").is_dir() for index in range(3))


def test_a_topic_made_at_all_workers_at_once_is_made_by_one(three: WorkersProcess) -> None:
    """The document of the topics is compared and set: who comes second judges anew."""
    clients = [RawClient(port) for port in three.ports]
    topic = CreateTopicsRequestTopic(name="contested", num_partitions=3, replication_factor=1)
    for client in clients:
        client.send(_create_frame(topic))
    codes = [client.read("CreateTopics", 4).topics[0].error_code for client in clients]
    for client in clients:
        client.close()
    assert sorted(codes) == sorted([NONE, TOPIC_ALREADY_EXISTS, TOPIC_ALREADY_EXISTS])


def _create_frame(topic: CreateTopicsRequestTopic) -> bytes:
    return request_frame("CreateTopics", 4, CreateTopicsRequest(topics=[topic], timeout_ms=10_000))


def test_a_topic_deleted_at_one_worker_leaves_nothing_anywhere_and_can_be_made_again(three: WorkersProcess) -> None:
    assert create(three.ports[0], "passing", 3) == NONE
    eventually("all workers to know it", lambda: known_everywhere(three, "passing"), all)
    assert delete(three.ports[2], "passing") == NONE
    eventually("all workers to forget it", lambda: not any(known_everywhere(three, "passing")))
    eventually("nothing to be left of it", lambda: list(three.data.glob("passing-*")), lambda left: left == [])
    assert create(three.ports[1], "passing", 2) == NONE
    eventually("all workers to know it again", lambda: known_everywhere(three, "passing"), all)


def test_a_group_is_served_by_the_worker_that_every_other_names(three: WorkersProcess) -> None:
    for group in ("one", "two", "three", "four"):
        member = LoneMember(group)
        port = coordinator_port(three, member)
        eventually(
            "every worker to name the same one",
            lambda m=member: {m.coordinator_port([each]) for each in three.ports},  # type: ignore[misc]
            lambda named, p=port: named == {p},  # type: ignore[misc]
        )
        eventually("its shard to be loaded", lambda m=member, p=port: m.committed(p)[0] == NONE)  # type: ignore[misc]
        member.join(port)
        assert member.commit(port, 5) == NONE
        assert member.committed(port) == (NONE, 5)
        member.close()


def test_cluster_status_of_the_directory_lists_the_workers(
    three: WorkersProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cluster", "status", str(three.data)]) == DONE
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in printed[1:]] == [["1", "running"], ["2", "running"], ["3", "running"]]
    assert [line.split()[-1] for line in printed[1:]] == [f"PLAINTEXT://127.0.0.1:{port}" for port in three.ports]


def test_cluster_status_of_a_directory_without_workers_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cluster", "status", str(tmp_path)]) == FAILED
    assert "no workers run on" in capsys.readouterr().err


# -- death


def test_groups_of_real_clients_lose_nothing_when_workers_are_killed_and_when_their_number_changes(
    tmp_path: Path,
) -> None:
    """Each worker killed in turn; then two workers instead of three, a plain server, three again, on the same directory."""
    workers = WorkersProcess(tmp_path)
    with workers, Load(tmp_path, workers.address) as load:
        load.start()
        for number in range(3):
            load.begin_exchange()
            workers.wait_until_back(number, workers.kill_worker(number))
            load.progress()
            load.end_exchange()
        serve_with(workers, 2)
        load.progress()
        load.settle()
        # The members go with the ports that they know; what they were told must be there for others.
        for count in (1, 3):
            serve_with(workers, count)
            load.settle()


def serve_with(workers: WorkersProcess, count: int) -> None:
    workers.stop()
    assert (workers.data / CLEAN_MARK).exists(), workers.log
    workers.workers = count
    workers.start()


def test_a_worker_told_to_stop_stops_cleanly_and_is_started_again(tmp_path: Path) -> None:
    with WorkersProcess(tmp_path, 2) as workers:
        stopped = workers.kill_worker(1, signal.SIGTERM)
        workers.wait_until_back(1, stopped)
        assert [(row["restarts"], row["last_end"]) for row in workers.status()] == [(0, ""), (1, "exit code 0")]
        assert "worker 2 (node 2) ended (exit code 0); starting it again" in workers.log


@pytest.mark.parametrize("on_database", [False, True], ids=["files", "postgres"])
def test_a_worker_that_hangs_is_killed_and_started_again_and_the_group_it_served_goes_on(
    on_database: bool, tmp_path: Path
) -> None:
    settings = {**SETTINGS, "muster.worker.silence.ms": "3000", "muster.lease.ms": "800"}
    flags = ["--store", empty_database()] if on_database else []
    with WorkersProcess(tmp_path, 2, settings=settings, flags=flags) as workers:
        member = LoneMember("hung")
        number = workers.ports.index(settle_in(workers, member, 5))
        hung, name = workers.pid_of(number), f"worker {number + 1} (node {number + 1})"
        member.close()  # a connection to a frozen process would wait for it
        os.kill(hung, signal.SIGSTOP)
        eventually("the supervisor to notice", lambda: f"{name} hangs: process {hung} has been silent" in workers.log)
        eventually("it to be back", lambda: f"{name} is back" in workers.log)
        assert f"{name} ended (killed by SIGKILL: it hung, silent for" in workers.log
        assert not is_alive(hung)

        kept = eventually("its coordinator", lambda: member.knows_somewhere(workers.ports))
        assert kept is not None
        assert kept[1] == 5
        member.close()


def test_a_worker_that_cannot_come_back_is_not_named_to_clients_until_it_can(tmp_path: Path) -> None:
    with WorkersProcess(tmp_path, 2) as workers:
        assert create(workers.ports[0], "t", 2) == NONE
        eventually("both to know it", lambda: known_everywhere(workers, "t"), all)
        index = next(each for each in range(2) if share_of("t", each, 2) == 1)
        unreadable = workers.data / "muster.sync.1.999"
        unreadable.write_bytes(b"muster sync journal 99\n")
        killed = workers.kill_worker(1)

        def seen() -> tuple[list[int], int]:
            answer = ask_metadata(workers.ports[0], "t")
            (partition,) = (each for each in answer.topics[0].partitions if each.partition_index == index)
            return [broker.node_id for broker in answer.brokers], partition.error_code

        eventually("it to be taken for away", seen, lambda found: found == ([1], LEADER_NOT_AVAILABLE))
        assert "worker 2 (node 2) cannot be started: " in workers.log
        assert main(["cluster", "status", str(workers.data)]) == FAILED
        unreadable.unlink()
        workers.wait_until_back(1, killed)
        eventually("it to be named again", seen, lambda found: found == ([1, 2], NONE))


def test_workers_stop_when_their_supervisor_is_killed_and_the_directory_is_free(tmp_path: Path) -> None:
    workers = WorkersProcess(tmp_path, 2)
    workers.start()
    pids = workers.worker_pids()
    os.kill(workers.pid, signal.SIGKILL)
    assert workers.wait() == -signal.SIGKILL
    eventually("the workers to end", lambda: not any(is_alive(pid) for pid in pids))
    with workers:
        assert workers.worker_pids() != pids


def test_ctrl_c_reaches_everybody_and_ends_everything_cleanly(tmp_path: Path) -> None:
    workers = WorkersProcess(tmp_path, 2)
    workers.start()
    assert create(workers.ports[0], "t", 4) == NONE
    pids = workers.worker_pids()
    workers.signal(signal.SIGINT, everybody=True)
    assert workers.wait() == DONE
    assert not any(is_alive(pid) for pid in pids)
    assert (workers.data / CLEAN_MARK).exists()
    assert not (workers.data / "workers.json").exists()


# -- what cannot be


def test_a_worker_that_cannot_start_ends_all_with_its_reason(tmp_path: Path) -> None:
    with RawListener() as taken:
        workers = WorkersProcess(tmp_path, 2, flags=["--metrics-listen", f"127.0.0.1:{taken.port - 1}"])
        with pytest.raises(AssertionError, match="muster serve: cannot listen on"):
            workers.start()


class RawListener:
    """Somebody who has a port."""

    def __enter__(self) -> RawListener:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (["--memory"], "--workers and --memory exclude each other"),
        (["--control", "127.0.0.1:0"], "--workers and --control exclude each other"),
        (
            ["--listen", "A://:9092,B://:9094", "--set", "listener.security.protocol.map=A:PLAINTEXT,B:PLAINTEXT"],
            "9094",
        ),
        (["--listen", "127.0.0.1:65534"], "65535 is the highest there is"),
        (["--workers", "0"], "--workers"),
    ],
)
def test_what_workers_cannot_have_is_refused(
    flags: list[str], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--workers", "3", "--data", str(tmp_path / "data"), *flags]) == USAGE
    assert problem in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_a_port_that_somebody_has_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with RawListener() as taken:
        flags = ["--listen", f"127.0.0.1:{taken.port}", "--data", str(tmp_path / "data")]
        assert main(["serve", "--workers", "2", *flags]) == FAILED
    assert f"cannot listen on 127.0.0.1:{taken.port}: another program" in capsys.readouterr().err


def test_a_second_server_on_the_directory_is_refused(three: WorkersProcess, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--listen", "127.0.0.1:0", "--data", str(three.data)]
    assert main(["serve", "--workers", "2", *flags]) == FAILED
    assert f"in use by process {three.pid}" in capsys.readouterr().err


# -- on a database


def test_groups_of_real_clients_lose_nothing_when_workers_on_a_database_are_killed(tmp_path: Path) -> None:
    """Others take over when the lease is over; the next process of the killed one gets its share back."""
    settings = {**SETTINGS, "muster.lease.ms": "1000"}
    workers = WorkersProcess(tmp_path, 3, settings=settings, flags=["--store", empty_database()])
    with workers, Load(tmp_path, workers.address) as load:
        load.start()
        for number in range(3):
            load.begin_exchange()
            killed = workers.kill_worker(number)
            load.progress()
            workers.wait_until_back(number, killed)
            load.end_exchange()
        load.progress()
        load.settle()


def test_workers_on_a_database_are_nodes_of_its_cluster(tmp_path: Path) -> None:
    settings = {**SETTINGS, "muster.lease.ms": "800"}
    workers = WorkersProcess(tmp_path, 2, settings=settings, flags=["--store", empty_database()])
    member = LoneMember("over the database")
    with workers:
        settle_in(workers, member, 7)
        eventually(
            "both to be named",
            lambda: {broker.port for broker in ask_metadata(workers.port).brokers},
            lambda named: named == set(workers.ports),
        )
        member.close()
