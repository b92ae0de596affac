"""A server whose disk is full, or whose directory cannot be written: it says so, stays up, and goes on when there is room.

The disk is filled by lowering the largest size that the server process may give a file (RLIMIT_FSIZE): every write to a log fails
then, and works again when the limit is lifted.
"""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from muster.log.contract import StorageError
from muster.log.files import FileStore
from muster.wire.batch import Record, encode_batch
from muster.wire.errors import KAFKA_STORAGE_ERROR, NONE, NOT_COORDINATOR
from muster.wire.generated.produce import ProduceRequest, ProduceRequestPartition, ProduceRequestTopic
from tests.server.groups.group_client import GroupClient
from tests.server.groups.muster_process import MusterProcess

pytestmark = pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux's prlimit")


def pid_of(server: MusterProcess) -> int:
    return server._process.pid


def limit_files(server: MusterProcess, size: int) -> None:
    _, hard = resource.prlimit(pid_of(server), resource.RLIMIT_FSIZE)
    resource.prlimit(pid_of(server), resource.RLIMIT_FSIZE, (size, hard))


def produce(client: GroupClient, value: bytes) -> tuple[int, int]:
    """Error code and base offset."""
    batch = encode_batch([Record(0, 1_000, b"k", value)])
    topics = [ProduceRequestTopic("orders", partition_data=[ProduceRequestPartition(0, batch)])]
    reply = client.call("Produce", 9, ProduceRequest(None, -1, 5_000, topics))
    partition = reply.responses[0].partition_responses[0]
    return partition.error_code, partition.base_offset


@pytest.mark.parametrize("durability", ["fsync", "os"])
def test_a_full_disk_fails_appends_only_and_they_work_again_when_there_is_room(tmp_path: Path, durability: str) -> None:
    """Spec 4.3: a commit that cannot be stored gets NOT_COORDINATOR; a produce request KAFKA_STORAGE_ERROR, as from Kafka."""
    with ExitStack() as stack:
        server = stack.enter_context(MusterProcess(tmp_path / "data", "--durability", durability))
        server.create_topic("orders", 1)
        client = stack.enter_context(server.client("g"))
        assert produce(client, b"before") == (NONE, 0)
        assert client.commit("g", ("orders", 0, 10)) == [NONE]
        limit_files(server, 1)
        for _ in range(3):
            assert produce(client, b"lost")[0] == KAFKA_STORAGE_ERROR
            assert client.commit("g", ("orders", 0, 99)) == [NOT_COORDINATOR]
            assert client.committed("g") == 10, "what was not stored is not true"
        limit_files(server, resource.RLIM_INFINITY)
        assert produce(client, b"after") == (NONE, 1), "the offset of what was lost is given out again"
        assert client.commit("g", ("orders", 0, 11)) == [NONE]
        assert client.committed("g") == 11
    with MusterProcess(tmp_path / "data") as server, server.client("g") as client:
        assert client.committed("g") == 11
        assert produce(client, b"again") == (NONE, 2)


def serve_and_fail(data: Path) -> str:
    command = [sys.executable, "-m", "muster", "serve", "--listen", "127.0.0.1:0", "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr
    return done.stderr


def test_a_directory_that_cannot_be_a_data_directory_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("not a directory")
    said = serve_and_fail(path / "data")
    assert str(path) in said
    assert "Traceback" not in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory_is_an_error_that_names_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    said = serve_and_fail(tmp_path)
    tmp_path.chmod(0o700)
    assert f"{tmp_path}: cannot be written to" in said
    assert "Traceback" not in said


def test_a_file_system_mounted_read_only_is_an_error_that_names_the_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What root gets instead of a permission error."""
    real_open = os.open

    def refuse_to_create(path: str, flags: int, *arguments: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return real_open(path, flags, *arguments)

    monkeypatch.setattr(os, "open", refuse_to_create)
    with pytest.raises(StorageError, match=r"cannot be written to .*Read-only file system"):
        FileStore(str(tmp_path))


def test_a_second_server_on_the_same_directory_refuses_and_names_the_first(tmp_path: Path) -> None:
    with MusterProcess(tmp_path / "data") as server:
        said = serve_and_fail(tmp_path / "data")
        assert f"in use by process {pid_of(server)}" in said
        assert "Traceback" not in said
