"""A real PgBouncer in front of a test's PostgreSQL; tests that need it are skipped where it is not installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

import psycopg
import pytest

from tests.cluster.postgres_process import PostgresProcess
from tests.interop.waiting import eventually
from tests.ports import free_port

_USER = "nobody" if os.geteuid() == 0 else None
"""It does not run as root either."""


def program() -> str:
    found = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip("PgBouncer is not installed (Debian's package `pgbouncer`)")
    return found


class PgBouncerProcess:
    """Used with `with`."""

    def __init__(self, database: PostgresProcess, pool_mode: str, **settings: str | int) -> None:
        """`settings`: further ones of its configuration."""
        self._program = program()
        self._home = Path(tempfile.mkdtemp(prefix="muster-pgbouncer-"))
        self.port = free_port()
        users = self._home / "users.txt"
        users.write_text('"muster" ""\n')
        lines = {
            "listen_addr": "127.0.0.1",
            "listen_port": self.port,
            "unix_socket_dir": "",
            "auth_type": "trust",
            "auth_file": users,
            "pool_mode": pool_mode,
            "default_pool_size": 40,
            "logfile": self._home / "log",
            **settings,
        }
        configuration = self._home / "pgbouncer.ini"
        configuration.write_text(
            f"[databases]\npostgres = host={database.socket.parent} dbname=postgres\n[pgbouncer]\n"
            + "".join(f"{name} = {value}\n" for name, value in lines.items())
        )
        if _USER is not None:
            for path in (self._home, users, configuration):
                shutil.chown(path, _USER)
        self._command = [self._program, "-q", str(configuration)]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql://muster@127.0.0.1:{self.port}/postgres?sslmode=disable"

    @property
    def log(self) -> str:
        path = self._home / "log"
        return path.read_text() if path.exists() else ""

    def __enter__(self) -> PgBouncerProcess:
        self._process = subprocess.Popen(
            self._command, user=_USER, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        eventually("PgBouncer to answer", self._answers)
        return self

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.log
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.Error:
            return False
        return True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._home, ignore_errors=True)
